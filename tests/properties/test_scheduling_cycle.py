"""Properties of scheduling-cycle judge what was done, not what a rule says is to be done or a namesake does."""

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check
from model.machine import Action
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.queue.state import QueuedPodInfo
from model.scheduler.waiting_pods import WaitingPod
from model.systems.scheduling_cycle import (
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
    cycle_steps,
)
from model.systems.scheduling_cycle.records import CycleGoroutine
from properties.scheduling_cycle.binders import MANAGED_BY_EXTENDER
from properties.scheduling_cycle.permit import goes_on_as_decided


def test_an_extender_that_the_rule_names_and_nobody_asks_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_for(SchedulingCycleRules, parse_release("1.31.13"))
    scope = SchedulingCycleScope(pods=1, nodes=1, binder_extenders=2, ignorable=1, extender_errors=2)

    def outcome() -> str:
        (result,) = check(SchedulingCycleMachine(scope, rules, frozenset()), [MANAGED_BY_EXTENDER])
        return result.outcome

    assert outcome() == "holds"
    monkeypatch.setattr(cycle_steps, "asked_to_bind", lambda setup, goroutine, points: points)
    assert rules.binders_asked((True, True)) == (0, 1)
    assert outcome() == "violated"


def test_a_namesake_that_waits_on_the_same_node_is_told_apart() -> None:
    rules = rules_for(SchedulingCycleRules, parse_release("1.16.15"))
    (state,) = SchedulingCycleMachine(SchedulingCycleScope(pods=1, permit=2), rules).initial_states()
    first, second = (Pod("p1", f"p1#{incarnation}", node_name="n1") for incarnation in (1, 2))
    waiting = (
        WaitingPod(first.uid, 0, listening=True, signal="allowed", decided="allowed"),
        WaitingPod(second.uid, 1, listening=True, signal="allowed"),
    )
    bindings = tuple(CycleGoroutine(("wait_on_permit", "bind"), QueuedPodInfo(pod)) for pod in (first, second))
    state = evolve(state, waiting_pods=waiting, bindings=bindings)
    wait = Action.of("wait_on_permit", pod="p1", by="binding", node="n1")
    assert goes_on_as_decided(state, wait, state)
    assert not goes_on_as_decided(state, Action(wait.name, (*wait.args, ("nth", "2"))), state)
