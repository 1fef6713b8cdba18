"""The choice among equals, and the check of weights, for any number of nodes and weights."""

from fractions import Fraction
from itertools import product

import pytest
from attrs import evolve
from z3 import ArithRef

from kubeproof.engines.smt.induction import prove
from kubeproof.verdict.result import Outcome
from model.go.integers import MAX_INT32, MAX_INT64
from model.releases import parse_release, rules_for
from model.scheduler.score_weights import ScoreWeightRules
from model.scheduler.select_host import SelectHostRules
from properties.components.ties import chances
from properties.smt.scheduling_cycle import choice, weights
from properties.smt.scheduling_cycle.argument import Argument
from properties.smt.scheduling_cycle.choice import EQUALLY_LIKELY, RESERVOIR
from properties.smt.scheduling_cycle.weights import NO_OVERFLOW, PLUGINS, Check
from tests.properties.components.test_scores import always_the_last


def draws(release: str) -> SelectHostRules:
    return rules_for(SelectHostRules, parse_release(release))


def checks(release: str) -> ScoreWeightRules:
    return rules_for(ScoreWeightRules, parse_release(release))


def refuted(asked: Argument[object]) -> list[str]:
    return [answer.name for answer in prove(asked.proof()) if answer.outcome is not Outcome.HOLDS]


@pytest.mark.parametrize("release", ["1.16.0", "1.27.16", "1.28.0", "1.31.13"])
def test_equals_are_equally_likely(release: str) -> None:
    assert choice.why_none(draws(release)) is None
    assert refuted(choice.argument(RESERVOIR.of(draws(release)))) == []  # type: ignore[arg-type]


def test_a_coin_for_each_equal_is_no_reservoir() -> None:
    def always_two(equals: ArithRef) -> ArithRef:
        return equals * 0 + 2

    asked = choice.argument(always_two)
    assert refuted(asked)  # type: ignore[arg-type]
    run = asked.violation(EQUALLY_LIKELY)
    assert run is not None
    # The third of three equals has a half, the others a quarter each.
    assert run.states[-1]["equals"] == 3
    assert run.states[-1]["chance"] in (Fraction(1, 2), Fraction(1, 4))


@pytest.mark.slow
def test_the_formulas_give_the_chances_of_the_model() -> None:
    asked = choice.argument(RESERVOIR.of(draws("1.31.13")))
    for totals in product((0, 1, 2), repeat=3):
        for watched in range(3):
            state = {
                "equals": 1,
                "watched": watched == 0,
                "chance": Fraction(int(watched == 0)),
                "passed": watched == 0,
            }
            highest = totals[0]
            for at, total in enumerate(totals[1:], start=1):
                step = choice.HIGHER if total > highest else choice.EQUAL if total == highest else choice.LOWER
                highest = max(highest, total)
                wanted = {"passed": state["passed"] or at == watched}
                every = [asked.after(step, state, wanted)]
                assert every[0] is not None
                state = every[0]
            assert state["chance"] == chances(draws("1.31.13").draw_host, totals)[watched], (totals, watched)


def test_which_draws_have_an_argument() -> None:
    assert choice.why_none(draws("1.15.3")) == "the nodes are taken in turn"
    outside = evolve(draws("1.31.13"), draw_host=always_the_last)
    assert choice.why_none(outside) == "the rule draw_host=always_the_last has no Z3 form"


# The checks of the priorities of a Policy: `sum_of_tens` and `sum_of_hundreds`.
PRIORITIES = {"1.16.15": Check(10, MAX_INT64 // 10), "1.17.0": Check(100, MAX_INT64 // 10)}


@pytest.mark.parametrize(
    ("check", "overflows"),
    [
        (PRIORITIES["1.16.15"], False),
        (PRIORITIES["1.17.0"], True),
        (PLUGINS.of(checks("1.18.0")), False),
        (PLUGINS.of(checks("1.31.13")), False),
        # The check of 1.17 with a limit that fits the score.
        (Check(100, MAX_INT64 // 100 + 1), False),
    ],
)
def test_admitted_weights_do_not_overflow(check: Check, overflows: bool) -> None:
    asked = weights.argument(check)
    assert bool(refuted(asked)) == overflows  # type: ignore[arg-type]
    run = asked.violation(NO_OVERFLOW, sizes=(1,), depth=2)
    assert (run is not None) == overflows
    if run is not None:
        assert checks("1.17.0").refuses_priorities((run.states[-1]["weight"],)) is None


@pytest.mark.slow
def test_the_formulas_admit_what_the_model_admits() -> None:
    some = (1, 100, MAX_INT32, MAX_INT64 // 200, MAX_INT64 // 100, MAX_INT64 // 100 + 1, MAX_INT64 // 10 - 1)
    for release in PRIORITIES:
        asked = weights.argument(PRIORITIES[release])
        for one, other in product(some, repeat=2):
            first = asked.after("a weight is admitted", {"total": 0, "exact": 0}, {"weight": one})
            assert (first is not None) == (checks(release).refuses_priorities((one,)) is None), (release, one)
            if first is not None:
                second = asked.after("a weight is admitted", first, {"weight": other})
                admitted = checks(release).refuses_priorities((one, other)) is None
                assert (second is not None) == admitted, (release, one, other)
