"""Victims for any number of pods: the proof, what it needs, and the formulas beside the model's choice of victims."""

from itertools import combinations, product
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st
from z3 import And, Const, Consts, Distinct, EmptySet, Not, SetAdd, Solver, sat, unsat

from kubeproof.engines.smt.induction import prove
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import Budgets, Pods, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.victims import VictimRules, select_victims_on_node
from properties.components.least_sacrifice import grid
from properties.smt.scheduling_cycle import reprieve
from properties.smt.scheduling_cycle.argument import Argument
from properties.smt.scheduling_cycle.reprieve import (
    COULD_NOT_STAY,
    PODS,
    SMALLEST,
    SUFFICES,
    Case,
    Reprieve,
    Unrolled,
    argument,
    why_none,
)

NO = Status(Code.UNSCHEDULABLE, ("no",))
Sets = frozenset[frozenset[int]]


def rules(release: str = "1.31.13") -> VictimRules:
    return rules_for(VictimRules, parse_release(release))


def refuted(asked: Argument[Reprieve]) -> list[str]:
    return [answer.name for answer in prove(asked.proof()) if answer.outcome is not Outcome.HOLDS]


def test_no_victim_could_stay() -> None:
    asked = argument()
    assert [claim.name for claim in asked.claims] == [SUFFICES, COULD_NOT_STAY, SMALLEST]
    assert refuted(asked) == []


def test_without_monotone_filters_a_victim_could_stay() -> None:
    assert refuted(argument(is_monotone=False)) == [f"follows: {COULD_NOT_STAY}"]
    # One candidate is too few.
    one, two = Unrolled(1), Unrolled(2)
    assert one.case(one.could_stay()) is None
    case = two.case(two.could_stay())
    assert case is not None
    assert max(max(each, default=0) for each in case.fitting) == 1
    assert case.victims == chosen(2, case.fitting)
    # The victim that could stay if the other pod is back.
    (victim,) = case.victims
    assert frozenset({0, 1}) in case.fitting
    assert victim == 0
    for pods in (1, 2, 3):
        run = Unrolled(pods)
        assert run.case(run.could_stay(), run.monotone()) is None


def chosen(pods: int, fitting: Sets) -> frozenset[int]:
    """The victims of the model, among candidates of one priority that come back in the order of their start times."""
    candidates = tuple(PreemptionPod(str(at), start_time=at) for at in range(pods))

    def run_filters(pod: PreemptionPod, node: PreemptionNode) -> Status:
        return SUCCESS if frozenset(int(each.name) for each in node.pods) in fitting else NO

    node = PreemptionNode("n", 0, 0, candidates)
    found = select_victims_on_node(rules(), run_filters, PreemptionPod("p", 1), node, ())
    assert isinstance(found, Victims)
    return frozenset(int(pod.name) for pod in found.pods)


def every_set(pods: int) -> list[frozenset[int]]:
    return [frozenset(chosen) for number in range(pods + 1) for chosen in combinations(range(pods), number)]


@pytest.mark.parametrize("pods", [1, 2, 3])
def test_the_formulas_choose_the_victims_of_the_model(pods: int) -> None:
    run, sets = Unrolled(pods), every_set(pods)
    for fitting in product((False, True), repeat=len(sets) - 1):
        table: Sets = frozenset({sets[0]} | {each for each, fits in zip(sets[1:], fitting, strict=True) if fits})
        given_ = [run.fits(each) if each in table else Not(run.fits(each)) for each in sets]
        assert run.case(*given_) == Case(table, chosen(pods, table))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.sets(st.sampled_from(every_set(3))))
def test_a_turn_of_the_proof_is_a_turn_of_the_model(fitting: set[frozenset[int]]) -> None:
    table = frozenset(fitting | {frozenset()})
    named = Consts("p0 p1 p2", PODS)

    def as_set(numbers: frozenset[int]) -> Any:
        found = EmptySet(PODS)
        for number in sorted(numbers):
            found = SetAdd(found, named[number])
        return found

    before, after = Reprieve.of(""), Reprieve.of("'")
    facts = [reprieve._fits(as_set(each)) == (each in table) for each in every_set(3)]
    (turn,) = argument().steps
    for at in range(3):
        victims, then = chosen_among_first(at, table), chosen_among_first(at + 1, table)
        begins = And(before.back == as_set(frozenset(range(at)) - victims), before.victims == as_set(victims))
        ends = And(after.back == as_set(frozenset(range(at + 1)) - then), after.victims == as_set(then))
        solver = Solver()
        solver.add(Distinct(*named), *facts, begins, turn.leads(before, after), after.last == named[at])
        assert solver.check() == sat
        solver.add(Not(ends))
        assert solver.check() == unsat


def chosen_among_first(number: int, table: Sets) -> frozenset[int]:
    return chosen(number, table) if number else frozenset()


def test_a_wrong_reprieve_makes_the_proof_fail() -> None:
    asked = argument()
    (turn,) = asked.steps

    def alone(now: Reprieve, then: Reprieve) -> Any:
        # Whether the pod fits is asked as if nobody else had come back.
        return turn.leads(evolve(now, back=EmptySet(PODS)), then)

    def forgets(now: Reprieve, then: Reprieve) -> Any:
        # Some pod may leave again that had come back.
        return turn.leads(now, evolve(then, back=SetAdd(then.back, Const("other", PODS))))

    assert f"follows: {SUFFICES}" not in refuted(asked)
    for wrong in (alone, forgets):
        assert refuted(evolve(asked, steps=(evolve(turn, leads=wrong),)))


def test_the_filter_of_the_grid_is_monotone() -> None:
    for case in grid(2):
        (node,) = case.nodes
        for number in range(len(node.pods) + 1):
            for gone in combinations(node.pods, number):
                fewer = node
                for pod in gone:
                    fewer = fewer.without_pod(pod)
                assert not fits_request(case.preemptor, node).ok or fits_request(case.preemptor, fewer).ok


def test_every_release_gives_each_candidate_one_turn() -> None:
    for release in ("1.17.10", "1.18.0", "1.31.13"):
        for case in grid(2):
            pods = case.nodes[0].pods
            protected, others = rules(release).pods_with_pdb_violation(pods, case.budgets)
            assert sorted(pod.name for pod in (*protected, *others)) == sorted(pod.name for pod in pods)


def protects_nobody(pods: Pods, budgets: Budgets) -> tuple[Pods, Pods]:
    return (), pods


def test_a_rule_from_outside_has_no_argument() -> None:
    assert why_none(rules()) is None
    changed = evolve(rules(), pods_with_pdb_violation=protects_nobody)
    assert why_none(changed) == "the rule pods_with_pdb_violation=protects_nobody has no Z3 form"
