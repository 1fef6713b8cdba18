"""Reserve and Unreserve for any number of plugins: which ways of giving back are right, beside the model's cycles."""

from typing import Any

import pytest
from attrs import evolve
from z3 import And, BoolRef

from kubeproof.engines.smt.induction import prove
from kubeproof.verdict.result import Outcome
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler import cycle_points, schedule_one_1_17
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.cycle_points import CyclePointRules
from model.scheduler.framework.calls import Ask, Call, PluginAnswer, PluginCall, driven
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup
from properties.smt.scheduling_cycle import reserve
from properties.smt.scheduling_cycle.argument import Argument, Values
from properties.smt.scheduling_cycle.reserve import (
    CLAIMS,
    GIVEN_BACK,
    NOTHING_ELSE,
    REVERSE,
    Cycle,
    Undoing,
    argument,
    undoing_of,
    why_none,
)

OF_1_14 = Undoing(after_failed_reserve=False, after_later_failure=False, in_reverse=False)
TO_1_18 = Undoing(after_failed_reserve=False, after_later_failure=True, in_reverse=False)
# Unreserve after a failed Reserve, and no more than that.
HALF_CURED = Undoing(after_failed_reserve=True, after_later_failure=True, in_reverse=False)
FROM_1_19 = Undoing(after_failed_reserve=True, after_later_failure=True, in_reverse=True)
WRONG = {
    # There is no Unreserve.
    OF_1_14: {GIVEN_BACK},
    TO_1_18: {GIVEN_BACK, REVERSE},
    HALF_CURED: {REVERSE, NOTHING_ELSE},
    # Plugins that were not asked to reserve are asked to give back, too.
    FROM_1_19: {NOTHING_ELSE},
}
FAILS = PluginAnswer(Status(Code.ERROR, ("boom",)))


def refuted(asked: Argument[Cycle]) -> list[str]:
    return [answer.name for answer in prove(asked.proof()) if answer.outcome is not Outcome.HOLDS]


@pytest.mark.slow
@pytest.mark.parametrize("undoing", WRONG, ids=("1.14", "to 1.18", "half cured", "from 1.19"))
def test_what_is_reserved_is_given_back_once_and_in_reverse(undoing: Undoing) -> None:
    for claim in CLAIMS:
        asked = argument(undoing, claim)
        if claim in WRONG[undoing]:
            assert asked.violation(claim, depth=9) is not None
        else:
            assert refuted(asked) == [], claim
        if undoing == FROM_1_19 and claim in (GIVEN_BACK, REVERSE):
            assert refuted(argument(undoing, claim, half=True)) == [], claim


def test_each_claim_is_broken_by_some_way_of_giving_back() -> None:
    assert set().union(*WRONG.values()) == set(CLAIMS)


def test_the_shortest_runs() -> None:
    found = argument(TO_1_18, GIVEN_BACK).violation(GIVEN_BACK)
    assert found is not None
    assert found.steps == (reserve.RESERVE, reserve.FAIL)
    assert found.states[0]["plugins"] == 2
    # If the plugin holds something although its Reserve failed, one plugin is enough.
    found = argument(TO_1_18, GIVEN_BACK, half=True).violation(GIVEN_BACK)
    assert found is not None
    assert found.states[0]["plugins"] == 1
    found = argument(HALF_CURED, REVERSE, half=True).violation(REVERSE)
    assert found is not None
    assert found.steps == (reserve.RESERVE, reserve.FAIL, reserve.UNRESERVE)


def calls_of_model(release: str, plugins: int, fails: int | None, later: bool) -> list[tuple[str, int]]:
    """Which Reserve plugins are asked to reserve and to give back, if one fails, or Permit does."""
    names = tuple(str(at) for at in range(plugins))
    points = {"Filter": ("F",), "Reserve": names, "Permit": ("P",), "Bind": ("B",)}
    asked: list[tuple[str, int]] = []
    old = release.startswith("1.17")

    def answer(call: Call) -> Any:
        match call:
            case PluginCall(point="Reserve" | "Unreserve"):
                asked.append((call.point, int(call.plugin)))
                return FAILS if call.point == "Reserve" and int(call.plugin) == fails else PluginAnswer()
            case PluginCall(point="Permit"):
                return FAILS if later else PluginAnswer()
            case PluginCall():
                return PluginAnswer()
            case Ask(what="snapshot"):
                return ("n1",)
            case Ask(what="pod"):
                return Pod("p", "p#1")
            case Ask():
                return False
        return None

    if old:
        profile = Profile({**points, "Unreserve": names})  # type: ignore[dict-item]
        rules = (rules_for(each, parse_release(release)) for each in (ChoiceRules, PreemptionRules))
        choice, preemption = rules
        setup = schedule_one_1_17.Setup(choice, preemption, profile, ())  # type: ignore[arg-type]
        driven(schedule_one_1_17.schedule_one(setup, Pod("p", "p#1"), 0), answer)
    else:
        new = CycleSetup(rules_for(CycleCallRules, parse_release(release)), Profile(points), ())  # type: ignore[arg-type]
        driven(schedule_one(new, Pod("p", "p#1"), 0), answer)
    return asked


def calls_of_formulas(undoing: Undoing, plugins: int, fails: int | None, later: bool) -> list[tuple[str, int]]:
    asked = argument(undoing, GIVEN_BACK)
    state: Values = {"plugins": plugins, "early": 0, "late": 0, "phase": reserve.RESERVES, "turn": 0}
    found = []
    while state["phase"] not in (reserve.FAILED, reserve.BOUND):
        turn, phase = state["turn"], state["phase"]
        if phase == reserve.RESERVES:
            step = reserve.ALL_RESERVED if turn == plugins else reserve.FAIL if turn == fails else reserve.RESERVE
        elif phase == reserve.RESERVED:
            step = reserve.LATER if later else reserve.BIND
        else:
            step = reserve.UNRESERVE if 0 <= turn < plugins else reserve.ALL_BACK
        if step in (reserve.RESERVE, reserve.FAIL, reserve.UNRESERVE):
            found.append(("Unreserve" if step == reserve.UNRESERVE else "Reserve", turn))
        after = asked.after(step, {name: state[name] for name in ("plugins", "early", "late", "phase", "turn")})
        assert after is not None, step
        state = after
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("release", "undoing"), [("1.17.10", TO_1_18), ("1.28.14", FROM_1_19), ("1.31.13", FROM_1_19)])
def test_the_formulas_ask_whom_the_model_asks(release: str, undoing: Undoing) -> None:
    for plugins in (1, 2, 3):
        for fails in (None, *range(plugins)):
            for later in (False, True):
                assert calls_of_formulas(undoing, plugins, fails, later) == calls_of_model(
                    release, plugins, fails, later
                ), (plugins, fails, later)


def test_how_each_release_gives_back() -> None:
    found = {
        release: undoing_of(rules_for(CyclePointRules, parse_release(release)))
        for release in ("1.14.10", "1.15.3", "1.17.10", "1.18.20", "1.19.0", "1.28.14", "1.31.13")
    }
    assert list(found.values()) == [OF_1_14, TO_1_18, TO_1_18, TO_1_18, FROM_1_19, FROM_1_19, FROM_1_19]
    assert why_none(rules_for(CyclePointRules, parse_release("1.14.10"))) is None
    assert why_none(rules_for(CyclePointRules, parse_release("1.13.0"))) == "there are no Reserve plugins"


def test_a_rule_from_outside_is_called() -> None:
    rules = rules_for(CyclePointRules, parse_release("1.17.10"))
    cured = evolve(rules, after_failed_reserve=cycle_points.record_then_unreserve)
    assert undoing_of(cured) == HALF_CURED
    assert undoing_of(evolve(cured, unreserves_in_reverse=cycle_points.in_reverse)) == FROM_1_19
    worse = evolve(rules, after_failed_assume=cycle_points.record_only)
    assert not undoing_of(worse).after_later_failure


@pytest.mark.slow
def test_a_wrong_step_makes_the_proof_fail() -> None:
    asked = argument(FROM_1_19, GIVEN_BACK)

    def skips_the_first(now: Cycle, then: Cycle) -> BoolRef:
        (unreserve,) = (step for step in asked.steps if step.name == reserve.UNRESERVE)
        return And(now.turn > 0, unreserve.leads(now, then))

    def ends_early(now: Cycle, then: Cycle) -> BoolRef:
        (ended,) = (step for step in asked.steps if step.name == reserve.ALL_BACK)
        return ended.leads(evolve(now, turn=now.turn - 1), evolve(then, turn=then.turn - 1))

    for name, wrong in ((reserve.UNRESERVE, skips_the_first), (reserve.ALL_BACK, ends_early)):
        steps = tuple(evolve(step, leads=wrong) if step.name == name else step for step in asked.steps)
        found = refuted(evolve(asked, steps=steps))
        assert bool(found) == (wrong is ends_early)
