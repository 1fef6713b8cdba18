"""Independent tasks side by side, in processes of their own. Touches processes and signals only.

What comes out is in the order of what goes in, so that a report has the same bytes on any number of processors. A
worker has one pipe to the process that has the pool. The worker ends when that process ends. Explorations leave
memory behind that Python does not give back: a worker that has grown past a limit is replaced after its task.
"""

import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol, TypeVar

import psutil

from kubeproof.processes.garbage import collect_seldom
from kubeproof.processes.ties import end_with, kill_below

T = TypeVar("T")
R = TypeVar("R")
# (function, task, where the result goes); None: there are no more tasks.
_Waiting = SimpleQueue["tuple[Callable[[Any], Any], Any, Future[Any]] | None"]
# Told after each begin and end: how many tasks are done, how many there are so far, and which are under way.
Told = Callable[[int, int, list[Any]], None]

GROWN = 1_500  # MiB of memory of a worker after a task, above which another one takes its place


class Each(Protocol):
    """`map` over one iterable: the results in order."""

    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Count:
    """Tells how far the tasks are. Called by several threads."""

    def __init__(self, told: Told | None) -> None:
        self._told, self._lock = told, Lock()
        self._done = self._total = 0
        self._under_way: list[Any] = []

    def more(self, number: int) -> None:
        with self._lock:
            self._total += number
            self._tell()

    def begins(self, task: Any) -> None:
        with self._lock:
            self._under_way.append(task)
            self._tell()

    def ends(self, task: Any) -> None:
        with self._lock:
            self._under_way = [each for each in self._under_way if each is not task]
            self._done += 1
            self._tell()

    def _tell(self) -> None:
        if self._told is not None:
            self._told(self._done, self._total, list(self._under_way))


@contextmanager
def side_by_side(workers: int | None = None, *, told: Told | None = None, grown: float = GROWN) -> Iterator[Each]:
    """A `map` that begins with its tasks at once, in `workers` processes; without a number in one for each processor.

    With one worker it is done in this process, when its results are asked for. Tasks and results must pickle. After an
    error or an interrupt the workers are killed, with all that they have started. `told` hears how far the tasks are,
    in any thread. `grown`: in MiB, see `GROWN`.
    """
    count, counted = workers or processors(), _Count(told)
    if count == 1:

        def here(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
            listed = list(tasks)
            counted.more(len(listed))
            return (_alone(function, task, counted) for task in listed)

        yield here
        return
    waiting: _Waiting = SimpleQueue()
    # Only the end of this process closes it, or the end of the pool.
    watched, held = _FRESH.Pipe(duplex=False)
    begun: list[_Worker] = []
    threads: list[Thread] = []
    try:
        for _ in range(count):
            begun.append(_Worker(watched))
            threads.append(Thread(target=_hand_out, args=(waiting, begun[-1], counted, grown), daemon=True))
            threads[-1].start()

        def each(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
            listed = list(tasks)
            counted.more(len(listed))
            results: list[Future[R]] = []
            for task in listed:
                results.append(Future())
                waiting.put((function, task, results[-1]))
            return (result.result() for result in results)

        yield each
    except BaseException:
        for worker in begun:
            worker.kill()
        raise
    finally:
        for _ in begun:
            waiting.put(None)
        for thread in threads:  # one may be about to replace its worker
            thread.join()
        for worker in begun:
            worker.join()
        watched.close()
        held.close()


def _alone(function: Callable[[T], R], task: T, counted: _Count) -> R:
    counted.begins(task)
    try:
        return function(task)
    finally:
        counted.ends(task)


# Fresh processes: nothing that this one has done can matter to a result.
_FRESH = get_context("spawn")


class _Worker:
    """A process that does tasks, and the next one after it has grown."""

    def __init__(self, watched: Connection) -> None:
        self._watched = watched
        self._lock, self._killed = Lock(), False
        self._begin()

    def _begin(self) -> None:
        self.pipe, theirs = _FRESH.Pipe()
        arguments = (theirs, self._watched, os.getpid())
        self._process: SpawnProcess = _FRESH.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def replace(self) -> None:
        """End the process, which waits for a task, and begin another one."""
        with self._lock:
            if not self._killed:
                self.pipe.close()
                self._process.join()
                self._begin()

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            if self._process.pid is not None:
                kill_below(self._process.pid, itself=True)

    def join(self) -> None:
        self._process.join()


def _hand_out(waiting: _Waiting, worker: _Worker, counted: _Count, grown: float) -> None:
    """Give one worker task after task. A thread of the process that has the pool."""
    while (asked := waiting.get()) is not None:
        function, task, result = asked
        counted.begins(task)
        try:
            worker.pipe.send((function, task))
            done, value, memory = worker.pipe.recv()
        except (EOFError, OSError):
            result.set_exception(RuntimeError("a worker ended before its task: is memory short?"))
            break
        except BaseException as error:
            # A task or a result that does not pickle.
            result.set_exception(error)
            continue
        finally:
            counted.ends(task)
        if done:
            result.set_result(value)
        else:
            result.set_exception(value)
        if memory > grown:
            worker.replace()
    worker.pipe.close()


def _work(pipe: Connection, watched: Connection, parent: int) -> None:
    """A worker: task after task, until the pipe is closed. An interrupt is for the process that has the pool.

    `watched`: a pipe whose other end nobody but `parent` has.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    end_with(parent, watched.fileno())
    own = psutil.Process()
    with suppress(EOFError, OSError):
        while True:
            function, task = pipe.recv()
            try:
                answer: tuple[bool, Any] = True, function(task)
            except BaseException as error:
                error.add_note(f"in a worker:\n{traceback.format_exc()}")
                answer = False, error
            pipe.send((*answer, own.memory_info().rss / 2**20))
