"""Event handlers: what the scheduler does when an informer tells it of a pod. Pure functions.

Go: pkg/scheduler/eventhandlers.go (pkg/scheduler/factory/factory.go in 1.13), and FilteringResourceEventHandler of
client-go. Pods have two handlers, for assigned and for unassigned ones, and from 1.35
on one (model/scheduler/pod_handlers.py); nodes have one (model/scheduler/node_handlers.py). Each handler runs in a
goroutine of its own with its own pending notifications, so they lag independently, and all of them behind the
informer's store. A handler is a sequence of calls, each under one lock
(model/scheduler/calls.py): here it is given as `Calls`, of which a system executes the first and asks `after` what
is left.

Left out: volumes, services, storage classes.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from model.objects import Pod
from model.scheduler import node_handlers, skip
from model.scheduler.calls import MOVE_ALL, NOTHING, AtMost, Call, Calls, move_all
from model.scheduler.event_rules import EventRules, FinalStateUnknownRule
from model.scheduler.node_handlers import (
    on_node as on_node,  # the third handler, for users of this module
    passes_pre_check as passes_pre_check,
)
from model.scheduler.profiles import responsible_for_pod
from model.scheduler.queue.events import (
    ASSIGNED_POD_DELETE,
    ASSIGNED_POD_UPDATE,
    pod_scheduling_properties_change,
    with_objects,
)


@frozen(cache_hash=True)
class PodNotification:
    """What an informer says of a pod: an add, an update or a delete."""

    # None in an add.
    old: Pod | None = None
    # None in a delete.
    new: Pod | None = None
    # Whether the delete was missed (Go: `DeletedFinalStateUnknown`). Then the old pod is the one of the store.
    final_state_unknown: bool = False


def assigned_pod(pod: Pod) -> bool:
    """Whether the pod is bound, as far as this version of it tells (`assignedPod`)."""
    return bool(pod.node_name)


def unassigned_pod(pod: Pod) -> bool:
    return not pod.node_name


def last_known_state_is_selected(selects: Callable[[Pod], bool], last_known: Pod) -> bool:
    """By that version, which may be older than the bind: then the cache never hears of the delete.

    To 1.20.13, 1.21.7, 1.22.4 (CACHE-MISSED-DELETE).
    """
    return selects(last_known)


def unknown_state_is_selected(selects: Callable[[Pod], bool], last_known: Pod) -> bool:
    """Both handlers take it (#106102)."""
    return True


def filtered(
    selects: Callable[[Pod], bool], unknown: FinalStateUnknownRule, notification: PodNotification
) -> PodNotification | None:
    """What a handler that `selects` pods hears of `notification`: None is nothing.

    FilteringResourceEventHandler: an update by which a pod comes into the selection is an add of the new version,
    one by which it leaves is a delete of the *old* one. So a bind is a delete for the one handler, of the pod as it
    was before, and an add for the other.
    """
    old, new = notification.old, notification.new
    if old is not None and new is None and notification.final_state_unknown:
        return notification if unknown(selects, old) else None
    was = old is not None and selects(old)
    now = new is not None and selects(new)
    if not was and not now:
        return None
    return PodNotification(old if was else None, new if now else None, notification.final_state_unknown)


def each_own_version(old: Pod | None, new: Pod | None) -> tuple[Pod | None, Pod | None]:
    """Each version that is of a pod of this scheduler: `responsibleForPod` is part of the filter (up to 1.34)."""
    return _own(old), _own(new)


def both_versions_if_old_is_own(old: Pod | None, new: Pod | None) -> tuple[Pod | None, Pod | None]:
    """`updatePod` asks `responsibleForPod` about the old version alone (1.35 on, #134157)."""
    return (old, new) if _own(new if old is None else old) else (None, None)


def _own(pod: Pod | None) -> Pod | None:
    return pod if pod is not None and responsible_for_pod(pod) else None


def on_assigned(rules: EventRules, notification: PodNotification) -> Calls:
    """Calls of the handler for assigned pods: addPodToCache, updatePodInCache, deletePodFromCache."""
    heard = filtered(assigned_pod, rules.final_state_unknown, notification)
    if heard is None:
        return NOTHING
    if heard.new is None:
        assert heard.old is not None
        return delete_pod_from_cache(heard.old)
    if heard.old is None:
        return add_pod_to_cache(heard.new)
    return rules.update_pod_in_cache(heard.old, heard.new)


def on_unassigned(rules: EventRules, notification: PodNotification) -> Calls:
    """Calls of the handler for unassigned pods of this scheduler: add/update/deletePodFromSchedulingQueue."""
    own = PodNotification(*rules.own_versions(notification.old, notification.new), notification.final_state_unknown)
    heard = filtered(unassigned_pod, rules.final_state_unknown, own)
    if heard is None:
        return NOTHING
    if heard.new is None:
        assert heard.old is not None
        return rules.delete_pod_from_scheduling_queue(heard.old)
    if heard.old is None:
        return add_pod_to_scheduling_queue(heard.new)
    return update_pod_in_scheduling_queue(rules, heard.old, heard.new)


def add_pod_to_scheduling_queue(pod: Pod) -> Calls:
    return (Call("queue", "add", (pod,)),)


def no_update_is_ignored(old: Pod, new: Pod) -> bool:
    """A resync delivers an update with the same version twice, which puts a popped pod into the queue (to 1.19)."""
    return False


def equal_resource_version_is_ignored(old: Pod, new: Pod) -> bool:
    """1.20 on (#96071). Versions are the same if they are equal in all fields, `resource_version` among them."""
    return old == new


def update_pod_in_scheduling_queue(rules: EventRules, old: Pod, new: Pod) -> Calls:
    """The queue's Update, unless the pod is assumed and `rules.skip_pod_update` drops it (see `after`).

    Not atomic: the pod may become assumed, or bound, between the cache's answer and the queue's Update.
    """
    if rules.update_is_ignored(old, new):
        return NOTHING
    moves = rules.moves_of_renomination(old, new)
    return (Call("cache", "is_assumed_pod", (new,)), Call("queue", "update", (old, new)), *moves)


def no_move_of_renomination(old: Pod, new: Pod) -> Calls:
    """Nobody hears that a pod is no longer nominated for a node (up to 1.32)."""
    return NOTHING


def move_when_no_longer_nominated(old: Pod, new: Pod) -> Calls:
    """The pods that the nomination kept off the node are told, as if the pod were deleted there (1.33 on)."""
    if old.nominated_node_name == new.nominated_node_name:
        return NOTHING
    return _nomination_ends(old)


def _nomination_ends(pod: Pod) -> Calls:
    """A move of those that count the pod on the node it was nominated for: of its priority or less."""
    return (move_all(ASSIGNED_POD_DELETE, AtMost(pod.priority)),) if pod.nominated_node_name else NOTHING


def delete_pod_from_scheduling_queue(pod: Pod) -> Calls:
    """The queue forgets the pod and its nomination. The cache does not forget an assumed pod (1.13 to 1.16)."""
    return (Call("queue", "delete", (pod,)),)


def delete_pod_and_reject_waiting(pod: Pod) -> Calls:
    """And if it waits at Permit, it is rejected (1.17 on)."""
    return (Call("queue", "delete", (pod,)), Call("waiting_pods", "reject_waiting_pod", (pod,)))


def delete_pod_and_move_if_it_waited(pod: Pod) -> Calls:
    """And if it did wait, what it had kept from scheduling is moved (1.23 on, #103805)."""
    return (*delete_pod_and_reject_waiting(pod), move_all(ASSIGNED_POD_DELETE))


def delete_pod_and_move_if_it_waited_or_was_nominated(pod: Pod) -> Calls:
    """If it did not wait, and was nominated, those that the nomination kept off the node are moved (1.33 on)."""
    return (*delete_pod_and_move_if_it_waited(pod), *_nomination_ends(pod))


def delete_pod_and_move_if_it_was_nominated(pod: Pod) -> Calls:
    """Whether it waits at Permit is asked only of an assumed pod, by handleAssumedPodDeletion (1.35 on, #134157)."""
    return (*delete_pod_from_scheduling_queue(pod), *_nomination_ends(pod))


def add_pod_to_cache(pod: Pod) -> Calls:
    return (Call("cache", "add_pod", (pod,)), Call("queue", "assigned_pod_added", (pod,)))


def delete_pod_from_cache(pod: Pod) -> Calls:
    """Pods are moved even if the cache did not know the pod."""
    return (Call("cache", "remove_pod", (pod,)), move_all(ASSIGNED_POD_DELETE))


def update_pod_in_cache(old: Pod, new: Pod) -> Calls:
    """Up to 1.18 the cache cannot take another uid (CACHE-RECREATE-UID); from 1.24 on it can, on the same node."""
    return (Call("cache", "update_pod", (old, new)), Call("queue", "assigned_pod_updated", (new, ASSIGNED_POD_UPDATE)))


def update_pod_in_cache_by_uid(old: Pod, new: Pod) -> Calls:
    """Another uid is a delete and an add, between which the node looks free (1.19 to 1.23, CACHE-UPDATE-NONATOMIC)."""
    if old.uid != new.uid:
        return (*delete_pod_from_cache(old), *add_pod_to_cache(new))
    return update_pod_in_cache(old, new)


def update_pod_in_cache_by_properties(old: Pod, new: Pod) -> Calls:
    """One call of the queue for each property that changed (1.31, `PodSchedulingPropertiesChange`)."""
    events = pod_scheduling_properties_change(old, new)
    moves = (Call("queue", "assigned_pod_updated", (new, event)) for event in events)
    return (Call("cache", "update_pod", (old, new)), *moves)


def _is_of_nomination(call: Call) -> bool:
    return call.function == MOVE_ALL and isinstance(call.args[1], AtMost)


def after(rules: EventRules, calls: Calls, answer: Any = None) -> Calls:
    """What is left of `calls` once the first was executed and answered `answer` (what: see `Call`)."""
    call, rest = calls[0], calls[1:]
    match call.function:
        case "is_assumed_pod":
            return rules.skip_pod_update(call.args[0], rest) if answer else rest
        case "get_pod":
            equal = answer is not None and skip.differs_only_in_stripped_fields(rules.strip_pod, answer, call.args[0])
            return NOTHING if equal else rest
        case "reject_waiting_pod":
            # Of a nominated pod that did not wait: see delete_pod_and_move_if_it_waited_or_was_nominated.
            return tuple(each for each in rest if _is_of_nomination(each) is not bool(answer))
        case "forget_assumed_pod":
            return rest if answer is None else (move_all(with_objects(ASSIGNED_POD_DELETE, answer, None)),)
        case "num_unschedulable_pods":
            return node_handlers.after_num_unschedulable_pods(answer, *call.args)
        case "add_node" | "update_node":
            return node_handlers.after_node_in_cache(rules, answer, rest)
    return rest


# --- What the scheduler waits for before its first cycle
#
# Go: `Run` in cmd/kube-scheduler/app/server.go calls `WaitForCacheSync` of the informers, and from 1.28 on
# `WaitForHandlersSync` in pkg/scheduler/eventhandlers.go. Up to 1.19 `Scheduler.Run` waits for the informer of pods
# too. An informer has synced when its store has the first list. Its handlers hear of the objects in goroutines of their
# own, so they may still have to handle some.


def waits_for_stores() -> bool:
    """Up to 1.27: the first cycle may begin before the handlers have put all bound pods into the cache (#116717)."""
    return False


def waits_for_handlers() -> bool:
    """1.28 on: every handler has handled the first list (#116729)."""
    return True


@frozen(slots=False, kw_only=True)
class StartRules:
    """What releases do differently when the scheduler starts."""

    # Whether the first cycle waits until the handlers have handled the first list.
    handlers_sync_first: Callable[[], bool]
