"""Calls: what a handler or a goroutine still has to do, one hold of one lock after the other. Pure data.

A Go function that takes several locks in turn is not atomic: between two of them anything may happen. Here such a
function is the tuple of its calls, in order. A system executes the first call in one step and goes on with
`eventhandlers.after`, which drops this call and decides by its answer what is left.
"""

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

from model.objects import Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.queue.events import ClusterEvent

# Whose lock the call takes: `schedulerCache.mu`, `PriorityQueue.lock`, `waitingPodsMap.mu`. The cycle has none.
Component = Literal["cache", "queue", "waiting_pods", "cycle"]

# The functions of each component that may be called, by Go's name in snake_case, without the receiver. `go_on_moving`
# is the rest of a move, `go_on_updating` the rest of an Update: see model/world/moves.py.
FUNCTIONS: Mapping[Component, frozenset[str]] = {
    "cache": frozenset(
        {
            "add_pod", "update_pod", "remove_pod", "get_pod", "is_assumed_pod", "add_node", "update_node",
            "remove_node", "forget_assumed_pod",
        }
    ),
    "queue": frozenset(
        {
            "add", "update", "delete", "assigned_pod_added", "assigned_pod_updated",
            "move_all_to_active_or_backoff_queue", "num_unschedulable_pods", "go_on_moving",
            "go_on_updating",
        }
    ),
    "waiting_pods": frozenset({"reject_waiting_pod"}),
    "cycle": frozenset({"schedule_pod"}),
}  # fmt: skip


@frozen(cache_hash=True)
class Call:
    """A call of a function of a component.

    Functions that only read: `is_assumed_pod` (answers bool) and `get_pod` (the cache's pod, or None) of the cache,
    `num_unschedulable_pods` (a number) of the queue. `reject_waiting_pod` answers whether the pod was waiting.
    `add_node` and `update_node` of the cache answer the NodeInfo, which is read from 1.22 on. `forget_assumed_pod`
    answers the cache's pod if it was assumed, else None. Every other answer is only logged, so it may be None.
    """

    component: Component
    function: str = field()
    args: tuple[Any, ...] = ()

    @function.validator
    def _is_of_the_component(self, _: object, value: str) -> None:
        if value not in FUNCTIONS.get(self.component, ()):
            raise ValueError(f"not a function of a component: {self.component}.{value}")

    def __str__(self) -> str:
        return f"{self.component}.{self.function}({', '.join(_short(arg) for arg in self.args)})"


Calls = tuple[Call, ...]

NOTHING: Calls = ()

MOVE_ALL = "move_all_to_active_or_backoff_queue"
# Functions of the queue that move waiting pods.
MOVES = frozenset({"assigned_pod_added", "assigned_pod_updated", MOVE_ALL})


@frozen
class AtMost:
    """A check that lets pass whoever has this priority or less (`getLEPriorityPreCheck`, 1.33 on)."""

    priority: int

    def __call__(self, pod: Pod) -> bool:
        return pod.priority <= self.priority


@frozen
class Everybody:
    """A check that lets pass every pod (`preCheckForNode` with the gate SchedulerQueueingHints on, 1.32 on)."""

    def __call__(self, pod: Pod) -> bool:
        return True


def move_all(event: ClusterEvent, check: NodeInfo | AtMost | Everybody | None = None) -> Call:
    """A move of the pods that `event` may help; with `check` only of those that pass it (1.22 on).

    A NodeInfo stands for the check whether a pod fits there (`passes_pre_check`).
    """
    return Call("queue", MOVE_ALL, (event, check))


def _short(arg: Any) -> str:
    for name in ("name", "label"):
        if hasattr(arg, name):
            return str(getattr(arg, name))
    return str(arg)
