"""TLC's server with workers over loopback: the same counts and verdicts as TLC alone, also if a worker is killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from kubeproof.check.check import CheckReport, check_system
from kubeproof.engines.watch import Watch
from kubeproof.errors import InputError
from kubeproof.verdict.result import Outcome

HERE = "127.0.0.1"


@contextmanager
def workers(number: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    argv = [sys.executable, "-m", "kubeproof", "tlc-worker", HERE]
    started = [subprocess.Popen(argv, stderr=subprocess.DEVNULL) for _ in range(number)]
    try:
        yield started
    finally:
        for each in started:
            each.terminate()
        for each in started:
            each.wait(10)


def kill_java_of(worker: subprocess.Popen[bytes]) -> bool:
    """Kill the Java of the worker, if there is one. The worker starts another."""
    found = [each for each in psutil.Process(worker.pid).children(recursive=True) if each.name() == "java"]
    for each in found:
        each.kill()
    return bool(found)


def checked(release: str, scope: str, properties: list[str], watch: Watch = Watch()) -> CheckReport:  # noqa: B008
    return check_system(
        "node-listing", release, scope=scope, properties=properties, engines=["tlc"], distributed=HERE, watch=watch
    )


@pytest.mark.slow
def test_a_server_and_two_workers_say_what_tlc_alone_says() -> None:
    """In one test: there is one port for servers."""
    killed = []

    def kill_one(text: str) -> None:
        if " 2 workers" in text and not killed and kill_java_of(started[0]):
            killed.append(text)

    scope = "nodes=4,zones=3"
    with workers(2) as started:
        (found,) = checked("1.18.7", scope, ["listed-exactly-once"], Watch(tell=kill_one)).results
        alone = check_system("node-listing", "1.18.7", scope=scope, properties=["listed-exactly-once"], engines=["tlc"])
        violated = checked("1.18.4", "nodes=3,zones=2", ["listed-exactly-once"]).results[-1]
    assert killed
    assert found.outcome is Outcome.HOLDS
    assert [result.states for result in alone.results] == [found.states]
    # A lost worker's states are made again.
    assert found.transitions is None
    assert violated.outcome is Outcome.VIOLATED
    # Workers do not go level by level.
    assert not violated.minimal
    assert violated.trace is not None
    assert violated.trace.length >= 5
    assert violated.known == ("NODETREE-CURSOR",)


def test_what_the_server_does_not_check_is_not_said_to_hold() -> None:
    """The server asks of a transition only if the state after it is new."""
    report = checked("1.17.4", "nodes=3,zones=2", ["relisting-permutes", "offered-again-when-quiet"])
    found = [result for result in report.results if result.engine == "tlc"]
    assert [result.outcome for result in found] == [Outcome.NOT_APPLICABLE] * 2


def test_only_tlc_has_a_server() -> None:
    with pytest.raises(InputError, match="--distributed"):
        check_system("node-listing", "1.18.4", engines=["tlc", "explicit"], distributed=HERE)


def test_a_worker_stops_at_once() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "kubeproof", "tlc-worker", HERE], stderr=subprocess.PIPE, text=True
    )
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(1.5)
    worker.terminate()
    assert worker.wait(5) == 143
