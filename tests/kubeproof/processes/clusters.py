"""Dask clusters for tests: schedulers and workers as commands of their own, as on other machines."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import frozen

from kubeproof.processes.ties import kill_below

PATIENCE = 60.0  # seconds


@frozen
class Remote:
    """A scheduler and its workers."""

    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: "subprocess.Popen[bytes]"


def _command(folder: Path, name: str, *arguments: object, more: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{name}", "--no-dashboard", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextmanager
def remote(folder: Path, workers: int = 2, **of_workers: str) -> Iterator[Remote]:
    """A scheduler and so many workers, each a process. `of_workers`: of their environment."""
    file = folder / "scheduler.json"
    scheduler = _command(folder, "scheduler", "--port", 0, "--host", "127.0.0.1", "--scheduler-file", file, more={})
    counted = ("--nthreads", 1, "--nworkers", workers)
    begun = _command(
        folder, "worker", "--scheduler-file", file, *counted, "--local-directory", folder / "dask", more=of_workers
    )
    try:
        end = time.monotonic() + PATIENCE
        while not (address := _address(file)):
            assert time.monotonic() < end
            time.sleep(0.05)
        yield Remote(address, scheduler, begun)
    finally:
        for process in (begun, scheduler):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)
            kill_below(process.pid, itself=True)
            process.wait()


def _address(file: Path) -> str:
    try:
        return str(json.loads(file.read_text())["address"])
    except (OSError, ValueError):
        return ""
