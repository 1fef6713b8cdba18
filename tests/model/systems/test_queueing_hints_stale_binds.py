"""A pod that is gone is tried again until the informer has heard: beside another cycle there is no end of states."""

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check, explore
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.releases import known_release, rules_for
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_ON
from properties.queueing_hints.progress import ACTIVE_IS_POPPED, EVENTS_RELEASED

TWO_PODS = QueueingHintsScope(pods=2, gate=GATE_ON, deletes=1)
RELEASES = ["1.28.0", "1.28.3", "1.31.14", "1.36.2"]


def machine(release: str, scope: QueueingHintsScope) -> QueueingHintsMachine:
    return QueueingHintsMachine(scope, rules_for(QueueingHintsRules, known_release(release)))


def taken(m: QueueingHintsMachine, state: QueueingHints, *actions: tuple[str, str]) -> QueueingHints:
    """The state after these actions, each with the name of its pod."""
    for name, pod in actions:
        state = m.step(state, next(a for a in m.actions(state) if (a.name, dict(a.args)["pod"]) == (name, pod)))
    return state


def both_are_about_to_be_bound(m: QueueingHintsMachine) -> QueueingHints:
    """The bindings of both pods have begun."""
    state = m.initial_states()[0]
    for pod in ("p2", "p1"):
        state = taken(m, state, *((name, pod) for name in ("create_pod", "deliver_pod", "pop", "schedule", "assume")))
    return state


def gone_on(m: QueueingHintsMachine, state: QueueingHints) -> QueueingHints:
    """The state in which p1 is about to be bound the next time, while p2 and the informer do nothing."""
    others = ("deliver_pod", "update_annotations", "delete_pod")
    while True:
        action = next(a for a in m.actions(state) if a.name not in others and dict(a.args)["pod"] == "p1")
        state = m.step(state, action)
        if any(each.steps[0] == "bind" and each.pod.name == "p1" for each in state.bindings):
            return state


def lived_through(state: QueueingHints) -> int:
    """How many events came since the Pop of p2."""
    return next(len(each.events) for each in state.bindings if each.pod.name == "p2")


@pytest.mark.parametrize("release", RELEASES)
def test_without_the_bound_events_come_without_end(release: str) -> None:
    m = machine(release, TWO_PODS)
    state = gone_on(m, taken(m, both_are_about_to_be_bound(m), ("delete_pod", "p1")))
    for times in range(6):
        assert lived_through(state) == times
        state = gone_on(m, state)


def differences(m: QueueingHintsMachine, unbounded: QueueingHintsMachine) -> list[tuple[QueueingHints, set[Action]]]:
    """The states of `m` in which `unbounded` may do more, and what."""
    found: list[tuple[QueueingHints, set[Action]]] = []
    run = explore(m)
    assert run.stopped is None
    for state in map(run.state, range(run.counts.distinct)):
        more = set(unbounded.actions(state)) - set(m.actions(state))
        assert set(m.actions(state)) <= set(unbounded.actions(state))
        if more:
            found.append((state, more))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_with_the_bound_a_binding_waits_until_the_informer_has_heard(release: str) -> None:
    bounded = machine(release, evolve(TWO_PODS, stale_binds=1))
    waiting = differences(bounded, machine(release, TWO_PODS))
    assert waiting
    for state, left_out in waiting:
        assert {action.name for action in left_out} == {"bind"}
        # So the Binding does not wait for ever.
        assert any(action.name == "deliver_pod" for action in bounded.actions(state))


@pytest.mark.parametrize("release", RELEASES)
def test_the_bound_keeps_nobody_waiting_for_ever(release: str) -> None:
    results = check(machine(release, evolve(TWO_PODS, stale_binds=1)), (ACTIVE_IS_POPPED, EVENTS_RELEASED))
    assert {result.outcome for result in results} == {Outcome.HOLDS}
