"""Runs a program of others in a process group of its own and leaves no process behind. Touches processes only."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic

from attrs import frozen

from kubeproof.processes.ties import end_with_parent


@frozen
class Finished:
    """A command that has ended."""

    # Negative for a signal, as in subprocess.
    returncode: int
    # What the command printed to stdout and to stderr until its end.
    output: str
    errors: str
    # Whether `run` killed the command.
    timed_out: bool = False


# Seconds after which whoever listens hears again what a command has printed.
HEARD_EVERY = 1.0


def run(argv: Sequence[str], cwd: Path, timeout: float, hear: Callable[[str], None] | None = None) -> Finished:
    """What the command printed until its end. After `timeout` seconds its process group is killed.

    `hear`: is told from time to time all that the command has printed to stdout so far.
    The group is also killed when this process is interrupted, and on Linux the program ends with this process. Raises
    OSError if the command cannot be started.
    """
    with subprocess.Popen(
        argv,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        preexec_fn=tied_to_this(),
    ) as process:
        try:
            output, errors = _printed(process, timeout, hear)
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            output, errors = process.communicate()
            return Finished(process.returncode, output, errors, timed_out=True)
        except BaseException:
            _kill_group(process.pid)
            raise
        return Finished(process.returncode, output, errors)


def _printed(process: subprocess.Popen[str], timeout: float, hear: Callable[[str], None] | None) -> tuple[str, str]:
    """What the process printed until its end. Raises TimeoutExpired."""
    if hear is None:
        return process.communicate(timeout=None if timeout == inf else timeout)
    end = monotonic() + timeout
    while True:
        left = end - monotonic()
        try:
            return process.communicate(timeout=min(left, HEARD_EVERY))
        except subprocess.TimeoutExpired as so_far:
            if left <= HEARD_EVERY:
                raise
            # Bytes, whatever the process was opened with.
            hear((so_far.output or b"").decode("utf-8", "replace"))


def tied_to_this() -> Callable[[], None] | None:
    """What a child has to call before it executes its program, so that it ends with this process."""
    return partial(end_with_parent, os.getpid()) if sys.platform == "linux" else None


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
