"""A process that does tasks, one after the other, and has one pipe to the process that began it.

It ends when that process ends. Explorations leave memory behind that Python does not give back: a worker that has grown
past a limit is replaced after its task. Touches processes and signals only.
"""

import os
import signal
import traceback
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock
from typing import Any

import psutil

from kubeproof.processes.garbage import collect_seldom
from kubeproof.processes.ties import end_with, kill_below

GROWN = 1_500  # MiB of memory of a worker after a task, above which another one takes its place
ENDED = "a worker ended before its task: is memory short?"
# Fresh processes: nothing that the one has done that begins them can matter to a result.
FRESH = get_context("spawn")


class Worker:
    """A process that does tasks, and the next one after it has grown."""

    def __init__(self, watched: Connection) -> None:
        """`watched`: the end of a pipe whose other end nobody but this process has."""
        self._watched = watched
        self._lock, self._killed = Lock(), False
        self._begin()

    def _begin(self) -> None:
        self.pipe, theirs = FRESH.Pipe()
        arguments = (theirs, self._watched, os.getpid())
        self._process: SpawnProcess = FRESH.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def replace_if_grown(self, grown: float) -> None:
        """Between two tasks: begin another process in the place of one that has more MiB of memory than `grown`."""
        with self._lock, suppress(psutil.Error):
            if not self._killed and psutil.Process(self.pid).memory_info().rss / 2**20 > grown:
                self.pipe.close()
                self._process.join()
                self._begin()

    def kill(self) -> None:
        """End the process with all that it has started."""
        with self._lock:
            self._killed = True
            if self._process.pid is not None:
                kill_below(self._process.pid, itself=True)

    def join(self) -> None:
        self._process.join()


def _work(pipe: Connection, watched: Connection, parent: int) -> None:
    """Task after task, until the pipe is closed. An interrupt is for the process that began this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    end_with(parent, watched.fileno())
    with suppress(EOFError, OSError):
        while True:
            function, task = pipe.recv()
            try:
                answer: tuple[bool, Any] = True, function(task)
            except BaseException as error:
                error.add_note(f"in a worker:\n{traceback.format_exc()}")
                answer = False, error
            pipe.send(answer)
