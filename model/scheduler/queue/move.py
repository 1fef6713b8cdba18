"""How waiting pods are moved to activeQ or the backoff queue by an event. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go; every function runs under `PriorityQueue.lock`. Releases:
 - 1.13 `movePodsToActiveQueue`: to activeQ at once, and a flag for the pods in flight, which the next Pop clears;
 - 1.14 `MoveAllToActiveQueue`: to the backoff queue while backing off; a cycle number in place of the flag;
 - 1.16 (`addErrorPods`): a pod that a queue did not take stays in unschedulableQ;
 - 1.21 (#98241) `podMatchesEvent`: only pods that a plugin rejected which waits for such an event;
 - 1.28 `isPodWorthRequeuing`: the same through hint functions, which answer QueueAfterBackoff with the gate off;
 - 1.30 `isEventOfInterest`: an event that no plugin waits for is no move request;
 - 1.31 `getUnschedulablePodsWithCrossTopologyTerm`: a bound pod also moves pods that PodTopologySpread rejected;
 - 1.34 `AssignedPodUpdated`: an event that tells of every kind of update is no event of scale-down.

Go goes through a map, whose order is any; here pods are moved in the order of activeQ. No trace shows the order where a
move is one step.
"""

from collections.abc import Container

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue.backoff import is_pod_backing_off
from model.scheduler.queue.events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_UPDATE,
    UPDATE_POD_SCALE_DOWN,
    WILD_CARD_EVENT,
    ClusterEvent,
    matches,
    matches_narrowly,
    with_objects_of,
)
from model.scheduler.queue.in_flight import note_event
from model.scheduler.queue.rules import Hold, Moved, PreEnqueueCheck, QueueRules, QueueSetup
from model.scheduler.queue.state import Infos, Queue, QueuedPodInfo, find, without
from model.scheduler.queue.sub_queues import leave_others, put_active, put_backoff

# The plugin by whose name pods are told that wait for another pod although they ask for none.
POD_TOPOLOGY_SPREAD = "PodTopologySpread"


def move_pods(
    setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int, add_fails: Container[str] = ()
) -> Queue:
    """Move these records, and keep the event for the pods in flight (`movePodsToActiveOrBackoffQueue`)."""
    infos = setup.let_in(infos, event)
    queue = setup.rules.move_pods(setup, queue, infos, event, now, add_fails)
    if setup.hints is not None:
        for info in infos:
            queue = leave_others(queue, info.pod.name) if find(queue.active, info.pod.name) else queue
    return note_event(setup, queue, event)


def get_unschedulable_pods_with_matching_affinity_term(queue: Queue, pod: Pod) -> Infos:
    """The pods of unschedulableQ with a required pod affinity that the labels of `pod` satisfy."""
    app = dict(pod.labels).get("app")
    if not app:
        return ()
    return tuple(info for info in queue.unschedulable if info.pod.affinity_app == app)


def get_unschedulable_pods_with_cross_topology_term(queue: Queue, pod: Pod) -> Infos:
    """The pods that the function above gives, and the pods that PodTopologySpread rejected (1.31, #122627).

    Go takes only those of the pod's namespace. Here all pods are in one namespace.
    """
    matching = get_unschedulable_pods_with_matching_affinity_term(queue, pod)
    return tuple(
        info for info in queue.unschedulable if POD_TOPOLOGY_SPREAD in info.unschedulable_plugins or info in matching
    )


def moved_by_assigned_pod(setup: QueueSetup, queue: Queue, pod: Pod) -> Moved:
    """What `assigned_pod_added` moves."""
    return setup.rules.pods_for_assigned_pod(queue, pod), setup.event_of(ASSIGNED_POD_ADD, None, pod)


def assigned_pod_added(setup: QueueSetup, queue: Queue, pod: Pod, now: int) -> Queue:
    """A bound pod joined: move the pods that may wait for it (`AssignedPodAdded`).

    Up to 1.30 those with a required affinity that it satisfies (QUEUE-ASSIGNED-POD-AFFINITY-ONLY).
    """
    infos, event = moved_by_assigned_pod(setup, queue, pod)
    return move_pods(setup, queue, infos, event, now)


def those_for_assigned_pod(rules: QueueRules, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """An update of a bound pod moves whom its joining would move (up to 1.30).

    From 1.27 on it moves all while the pod is resized down, with InPlacePodVerticalScaling, which is off by default up
    to 1.32.
    """
    return rules.pods_for_assigned_pod(queue, pod), event


def all_if_scaled_down(rules: QueueRules, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """The same, but a pod that asks for less moves all: any of them may fit beside it now (1.31).

    All of them by the general ASSIGNED_POD_UPDATE, and not by the event of scaling down.
    """
    if event.resource == "Pod" and event.action & UPDATE_POD_SCALE_DOWN:
        return rules.pods_for_move_request(queue, None), ASSIGNED_POD_UPDATE
    return those_for_assigned_pod(rules, queue, pod, event)


def all_by_event_if_scaled_down(rules: QueueRules, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """The same by the event of scaling down itself (1.32)."""
    if matches(ClusterEvent("Pod", UPDATE_POD_SCALE_DOWN), event):
        return rules.pods_for_move_request(queue, None), event
    return those_for_assigned_pod(rules, queue, pod, event)


def moved_by_assigned_pod_update(setup: QueueSetup, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """What `assigned_pod_updated` moves."""
    infos, moving = setup.rules.pods_for_assigned_pod_update(setup.rules, queue, pod, event)
    return infos, with_objects_of(event, moving)


def assigned_pod_updated(setup: QueueSetup, queue: Queue, pod: Pod, event: ClusterEvent, now: int) -> Queue:
    """A bound pod became `pod` by `event`, ASSIGNED_POD_UPDATE up to 1.30: move who waits (`AssignedPodUpdated`)."""
    infos, event = moved_by_assigned_pod_update(setup, queue, pod, event)
    return move_pods(setup, queue, infos, event, now)


def all_unschedulable(queue: Queue, pre_check: PreEnqueueCheck | None) -> Infos:
    """Every pod of unschedulableQ, without asking `pre_check` (up to 1.22)."""
    return queue.unschedulable


def those_passing_pre_check(queue: Queue, pre_check: PreEnqueueCheck | None) -> Infos:
    """The pods of unschedulableQ that `pre_check` lets pass; None lets all pass (1.23)."""
    if pre_check is None:
        return queue.unschedulable
    return tuple(info for info in queue.unschedulable if pre_check(info.pod))


def moved_by_request(
    setup: QueueSetup, queue: Queue, event: ClusterEvent, pre_check: PreEnqueueCheck | None = None
) -> Moved:
    """What `move_all_to_active_or_backoff_queue` moves."""
    return setup.rules.pods_for_move_request(queue, pre_check), event


def move_all_to_active_or_backoff_queue(
    setup: QueueSetup,
    queue: Queue,
    now: int,
    event: ClusterEvent = WILD_CARD_EVENT,
    pre_check: PreEnqueueCheck | None = None,
    add_fails: Container[str] = (),
) -> Queue:
    """Move what waits in unschedulableQ, as far as `event` and `pre_check` matter (`MoveAllToActiveOrBackoffQueue`).

    Up to 1.16 `MoveAllToActiveQueue`. `add_fails`: names that a heap's Add refuses with an error, usually none.
    """
    infos, event = moved_by_request(setup, queue, event, pre_check)
    return move_pods(setup, queue, infos, event, now, add_fails)


def note_by_flag(queue: Queue) -> Queue:
    """`receivedMoveRequest = true` (1.13)."""
    return evolve(queue, received_move_request=True)


def note_by_cycle(queue: Queue) -> Queue:
    """`moveRequestCycle = schedulingCycle` (1.14)."""
    return evolve(queue, move_request_cycle=queue.scheduling_cycle)


def _leave_unschedulable(queue: Queue, info: QueuedPodInfo) -> Queue:
    return evolve(queue, unschedulable=without(queue.unschedulable, info.pod.name))


def _to_active_or_backoff(setup: QueueSetup, queue: Queue, info: QueuedPodInfo, now: int) -> Queue:
    if is_pod_backing_off(setup, queue, info, now):
        return put_backoff(setup, queue, info)
    return put_active(setup, queue, info)


def move_to_active(
    setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int, add_fails: Container[str]
) -> Queue:
    """All to activeQ, without backoff (`movePodsToActiveQueue`, `MoveAllToActiveQueue`, 1.13)."""
    for info in infos:
        queue = _leave_unschedulable(queue, info)
        if info.pod.name not in add_fails:
            queue = put_active(setup, queue, info)
    return setup.rules.note_move_request(queue)


def move_to_active_or_backoff_dropping(
    setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int, add_fails: Container[str]
) -> Queue:
    """To the backoff queue while backing off, otherwise to activeQ (1.14, 1.15).

    A pod that the queue does not take is dropped all the same (QUEUE-MOVE-DROP-ON-ERR).
    """
    for info in infos:
        queue = _leave_unschedulable(queue, info)
        if info.pod.name not in add_fails:
            queue = _to_active_or_backoff(setup, queue, info, now)
    return setup.rules.note_move_request(queue)


def move_to_active_or_backoff(
    setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int, add_fails: Container[str]
) -> Queue:
    """The same, and a pod that the queue does not take stays unschedulable (1.16 to 1.20, pull request #78632)."""
    for info in infos:
        if info.pod.name not in add_fails:
            queue = _to_active_or_backoff(setup, _leave_unschedulable(queue, info), info, now)
    return setup.rules.note_move_request(queue)


def move_if_worth_requeuing(
    setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int, add_fails: Container[str]
) -> Queue:
    """The same for those pods that the event may help (`movePodsToActiveOrBackoffQueue`, 1.21 on).

    The move request is noted for the pods in flight whether or not the event helps anybody; from 1.30 on only if some
    plugin waits for such events.
    """
    registrations = setup.config.cluster_event_map
    if not setup.rules.event_of_interest(event, registrations):
        return queue
    for info in infos:
        hint = setup.rules.worth_requeuing(info, event, registrations)
        if hint == "QueueSkip" or info.pod.name in add_fails:
            continue
        queue = _leave_unschedulable(queue, info)
        if hint == "QueueImmediately":
            queue = put_active(setup, queue, info)
        else:
            queue = _to_active_or_backoff(setup, queue, info, now)
    return setup.rules.note_move_request(queue)


def move_in_one_hold(setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int) -> tuple[Hold, ...]:
    """Pop comes before the move or after the move (1.13 to 1.30)."""
    return (Hold("", setup.rules.move_pods(setup, queue, infos, event, now, ()), True),)


def move_pod_by_pod(setup: QueueSetup, queue: Queue, infos: Infos, event: ClusterEvent, now: int) -> tuple[Hold, ...]:
    """`activeQLock` is taken for each pod that goes to activeQ, and once more for `moveRequestCycle` (1.31, #125692).

    Go goes through a map, so any pod may be the next. What goes to the backoff queue takes no such lock, so that the
    last hold may do all of it. `move_pods` says of each pod where the pod goes.
    """
    holds = []
    for info in infos:
        moved = setup.rules.move_pods(setup, queue, (info,), event, now, ())
        if find(moved.active, info.pod.name) is not None:
            holds.append(Hold(info.pod.name, evolve(moved, move_request_cycle=queue.move_request_cycle), False))
    return tuple(holds) or move_in_one_hold(setup, queue, infos, event, now)


def all_by_event_of_scale_down(rules: QueueRules, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """`all_by_event_if_scaled_down`, but not by an event that tells of every kind of update (1.34)."""
    if matches_narrowly(ClusterEvent("Pod", UPDATE_POD_SCALE_DOWN), event):
        return rules.pods_for_move_request(queue, None), event
    return those_for_assigned_pod(rules, queue, pod, event)
