"""Text on a terminal of 80 columns and in a pipe: no word is cut, and colour is on a terminal only."""

import pytest

from kubeproof.output import wrapped
from kubeproof.report.terminal import STYLES, results_table, text
from kubeproof.verdict.result import Outcome, Result
from tests.kubeproof.cli.terminal import in_pipe, on_terminal, without_escapes

pytest.importorskip("pty")

BY_WORDS = [
    ("list",),
    ("list", "cpu-manager"),
    ("bugs", "node"),
    ("rules", "cpu-manager", "--release", "1.18"),
    ("reproduce", "CPU-STALE-LAST-UPDATE"),
    ("bugs", "--release", "1.18", "--system", "node-listing"),
]


@pytest.mark.parametrize("args", BY_WORDS, ids=" ".join)
def test_a_terminal_shows_the_words_of_a_pipe_in_lines_that_fit(args: tuple[str, ...]) -> None:
    shown = without_escapes(on_terminal(80, *args))
    said = in_pipe(*args)
    assert max(map(len, said.splitlines())) > 80
    # A command goes on in the next line after a backslash. A note is before an answer, or after it.
    assert sorted(shown.replace(" \\\n", "\n").split()) == sorted(said.split())
    # An option is never parted from its value.
    assert [line for line in shown.splitlines() if len(line) > 80 and not line.lstrip().startswith("--")] == []


def test_a_width_that_no_terminal_has_is_not_believed() -> None:
    usual = in_pipe("--help")
    assert 1000 < len(usual) < 20_000
    for columns in ("0", "99999999", "x"):
        assert in_pipe("--help", COLUMNS=columns, TERMINAL_WIDTH=columns) == usual


def test_colour_is_on_a_terminal_and_neither_in_a_pipe_nor_against_the_wish_of_a_user() -> None:
    args = ("check", "node-listing", "--property", "list-as-long-as-tree")
    assert "\x1b[32mholds" in on_terminal(80, *args)
    assert "\x1b[32m" not in on_terminal(80, *args, NO_COLOR="1")
    assert "\x1b" not in in_pipe(*args, TERM="xterm-256color")


def test_a_table_of_results_at_80_columns_cuts_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubeproof.report.terminal.line_width", lambda most: min(most, 80))
    reason = "a finite sample cannot show that something happens again and again; the explicit engine can"
    names = ["listed-exactly-once", "offered-again-under-churn", "reserved-never-exclusive"]
    results = [
        Result(property=name, engine="hypothesis", outcome=outcome, reason=reason)
        for name in names
        for outcome in STYLES
    ]
    lines = text(results_table(results)).splitlines()
    assert max(map(len, lines)) <= 80
    words = {*names, *reason.split(), *Outcome, "hypothesis", "property", "engine", "outcome", "established"}
    assert {word for line in lines for word in line.split()} == words


def test_a_command_that_is_too_wide_can_be_copied() -> None:
    line = (
        "  again: kubeproof check cpu-manager --release 1.31.0 --scope 0,cores=3,threads=1 --property kubelet-comes-up"
    )
    # What is in quotation marks has its own spaces, and stays whole.
    for whole in (line, line + " --fix 'my --fix.py'", line.replace("again", "the rest")):
        first, *further = wrapped(whole, 60)
        assert first.endswith(" kubeproof check cpu-manager --release 1.31.0 \\")
        assert " ".join(each.removesuffix(" \\") for each in (first, *(each.strip() for each in further))) == whole


@pytest.mark.parametrize("line", ["x" * 100, " " * 100, "a" * 30 + " " + "https://example.org/" + "b" * 70, ""])
def test_a_word_without_an_end_stays_whole(line: str) -> None:
    assert "".join(wrapped(line, 20)).split() == line.split() or " ".join(wrapped(line, 20)).split() == line.split()
