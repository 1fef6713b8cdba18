"""`check --time`: engines share the time, and what has no answer in time is inconclusive."""

from threading import Event

import pytest

from kubeproof.check.check import check_system
from kubeproof.engines import smt, table, tlc, watch
from kubeproof.engines.explicit import Counts
from kubeproof.engines.watch import Watch
from kubeproof.output import progress
from kubeproof.report import check_progress
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Cause, Outcome
from model.releases import parse_release, rules_for
from tests.kubeproof.test_cli import Captured, document, kubeproof

LISTING = SYSTEMS["node-listing"]
OVER = Watch(until=0.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, for as long as the test says so."""
    now = [100.0]
    for module in (watch, check_progress):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def test_what_one_engine_leaves_is_shared_by_the_others(clock: list[float]) -> None:
    whole = Watch(until=140.0)
    assert whole.share(4).until == 110.0
    clock[0] = 104.0
    assert whole.share(3).until == 116.0
    assert (whole.left(), whole.left(5.0), Watch().left(5.0)) == (36.0, 5.0, 5.0)
    clock[0] = 141.0
    assert whole.left() == whole.share(1).left() == 0.0


def test_engines_are_asked_one_after_another_each_with_its_share(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    until: list[float] = []

    def answered(_: object, asked: table.Question) -> list[object]:
        until.append(asked.watch.until)
        clock[0] += 8
        return []

    monkeypatch.setattr("kubeproof.check.check.kept_answer", answered)
    check_system("node-listing", "1.36.3", scope="nodes=2", engines=["all"], watch=Watch(until=140.0))
    # A quarter of 40 s, a third of 32 s, half of 24 s, all of 16 s.
    assert until == pytest.approx([110.0, 108 + 32 / 3, 128.0, 140.0])


def test_no_time_is_exit_3_and_says_what_is_needed(capsys: Captured) -> None:
    status, found = document(capsys, "check", "node-listing", "--release", "1.18.7", "-e", "all", "--time", "0s")
    assert status == 3
    assert {result["outcome"] for result in found["results"]} == {"inconclusive"}
    assert {result["reason"].partition(": ")[2] for result in found["results"]} == {
        "more time or fewer engines are needed"
    }


def test_a_time_that_is_none_is_refused(capsys: Captured) -> None:
    status, _, err = kubeproof(capsys, "check", "node-listing", "--time", "soon")
    assert status == 2
    assert "--time: 'soon' is not a duration: expected one such as 90s" in err


def test_z3_and_tlc_ask_nothing_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_for(LISTING.rules_class, parse_release("1.31.14"))
    machine, form = LISTING.machine(LISTING.scope, rules), LISTING.smt_form(LISTING.scope, rules, {})
    bounded = smt.check(machine, form, LISTING.properties, watch=OVER)
    assert {result.outcome for result in bounded} == {Outcome.INCONCLUSIVE}
    assert {result.reason for result in bounded} == {
        "Z3 did not decide runs of 0 actions (timeout): give more time, or choose a smaller scope or depth"
    }
    monkeypatch.setattr("kubeproof.engines.tlc.engine.ask", None)
    by_tlc = tlc.check(machine, LISTING.tla_form(LISTING.scope, rules, {}), LISTING.properties, watch=OVER)
    assert {(result.outcome, result.cause) for result in by_tlc} == {(Outcome.INCONCLUSIVE, Cause.LIMIT)}


def test_the_line_says_engine_property_rate_frontier_depth_and_time(clock: list[float]) -> None:
    shown = check_progress.CheckProgress()
    asked = shown.watch(60.0)
    assert asked.until == 160.0
    asked.of("z3 (2 of 4)").tell("bound-once (5 of 14), runs of 7 actions")
    clock[0] = 112.0
    assert shown.line() == "z3 (2 of 4): bound-once (5 of 14), runs of 7 actions, 12 s"
    asked.of("explicit (1 of 4)").tell("14 properties")
    clock[0] = 122.0
    asked.counted(Counts(distinct=40_960, waiting=12_000, depth=9))
    assert shown.line() == ("explicit (1 of 4): 14 properties, 22 s: 40,960 states, 4,096/s, 12,000 wait, depth 9")
    # Another search begins.
    asked.counted(Counts(distinct=10, waiting=5, depth=1))
    clock[0] = 124.0
    assert shown.line().endswith(": 10 states, 5/s, 5 wait, depth 1")


def test_without_a_terminal_the_line_is_noted_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    noted, twice = list[str](), Event()

    def note(lines: list[str]) -> None:
        noted.extend(lines)
        if len(noted) >= 2:
            twice.set()

    monkeypatch.setattr(progress, "EVERY", 0.01)
    monkeypatch.setattr(progress, "note", note)
    with check_progress.check_progress(check_progress.Console(force_terminal=False)) as shown:
        shown.tell("explicit (1 of 1): 6 properties")
        assert twice.wait(60)
    assert noted[-1].startswith("explicit (1 of 1): 6 properties, ")
