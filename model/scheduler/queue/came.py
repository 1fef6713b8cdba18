"""Which cluster events came to the queue in a step, whatever the queue keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from model.scheduler.queue.events import ClusterEvent

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
