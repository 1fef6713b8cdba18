"""Independent tasks side by side: in processes of this machine, or on a Dask cluster.

What comes out is in the order of what goes in, so that a report has the same bytes on any number of processors. Begun
first is what takes longest, so that no processor waits for a long task at the end.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count as numbers
from math import inf
from queue import PriorityQueue
from threading import Thread
from typing import Any

from kubeproof.processes.tasks import Count, Each, R, T, Told, Weigh, alike
from kubeproof.processes.worker import ENDED, FRESH, GROWN, Worker

# By weight, then in order: (function, task, where the result goes); None: there are no more tasks.
_Asked = tuple[Callable[[Any], Any], Any, "Future[Any]"]
_Waiting = PriorityQueue[tuple[float, int, _Asked | None]]


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def side_by_side(
    workers: int | None = None,
    *,
    dask: str | None = None,
    told: Told | None = None,
    weigh: Weigh = alike,
    grown: float = GROWN,
) -> Iterator[Each]:
    """A `map` that begins with its tasks at once, in `workers` processes; without a number in one for each processor.

    With one worker it is done in this process, when its results are asked for. Tasks and results must pickle. After an
    error or an interrupt the workers are killed, with all that they have started. `dask`: a Dask cluster that
    does the tasks, see `on_cluster`. `told` hears how far the tasks are, in any thread. `grown`: in MiB, see `GROWN`.
    """
    if dask:
        from kubeproof.processes.dask_pool import on_cluster

        with on_cluster(dask, workers or processors(), told, weigh, grown) as each_there:
            yield each_there
        return
    count = workers or processors()
    counted = Count(told, weigh)
    if count == 1:

        def here(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
            listed = list(tasks)
            counted.more(listed)
            return (_alone(function, task, counted) for task in listed)

        yield here
        return
    waiting: _Waiting = PriorityQueue()
    number = numbers()
    # Only the end of this process closes it, or the end of the pool.
    watched, held = FRESH.Pipe(duplex=False)
    begun: list[Worker] = []
    threads: list[Thread] = []
    try:
        for _ in range(count):
            begun.append(Worker(watched))
            threads.append(Thread(target=_hand_out, args=(waiting, begun[-1], counted, grown), daemon=True))
            threads[-1].start()

        def each(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
            listed = list(tasks)
            counted.more(listed)
            results: list[Future[R]] = []
            for task in listed:
                results.append(Future())
                waiting.put((-weigh(task), next(number), (function, task, results[-1])))
            return (result.result() for result in results)

        yield each
    except BaseException:
        for worker in begun:
            worker.kill()
        raise
    finally:
        for _ in begun:
            waiting.put((inf, next(number), None))
        for thread in threads:  # one may be about to replace its worker
            thread.join()
        for worker in begun:
            worker.join()
        watched.close()
        held.close()


def _alone(function: Callable[[T], R], task: T, counted: Count) -> R:
    counted.begins(task)
    try:
        return function(task)
    finally:
        counted.ends(task)


def _hand_out(waiting: _Waiting, worker: Worker, counted: Count, grown: float) -> None:
    """Give one worker task after task. A thread of the process that has the pool."""
    while (asked := waiting.get()[-1]) is not None:
        function, task, result = asked
        counted.begins(task)
        try:
            worker.pipe.send((function, task))
            done, value = worker.pipe.recv()
        except (EOFError, OSError):
            result.set_exception(RuntimeError(ENDED))
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
        worker.replace_if_grown(grown)
    worker.pipe.close()
