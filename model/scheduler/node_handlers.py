"""The node handler: what the scheduler does when the informer tells it of a node. Pure functions.

Go: pkg/scheduler/eventhandlers.go, 1.14 to 1.31 (pkg/scheduler/factory/factory.go in 1.13). The cache hears of it
first, under `schedulerCache.mu`; then pods are moved, under `PriorityQueue.lock`. Between the two the scheduling
cycle may take a snapshot that has the change already.

Left out: conditions and annotations, which modelled nodes do not have.
"""

from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.calls import MOVE_ALL, NOTHING, Call, Calls, Everybody, move_all
from model.scheduler.event_rules import EventRules
from model.scheduler.hint_objects import hinted
from model.scheduler.queue.events import (
    ALL,
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_LABEL_CHANGE,
    NODE_SPEC_UNSCHEDULABLE_CHANGE,
    NODE_TAINT_CHANGE,
    ClusterEvent,
)
from model.scheduler.queue.rules import QueueSetup

# 1.17 to 1.20: no pod was unschedulable, so what changed of the node was not looked at.
UNKNOWN = ClusterEvent("*", ALL, "Unknown")


def on_node(rules: EventRules, old: Node | None, new: Node | None) -> Calls:
    """Calls of the node handler: an add has no `old`, a delete no `new`. No delete moves a pod, to 1.31."""
    if new is None:
        return NOTHING if old is None else (Call("cache", "remove_node", (old,)),)
    if old is None:
        return (Call("cache", "add_node", (new,)), move_all(NODE_ADD))
    return (Call("cache", "update_node", (old, new)), *rules.move_on_node_update(old, new))


def _changes(old: Node, new: Node) -> tuple[ClusterEvent, ...]:
    """Modelled properties that changed, in the order of `nodeSchedulingPropertiesChange`.

    A node that is cordoned helps nobody: only its uncordoning is an event (`nodeSpecUnschedulableChanged`).
    """
    changed = (
        (NODE_SPEC_UNSCHEDULABLE_CHANGE, old.unschedulable and not new.unschedulable),
        (NODE_ALLOCATABLE_CHANGE, old.cpu_milli != new.cpu_milli),
        (NODE_LABEL_CHANGE, old.zone != new.zone or hinted(old).labels != hinted(new).labels),
        (NODE_TAINT_CHANGE, hinted(old).taint != hinted(new).taint),
    )
    return tuple(event for event, did in changed if did)


def move_on_any_node_update(old: Node, new: Node) -> Calls:
    """1.13: every heartbeat moves all pods."""
    return (move_all(UNKNOWN),)


def move_on_node_change_or_empty_queue(old: Node, new: Node) -> Calls:
    """1.14 to 1.20 (#71551): if no pod is unschedulable, a move for the sake of the pod that is being scheduled.

    The number is read under a hold of `PriorityQueue.lock` of its own; see `after`.
    """
    return (Call("queue", "num_unschedulable_pods", (old, new)),)


def move_on_node_change(old: Node, new: Node) -> Calls:
    """1.21 to 1.29 (#98899): one move if a property of interest changed, named after the first that did."""
    return tuple(move_all(event) for event in _changes(old, new)[:1])


def move_on_each_node_change(old: Node, new: Node) -> Calls:
    """1.30 on: a move for each property that changed, each under a lock of its own."""
    return tuple(move_all(event) for event in _changes(old, new))


def without_pre_check(node_info: NodeInfo | None) -> NodeInfo | None:
    """A node event moves pods whether or not they could run there (to 1.21)."""
    return None


def pre_check_for_node(node_info: NodeInfo | None) -> NodeInfo | None:
    """The event moves only pods that `passes_pre_check` with the NodeInfo that the cache answered (1.22 on)."""
    return node_info


def passes_pre_check(pod: Pod, node_info: NodeInfo) -> bool:
    """Whether `pod` fits the node beside what runs there now, victims and all (`preCheckForNode`, 1.22 on)."""
    return pod.cpu_milli == 0 or pod.cpu_milli <= node_info.allocatable_cpu - node_info.requested_cpu


def after_node_in_cache(rules: EventRules, node_info: NodeInfo | None, rest: Calls) -> Calls:
    """The moves in `rest`, with the NodeInfo that the cache answered if the release checks pods against it."""
    checked = rules.pre_check(node_info)
    if checked is None:
        return rest
    return tuple(
        move_all(call.args[0], checked) if call.function == MOVE_ALL and call.args[1] is None else call for call in rest
    )


def after_num_unschedulable_pods(number: int, old: Node, new: Node) -> Calls:
    """What `move_on_node_change_or_empty_queue` goes on with."""
    return (move_all(UNKNOWN),) if number == 0 else move_on_node_change(old, new)


def told_of_node_with_hints(setup: QueueSetup, checks: bool, calls: Calls, old: Node | None, new: Node | None) -> Calls:
    """The calls of the node handler, as they are with the gate SchedulerQueueingHints on: events carry the node.

    `checks`: whether `preCheckForNode` keeps pods from hearing of the node. See `pre_check_with_hints`.
    """
    check = None if checks else Everybody()
    return tuple(
        move_all(setup.event_of(call.args[0], old, new), check) if call.function == MOVE_ALL else call for call in calls
    )


def new_nodes_are_checked() -> bool:
    """`preCheckForNode` keeps a node's event from pods that the node does not fit, whatever the gate says (to 1.31)."""
    return True


def new_nodes_are_not_checked() -> bool:
    """With the gate on every pod's plugins are asked of every node (1.32, #127109)."""
    return False
