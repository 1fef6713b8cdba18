"""PreEnqueue: plugins that keep a pod out of activeQ, such as for its scheduling gates. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go (1.32 pkg/scheduler/backend/queue/scheduling_queue.go), 1.26 on.
Before a pod goes to activeQ, `addToActiveQ` (1.31 on `moveToActiveQ`) asks these plugins in turn. The first that
rejects the pod is one of its unschedulable plugins from then on. The pod is `Gated`, and goes to unschedulablePods
instead. All is under `PriorityQueue.lock`. The plugins are asked again when the pod would go to activeQ once more,
because of an event, of its own update, or of the flush.

What releases do differently with a pod that is gated:
 - a move asks for no hint of such a pod, and leaves the pod where it is: of no pod up to 1.27.14, 1.28.10, 1.29.5 and
   1.30.1; then of every gated pod (#124618), so that a plugin whose answer an event changes is not asked again
   (QUEUE-GATED-SKIP); then of those that SchedulingGates ever rejected (#125527). Such a pod may be held by another
   plugin by now, whose answer the event changes (QUEUE-GATED-TWICE); from 1.34 on of those whose plugin does not wait
   for such an event (#127180). 1.27 did not get #125527: the first bug is there in 1.27.15 and 1.27.16;
 - up to 1.31 such a pod has no backoff;
 - from 1.33 on, with SchedulerPopFromBackoffQ, the plugins are asked before a pod goes to the backoff queue, and not
   again when the pod's backoff is over;
 - Activate of a pod of the backoff queue: see `GatedWhenActivated`.

From 1.34 on Go asks the plugins in the order of a map, which is any, but first the one that holds the pod back. Here
the order is that of 1.30: whoever rejects the pod, the plugin that holds it back is one that still rejects the pod.

In Go an Update nominates a pod that it found nowhere only if the pod goes to activeQ; here in any case: where pods are
held back nobody nominates. Scopes without the powers `gates` and `claims` have no such plugin, and nobody is asked.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue.events import ClusterEvent, Registration, covering
from model.scheduler.queue.state import Queue, QueuedPodInfo

# `names.SchedulingGates`, `names.DynamicResources`.
SCHEDULING_GATES = "SchedulingGates"
DYNAMIC_RESOURCES = "DynamicResources"


@frozen
class PreEnqueuePlugin:
    """A plugin with a PreEnqueue function."""

    name: str
    # Why the plugin rejects the pod, as its status says; None: the plugin lets the pod pass.
    pre_enqueue: Callable[[Queue, Pod], str | None]


def scheduling_gates(queue: Queue, pod: Pod) -> str | None:
    """SchedulingGates rejects a pod that has any gate (schedulinggates/scheduling_gates.go `PreEnqueue`)."""
    return f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]" if pod.scheduling_gates else None


def claims_exist(queue: Queue, pod: Pod) -> str | None:
    """DynamicResources rejects a pod whose claims are missing (dynamicresources/dynamicresources.go `PreEnqueue`)."""
    return "waiting for resource claim to be created" if queue.lacks_claims else None


GATES = PreEnqueuePlugin(SCHEDULING_GATES, scheduling_gates)
CLAIMS = PreEnqueuePlugin(DYNAMIC_RESOURCES, claims_exist)
PLUGINS = {plugin.name: plugin for plugin in (GATES, CLAIMS)}


def run_pre_enqueue_plugins(plugins: Sequence[PreEnqueuePlugin], queue: Queue, info: QueuedPodInfo) -> QueuedPodInfo:
    """Ask the plugins in turn until one rejects the pod (`runPreEnqueuePlugins`): the pod's record, gated or not.

    Plugins that rejected the pod earlier stay among its unschedulable plugins until the pod is popped.
    """
    for plugin in plugins:
        if plugin.pre_enqueue(queue, info.pod) is not None:
            plugins_of_pod = info.unschedulable_plugins | {plugin.name}
            return evolve(info, unschedulable_plugins=plugins_of_pod, gating_plugin=plugin.name)
    return evolve(info, gating_plugin="") if info.gated else info


Registrations = tuple[Registration, ...]


def gates_are_asked_last() -> tuple[str, ...]:
    """SchedulingGates is the last of the default plugins (up to 1.29)."""
    return (DYNAMIC_RESOURCES, SCHEDULING_GATES)


def gates_are_asked_first() -> tuple[str, ...]:
    """SchedulingGates is the first of the default plugins (1.30)."""
    return (SCHEDULING_GATES, DYNAMIC_RESOURCES)


def no_gated_pod_is_passed_over(info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations) -> bool:
    """A move asks for a hint of each pod (`movePodsToActiveOrBackoffQueue`, up to 1.27.14, 1.28.10 and so on)."""
    return False


def every_gated_pod_is_passed_over(info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations) -> bool:
    """A move leaves every gated pod where it is (#124618, QUEUE-GATED-SKIP)."""
    return True


def pod_with_scheduling_gates_is_passed_over(
    info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations
) -> bool:
    """A move leaves a gated pod where it is if SchedulingGates rejected the pod at some time (#125527)."""
    return SCHEDULING_GATES in info.unschedulable_plugins


def pod_whose_gate_the_event_leaves_is_passed_over(
    info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations
) -> bool:
    """A move leaves a pod where it is if the plugin that holds it back waits for no such event (1.34, #127180)."""
    return not any(each.plugin == info.gating_plugin for each in covering(registrations, event))


def gated_pod_has_no_backoff() -> bool:
    """`isPodBackingoff` says no of a gated pod (up to 1.31)."""
    return False


def gated_pod_backs_off() -> bool:
    """`isPodBackingoff` does not ask whether the pod is gated (1.32)."""
    return True


# Where a pod of the backoff queue is after Activate if a PreEnqueue plugin rejects the pod then.
GatedWhenActivated = Literal["both", "backoff", "unschedulable", "active"]


def gated_when_activated_is_in_both() -> GatedWhenActivated:
    """`addToActiveQ` puts the pod into unschedulablePods, and the backoff queue keeps the pod (up to 1.30)."""
    return "both"


def gated_when_activated_stays() -> GatedWhenActivated:
    """`moveToActiveQ` leaves the pod in the backoff queue (1.31)."""
    return "backoff"


def gated_when_activated_is_moved() -> GatedWhenActivated:
    """`activate` takes the pod out of the backoff queue first, so it goes to unschedulablePods (1.33)."""
    return "unschedulable"


def activated_is_not_asked() -> GatedWhenActivated:
    """The plugins are not asked again of a pod of the backoff queue, with SchedulerPopFromBackoffQ (1.35)."""
    return "active"


@frozen(slots=False, kw_only=True)
class PreEnqueueRules:
    """What releases from 1.27 on do differently with gated pods."""

    # The names of the default plugins with a PreEnqueue function, in the order in which they are asked.
    pre_enqueue_order: Callable[[], tuple[str, ...]]
    # Whether a move passes over this gated pod, without asking for a hint: the pod's record, the event, and which
    # plugin waits for which event.
    gated_pod_is_passed_over: Callable[[QueuedPodInfo, ClusterEvent, Registrations], bool]
    # Whether a gated pod may back off.
    gated_pod_may_back_off: Callable[[], bool]
    # Where a pod of the backoff queue is after Activate if a PreEnqueue plugin rejects the pod then.
    gated_when_activated: Callable[[], GatedWhenActivated]
