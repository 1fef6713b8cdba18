"""Progress of a command on stderr: on a terminal one line that changes, elsewhere a line every ten seconds.

A command that ends before says nothing to a pipe.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from kubeproof.output import err, note
from kubeproof.processes.tasks import HowFar
from kubeproof.visible import shortened, visible

EVERY = 10.0  # seconds between two lines that are no terminal's
_ENOUGH = 5  # tasks that are done before anything is said of the time that is left
_SHOWN = 8  # tasks under way that are named


class Far:
    """How far the tasks of a long command are. Heard by threads of the pool."""

    def __init__(self, doing: str, changed: Callable[[str], None]) -> None:
        self._doing, self._changed, self._lock = doing, changed, Lock()
        self._begun = monotonic()
        self._now = HowFar(0, 0)
        self._found = ""

    def tasks(self, now: HowFar) -> None:
        """How far the tasks are: as the pool tells it."""
        with self._lock:
            self._now = now
        self._changed(str(self))

    def found(self, text: str) -> None:
        """What was found so far, in a few words."""
        with self._lock:
            self._found = text
        self._changed(str(self))

    def __str__(self) -> str:
        elapsed, now = monotonic() - self._begun, self._now
        parts = [f"{now.done} of {now.total}"] if now.total else []
        parts += [] if now.workers is None else [f"{now.workers} workers"]
        if _ENOUGH <= now.done < now.total and now.behind:
            parts.append(f"about {short_time(elapsed / now.behind * now.ahead)} left")
        parts.append(f"{short_time(elapsed)} elapsed")
        parts += [self._found] if self._found else []
        under_way = [_task(each) for each in now.under_way[:_SHOWN]]
        more = len(now.under_way) - len(under_way)
        under_way += [f"{more} more"] if more else []
        return f"{self._doing}: {', '.join(parts)}" + (f"; now {', '.join(under_way)}" if under_way else "")


def _task(task: Any) -> str:
    if isinstance(task, tuple):  # the first of what a function takes says most
        return _task(task[0])
    if isinstance(task, list):
        return f"{task[0]} and {len(task) - 1} more" if len(task) > 1 else str(task[0])
    return shortened(str(getattr(task, "name", task)), 60)


def short_time(seconds: float) -> str:
    """A duration for a person."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def far(doing: str) -> Iterator[Far]:
    """What shows how far the tasks of a long command are."""
    if err.is_terminal:
        with err.status(doing) as status:
            yield Far(doing, lambda text: status.update(visible(text)))
        return
    so_far = Far(doing, lambda text: None)
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
