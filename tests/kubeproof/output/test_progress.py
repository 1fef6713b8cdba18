"""Progress of a long command: nothing in a pipe if it ends soon, else a plain line every so often."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kubeproof.output import progress
from kubeproof.output.progress import Far, far
from kubeproof.processes.tasks import HowFar

Captured = pytest.CaptureFixture[str]


def wait_for(happened: Callable[[], bool]) -> None:
    """Until `happened`; a limit that no machine reaches says that it does not."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_command_that_ends_before_says_nothing_to_a_pipe(capsys: Captured) -> None:
    with far("report") as so_far:
        so_far.tasks(HowFar(1, 2, ("cpu-manager",)))
        so_far.found("3 of 9 results violated")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_long_command_says_a_plain_line_every_so_often(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    lines: list[str] = []

    def two_lines() -> bool:
        lines.extend(capsys.readouterr().err.splitlines())
        return len(lines) >= 2

    with far("report") as so_far:
        so_far.tasks(HowFar(1, 2, ("cpu-manager 1.31.0 by \x1b[31mexplicit",)))
        so_far.found("3 of 9 results violated")
        capsys.readouterr()
        wait_for(two_lines)
    lines = [line for line in lines if line]
    assert all(line.startswith("note: report: 1 of 2, ") for line in lines)
    assert lines[-1].partition(" s elapsed, ")[2].startswith("3 of 9 results violated; now cpu-manager 1.31.0 by ")
    assert all(line.isprintable() for line in lines)
    # It has ended.
    capsys.readouterr()
    time.sleep(0.01)
    assert capsys.readouterr().err == ""


def test_the_line_says_how_far_the_tasks_are_and_what_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    shown: list[str] = []
    so_far = Far("report", shown.append)
    assert str(so_far) == "report: 0 s elapsed"
    clock[0] = 30
    # Of a few tasks nobody can tell how long the others take.
    under_way = (Path("a/recording.jsonl"), ["A", "B", "C"], ["D"], "x" * 80)
    so_far.tasks(HowFar(4, 20, under_way, behind=4.0, ahead=16.0))
    assert shown == [f"report: 4 of 20, 30 s elapsed; now recording.jsonl, A and 2 more, D, {'x' * 60}…"]
    so_far.tasks(HowFar(8, 20, behind=5.0, ahead=15.0))
    assert shown[-1] == "report: 8 of 20, about 2 min left, 30 s elapsed"
    so_far.tasks(HowFar(8, 20, tuple("abcdefghijk"), 5.0, 15.0, workers=11))
    assert shown[-1].startswith("report: 8 of 20, 11 workers, about 2 min left, ")
    assert shown[-1].endswith("; now a, b, c, d, e, f, g, h, 3 more")
    clock[0] = 300
    so_far.tasks(HowFar(20, 20, behind=20.0))
    assert shown[-1] == "report: 20 of 20, 5 min elapsed"
    so_far.found("nothing")
    assert shown[-1] == "report: 20 of 20, 5 min elapsed, nothing"


def test_on_a_terminal_one_line_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Terminal:
        is_terminal = True

        def status(self, text: str) -> "Terminal":
            shown.append(text)
            return self

        update = status

        def __enter__(self) -> "Terminal":
            return self

        def __exit__(self, *error: object) -> None:
            shown.append("ended")

    monkeypatch.setattr(progress, "err", Terminal())
    with far("report") as so_far:
        so_far.tasks(HowFar(1, 2))
    assert shown == ["report", "report: 1 of 2, 0 s elapsed", "ended"]
