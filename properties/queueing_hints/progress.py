"""Properties of progress: no event is lost, and what is kept is released."""

from model.objects import Pod
from model.scheduler.cycle import INTER_POD_AFFINITY
from model.scheduler.queue.pre_enqueue import SCHEDULING_GATES
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.queueing_hints.actors import CLOCK, POD_INFORMER
from model.systems.queueing_hints.plugins import PENDING, PLUGINS, rejecting
from model.systems.queueing_hints.threads import STEPS as SCHEDULER_STEPS
from properties.property import Invariant, Liveness
from properties.queueing_hints.view import State, at_rest, live, queues_of

# An informer resyncs or relists only so often. All other actions of the scheduler may go on for ever.
SCHEDULER = frozenset(
    step.name
    for steps in (SCHEDULER_STEPS, CLOCK.STEPS, POD_INFORMER.STEPS)
    for step in steps
    if step.name not in ("resync_pod", "relist_pods")
)


# The plugins of which it is known which pods they accept.
NAMES = frozenset({*(plugin for plugin, _ in PLUGINS), INTER_POD_AFFINITY, PENDING[0], SCHEDULING_GATES})


def _accepts(state: State, pod: Pod) -> bool:
    """Whether every plugin would accept this pod of the API server: in PreEnqueue, in Filter, in Reserve."""
    let_in = not pod.scheduling_gates and not state.queue.lacks_claims
    return let_in and not rejecting(state, pod) and not state.unallocated


def _accepted(state: State, info: QueuedPodInfo) -> bool:
    """Whether every plugin would accept the pod, by the API server's object and the conditions."""
    pod = live(state, info.pod.name)
    return pod is not None and _accepts(state, pod) and not (pod.node_name or pod.terminating)


def _stuck(state: State, by_plugin: bool) -> list[str]:
    """At rest: pods in unschedulablePods that every plugin would accept, rejected by a plugin or by none."""
    if not at_rest(state):
        return []
    found = []
    for info in state.queue.unschedulable:
        rejecting = info.unschedulable_plugins | info.pending_plugins
        if _accepted(state, info) and bool(rejecting) is by_plugin and rejecting <= NAMES:
            found.append(info.pod.uid)
    return found


def _what_helps(state: State) -> str:
    uid = _stuck(state, by_plugin=True)[0]
    if any(info.gated and info.pod.uid == uid for info in state.queue.unschedulable):
        return "nobody asks the PreEnqueue plugin again that held the pod back"
    return "only the leftover flush, if there is one, brings it back"


def _waits(state: State) -> bool:
    return at_rest(state) and bool(state.queue.unschedulable)


NO_EVENT_LOST = Invariant(
    name="no-event-lost",
    sentence="When nothing is under way, no plugin that rejected a pod in unschedulablePods would accept the pod now.",
    broken_by=("events_after_previous_event",),
    holds=lambda state: not _stuck(state, by_plugin=True),
    premise=_waits,
    explain=lambda state: (
        f"nothing is under way, and {_stuck(state, True)[0]} waits in unschedulablePods, though every plugin would "
        f"accept the pod: {_what_helps(state)}"
    ),
)
ERROR_IS_TRIED = Invariant(
    name="failed-by-error-is-tried-again",
    sentence="When nothing is under way, no pod that no plugin rejected waits in unschedulablePods.",
    broken_by=("hint_by_any_event", "hint_by_event_since_pop"),
    holds=lambda state: not _stuck(state, by_plugin=False),
    premise=_waits,
    explain=lambda state: (
        f"nothing is under way, and {_stuck(state, False)[0]} waits in unschedulablePods, though no plugin rejected "
        "the pod: only the leftover flush, if there is one, brings it back"
    ),
)


def _exists(state: State, name: str) -> bool:
    return live(state, name) is not None


def _placed(state: State, name: str) -> bool:
    """Whether the pod is bound, gone or about to go, or some plugin rejects the pod.

    Nothing is known of the plugin that rejects pods at Permit.
    """
    pod = live(state, name)
    if pod is None or pod.node_name or pod.terminating or not _accepts(state, pod):
        return True
    return bool(state.used.of("unknown_profiles")) or any(
        info.pod.name == name and info.unschedulable_plugins - NAMES for info in state.queue.unschedulable
    )


EVENTS_RELEASED = Liveness(
    name="events-are-released",
    sentence="Once users and the cluster come to rest, no event is kept for ever.",
    broken_by=("skipped_without_done", "discard_nothing"),
    sorts=("pod",),
    goal=lambda state, name: not state.queue.in_flight_events,
    premise=lambda state, name: bool(state.queue.in_flight_events),
    explain=lambda state, name: f"{len(state.queue.in_flight_events)} elements of inFlightEvents are kept for ever",
    fair=SCHEDULER,
    recurring=SCHEDULER,
)
ACTIVE_IS_POPPED = Liveness(
    name="active-pod-is-popped",
    sentence="A pod in activeQ is popped: every insertion wakes Pop.",
    broken_by=("requeue_wakes_nobody",),
    sorts=("pod",),
    goal=lambda state, name: "activeQ" not in queues_of(state, name),
    premise=lambda state, name: "activeQ" in queues_of(state, name),
    explain=lambda state, name: f"{name} stays in activeQ for ever: Pop sleeps, and nobody wakes Pop",
    fair=SCHEDULER,
    recurring=SCHEDULER,
)
ACCEPTED_IS_BOUND = Liveness(
    name="accepted-pod-is-bound",
    sentence="A pod that every plugin accepts is eventually bound, once users and the cluster leave it alone.",
    broken_by=("events_after_previous_event", "hint_by_event_since_pop"),
    sorts=("pod",),
    goal=_placed,
    premise=_exists,
    explain=lambda state, name: f"{name} is Pending for ever, though every plugin would accept the pod",
    fair=SCHEDULER,
    recurring=SCHEDULER,
)
