"""What a pool takes and tells, wherever its tasks are done. Touches nothing."""

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Any, Protocol, TypeVar

from attrs import evolve, frozen

# The environment's name for the Dask cluster on which commands compute.
DASK = "KUBEPROOF_DASK"
T = TypeVar("T")
R = TypeVar("R")
# How long a task takes, against others.
Weigh = Callable[[Any], float]


@frozen
class HowFar:
    """How far the tasks of a pool are."""

    # How many are done, and how many there are so far.
    done: int
    total: int
    under_way: tuple[Any, ...] = ()
    # What those weigh that are done, and those that are left.
    behind: float = 0.0
    ahead: float = 0.0
    # How many workers a cluster has; None where there is no cluster.
    workers: int | None = None


# Told after each begin and end, in any thread.
Told = Callable[[HowFar], None]


class Each(Protocol):
    """`map` over one iterable: the results in order. Which of the tasks is begun first is another matter."""

    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


def alike(task: Any) -> float:
    """The weight of a task of which nothing is known."""
    return 1.0


class Count:
    """Tells how far the tasks are. Called by several threads."""

    def __init__(self, told: Told | None, weigh: Weigh) -> None:
        self._told, self._weigh, self._lock = told, weigh, Lock()
        self._now = HowFar(0, 0)

    def more(self, tasks: Iterable[Any]) -> None:
        with self._lock:
            weights = [*map(self._weigh, tasks)]
            self._tell(total=self._now.total + len(weights), ahead=self._now.ahead + sum(weights))

    def begins(self, task: Any) -> None:
        """Also called again for a task whose worker went away."""
        with self._lock:
            self._tell(under_way=(*self._without(task), task))

    def ends(self, task: Any) -> None:
        with self._lock:
            weight, now = self._weigh(task), self._now
            behind, ahead = now.behind + weight, now.ahead - weight
            self._tell(under_way=self._without(task), done=now.done + 1, behind=behind, ahead=ahead)

    def on(self, workers: int) -> None:
        """How many workers a cluster has now."""
        with self._lock:
            self._tell(workers=workers)

    def _without(self, task: Any) -> tuple[Any, ...]:
        return tuple(each for each in self._now.under_way if each is not task)

    def _tell(self, **changes: Any) -> None:
        self._now = evolve(self._now, **changes)
        if self._told is not None:
            self._told(self._now)
