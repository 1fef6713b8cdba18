"""One pod among others in Z3: every step of small scopes is there, and NOM-THREE-ATTEMPTS is found and replayed."""

import pytest
from attrs import evolve
from z3 import Bool, Solver, is_true, sat, unsat

from kubeproof.engines import explicit
from kubeproof.verdict.trace import replay
from model.machine import Action
from model.releases import parse_release, rules_for
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from properties.scheduling.nominations import NOMINATED_IS_PENDING
from properties.smt.bits import formula
from properties.smt.scheduling.alone import View, view
from properties.smt.scheduling.among import Among, own, projects
from properties.smt.scheduling.runs import Runs
from tests.properties.smt.test_scheduling import steps_of

# What NOM-THREE-ATTEMPTS takes: a pod to preempt, and a victim.
VICTIM = SchedulingScope(pods=2, nodes=1, high=1, preemption=1)


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release))


def among(scope: SchedulingScope, rules: SchedulingRules) -> Among:
    return Among(evolve(scope, pods=1, high=0), rules)


def has_step(steps: Among, action: Action, before: View, after: View) -> bool:
    """As an action of the pod itself, or of others; others may do what the pod does not see."""
    mine = own(action)
    if mine is None and before == after:
        return True
    of_same = ((may, leads) for other, (may, leads) in steps.every.items() if own(other) == mine)
    return any(may(before) is True and leads(before) == after for may, leads in of_same)


@pytest.mark.parametrize(
    ("release", "scope", "states"),
    [
        ("1.22.3", VICTIM, 500),
        ("1.21.4", evolve(VICTIM, nodes=2, extender=1), 500),
        ("1.24.0", evolve(VICTIM, pods=3), 1_000),
        pytest.param("1.19.0", evolve(VICTIM, pods=3, nodes=2), 20_000, marks=pytest.mark.slow),
        pytest.param("1.22.3", evolve(VICTIM, pods=3, nodes=2), 20_000, marks=pytest.mark.slow),
        pytest.param("1.23.3", evolve(VICTIM, pods=3, nodes=2, extender=1), 20_000, marks=pytest.mark.slow),
    ],
)
def test_every_step_of_the_machine_is_there(release: str, scope: SchedulingScope, states: int) -> None:
    """As the one pod of high priority sees it."""
    rules = rules_of(release)
    steps = among(scope, rules)
    seen: dict[tuple[object, View, View], Action] = {}
    for state, action, after in steps_of(SchedulingMachine(scope, rules), states):
        one, other = view(steps.scope, state), view(steps.scope, after)
        if (own(action), one, other) not in seen:
            seen[own(action), one, other] = action
            assert has_step(steps, action, one, other), f"{action}: {one} {other}"
    assert len({action.name for action in seen.values()}) > 8


def shortest(steps: Among, depth: int) -> list[Action] | None:
    """The actions of a shortest run after which the pod is bound and stays nominated, of at most `depth` actions."""
    runs, actions = Runs(steps), tuple(steps.every)
    violated, _ = runs.of_states()[NOMINATED_IS_PENDING.name]
    states, taken = [runs.cells("0")], []
    solver = Solver()
    solver.add(runs.initial(states[0]))
    for k in range(1, depth + 1):
        states.append(runs.cells(str(k)))
        taken.append(tuple(Bool(f"a{i}@{k}") for i in range(len(actions))))
        solver.add(runs.transition(states[-2], taken[-1], states[-1]))
        solver.push()
        solver.add(formula(violated(runs.view(states[-1]))))
        answer = solver.check()
        assert answer in (sat, unsat)
        if answer == sat:
            model = solver.model()
            return [
                next(a for a, bit in zip(actions, step, strict=True) if is_true(model.eval(bit, model_completion=True)))
                for step in taken
            ]
        solver.pop()
    return None


@pytest.mark.slow
def test_three_attempts_are_found_and_are_a_run_of_the_machine() -> None:
    """18 actions of the pod and one of others; with those of the victim as many as the explicit engine needs."""
    rules = rules_of("1.22.3")
    machine = SchedulingMachine(VICTIM, rules)
    found = shortest(among(VICTIM, rules), 20)
    assert found is not None
    assert len(found) == 19
    assert sum(own(action) is not None for action in found) == 18
    run = projects(machine, found)
    assert run is not None
    trace = replay(machine, run)
    assert not NOMINATED_IS_PENDING.holds(trace.last)
    (explored,) = explicit.check(machine, [NOMINATED_IS_PENDING])
    assert explored.trace is not None
    assert len(run) == len(explored.trace.actions) == 26


@pytest.mark.slow
def test_with_a_nominator_that_refuses_bound_pods_nothing_is_found() -> None:
    rules = evolve(rules_of("1.22.3"), nominator_add=rules_of("1.22.9").nominator_add)
    assert shortest(among(VICTIM, rules), 20) is None


def test_a_run_that_the_machine_has_not_is_not_found() -> None:
    """Two attempts at once."""
    rules = rules_of("1.22.3")
    pop = Action.of("pop", pod="p1")
    start = [Action.of("create_pod", pod="p1"), Action.of("deliver_pod", pod="p1"), pop]
    assert projects(SchedulingMachine(VICTIM, rules), start) == start
    assert projects(SchedulingMachine(VICTIM, rules), [*start, pop]) is None
