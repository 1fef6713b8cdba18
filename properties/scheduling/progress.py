"""Properties of progress: a pod for which there is room gets a node."""

from model.objects import Pod
from model.scheduler.extender import ALLOCATED
from model.systems.scheduling.second_scheduler import of_both
from model.systems.scheduling.threads import SCHEDULER as THREADS
from model.world import clock, informers
from properties.property import Invariant, Liveness
from properties.scheduling.view import State, at_rest, has_room, live, node_names, nominated_pods, pending

# The sorts of pods.
PODS = ("top_pod", "high_pod", "pod", "big_top_pod", "big_high_pod", "big_pod")
# Those that are above others, and so may preempt.
_PREEMPTORS = ("top_pod", "high_pod", "big_top_pod", "big_high_pod")
# An informer resyncs or relists only so often. All other actions of a scheduler may go on for ever.
SCHEDULER = of_both(
    step.name
    for actor in (THREADS, clock, informers)
    for step in (*actor.STEPS, informers.HANDLE_POD)
    if step.name not in ("resync_pod", "relist_pods")
)
# What goes on for ever beside it, if there is such a controller.
_CONTROLLER = frozenset({"replace_pod"})


def _fits(state: State, name: str) -> bool:
    """Whether the API server's pods leave room for the pod on some node."""
    pod = live(state, name)
    return pod is not None and any(has_room(state, node, pod) for node in node_names(state))


def _served(pod: Pod) -> bool:
    """Whether the extender has served the pod. Only the extender knows whether it would take the pod again."""
    return any(pair in pod.annotations for pair in ALLOCATED)


def stuck(state: State) -> dict[str, str]:
    """At rest: pods in unschedulableQ that fit on a node, also beside every pending pod that is nominated there.

    Room that is kept for a pod that is bound or gone counts as room. What is wrong with each pod, by name.
    """
    if not at_rest(state):
        return {}
    found: dict[str, str] = {}
    for info in state.queue.unschedulable:
        pod = info.pod
        current = live(state, pod.name)
        if current is None or current.node_name or current.terminating or current.scheduler_name or _served(current):
            continue
        for node in node_names(state):
            others = [p for where, p in nominated_pods(state) if where == node and p.uid != pod.uid]
            higher = [p for p in others if p.priority >= pod.priority]
            kept = sum(p.cpu_milli for p in higher if pending(state, p))
            if has_room(state, node, current, kept):
                waits = f"nothing is under way, and {pod.name} waits in unschedulableQ, though it fits on {node}"
                phantom = next((p.name for p in higher if not pending(state, p)), None)
                found.setdefault(pod.name, f"{waits}: {_cure(phantom)}")
    return found


def _cure(phantom: str | None) -> str:
    if phantom is None:
        return "only the leftover flush, if there is one, brings it back"
    return f"the room there is kept for {phantom}, which is bound or gone, and no flush helps"


def no_event_is_lost(state: State) -> bool:
    return not stuck(state)


def explain_stuck(state: State) -> str:
    return next(iter(stuck(state).values()))


def placed(state: State, name: str) -> bool:
    """Whether the pod is bound, gone or about to go, or without room on any node, or was served by the extender.

    A pod that names another scheduler is for that one to place.
    """
    pod = live(state, name)
    if pod is None or pod.node_name or pod.terminating or pod.scheduler_name:
        return True
    return _served(pod) or not _fits(state, name)


def _exists(state: State, name: str) -> bool:
    return live(state, name) is not None


def _explain_pending(state: State, name: str) -> str:
    return f"{name} is Pending for ever, though a node has room for it"


NO_EVENT_LOST = Invariant(
    name="no-event-lost",
    sentence="When nothing is under way, no pod in unschedulableQ fits on a node as it is now.",
    broken_by=("failed_pod_by_flag", "forget_only"),
    holds=no_event_is_lost,
    premise=lambda state: at_rest(state) and bool(state.queue.unschedulable),
    explain=explain_stuck,
)
FITTING_IS_BOUND = Liveness(
    name="fitting-pod-is-bound",
    sentence="A pod that fits the really free capacity is eventually bound, once users and nodes leave it alone.",
    broken_by=("add_unchecked", "failed_pod_by_flag"),
    sorts=PODS,
    goal=placed,
    premise=_exists,
    explain=_explain_pending,
    fair=SCHEDULER,
    recurring=SCHEDULER,
)
NO_STARVATION = Liveness(
    name="fitting-pod-is-not-starved",
    sentence="A pod that fits is eventually bound, however often others fail and nodes report.",
    broken_by=("move_to_active",),
    sorts=PODS,
    goal=placed,
    premise=_exists,
    explain=_explain_pending,
    fair=SCHEDULER,
)


def has_preempted(state: State, name: str) -> bool:
    """Whether the pod is pending, and nominated in the API to a node: room was made for it."""
    pod = live(state, name)
    return pod is not None and not pod.node_name and bool(pod.nominated_node_name)


def _is_left_alone(state: State, name: str) -> bool:
    """Whether the pod has not preempted, or nothing is under way: then it is `fitting-pod-is-bound` that is asked."""
    return not has_preempted(state, name) or at_rest(state)


def _explain_in_vain(state: State, name: str) -> str:
    return f"{name}, for which pods were deleted, is tried again and again, and is Pending for ever"


PREEMPTOR_IS_BOUND = Liveness(
    name="preemptor-is-bound",
    sentence="A pod for which others were deleted is not tried without end, even if a controller makes those again.",
    # What it adds is in the memory of one scheduler.
    broken_by=("add_reference",),
    sorts=_PREEMPTORS,
    goal=_is_left_alone,
    premise=has_preempted,
    explain=_explain_in_vain,
    fair=SCHEDULER | _CONTROLLER,
    recurring=SCHEDULER | _CONTROLLER,
)
