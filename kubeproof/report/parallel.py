"""Independent parts of a report side by side, in processes of their own. Touches processes and signals only.

What comes out is in the order of what goes in, so that a report has the same bytes on any number of processors.
"""

import copyreg
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_context
from multiprocessing.synchronize import Event
from typing import Any, Protocol, TypeVar

from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System

T = TypeVar("T")
R = TypeVar("R")


class Each(Protocol):
    """`map` over one iterable: the results in order."""

    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def side_by_side(workers: int | None = None) -> Iterator[Each]:
    """A `map` that begins with its tasks at once, in `workers` processes; without a number in one for each processor.

    With one worker it is `map` itself. Tasks and results must pickle; a System travels as its name. After an error or
    an interrupt nothing is begun any more, and the tasks under way are interrupted.
    """
    count = workers or processors()
    if count == 1:
        yield map
        return
    # Fresh processes: nothing that this one has done can matter to a result.
    fresh = get_context("spawn")
    ended = fresh.Event()
    before = {child.pid for child in active_children()}
    pool = ProcessPoolExecutor(count, mp_context=fresh, initializer=_begin, initargs=(ended,))
    try:
        yield partial(_each, pool)
    except BaseException:
        ended.set()
        for child in active_children():
            if child.pid is not None and child.pid not in before:
                os.kill(child.pid, signal.SIGINT)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _each(pool: ProcessPoolExecutor, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    return pool.map(partial(_interruptible, function), tasks)


class _Worker:
    """What a worker keeps: whether it has to end."""

    ended: Event


def _begin(ended: Event) -> None:
    """A worker that waits for tasks has nothing to say to an interrupt."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.ended = ended


def _interruptible(function: Callable[[T], R], task: T) -> R:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # Asked only now: an interrupt that came before was ignored, and this was set before it came.
        if _Worker.ended.is_set():
            raise KeyboardInterrupt
        return function(task)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _by_name(system: System) -> tuple[Any, ...]:
    return system_named, (system.name,)


copyreg.pickle(System, _by_name)
