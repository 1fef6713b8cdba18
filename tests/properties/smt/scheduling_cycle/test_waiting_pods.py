"""Waiting pods for any number of plugins: which channel loses what, and the formulas beside the model."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from attrs import evolve
from z3 import BoolRef

from kubeproof.engines.smt.induction import prove
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for
from model.scheduler import waiting_pods as model
from model.scheduler.waiting_pods import Decision, WaitingPod, WaitingPodRules
from properties.smt.scheduling_cycle import waiting_pods
from properties.smt.scheduling_cycle.argument import Argument, Values
from properties.smt.scheduling_cycle.waiting_pods import (
    ALL_ALLOW,
    ARRIVES,
    CLAIMS,
    DECIDED,
    ENDS,
    Signals,
    Waiting,
    argument,
    signals_of,
    why_none,
)

NUMBERS: dict[Decision, int] = {"": 0, "allowed": 1, "rejected": 2}
WRONG = {
    "1.16.15": {ARRIVES, DECIDED, ALL_ALLOW},
    # The timers are stopped, so that nothing ends the wait.
    "1.17.10": {ARRIVES, DECIDED, ENDS},
    "1.31.13": set(),
}


def rules(release: str) -> WaitingPodRules:
    return rules_for(WaitingPodRules, parse_release(release))


def refuted(asked: Argument[Waiting]) -> list[str]:
    return [answer.name for answer in prove(asked.proof()) if answer.outcome is not Outcome.HOLDS]


@pytest.mark.parametrize("release", WRONG)
def test_what_plugins_decide_reaches_the_goroutine(release: str) -> None:
    for claim in CLAIMS:
        asked = argument(signals_of(rules(release)), claim)
        if claim in WRONG[release]:
            assert asked.violation(claim) is not None, claim
        else:
            assert refuted(asked) == [], claim


def test_the_shortest_runs() -> None:
    lost = argument(signals_of(rules("1.17.10")), ENDS).violation(ENDS)
    assert lost is not None
    # Allow, or Reject, before the goroutine listens.
    assert lost.steps in (
        (waiting_pods.LAST, waiting_pods.LISTEN),
        (waiting_pods.REJECT, waiting_pods.LISTEN),
        (waiting_pods.TIMER, waiting_pods.LISTEN),
    )
    released = argument(signals_of(rules("1.16.15")), ALL_ALLOW).violation(ALL_ALLOW)
    assert released is not None
    assert released.states[0]["pending"] == 2
    assert released.states[-1]["pending"] == 1


def test_a_buffer_alone_is_half_the_cure() -> None:
    # With 1.16's Allow a buffer would not do: one plugin of two releases the pod.
    signals = Signals(one_allow=True, buffer=True, timers=False)
    wrong = {claim for claim in CLAIMS if argument(signals, claim).violation(claim) is not None}
    assert wrong == {DECIDED, ALL_ALLOW}


def states(release: str) -> Iterator[WaitingPod]:
    """Every state of the model with up to two plugins."""
    asked = rules(release)
    found: set[WaitingPod] = set()
    left = [WaitingPod("p", pending) for pending in (1, 2)]
    while left:
        state = left.pop()
        if state not in found:
            found.add(state)
            left += [evolve(state, listening=True), model.reject(asked, state)]
            left += [model.allow(asked, state)] if state.pending else []
    yield from found


def values(release: str, state: WaitingPod) -> Values:
    return {
        "pending": state.pending, "listening": state.listening, "sent": NUMBERS[state.signal], "received": 0,
        "decided": NUMBERS[state.decided], "timer": rules(release).timer_runs(state),
    }  # fmt: skip


def of_signal(after: Values) -> tuple[Any, ...]:
    return tuple(after[name] for name in ("pending", "listening", "sent", "decided"))


@pytest.mark.parametrize("release", ["1.16.15", "1.17.10", "1.31.13"])
def test_the_formulas_do_what_the_model_does(release: str) -> None:
    asked, of = argument(signals_of(rules(release)), DECIDED), rules(release)
    every = list(states(release))
    assert len(every) > 10
    for state in every:
        before = values(release, state)
        done = [(waiting_pods.REJECT, model.reject(of, state))]
        if state.pending:
            step = waiting_pods.LAST if state.pending == 1 else waiting_pods.ALLOW
            done.append((step, model.allow(of, state)))
        if not state.listening:
            done.append((waiting_pods.LISTEN, evolve(state, listening=True)))
        for step, then in done:
            after = asked.after(step, before)
            assert after is not None, (step, state)
            assert of_signal(after) == of_signal(values(release, then)), (step, state)
            assert after["timer"] == of.timer_runs(then), (step, state)
        assert (asked.after(waiting_pods.TIMER, before) is not None) == of.timer_runs(state)
        received = asked.after(waiting_pods.RECEIVE, before)
        assert (received is not None) == (state.listening and state.signal != "")
        assert received is None or received["received"] == NUMBERS[state.signal]


def never(waiting: WaitingPod) -> bool:
    return False


def test_a_rule_from_outside_has_no_argument() -> None:
    assert why_none(rules("1.31.13")) is None
    changed = evolve(rules("1.31.13"), signal_arrives=never)
    assert why_none(changed) == "the rule signal_arrives=never has no Z3 form"


def test_a_wrong_step_makes_the_proof_fail() -> None:
    asked = argument(signals_of(rules("1.31.13")), DECIDED)

    def overwrites(now: Waiting, then: Waiting) -> BoolRef:
        # Reject puts its status into the channel whatever is there.
        (reject,) = (step for step in asked.steps if step.name == waiting_pods.REJECT)
        return reject.leads(evolve(now, sent=now.sent * 0), then)

    def forgets_one(now: Waiting, then: Waiting) -> BoolRef:
        # The pod is released although one more plugin is pending.
        (last,) = (step for step in asked.steps if step.name == waiting_pods.LAST)
        return last.leads(evolve(now, pending=now.pending - 1), evolve(then, pending=then.pending - 1))

    for name, wrong in product((waiting_pods.REJECT, waiting_pods.LAST), (overwrites, forgets_one)):
        if (name == waiting_pods.REJECT) == (wrong is overwrites):
            steps = tuple(evolve(step, leads=wrong) if step.name == name else step for step in asked.steps)
            assert refuted(evolve(asked, steps=steps))
