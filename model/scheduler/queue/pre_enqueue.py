"""PreEnqueue: plugins that keep a pod out of activeQ, such as for its scheduling gates. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go (1.32 pkg/scheduler/backend/queue/scheduling_queue.go), 1.26 on.
Before a pod goes to activeQ, `addToActiveQ` (1.31 on `moveToActiveQ`) asks these plugins in turn. The first that
rejects the pod is one of its unschedulable plugins from then on. The pod is `Gated`, and goes to unschedulablePods
instead. All is under `PriorityQueue.lock`. The plugins are asked again when the pod would go to activeQ once more,
because of an event, of its own update, or of the flush.

What releases do differently with a pod that is gated:
 - a move asks for no hint of such a pod, and leaves the pod where it is: of no pod up to 1.27.14, 1.28.10, 1.29.5 and
   1.30.1; then of every gated pod (#124618), so that a plugin whose answer an event changes is not asked again
   (QUEUE-GATED-SKIP); then of those that SchedulingGates holds, which wait for their own update alone (#125527). 1.27
   did not get #125527: the bug is there in 1.27.15 and 1.27.16;
 - up to 1.31 such a pod has no backoff.

`Queue` has no gated pods, and asks no such plugin: here are the parts for a system that has both.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from model.evolve import evolve
from model.scheduler.hint_objects import HintedPod
from model.scheduler.queue.state import QueuedPodInfo

# `names.SchedulingGates`.
SCHEDULING_GATES = "SchedulingGates"


@frozen
class PreEnqueuePlugin:
    """A plugin with a PreEnqueue function."""

    name: str
    # Why the plugin rejects the pod, as its status says; None: the plugin lets the pod pass.
    pre_enqueue: Callable[[HintedPod], str | None]


def scheduling_gates(pod: HintedPod) -> str | None:
    """SchedulingGates rejects a pod that has any gate (schedulinggates/scheduling_gates.go `PreEnqueue`)."""
    return f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]" if pod.scheduling_gates else None


@frozen
class Enqueued:
    """What the plugins said of a pod."""

    # The pod's record, with the plugin that rejected the pod.
    info: QueuedPodInfo
    # Go: `Gated`. The pod goes to unschedulablePods, and not to activeQ.
    gated: bool
    # The status of the plugin that rejected the pod, "" if none did.
    status: str = ""


def run_pre_enqueue_plugins(plugins: Sequence[PreEnqueuePlugin], info: QueuedPodInfo) -> Enqueued:
    """Ask the plugins in turn until one rejects the pod (`runPreEnqueuePlugins`). `info` has a `HintedPod`.

    Plugins that rejected the pod earlier stay among its unschedulable plugins until the pod is popped.
    """
    pod = info.pod
    assert isinstance(pod, HintedPod), pod
    for plugin in plugins:
        status = plugin.pre_enqueue(pod)
        if status is not None:
            plugins_of_pod = info.unschedulable_plugins | {plugin.name}
            return Enqueued(evolve(info, unschedulable_plugins=plugins_of_pod), True, status)
    return Enqueued(info, False)


def no_gated_pod_is_passed_over(info: QueuedPodInfo) -> bool:
    """A move asks for a hint of each pod (`movePodsToActiveOrBackoffQueue`, up to 1.27.14, 1.28.10 and so on)."""
    return False


def every_gated_pod_is_passed_over(info: QueuedPodInfo) -> bool:
    """A move leaves every gated pod where it is (#124618, QUEUE-GATED-SKIP)."""
    return True


def pod_with_scheduling_gates_is_passed_over(info: QueuedPodInfo) -> bool:
    """A move leaves a gated pod where it is if SchedulingGates rejected the pod (#125527)."""
    return SCHEDULING_GATES in info.unschedulable_plugins


def gated_pod_has_no_backoff() -> bool:
    """`isPodBackingoff` says no of a gated pod (up to 1.31)."""
    return False


def gated_pod_backs_off() -> bool:
    """`isPodBackingoff` does not ask whether the pod is gated (1.32)."""
    return True


@frozen(slots=False, kw_only=True)
class PreEnqueueRules:
    """What releases from 1.27 on do differently with gated pods."""

    # Whether a move passes over this gated pod, without asking for a hint.
    gated_pod_is_passed_over: Callable[[QueuedPodInfo], bool]
    # Whether a gated pod may back off.
    gated_pod_may_back_off: Callable[[], bool]
