"""Cluster events, and whether one may make a rejected pod schedulable. Pure data and comparisons.

Go: pkg/scheduler/framework/types.go (`ClusterEvent`, `ActionType`), pkg/scheduler/internal/queue/events.go and
scheduling_queue.go (`podMatchesEvent`, 1.21 to 1.27; `isPodWorthRequeuing`, 1.28 on). Up to 1.20 an event is a text
for a metric and every event moves every pod.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, Protocol, TypeVar

from attrs import frozen

from model.go.errors import GoError, met_error
from model.objects import Pod

# `framework.ActionType`: bits, so that a registration names several. Plain ints, because they are compared for every
# pod and event. Up to 1.30 a pod's update is UPDATE as a whole.
ADD = 1
DELETE = 2
UPDATE_NODE_ALLOCATABLE = 4
UPDATE_NODE_LABEL = 8
UPDATE_NODE_TAINT = 16
UPDATE_NODE_CONDITION = 32
UPDATE_POD_LABEL = 64
UPDATE_POD_SCALE_DOWN = 128
UPDATE_POD_OTHER = 256
UPDATE_POD_TOLERATIONS = 512
UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 1024  # of 1.32, where no modelled plugin waits for all of UPDATE
UPDATE = 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512
ALL = ADD | DELETE | UPDATE

# What a hint function answers, by the names of 1.28. From 1.29.0-alpha.3 on there is one name, Queue, for the second
# and the third (#119517).
Hint = Literal["QueueSkip", "QueueAfterBackoff", "QueueImmediately"]
# The same, or an error (1.29.0-alpha.1 on, #119290).
Answer = Hint | GoError
# May this change of an object make the pod schedulable? Of the pod that waits, the object before and the object after.
# None before: the object is new; None after: it is gone. Both None: nobody says what changed.
HintFunction = Callable[[Any, Any, Any], Answer]


@frozen(cache_hash=True)
class ClusterEvent:
    """An event on a kind of resource; resource "*" with ALL is the wildcard."""

    resource: str
    action: int
    label: str = ""

    def is_wild_card(self) -> bool:
        return self.resource == "*" and self.action == ALL


@frozen(cache_hash=True)
class ObjectEvent(ClusterEvent):
    """An event with the object that changed (`clusterEvent` of the queue). Only hint functions look at the object."""

    # The object before and after, as in `HintFunction`.
    old: Any = None
    new: Any = None


def with_objects(event: ClusterEvent, old: Any, new: Any) -> ObjectEvent:
    """The event, and the object that changed, before and after."""
    return ObjectEvent(event.resource, event.action, event.label, old, new)


def with_objects_of(given: ClusterEvent, event: ClusterEvent) -> ClusterEvent:
    """`event`, with the object of `given` if `given` has one."""
    return with_objects(event, given.old, given.new) if isinstance(given, ObjectEvent) else event


def queue_after_backoff(pod: Any, old: Any, new: Any) -> Hint:
    """Each such event may help (`defaultQueueingHintFn`): what a plugin without a hint function counts as."""
    return "QueueAfterBackoff"


def queue_immediately(pod: Any, old: Any, new: Any) -> Hint:
    """Each such event may help, and the pod need not back off (1.28)."""
    return "QueueImmediately"


def queue_skip(pod: Any, old: Any, new: Any) -> Hint:
    """No such event helps."""
    return "QueueSkip"


# The hint functions that look at no object.
_BLIND = (queue_after_backoff, queue_immediately, queue_skip)


@frozen(cache_hash=True)
class Registration:
    """A plugin waits for an event (Go: `EventsToRegister`)."""

    plugin: str
    event: ClusterEvent
    # The plugin's hint function; `queue_after_backoff` where a release has no such functions, or the gate
    # SchedulerQueueingHints is off in the scheduler itself.
    hint: HintFunction = queue_after_backoff

    @property
    def looks_at_objects(self) -> bool:
        """Whether the hint function may answer one thing of one object and another thing of another object."""
        return self.hint not in _BLIND


WILD_CARD_EVENT = ClusterEvent("*", ALL, "WildCardEvent")
UNSCHEDULABLE_TIMEOUT = ClusterEvent("*", ALL, "UnschedulableTimeout")
ASSIGNED_POD_ADD = ClusterEvent("Pod", ADD, "AssignedPodAdd")
ASSIGNED_POD_UPDATE = ClusterEvent("Pod", UPDATE, "AssignedPodUpdate")
POD_LABEL_CHANGE = ClusterEvent("Pod", UPDATE_POD_LABEL, "PodLabelChange")
POD_REQUEST_SCALED_DOWN = ClusterEvent("Pod", UPDATE_POD_SCALE_DOWN, "PodRequestScaledDown")
# Of anything else that a pod's update changes; the label is that of ASSIGNED_POD_UPDATE.
ASSIGNED_POD_OTHER_UPDATE = ClusterEvent("Pod", UPDATE_POD_OTHER, "AssignedPodUpdate")
ASSIGNED_POD_DELETE = ClusterEvent("Pod", DELETE, "AssignedPodDelete")
# Of a pod that is not assigned (1.31).
UNSCHEDULABLE_POD_UPDATE = ClusterEvent("Pod", UPDATE, "UnschedulablePodUpdate")
# The same from 1.32 on, where a label is made of resource and action.
UNSCHEDULABLE_POD_LABEL_CHANGE = ClusterEvent("UnschedulablePod", UPDATE_POD_LABEL, "UnschedulablePodUpdatePodLabel")
UNSCHEDULABLE_POD_SCALE_DOWN = ClusterEvent(
    "UnschedulablePod", UPDATE_POD_SCALE_DOWN, "UnschedulablePodUpdatePodScaleDown"
)
UNSCHEDULABLE_POD_TOLERATIONS_CHANGE = ClusterEvent(
    "UnschedulablePod", UPDATE_POD_TOLERATIONS, "UnschedulablePodUpdatePodTolerations"
)
UNSCHEDULABLE_POD_GATES_ELIMINATED = ClusterEvent(
    "UnschedulablePod", UPDATE_POD_SCHEDULING_GATES_ELIMINATED, "UnschedulablePodUpdatePodSchedulingGatesEliminated"
)
UNSCHEDULABLE_POD_OTHER_UPDATE = ClusterEvent("UnschedulablePod", UPDATE_POD_OTHER, "UnschedulablePodUpdate")
# A plugin asked for one pod to be tried at once (1.32).
FORCE_ACTIVATE = ClusterEvent("*", ALL, "ForceActivate")
NODE_ADD = ClusterEvent("Node", ADD, "NodeAdd")
# Go gives a change of spec.unschedulable the action of a taint's.
NODE_SPEC_UNSCHEDULABLE_CHANGE = ClusterEvent("Node", UPDATE_NODE_TAINT, "NodeSpecUnschedulableChange")
NODE_ALLOCATABLE_CHANGE = ClusterEvent("Node", UPDATE_NODE_ALLOCATABLE, "NodeAllocatableChange")
NODE_LABEL_CHANGE = ClusterEvent("Node", UPDATE_NODE_LABEL, "NodeLabelChange")
NODE_TAINT_CHANGE = ClusterEvent("Node", UPDATE_NODE_TAINT, "NodeTaintChange")
RESOURCE_CLAIM_ADD = ClusterEvent("ResourceClaim", ADD, "ResourceClaimAdd")
RESOURCE_CLAIM_UPDATE = ClusterEvent("ResourceClaim", UPDATE, "ResourceClaimUpdate")
PV_ADD = ClusterEvent("PersistentVolume", ADD, "PvAdd")


def matches(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """Whether a registration covers `event`: a wildcard, or the same resource and an action in common.

    From 1.32 on events of pods say whether the pod is assigned. Plugins wait for pods of both kinds.
    """
    covered = registered.resource == event.resource or (
        registered.resource == "Pod" and event.resource in ("AssignedPod", "UnschedulablePod")
    )
    return registered.is_wild_card() or (covered and bool(registered.action & event.action))


def pod_scheduling_properties_change(old: Pod, new: Pod) -> tuple[ClusterEvent, ...]:
    """An event for each property that an update changed (`PodSchedulingPropertiesChange`, framework/events.go, 1.31).

    In 1.31 the events are those of an assigned pod, also for a pod that waits.
    """
    found = []
    if old.labels != new.labels:
        found.append(POD_LABEL_CHANGE)
    if old.cpu_milli > new.cpu_milli:
        found.append(POD_REQUEST_SCALED_DOWN)
    return tuple(found) or (ASSIGNED_POD_OTHER_UPDATE,)


WorthRequeuing = Callable[["Rejected", ClusterEvent, tuple[Registration, ...]], Hint]


class Rejected(Protocol):
    """A pod and who rejected the pod, as `QueuedPodInfo` has it."""

    @property
    def pod(self) -> Pod: ...

    @property
    def unschedulable_plugins(self) -> frozenset[str]: ...

    @property
    def pending_plugins(self) -> frozenset[str]: ...


def always_worth_requeuing(info: Rejected, event: ClusterEvent, registrations: tuple[Registration, ...]) -> Hint:
    """Every event moves every pod (up to 1.20)."""
    return "QueueAfterBackoff"


def worth_requeuing_by_event(info: Rejected, event: ClusterEvent, registrations: tuple[Registration, ...]) -> Hint:
    """A pod moves if a plugin that rejected it waits for such an event (`podMatchesEvent`, 1.21 to 1.27: no hints).

    A pod that no plugin rejected (an error, or an extender up to the fix of QUEUE-EXTENDER-REJECT-MISS) always moves.
    """
    plugins = info.unschedulable_plugins
    if not plugins or event.is_wild_card():
        return "QueueAfterBackoff"
    waits = any(each.plugin in plugins and matches(each.event, event) for each in registrations)
    return "QueueAfterBackoff" if waits else "QueueSkip"


def hint_of(registration: Registration, pod: Pod, event: ClusterEvent) -> Hint:
    """What the plugin's hint function says of the event. An error is logged, and counts as Queue (1.29, #119290)."""
    old, new = (event.old, event.new) if isinstance(event, ObjectEvent) else (None, None)
    answer = registration.hint(pod, old, new)
    if isinstance(answer, GoError):
        met_error("isPodWorthRequeuing", f"QueueingHintFn returns error: {registration.plugin}: {answer}", pod.uid)
        return "QueueAfterBackoff"
    return answer


def worth_requeuing(info: Rejected, event: ClusterEvent, registrations: tuple[Registration, ...]) -> Hint:
    """The same, but hint functions say what becomes of the pod (`isPodWorthRequeuing`, 1.28)."""
    plugins = info.unschedulable_plugins
    if not plugins or event.is_wild_card():
        return "QueueAfterBackoff"
    answer: Hint = "QueueSkip"
    for registration in registrations:
        if registration.plugin in plugins and matches(registration.event, event):
            hint = hint_of(registration, info.pod, event)
            if hint == "QueueImmediately":
                return "QueueImmediately"
            if hint == "QueueAfterBackoff":
                answer = "QueueAfterBackoff"
    return answer


def worth_requeuing_pending(info: Rejected, event: ClusterEvent, registrations: tuple[Registration, ...]) -> Hint:
    """The same, but what does not back off is a pod that a plugin left pending (`isPodWorthRequeuing`, 1.29 on)."""
    pending = info.pending_plugins
    plugins = info.unschedulable_plugins | pending
    if not plugins or event.is_wild_card():
        return "QueueAfterBackoff"
    answer: Hint = "QueueSkip"
    for registration in registrations:
        waits = registration.plugin in plugins and matches(registration.event, event)
        if waits and hint_of(registration, info.pod, event) != "QueueSkip":
            if registration.plugin in pending:
                return "QueueImmediately"
            answer = "QueueAfterBackoff"
    return answer


def every_event_is_of_interest(event: ClusterEvent, registrations: tuple[Registration, ...]) -> bool:
    """A move request counts whether or not a plugin waits for such an event (up to 1.29)."""
    return True


def is_event_of_interest(event: ClusterEvent, registrations: tuple[Registration, ...]) -> bool:
    """Whether some plugin waits for such an event (`isEventOfInterest`, 1.30 on)."""
    return event.is_wild_card() or any(matches(registration.event, event) for registration in registrations)


# --- from 1.34 on ----------------------------------------------------------------------------------------------------

# A plugin is concerned if it waits for all that the event tells of, or for more (types.go `MatchClusterEvents`). Up to
# 1.33 one action in common is enough. An event of a pod's update that names no property tells of every kind of update.
# So a plugin that waits for new labels alone does not hear of such an update. Go compares action types as numbers, of
# which the registered one must not be less. What the numbers say of an event of one action is that the plugin waits for
# that action.

Registrations = tuple[Registration, ...]


def matches_narrowly(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """Whether a registration covers `event`, and its number is not less than that of the event (1.34)."""
    return registered.is_wild_card() or (matches(registered, event) and event.action <= registered.action)


def covering(registrations: Registrations, event: ClusterEvent) -> Registrations:
    """Those of the registrations that cover the event."""
    return tuple(each for each in registrations if matches_narrowly(each.event, event))


def worth_requeuing_narrowly(info: Rejected, event: ClusterEvent, registrations: Registrations) -> Hint:
    """`worth_requeuing_pending` by the hint functions of the plugins that the event concerns (1.34)."""
    return worth_requeuing_pending(info, event, covering(registrations, event))


def is_narrow_event_of_interest(event: ClusterEvent, registrations: Registrations) -> bool:
    """Whether the event concerns some plugin (`isEventOfInterest`, 1.34)."""
    return is_event_of_interest(event, covering(registrations, event))


# --- Which events came in a step, whatever the queue keeps of them

T = TypeVar("T")

_CAME: ContextVar[list[ClusterEvent] | None] = ContextVar("events that came", default=None)


def event_came(event: ClusterEvent) -> None:
    """Say that `event` came while the gate SchedulerQueueingHints is on.

    Nothing that a step does depends on this. The events are for whoever asks: see `with_events_that_came`.
    """
    came = _CAME.get()
    if came is not None:
        came.append(event)


def with_events_that_came(step: Callable[[], T]) -> tuple[T, tuple[ClusterEvent, ...]]:
    """What `step` answers when it is called, and the events that come meanwhile, in order."""
    came: list[ClusterEvent] = []
    token = _CAME.set(came)
    try:
        answer = step()
    finally:
        _CAME.reset(token)
    return answer, tuple(came)
