"""One process tree, watched until it ends or has used up what it may: seconds, CPU seconds, peak memory."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import perf_counter

import psutil
from attrs import frozen

from benchmarks import cpu_of_children

MILLION = 1_000_000
# Seconds between two looks: the peak of a shorter process is not seen.
EVERY = 0.05


@frozen
class Watched:
    """A process tree that has ended."""

    returncode: int
    # What it printed to stdout.
    output: str
    # On the clock, and of CPU, of all its processes together.
    seconds: float
    cpu: float
    # Peak memory of all its processes together, in MB.
    mb: float
    # Why it was killed, or None.
    cut: str | None


def watched(
    argv: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    *,
    cpu: float = inf,
    mb: float = inf,
) -> Watched:
    """Runs a command to its end, or kills its process group beyond `cpu` seconds of CPU or `mb` of memory."""
    started, before = perf_counter(), cpu_of_children()
    used, peak, cut = 0.0, 0.0, None
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(argv, cwd=folder, env=environment, stdout=output, start_new_session=True) as process,
    ):
        tree = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                every = (tree, *tree.children(recursive=True))
                peak = max(peak, sum(each.memory_info().rss for each in every) / MILLION)
                used = sum(sum(each.cpu_times()[:2]) for each in every)
                if used > cpu:
                    cut = f"more than {cpu:,.0f} s of CPU"
                elif peak > mb:
                    cut = f"more than {mb:,.0f} MB"
            if cut:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                break
            with suppress(subprocess.TimeoutExpired):
                process.wait(EVERY)
        output.seek(0)
        printed = output.read()
    # What a killed process has started is not waited for, so its CPU is not counted at the end.
    took = perf_counter() - started, max(used, cpu_of_children() - before)
    return Watched(process.returncode, printed, *took, peak, cut)
