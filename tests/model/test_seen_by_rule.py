"""A rule of a cycle or of the queue is recorded only where the recordings tell it from each other rule of its field."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import evolve

from kubeproof.conform import conform
from kubeproof.conform.recorded_rules import in_place_of
from model.evidence import cell
from model.releases import known_release, parse_release, row_at, rows_of, rules_for
from model.scheduler.seen_by_rule import CYCLES_BY_ORDER, CYCLES_BY_REPLAY, QUEUE_BY_REPLAY
from model.systems.scheduling_cycle import SchedulingCycleRules
from tests.agreement import test_scheduling_cycle as order
from tests.conftest import DATA

CYCLE_KINDS = (
    "cycle_calls",
    "find_nodes",
    "plugin_sets",
    "preempt",
    "preemption_node",
    "preemption_victims",
    "score",
)
# 1.34.1 speaks for 1.35.0 and 1.36.2, of which the recordings are the same and the excerpts smaller.
QUEUE_ASKED = ("1.32.0", "1.33.1", "1.34.1")
Rule = Callable[..., Any]


def rule_and_others(field: str, release: str) -> tuple[Rule, list[Rule]]:
    """The rule of the release, and all others of the field."""
    rule = row_at(field, known_release(release).version).rule
    return rule, [*{row.rule for _, row in rows_of(field)} - {rule}]


def diverges(kinds: Iterable[str], release: str, rule: Rule, other: Rule) -> bool:
    """Whether some recorded case tells the two apart."""
    with in_place_of(rule, other):
        files = (DATA / f"{kind}-{release}.jsonl" for kind in kinds)
        return any(conform.replay_file(file).divergences for file in files if file.exists())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "kinds", "fields"),
    [
        *((release, CYCLE_KINDS, fields) for release, fields in CYCLES_BY_REPLAY.items()),
        *((release, ("scheduling_queue",), QUEUE_BY_REPLAY[release]) for release in QUEUE_ASKED),
    ],
)
def test_recordings_tell_a_rule_from_each_other_one(release: str, kinds: tuple[str, ...], fields: str) -> None:
    for field in fields.split():
        rule, others = rule_and_others(field, release)
        assert others, field
        for other in others:
            assert diverges(kinds, release, rule, other), (field, other.__name__)


@pytest.mark.slow
@pytest.mark.parametrize("release", [*CYCLES_BY_ORDER])
def test_the_order_of_steps_is_the_recorded_one_under_no_other_rule(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = [(answers, order.called(release, answers)) for answers in order.all_answers()]
    for field in CYCLES_BY_ORDER[release].split():
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


@pytest.mark.parametrize("release", ["1.35.0", "1.36.2"])
def test_later_releases_have_the_rules_that_the_recordings_of_1_34_1_tell(release: str) -> None:
    assert QUEUE_BY_REPLAY[release] == QUEUE_BY_REPLAY["1.34.1"]
    for field in QUEUE_BY_REPLAY[release].split():
        of_1_34 = row_at(field, known_release("1.34.1").version).rule
        assert row_at(field, known_release(release).version).rule is of_1_34, field


def test_what_is_asked_with_the_gate_off_alone_is_read_where_the_gate_is_locked() -> None:
    for release, known in (("1.33.5", "recorded"), ("1.34.1", "read"), ("1.36.3", "read")):
        assert cell("queue_update", known_release(release)).evidence == known
    assert cell("worth_requeuing", known_release("1.36.3")).evidence == "recorded"
    # No operation of the recordings is one of a rule that the file of 1.31 has too.
    assert cell("still_backs_off", known_release("1.31.13")).evidence == "read"
