"""How many handlers of pods there are, and what the one of 1.35 does; whom they tell of assigned pods. Pure functions.

Go: pkg/scheduler/eventhandlers.go. Up to 1.34 `addAllEventHandlers` registers two handlers of pods, each behind a
FilteringResourceEventHandler: see eventhandlers.py. From 1.35 on there is one, without such a filter: `addPod`,
`updatePod` and `deletePod`, in one goroutine with pending notifications of its own.
"""

from collections.abc import Callable

from attrs import frozen

from model.objects import Pod
from model.scheduler.calls import MOVE_ALL, NOTHING, Call, Calls, move_all
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import (
    PodNotification,
    add_pod_to_cache,
    add_pod_to_scheduling_queue,
    assigned_pod,
    delete_pod_from_cache,
    update_pod_in_scheduling_queue,
)
from model.scheduler.profiles import responsible_for_pod
from model.scheduler.queue.events import ASSIGNED_POD_DELETE, ClusterEvent
from model.scheduler.queue.rules import QueueSetup

# The events by which every pod that waits is told of an assigned pod, before and after: see `AssignedPodRules`.
Tells = Callable[[Pod | None, Pod], tuple[ClusterEvent, ...] | None]


def pods_have_two_handlers() -> bool:
    """One handler hears of assigned pods, the other one of pods that are not assigned (up to 1.34)."""
    return False


def pods_have_one_handler() -> bool:
    """One handler hears of every pod (1.35)."""
    return True


@frozen(slots=False, kw_only=True)
class PodHandlerRules:
    """Whether pods have one handler."""

    one_pod_handler: Callable[[], bool]


def on_pod(rules: EventRules, heard: PodNotification) -> Calls:
    """Calls of the one handler for pods: addPod, updatePod, deletePod (1.35 on).

    Nothing filters what the handler hears. So the next incarnation of an assigned pod, where the informer missed the
    delete, is an update of the assigned pod, also where the next incarnation is not assigned. Of pods that are not
    assigned the queue hears if they are for this scheduler (`responsibleForPod`).
    """
    old, new = heard.old, heard.new
    if new is None:
        return NOTHING if old is None else _on_delete(rules, old, heard.final_state_unknown)
    if old is None:
        return add_pod_to_cache(new) if assigned_pod(new) else _of_own(new, add_pod_to_scheduling_queue(new))
    if assigned_pod(old):
        return rules.update_pod_in_cache(old, new)
    if assigned_pod(new):
        # A bind: the rest of deletePodFromSchedulingQueue is skipped.
        return (*add_pod_to_cache(new), *_of_own(old, (Call("queue", "delete", (old,)),)))
    return _on_update(rules, *rules.own_versions(old, new))


def _on_update(rules: EventRules, old: Pod | None, new: Pod | None) -> Calls:
    """What the queue hears of an update of a pod without a node, of which these versions are this scheduler's."""
    if new is None:
        return NOTHING if old is None else rules.delete_pod_from_scheduling_queue(old)
    return add_pod_to_scheduling_queue(new) if old is None else update_pod_in_scheduling_queue(rules, old, new)


def _of_own(pod: Pod, calls: Calls) -> Calls:
    """The calls, if the pod is one for this scheduler."""
    return calls if responsible_for_pod(pod) else NOTHING


def _on_delete(rules: EventRules, pod: Pod, final_state_unknown: bool) -> Calls:
    """A pod of which the delete was missed is taken out of both, as what is known of the pod may be old."""
    from_queue = _of_own(pod, rules.delete_pod_from_scheduling_queue(pod))
    if final_state_unknown:
        return (*delete_pod_from_cache(pod), *from_queue)
    return delete_pod_from_cache(pod) if assigned_pod(pod) else from_queue


def assumed_pod_stays() -> bool:
    """An assumed pod that is deleted keeps its room until its binding has failed (up to 1.34)."""
    return False


def assumed_pod_is_forgotten() -> bool:
    """The cache forgets an assumed pod as soon as its deletion begins (`handleAssumedPodDeletion`, 1.35)."""
    return True


@frozen(slots=False, kw_only=True)
class AssumedPodDeletionRules:
    """What becomes of an assumed pod that is deleted."""

    # Whether the cache forgets the pod at once. The system queueing-hints leaves this out.
    forgets_deleted_assumed_pod: Callable[[], bool]


def with_assumed_pod_forgotten(calls: Calls, heard: PodNotification) -> Calls:
    """The calls of the one handler, where the cache forgets an assumed pod whose deletion begins or has ended.

    `handleAssumedPodDeletion` holds the cache's lock three times: IsAssumedPod, GetPod, ForgetPod. Here it is one call.
    Only the pod's own binding changes in between whether the pod is assumed, by a ForgetPod of its own, after which
    this one finds nothing to do. If the pod was assumed, the event AssignedPodDelete is all that follows (`after`).
    """
    old, new = heard.old, heard.new
    begins = new is not None and new.terminating and old is not None and not old.terminating
    found: list[Call] = []
    for call in calls:
        if call.function == "is_assumed_pod" and begins:
            found.append(Call("cache", "forget_assumed_pod", call.args))
        found.append(call)
        if call.function == "delete" and new is None:
            found.append(Call("cache", "forget_assumed_pod", call.args))
    return tuple(found)


def told_with_hints(setup: QueueSetup, tells: Tells, calls: Calls) -> Calls:
    """The calls of a handler of pods, as they are with the gate SchedulerQueueingHints on.

    Events carry their objects. Where `tells` has an answer, every pod that waits is asked, and the queue no longer
    picks the pods that may care (addPodToCache, updatePodInCache, 1.31 on).
    """
    found: list[Call] = []
    old: Pod | None = None
    new: Pod | None = None
    events: tuple[ClusterEvent, ...] | None = None
    for call in calls:
        match call.function:
            case "add_pod" | "update_pod":
                old, new = (None, call.args[0]) if call.function == "add_pod" else call.args
                events = tells(old, new)
                moves = (move_all(setup.event_of(event, old, new)) for event in events or ())
                found.extend((call, *moves))
                continue
            case "remove_pod" | "delete" | "update":
                old = call.args[0]
            case "assigned_pod_added" | "assigned_pod_updated" if events is not None:
                continue
            case "assigned_pod_updated":
                call = Call("queue", call.function, (call.args[0], setup.event_of(call.args[1], old, new)))
            case function if function == MOVE_ALL:
                call = move_all(setup.event_of(ASSIGNED_POD_DELETE, old, None), call.args[1])
        found.append(call)
    return tuple(found)
