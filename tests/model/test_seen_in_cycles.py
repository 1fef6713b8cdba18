"""A rule of a cycle is recorded only where the recordings tell it from each other rule of its field."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.conform import conform
from kubeproof.conform.recorded_rules import in_place_of
from model.evidence import cell
from model.releases import known_release, parse_release, row_at, rows_of, rules_for
from model.scheduler.seen_in_cycles import BY_ORDER, BY_REPLAY
from model.systems.scheduling_cycle import SchedulingCycleRules
from tests.agreement import test_scheduling_cycle as order
from tests.conftest import ROOT

KINDS = ("cycle_calls", "find_nodes", "preempt", "preemption_node", "preemption_victims", "score")
DATA: Path = ROOT / "tests/data"
Rule = Callable[..., Any]


def rule_and_others(field: str, release: str) -> tuple[Rule, list[Rule]]:
    """The rule of the release, and all others of the field."""
    rule = row_at(field, known_release(release).version).rule
    return rule, [*{row.rule for _, row in rows_of(field)} - {rule}]


def diverges(release: str, rule: Rule, other: Rule) -> bool:
    """Whether some recorded case tells the two apart."""
    with in_place_of(rule, other):
        files = (DATA / f"{kind}-{release}.jsonl" for kind in KINDS)
        return any(conform.replay_file(file).divergences for file in files if file.exists())


@pytest.mark.slow
@pytest.mark.parametrize(
    "release",
    ["1.17.10", "1.34.1", "1.36.2", "1.28.14", "1.31.13"],
)
def test_recordings_tell_a_rule_from_each_other_one(release: str) -> None:
    for field in BY_REPLAY[release].split():
        rule, others = rule_and_others(field, release)
        assert others, field
        for other in others:
            assert diverges(release, rule, other), (field, other.__name__)


@pytest.mark.slow
@pytest.mark.parametrize("release", [*BY_ORDER])
def test_the_order_of_steps_is_the_recorded_one_under_no_other_rule(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = [(answers, order.called(release, answers)) for answers in order.all_answers()]
    for field in BY_ORDER[release].split():
        _, others = rule_and_others(field, release)
        assert others, field
        for other in others:
            monkeypatch.setattr(order, "rules_for", lambda kind, at, f=field, o=other: _with(kind, at, f, o))
            assert any(_steps_differ(release, answers, calls) for answers, calls in recorded), (field, other.__name__)
    monkeypatch.undo()


def _with(kind: type[Any], at: Any, field: str, rule: Rule) -> Any:
    rules: Any = rules_for(kind, at)
    return evolve(rules, **{field: rule}) if kind is SchedulingCycleRules else rules


def _steps_differ(release: str, answers: order.Answers, calls: list[str]) -> bool:
    """Or the system has no such step where the cycle makes the call."""
    try:
        return order.stepped(release, answers) != calls
    except (StopIteration, ValueError, AssertionError):
        return True


def test_what_the_recordings_do_not_tell_is_read() -> None:
    at = parse_release("1.17.10")
    assert cell("points_in_cycle", at).evidence == "recorded"
    assert cell("without_filters", at).evidence == "recorded"
    assert cell("after_failed_assume", at).evidence == "read"
    assert cell("pods_with_pdb_violation", at).evidence == "read"
    assert cell("points_in_cycle", parse_release("1.17.9")).evidence == "read"
