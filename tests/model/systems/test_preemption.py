"""The system preemption: what a scope has in it, that the engine forgets nothing, and what each documented bug does."""

from itertools import combinations

import pytest
from attrs import fields

from kubeproof.engines.explicit import check, explore
from kubeproof.systems.preemption import PREEMPTION
from kubeproof.verdict.result import Outcome
from model.releases import known_release, rules_for
from model.scheduler.preemption.preempt import MinCandidates, Preempted, preempt
from model.systems.preemption import Preemption, PreemptionMachine, PreemptionScope, PreemptionSystemRules
from model.systems.preemption.answers import statuses_of
from properties.preemption.catalogue import PROPERTIES
from properties.preemption.effects import ends
from tests.model.systems.plain import plain_counts

EVERY_POWER = PREEMPTION.scopes.default
BUDGETS = PreemptionScope(nodes=1, pods=2, cpus=2, priorities=2, budgets=1, disrupted=1)


def rules(release: str) -> PreemptionSystemRules:
    return rules_for(PreemptionSystemRules, known_release(release))


def states(machine: PreemptionMachine) -> list[Preemption]:
    run = explore(machine)
    return [run.state(number) for number in range(run.counts.distinct)]


@pytest.mark.parametrize("release", ["1.17.10", "1.20.2", "1.31.13", "1.36.3"])
@pytest.mark.parametrize("scope", PREEMPTION.scopes.fix_narrow, ids=str)
def test_counts_equal_those_of_a_plain_search(release: str, scope: PreemptionScope) -> None:
    machine = PreemptionMachine(scope, rules(release))
    counts = explore(machine).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine)


@pytest.mark.parametrize(
    "release", ["1.17.10", "1.18.20", "1.19.4", "1.22.3", "1.28.14", "1.31.13", "1.32.0", "1.36.3"]
)
def test_an_attempt_answers_as_the_component_that_the_recordings_replay(release: str) -> None:
    """The steps in a row are `preempt`, which is one function and replays 6,000 recorded cases."""
    machine = PreemptionMachine(BUDGETS, rules(release))
    begun = [state for state in states(machine) if state.next == "search"]
    assert len(begun) > 300
    for state in begun:
        cluster = state.cluster
        statuses = statuses_of(machine.rules, cluster)
        whole = preempt(
            machine.rules,
            machine.rules.fits_node,
            cluster.preemptor,
            cluster.nodes,
            statuses,
            cluster.budgets,
            MinCandidates(),
        )
        expected = {(each.nominated, each.victims) for each in whole if isinstance(each, Preempted)}
        assert {(end.nominated, end.deleted) for end in ends(machine, state)} == expected


@pytest.mark.parametrize("release", ["1.17.10", "1.31.13", "1.36.3"])
def test_each_pair_of_powers_is_explored_to_its_end(release: str) -> None:
    powers = [field.name for field in fields(PreemptionScope) if field.name not in PREEMPTION.scopes.searched]
    for pair in combinations(powers, 2):
        scope = PreemptionScope(nodes=1, pods=1, cpus=1, priorities=1, **dict.fromkeys(pair, 1))
        assert explore(PreemptionMachine(scope, rules(release))).stopped is None, pair


def violated(release: str, scope: PreemptionScope) -> set[str]:
    results = check(PreemptionMachine(scope, rules(release)), PROPERTIES)
    return {result.property for result in results if result.outcome is Outcome.VIOLATED}


@pytest.mark.slow
def test_what_two_releases_do_wrong_in_the_default_scope() -> None:
    assert violated("1.20.2", EVERY_POWER) == {
        "extenders-agree", "failure-is-recorded", "no-context-is-left", "no-panic",
    }  # fmt: skip
    assert violated("1.31.13", EVERY_POWER) == violated("1.36.3", EVERY_POWER) == set()


@pytest.mark.parametrize("scope", PREEMPTION.scopes.fix_narrow, ids=str)
def test_what_the_newest_release_does_not_keep(scope: PreemptionScope) -> None:
    # No release counts what an earlier preemption has taken of a budget (#91492), or what a budget with an empty
    # selector protects (#141785). From 1.19 to 1.32 the pod is not nominated if not all of its victims can be deleted.
    uncounted = {"violations-are-counted"} if scope.more_pods or scope.empty_selectors else set()
    assert violated("1.32.13", scope) == (uncounted or ({"room-is-kept"} if scope.refused_requests else set()))
    assert violated("1.36.3", scope) == uncounted


@pytest.mark.parametrize(
    ("release", "broken"),
    [
        ("1.17.10", {"violations-are-counted", "violations-are-founded"}),
        ("1.18.20", {"violations-are-founded"}),
        ("1.19.4", set()),
    ],
)
def test_budgets_are_counted_better_from_release_to_release(release: str, broken: set[str]) -> None:
    assert violated(release, BUDGETS) == broken


def test_an_extender_without_victims_ends_the_scheduler_where_extenders_are_asked() -> None:
    scope = PreemptionScope(nodes=2, pods=1, cpus=1, priorities=1, extenders=1, empty_answers=1)
    panics = {release: "no-panic" in violated(release, scope) for release in ("1.20.9", "1.20.10", "1.21.9", "1.22.0")}
    assert panics == {"1.20.9": False, "1.20.10": True, "1.21.9": True, "1.22.0": False}


def test_a_pod_that_never_preempts_deletes_nobody() -> None:
    machine = PreemptionMachine(PreemptionScope(pods=2, never=1), rules("1.31.13"))
    never = [state for state in states(machine) if state.cluster.preemptor.preempts_never]
    assert never
    assert not any(state.deleted for state in never)


def test_every_victim_has_lower_priority() -> None:
    machine = PreemptionMachine(PREEMPTION.scopes.fix, rules("1.28.14"))
    ended = [state for state in states(machine) if state.deleted]
    assert len(ended) > 300
    for state in ended:
        gone = [pod for pod in state.cluster.node(state.chosen).pods if pod.name in state.deleted]
        assert len(gone) == len(state.deleted) == len(set(state.deleted))
        assert all(pod.priority < state.cluster.preemptor.priority for pod in gone)


def test_a_victim_that_terminates_already_makes_room_too() -> None:
    """From 1.35 on nobody deletes it again. A nomination to a node that is too small by now binds nobody."""
    for scope in (
        PreemptionScope(nodes=1, pods=2, cpus=2, priorities=1, terminating=1),
        PreemptionScope(nodes=2, pods=1, cpus=2, priorities=1, terminating=1),
    ):
        assert violated("1.36.3", scope) == set()
