"""Runs a command in a process group of its own and leaves no process behind. Touches processes only."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from attrs import frozen


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


def run(argv: Sequence[str], cwd: Path, timeout: float) -> Finished:
    """What the command printed until its end. After `timeout` seconds its process group is killed.

    The group is also killed when this process is interrupted. Raises OSError if the command cannot be started.
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
    ) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            output, errors = process.communicate()
            return Finished(process.returncode, output, errors, timed_out=True)
        except BaseException:
            _kill_group(process.pid)
            raise
        return Finished(process.returncode, output, errors)


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
