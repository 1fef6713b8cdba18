"""Independent tasks side by side, in processes of their own. Touches processes and signals only.

What comes out is in the order of what goes in, so that a report has the same bytes on any number of processors. A
worker has one pipe to the process that has the pool. The worker ends when that process ends.
"""

import copyreg
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
from threading import Thread
from typing import Any, Protocol, TypeVar

from kubeproof.processes.garbage import collect_seldom
from kubeproof.processes.ties import end_with, kill_below
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System

T = TypeVar("T")
R = TypeVar("R")
# (function, task, where the result goes); None: there are no more tasks.
_Waiting = SimpleQueue["tuple[Callable[[Any], Any], Any, Future[Any]] | None"]


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
    an interrupt the workers are killed, with all that they have started.
    """
    count = workers or processors()
    if count == 1:
        yield map
        return
    # Fresh processes: nothing that this one has done can matter to a result.
    fresh = get_context("spawn")
    waiting: _Waiting = SimpleQueue()
    begun: list[SpawnProcess] = []
    # Only the end of this process closes it, or the end of the pool.
    watched, held = fresh.Pipe(duplex=False)
    try:
        for _ in range(count):
            ours, theirs = fresh.Pipe()
            worker = fresh.Process(target=_work, args=(theirs, watched, os.getpid()), daemon=True)
            worker.start()
            begun.append(worker)
            theirs.close()
            Thread(target=_hand_out, args=(waiting, ours), daemon=True).start()

        def each(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
            results: list[Future[R]] = []
            for task in tasks:
                results.append(Future())
                waiting.put((function, task, results[-1]))
            return (result.result() for result in results)

        yield each
    except BaseException:
        for worker in begun:
            if worker.pid is not None:
                kill_below(worker.pid, itself=True)
        raise
    finally:
        for _ in begun:
            waiting.put(None)
        for worker in begun:
            worker.join()
        watched.close()
        held.close()


def _hand_out(waiting: _Waiting, pipe: Connection) -> None:
    """Give one worker task after task. A thread of the process that has the pool."""
    while (asked := waiting.get()) is not None:
        function, task, result = asked
        try:
            pipe.send((function, task))
            done, value = pipe.recv()
        except (EOFError, OSError):
            result.set_exception(RuntimeError("a worker ended before its task: is memory short?"))
            break
        except BaseException as error:
            # A task or a result that does not pickle.
            result.set_exception(error)
            continue
        if done:
            result.set_result(value)
        else:
            result.set_exception(value)
    pipe.close()


def _work(pipe: Connection, watched: Connection, parent: int) -> None:
    """A worker: task after task, until the pipe is closed. An interrupt is for the process that has the pool.

    `watched`: a pipe whose other end nobody but `parent` has.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    end_with(parent, watched.fileno())
    with suppress(EOFError, OSError):
        while True:
            function, task = pipe.recv()
            answer: tuple[bool, Any]
            try:
                answer = True, function(task)
            except BaseException as error:
                error.add_note(f"in a worker:\n{traceback.format_exc()}")
                answer = False, error
            pipe.send(answer)


def _by_name(system: System) -> tuple[Any, ...]:
    return system_named, (system.name,)


copyreg.pickle(System, _by_name)
