"""Progress of a command on stderr: on a terminal one line that changes, elsewhere a line every ten seconds.

A command that ends before says nothing to a pipe.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from kubeproof.output import err, note
from kubeproof.visible import shortened, visible

EVERY = 10.0  # seconds between two lines that are no terminal's
_ENOUGH = 5  # tasks that are done before anything is said of the time that is left


@contextmanager
def told(doing: str) -> Iterator[Callable[[str], None]]:
    """A function that shows what is done next on a line of its own; it shows nothing if stderr is not a terminal."""
    if not err.is_terminal:
        yield lambda text: None
        return
    with err.status(doing) as status:
        yield lambda text: status.update(f"{doing}: {visible(text)}")


class Far:
    """How far the tasks of a long command are. Heard by threads of the pool."""

    def __init__(self, doing: str, changed: Callable[[str], None], weigh: Callable[[Any], float]) -> None:
        """`weigh`: how long a task takes, against others. The task that takes longest is begun first."""
        self._doing, self._changed, self._weigh, self._lock = doing, changed, weigh, Lock()
        self._begun = monotonic()
        self._done = self._total = 0
        self._under_way: list[Any] = []
        # The weight of the tasks that are done, and of those that are left.
        self._behind = self._ahead = 0.0
        self._found = ""

    def tasks(self, done: int, total: int, under_way: list[Any]) -> None:
        """How many tasks are done, how many there are, and which are under way: as the pool tells it."""
        with self._lock:
            ended = [each for each in self._under_way if not any(each is other for other in under_way)]
            self._behind += sum(map(self._weigh, ended))
            self._done, self._total, self._under_way = done, total, under_way
        self._changed(str(self))

    def expect(self, tasks: Iterable[Any]) -> None:
        """All tasks that there will be: what is left is judged by their weights."""
        with self._lock:
            self._ahead += sum(map(self._weigh, tasks))

    def found(self, text: str) -> None:
        """What was found so far, in a few words."""
        with self._lock:
            self._found = text
        self._changed(str(self))

    def __str__(self) -> str:
        elapsed = monotonic() - self._begun
        parts = [f"{self._done} of {self._total}"] if self._total else []
        left = self._ahead - self._behind
        if _ENOUGH <= self._done < self._total and self._behind and left > 0:
            parts.append(f"about {_time(elapsed / self._behind * left)} left")
        parts.append(f"{_time(elapsed)} elapsed")
        parts += [self._found] if self._found else []
        now = ", ".join(_task(each) for each in self._under_way)
        return f"{self._doing}: {', '.join(parts)}" + (f"; now {now}" if now else "")


def _task(task: Any) -> str:
    if isinstance(task, Path):
        return task.name
    if isinstance(task, tuple):  # the first of what a function takes says most
        return _task(task[0])
    if isinstance(task, list):
        return f"{task[0]} and {len(task) - 1} more" if len(task) > 1 else str(task[0])
    return shortened(str(getattr(task, "name", task)), 60)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def far(doing: str, weigh: Callable[[Any], float] = lambda task: 1.0) -> Iterator[Far]:
    """What shows how far the tasks of a long command are. `weigh`: as in `Far`."""
    if err.is_terminal:
        with err.status(doing) as status:
            yield Far(doing, lambda text: status.update(visible(text)), weigh)
        return
    so_far = Far(doing, lambda text: None, weigh)
    with spoken(lambda: str(so_far)):
        yield so_far


@contextmanager
def spoken(line: Callable[[], str]) -> Iterator[None]:
    """Inside, `line` is noted on stderr every ten seconds: for those who have no terminal."""
    ended = Event()

    def speak() -> None:
        while not ended.wait(EVERY):
            note([line()])

    speaker = Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()
