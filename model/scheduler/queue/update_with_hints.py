"""What becomes of a pod when the informer brings a new version of it, with the gate SchedulerQueueingHints on. Pure.

Go: `PriorityQueue.Update`, pkg/scheduler/internal/queue/scheduling_queue.go (1.32 on pkg/scheduler/backend/queue/);
`PodSchedulingPropertiesChange`, pkg/scheduler/framework/events.go. Releases:
 - up to 1.30 the gate changes nothing: a pod in flight is queued a second time (QUEUE-INFLIGHT-DUP);
 - 1.31.0-alpha.2: hints say where an unschedulable pod goes;
 - 1.31 (#125578): the update of a pod in flight is kept as an event, and the pod is not queued; hints are asked for
   each changed property;
 - 1.32: the kept events are those of the changed properties;
 - 1.33 (#130772): with SchedulerPopFromBackoffQ no event is asked about any more once the pod is in the backoff queue.

Here Update is one step. From 1.31 to 1.34 Go takes `activeQLock` three times. With `fine` Pop may come after the first
look (model/world/moves.py). Whatever Pop takes after the second look is another pod, and Pop may as well come before.
"""

from collections.abc import Iterable
from typing import NamedTuple

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue.events import (
    UNSCHEDULABLE_POD_GATES_ELIMINATED,
    UNSCHEDULABLE_POD_LABEL_CHANGE,
    UNSCHEDULABLE_POD_OTHER_UPDATE,
    UNSCHEDULABLE_POD_SCALE_DOWN,
    UNSCHEDULABLE_POD_TOLERATIONS_CHANGE,
    UNSCHEDULABLE_POD_UPDATE,
    UPDATE_POD_TOLERATIONS,
    ClusterEvent,
    event_came,
    pod_scheduling_properties_change,
)
from model.scheduler.queue.hints import requeue_pod_via_queueing_hint
from model.scheduler.queue.in_flight import is_in_flight
from model.scheduler.queue.nominations import delete_nominated_pod_if_exists
from model.scheduler.queue.nominator import NominatorCall
from model.scheduler.queue.rules import Effect, QueueSetup
from model.scheduler.queue.state import InFlightEvent, Queue, find, without
from model.scheduler.queue.sub_queues import put_unschedulable
from model.scheduler.queue.update import update_respecting_backoff

# The event of another number of tolerations, by the label that it has from 1.33 on.
UNSCHEDULABLE_POD_TOLERATION_CHANGE = ClusterEvent(
    "UnschedulablePod", UPDATE_POD_TOLERATIONS, "UnschedulablePodUpdatePodToleration"
)


class _Requeued(NamedTuple):
    queue: Queue
    call: NominatorCall | None
    # The event by which the pod went to activeQ.
    to_active_by: ClusterEvent | None = None


def _update(
    setup: QueueSetup,
    queue: Queue,
    old: Pod,
    new: Pod,
    now: int,
    events: Iterable[ClusterEvent],
    until_backoff: bool = False,
) -> _Requeued:
    """As with the gate off, but hints say where a pod of unschedulableQ goes.

    Each event is asked in turn until the pod is in activeQ. A pod that went to the backoff queue by one event, and that
    the next event does not help, is in both sub-queues then. Not so if the backoff queue is an end too, by
    `until_backoff`.
    """
    queued = find(queue.active, old.name) or find(queue.backoff, old.name)
    waiting = find(queue.unschedulable, new.name)
    if queued is not None or waiting is None:
        return _Requeued(*update_respecting_backoff(setup, queue, old, new, now))
    info = evolve(waiting, pod=new)
    queue, call = put_unschedulable(setup, queue, info), NominatorCall("update", new, old)
    for event in events:
        told = setup.event_of(event, old, new)
        hint = setup.rules.worth_requeuing(info, told, setup.config.cluster_event_map)
        queue = requeue_pod_via_queueing_hint(setup, queue, info, hint, now)
        # A pod that a PreEnqueue plugin holds back stays.
        if hint != "QueueSkip" and (find(queue.active, new.name) or find(queue.backoff, new.name)):
            queue = evolve(queue, unschedulable=without(queue.unschedulable, new.name))
        if find(queue.active, new.name) is not None:
            return _Requeued(queue, call, event)
        if until_backoff and find(queue.backoff, new.name) is not None:
            break
    return _Requeued(queue, call)


def _keep(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, events: Iterable[ClusterEvent]) -> Queue:
    """The queue with these events of a pod in flight."""
    assert setup.hints is not None
    for event in events:
        told = setup.event_of(event, old, new)
        event_came(told)
        queue = setup.hints.note_event(queue, InFlightEvent(told))
    return queue


def update_asking_hints(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """Hints say where a pod of unschedulableQ goes; a pod in flight is queued a second time (1.31.0-alpha.2)."""
    queue, call, _ = _update(setup, queue, old, new, now, (UNSCHEDULABLE_POD_UPDATE,))
    return queue, call


def changed_properties(
    old: Pod, new: Pod, toleration: ClusterEvent = UNSCHEDULABLE_POD_TOLERATIONS_CHANGE
) -> tuple[ClusterEvent, ...]:
    """`pod_scheduling_properties_change` with gates and tolerations (1.32). The resource says if `new` is assigned.

    Go compares how many tolerations there are; here a pod has none or one. `toleration`: the event of another number.
    Of no such change 1.32 and 1.33 make an event of their own, and 1.34 one that tells of any update. The label is the
    same, and a plugin waits for both or for neither. The handlers bring no update by which a pod becomes assigned.
    """
    found = []
    if old.labels != new.labels:
        found.append(UNSCHEDULABLE_POD_LABEL_CHANGE)
    if old.cpu_milli > new.cpu_milli:
        found.append(UNSCHEDULABLE_POD_SCALE_DOWN)
    if old.scheduling_gates and not new.scheduling_gates:
        found.append(UNSCHEDULABLE_POD_GATES_ELIMINATED)
    if bool(old.toleration) != bool(new.toleration):
        found.append(toleration)
    events = tuple(found) or (UNSCHEDULABLE_POD_OTHER_UPDATE,)
    return tuple(map(_of_assigned_pod, events)) if new.node_name else events


def _of_assigned_pod(event: ClusterEvent) -> ClusterEvent:
    return ClusterEvent("AssignedPod", event.action, event.label.replace("Unschedulable", "Assigned"))


def update_keeping_event(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """The update of a pod in flight is one event; its nomination stays as it is (1.31, #125578)."""
    if is_in_flight(queue, new.uid):
        return _keep(setup, queue, old, new, (UNSCHEDULABLE_POD_UPDATE,)), None
    queue, call, _ = _update(setup, queue, old, new, now, pod_scheduling_properties_change(old, new))
    return queue, call


def update_keeping_changes(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """The update of a pod in flight is an event for each changed property (1.32)."""
    return _by_changes(setup, queue, old, new, now, changed_properties(old, new))


def update_until_moved(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """The same, and with SchedulerPopFromBackoffQ the pod is in one sub-queue afterwards (1.33, #130772)."""
    events = changed_properties(old, new, UNSCHEDULABLE_POD_TOLERATION_CHANGE)
    return _by_changes(setup, queue, old, new, now, events, setup.pop_from_backoff)


def _by_changes(
    setup: QueueSetup,
    queue: Queue,
    old: Pod,
    new: Pod,
    now: int,
    events: tuple[ClusterEvent, ...],
    until_backoff: bool = False,
) -> Effect:
    """By an event for each changed property.

    A pod that goes from unschedulableQ to activeQ by another update is nominated anew as its status says, as if the pod
    were new: the label of the event is that of a pod which the queue did not have (`moveToActiveQ`).
    """
    if is_in_flight(queue, new.uid):
        return _keep(setup, queue, old, new, events), None
    queue, call, to_active_by = _update(setup, queue, old, new, now, events, until_backoff)
    if to_active_by is UNSCHEDULABLE_POD_OTHER_UPDATE:
        return delete_nominated_pod_if_exists(setup, queue, old), NominatorCall("add", new)
    return queue, call
