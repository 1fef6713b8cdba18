"""The property of the order in which pods are scheduled."""

from model.machine import Action
from model.scheduler.queue.state import QueuedPodInfo, find
from properties.property import StepInvariant
from properties.scheduling.view import State


def _passed_over(before: State, action: Action) -> QueuedPodInfo | None:
    """A record of activeQ that is to come before the popped one: of higher priority, or as high and waiting longer.

    `activeQComp`, the plugin PrioritySort. A queue without timestamps (1.13.0) has 0 for all of them.
    """
    popped = find(before.queue.active, action["pod"])
    if popped is None:
        return None
    own = (-popped.pod.priority, popped.timestamp)
    return next((other for other in before.queue.active if (-other.pod.priority, other.timestamp) < own), None)


def takes_the_first(before: State, action: Action, after: State) -> bool:
    return _passed_over(before, action) is None


def _some_wait(before: State, action: Action, after: State) -> bool:
    return len(before.queue.active) > 1


def _explain(before: State, action: Action, after: State) -> str:
    other = _passed_over(before, action)
    assert other is not None
    popped = find(before.queue.active, action["pod"])
    assert popped is not None
    why = "has a higher priority" if other.pod.priority > popped.pod.priority else "is as high and waits longer"
    return f"Pop takes {popped.pod.name}, though {other.pod.name} is in activeQ, too, and {why}"


TAKES_THE_FIRST = StepInvariant(
    name="pop-takes-the-first",
    sentence="Of the pods in activeQ Pop takes one of the highest priority, and of these the one that waits longest.",
    broken_by=("order_by_timestamp",),
    actions=frozenset({"pop"}),
    holds=takes_the_first,
    premise=_some_wait,
    explain=_explain,
)
