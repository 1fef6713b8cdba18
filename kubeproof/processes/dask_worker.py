"""What a worker of a Dask cluster does: it has a task done by a process of its own, as a pool of this machine has.

So the Dask worker stays small and answers the scheduler, whatever the task does: the task has the main thread of a
fresh process, and may grow, hang or end that process. Needs `distributed`.
"""

import threading
from contextlib import suppress
from multiprocessing import process as multiprocessing_process
from time import monotonic
from typing import Any, Literal

import psutil
from distributed import Status, get_worker

from kubeproof.processes.left_behind import kill_left_behind, remove_left_behind
from kubeproof.processes.sources import made_of
from kubeproof.processes.worker import FRESH, Worker

# done: the answer as bytes. ended: the process ended before its task, or was silent. other: what the worker was made
# from, which is not what the command was made from. unwanted: nobody waits for the answer any more.
Kind = Literal["done", "ended", "other", "unwanted"]
BEAT = 0.5  # seconds between two looks at a task that is under way
_OWN = threading.local()


def do(key: str, asked: bytes, topic: str, made: dict[str, str], grown: float, silent: float) -> tuple[Kind, Any]:
    """Have a task done. Called by Dask, in a thread of the worker.

    `key`: the task's name for Dask. `asked`: function and task, pickled. `topic`: where the command hears that the task
    begins. `made`: see `made_of`. `grown`: in MiB, see `GROWN`. `silent`: a process that takes no
    time of a processor for so many seconds, nor those that it has started, will never answer.
    """
    if made_of() != made:
        return "other", made_of()
    get_worker().log_event(topic, key)
    process: Worker = getattr(_OWN, "process", None) or _begun()
    try:
        process.pipe.send_bytes(asked)
        answer = _answer(key, process, silent)
    except (EOFError, OSError):
        answer = "ended", None
    if answer[0] == "done":
        process.replace_if_grown(grown)
    else:
        process.kill()
        process.join()
        del _OWN.process
    return answer


def _begun() -> Worker:
    # Dask's nanny makes daemons, to which multiprocessing permits no children. These end with the daemon.
    multiprocessing_process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    # What a process was killed in the middle of has left its files here.
    kill_left_behind()
    remove_left_behind()
    watched, _OWN.held = FRESH.Pipe(duplex=False)
    process = _OWN.process = Worker(watched)
    return process


def _answer(key: str, process: Worker, silent: float) -> tuple[Kind, Any]:
    """The answer of the process to the task that it was sent. Raises EOFError or OSError if it ends before."""
    used, since = -1.0, monotonic()
    while not process.pipe.poll(BEAT):
        if not _is_wanted(key):
            return "unwanted", None
        if monotonic() - since > silent / 10 and (now := _seconds_used(process.pid)) != used:
            used, since = now, monotonic()
        if monotonic() - since > silent:
            return "ended", None
    return "done", process.pipe.recv_bytes()


def _is_wanted(key: str) -> bool:
    """Whether the command still waits for the task, and the worker goes on."""
    worker = get_worker()
    state = worker.state.tasks.get(key)
    ends = worker.status in (Status.closing, Status.closed, Status.failed)
    return not ends and state is not None and state.state in ("executing", "long-running")


def _seconds_used(pid: int) -> float:
    """Of processors, by a process and all below it."""
    seconds = 0.0
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        for each in (top, *top.children(recursive=True)):
            with suppress(psutil.Error):  # it has ended
                seconds += sum(each.cpu_times()[:2])
    return seconds
