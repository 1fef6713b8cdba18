"""Claims about scores: which releases keep them, and that each can be broken."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from model.go.integers import MAX_INT64
from model.releases import known_release, rules_for
from model.scheduler.filtering import FilteringRules, select_host
from model.scheduler.score_weights import as_in_the_policy
from model.scheduler.scoring import MAX_NODE_SCORE
from model.scheduler.select_host import Draws, drawn_from_a_heap, drawn_in_one_pass, first_by_number, next_in_turn
from properties.components.claim import ComponentClaim
from properties.components.scores import (
    CLAIMS,
    ScoreRules,
    first_extender_weight,
    first_raw_score_lost,
    most_plugins,
    normalized,
    points_of_extender,
    points_of_plugin,
    totals,
)
from properties.components.ties import chances, left_out, outcomes

# One release for each choice of rules, and a neighbour at each change.
RELEASES = ("1.15.11", "1.16.0", "1.16.15", "1.17.0", "1.17.17", "1.18.0", "1.22.17", "1.23.1", "1.27.16", "1.28.0",
            "1.31.13", "1.34.9", "1.36.2")  # fmt: skip
NAMES = {claim.name: claim for claim in CLAIMS}
# Which releases break a claim; the others keep it.
BROKEN: dict[str, tuple[str, ...]] = {
    "plugins-do-not-overflow": (),
    "extenders-do-not-overflow": RELEASES,
    "extenders-keep-to-ten": RELEASES,
    "a-priority-has-its-weight": ("1.17.0", "1.17.17", "1.18.0", "1.22.17"),
    "more-is-better": RELEASES[1:],
    "normalizing-keeps-the-order": (),
    "normalizing-tells-apart": RELEASES,
    "every-raw-score-is-normalized": RELEASES,
    "the-highest-total-wins": (),
    "equals-are-equally-likely": ("1.15.11", "1.36.2"),
    "every-equal-is-chosen": ("1.15.11", "1.36.2"),
    "every-equal-gets-its-turn": RELEASES[1:],
}
NOT_APPLICABLE = {
    "plugins-do-not-overflow": ("1.15.11",),
    "more-is-better": ("1.15.11",),
    "a-priority-has-its-weight": ("1.23.1", "1.27.16", "1.28.0", "1.31.13", "1.34.9", "1.36.2"),
}


def rules(release: str) -> ScoreRules:
    return rules_for(ScoreRules, known_release(release))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_which_release_keeps_a_claim(claim: ComponentClaim[ScoreRules, Any]) -> None:
    for release in RELEASES:
        expected = "violated" if release in BROKEN[claim.name] else "holds"
        if release in NOT_APPLICABLE.get(claim.name, ()):
            expected = "not-applicable"
        assert claim.verdict(rules(release)).startswith(f"{expected}: "), release


def always_the_last(totals: Sequence[int], last_node_index: int) -> Draws:
    yield from ()
    return len(totals) - 1, last_node_index


def one_in_two(totals: Sequence[int], last_node_index: int) -> Draws:
    """A coin for each further equal: the last is the likeliest."""
    chosen = 0
    for at in range(1, len(totals)):
        if totals[at] > totals[chosen] or (totals[at] == totals[chosen] and (yield 2) == 0):
            chosen = at
    return chosen, last_node_index


def never_checked(weights: Sequence[int]) -> str | None:
    return None


def huge_score() -> int:
    return 2**40


def more_at_most() -> int:
    return 150


def no_huge_weight(weight: int) -> str | None:
    return None if 0 < weight < 2**31 else "weight"


def no_negative_weight(weights: Sequence[int]) -> str | None:
    return "weight" if min(weights) < 0 else None


# A rule that breaks a claim which 1.18.0 keeps, or cures a violation of 1.18.0, and what is said of the claim then.
CHANGED: tuple[tuple[str, str, Callable[..., Any], str], ...] = (
    ("plugins-do-not-overflow", "max_node_score", huge_score, "violated"),
    ("extenders-do-not-overflow", "refuses_extender", no_huge_weight, "holds"),
    ("normalizing-keeps-the-order", "max_node_score", more_at_most, "violated"),
    ("the-highest-total-wins", "draw_host", always_the_last, "violated"),
    ("equals-are-equally-likely", "draw_host", one_in_two, "violated"),
    ("every-equal-is-chosen", "draw_host", always_the_last, "violated"),
    ("every-equal-gets-its-turn", "draw_host", next_in_turn, "holds"),
    ("a-priority-has-its-weight", "weight_of_priority", as_in_the_policy, "holds"),
    ("more-is-better", "refuses_plugins", no_negative_weight, "holds"),
)


@pytest.mark.parametrize(("name", "field", "rule", "verdict"), CHANGED, ids=[name for name, *_ in CHANGED])
def test_a_changed_rule_changes_the_verdict(name: str, field: str, rule: Callable[..., Any], verdict: str) -> None:
    before = rules("1.18.0")
    assert not NAMES[name].verdict(before).startswith(verdict)
    assert NAMES[name].verdict(evolve(before, **{field: rule})).startswith(verdict)


def test_the_first_weight_of_an_extender() -> None:
    assert first_extender_weight(rules("1.16.15")) == 922337203685477581
    assert first_extender_weight(rules("1.17.0")) == 92233720368547759
    for release in ("1.16.15", "1.31.13"):
        for plugins in ((), (1, 2, 3)):
            first = first_extender_weight(rules(release), plugins)
            best, other = totals(rules(release), plugins, first - 1)
            assert 0 == other < best
            assert best > MAX_INT64 - 100
            best, other = totals(rules(release), plugins, first)
            assert best < other


def test_how_many_plugins_there_may_be() -> None:
    for release in ("1.16.15", "1.31.13"):
        number = most_plugins(rules(release))
        worst = points_of_plugin(rules(release), 2**31)
        assert number * worst <= MAX_INT64 < (number + 1) * worst


def test_a_weight_of_a_policy_becomes_negative() -> None:
    ((_, wrong), *_) = NAMES["a-priority-has-its-weight"].broken_by(rules("1.18.0"))
    assert wrong == "a priority of weight 2147483648 is taken with -2147483648: totals -214748364800 and 0"


def test_1_17_admits_a_weight_whose_check_overflows() -> None:
    weight = MAX_INT64 // 100 + 1
    assert rules("1.17.0").refuses_priorities((weight - 1,)) is None
    assert rules("1.17.0").refuses_priorities((weight - 1, 1)) is not None
    # One more is refused by arithmetic, and admitted by the check.
    assert weight * 100 > MAX_INT64
    assert rules("1.17.0").refuses_priorities((weight,)) is None
    # In 1.16 a score is 10 at most, and the limit of each weight is enough.
    limit = MAX_INT64 // 10
    assert rules("1.16.15").refuses_priorities((limit - 1,)) is None
    assert rules("1.16.15").refuses_priorities((limit,)) is not None
    assert rules("1.16.15").refuses_priorities((limit - 1, 2)) is not None


@pytest.mark.parametrize("release", ["1.16.15", "1.31.13"])
def test_from_which_weight_on_an_extender_decides_alone(release: str) -> None:
    plugins = (1, 2, 3)
    weight = sum(plugins) + 1
    of_plugins = sum(points_of_plugin(rules(release), each) for each in plugins)
    one = points_of_extender(rules(release))
    assert (weight - 1) * one == of_plugins < weight * one


def test_a_best_node_may_silently_get_nothing() -> None:
    assert normalized(rules("1.31.13"), (first_raw_score_lost(MAX_NODE_SCORE), 0), False) == (0, 0)


def test_the_nodes_that_may_be_chosen_are_those_of_select_host() -> None:
    for release in ("1.27.16", "1.31.13"):
        filtering = rules_for(FilteringRules, known_release(release))
        for totals_ in ((3, 1, 3), (0, 0), (1, 2, 2, 2), (-5, -7)):
            named = [(str(at), total) for at, total in enumerate(totals_)]
            may = tuple(str(at) for at, chance in enumerate(chances(rules(release).draw_host, totals_)) if chance)
            assert may == select_host(filtering, named)


def test_a_heap_and_one_pass_draw_alike() -> None:
    # The same chances. Which number drawn means which node differs, since a heap has an order of its own.
    found = [outcomes(draw, (0, 0, 0)) for draw in (drawn_in_one_pass, drawn_from_a_heap, first_by_number)]
    assert found[0] == found[1] == {(at, 0): Fraction(1, 3) for at in range(3)}


def test_how_likely_an_equal_node_is_left_out() -> None:
    assert left_out(rules("1.31.13").draw_host, 3, 3) == Fraction(2, 3) ** 3
    assert left_out(rules("1.15.11").draw_host, 3, 3) == 0


@pytest.mark.slow
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=6))
def test_chances_add_up_to_one(drawn: list[int]) -> None:
    totals_ = tuple(drawn)
    for draw in (drawn_in_one_pass, drawn_from_a_heap, first_by_number):
        found = chances(draw, totals_)
        assert sum(found) == 1
        assert {chance for chance, total in zip(found, totals_, strict=True) if total == max(totals_)} == {
            Fraction(1, totals_.count(max(totals_)))
        }
