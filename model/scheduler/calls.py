"""Calls: what a handler or a goroutine still has to do, one hold of one lock after the other. Pure data.

A Go function that takes several locks in turn is not atomic: between two of them anything may happen. Here such a
function is the tuple of its calls, in order; a system executes the first one in one step and goes on with
`event_handlers.after`, which drops it and decides by its answer what is left.
"""

from typing import Any, Literal

from attrs import frozen

from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.queue.events import ClusterEvent

# Whose lock the call takes: `schedulerCache.mu`, `PriorityQueue.lock`, `waitingPodsMap.mu`. The cycle has none.
Component = Literal["cache", "queue", "waiting_pods", "cycle"]


@frozen(cache_hash=True)
class Call:
    """A call of a function of a component.

    Functions that only read: `is_assumed_pod` (answers bool) and `get_pod` (the cache's pod, or None) of the cache,
    `num_unschedulable_pods` (a number) of the queue. `reject_waiting_pod` answers whether the pod was waiting.
    `add_node` and `update_node` of the cache answer the NodeInfo, which is read from 1.22 on. Every other answer is
    only logged, so it may be None.
    """

    component: Component
    # Go's name in snake_case, without the receiver.
    function: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.component}.{self.function}({', '.join(_short(arg) for arg in self.args)})"


Calls = tuple[Call, ...]

NOTHING: Calls = ()

MOVE_ALL = "move_all_to_active_or_backoff_queue"
# Functions of the queue that move waiting pods.
MOVES = frozenset({"assigned_pod_added", "assigned_pod_updated", MOVE_ALL})


def move_all(event: ClusterEvent, node_info: NodeInfo | None = None) -> Call:
    """A move of the pods that `event` may help; with `node_info` only of those that pass a check with it (1.22 on)."""
    return Call("queue", MOVE_ALL, (event, node_info))


def _short(arg: Any) -> str:
    for name in ("name", "label"):
        if hasattr(arg, name):
            return str(getattr(arg, name))
    return str(arg)
