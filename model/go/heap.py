"""Go's container/heap on a list. `before(a, b)`: whether `a` comes out before `b` (Go: `Less`)."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Before = Callable[[T, T], bool]


def init(heap: list[T], before: Before[T]) -> None:
    """Puts a list in the order of a heap."""
    for at in range(len(heap) // 2 - 1, -1, -1):
        _down(heap, at, len(heap), before)


def pop(heap: list[T], before: Before[T]) -> T:
    """Takes the first one out. An empty heap raises IndexError, where Go panics."""
    last = len(heap) - 1
    heap[0], heap[last] = heap[last], heap[0]
    _down(heap, 0, last, before)
    return heap.pop()


def _down(heap: list[T], at: int, size: int, before: Before[T]) -> None:
    while (child := 2 * at + 1) < size:
        if child + 1 < size and before(heap[child + 1], heap[child]):
            child += 1
        if not before(heap[child], heap[at]):
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child
