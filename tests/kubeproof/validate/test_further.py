"""The further scopes of a verdict: every pair of powers, and one more of each bound."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines.explicit import Limits, explore
from kubeproof.systems.growing import powers_of
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.validate.further import USUAL, Further, Looked, Seen, least_sizes, look, within
from model.releases import parse_release, rules_for
from model.systems.node_listing import NodeListingScope
from model.systems.preemption import PreemptionScope

RELEASES = {"preemption": "1.18.20", "node-listing": "1.18.4", "api-calls": "1.36.2", "async-preemption": "1.36.2"}

# The powers that no run of a small scope uses in these releases, and why.
UNUSED = {
    # No such pods in 1.31.
    "cpu-manager": {"pod_level"},
    # A bound of the model alone.
    "queueing-hints": {"stale_binds"},
    # From 1.23 on no assumed pod expires, and up to 1.32 no pod is resized.
    "scheduling": {"expiry", "resizes"},
    # And no scope of the cycle has a second scheduler.
    "scheduling-cycle": {"expiry", "resizes", "second", "controllers"},
}


def looked_at(
    system: System,
    judged: dict[Any, int],
    further: Further = USUAL,
    *,
    asked: bool = True,
    differs: bool = True,
    changed: tuple[Any, ...] = (),
) -> tuple[Looked, list[Any]]:
    """How far it was looked in a release of the system, and the scopes in their order."""
    rules = rules_for(system.rules_class, parse_release(RELEASES[system.name], system.minors))
    scopes: list[Any] = []

    def see(scope: Any, states: int, asks: bool) -> Seen:
        scopes.append(scope)
        run = explore(system.machine(scope, rules), limits=Limits(states=min(states, 300)))
        return Seen(run, asked, differs)

    return look(system, judged, see, further, changed), scopes


def test_a_pair_counts_if_one_run_uses_both() -> None:
    looked, scopes = looked_at(SYSTEMS["preemption"], {})
    assert looked.pairs == looked.powers * (looked.powers - 1) // 2
    assert 0 < looked.met <= looked.pairs
    assert looked.scopes == looked.differing == len(scopes) == len(set(scopes))
    assert any(scope.budgets and scope.disrupted for scope in scopes if isinstance(scope, PreemptionScope))


def test_a_pair_in_which_nobody_asks_the_fix_does_not_count() -> None:
    looked, _ = looked_at(SYSTEMS["api-calls"], {}, asked=False)
    assert (looked.pairs, looked.met) == (3, 0)


def test_each_bound_of_a_judged_scope_is_raised_alone() -> None:
    judged = NodeListingScope(nodes=2, zones=1, moves=1)
    _, scopes = looked_at(SYSTEMS["node-listing"], {judged: 9})
    for larger in (evolve(judged, nodes=3), evolve(judged, zones=2)):
        assert larger in scopes


def test_where_the_fix_acts_each_bound_is_raised_before_the_judged_scopes() -> None:
    system = SYSTEMS["api-calls"]
    judged = system.scopes.fix
    _, acting = looked_at(system, {judged: 1})
    _, alike = looked_at(system, {judged: 1}, differs=False)
    raised = evolve(judged, attempts=judged.attempts + 1)
    assert acting.index(raised) > alike.index(raised)


def test_around_a_scope_in_which_the_fix_acts_a_third_power_and_a_second_size_are_tried() -> None:
    judged = PreemptionScope(nodes=1, pods=1, cpus=1, priorities=1, budgets=1, empty_selectors=1)
    looked, scopes = looked_at(SYSTEMS["preemption"], {judged: 9}, changed=(judged,))
    # Two powers, of which the fix acts without either: one is enough here.
    core = evolve(judged, budgets=0, empty_selectors=0)
    for around in ({"turned": 1}, {"pods": 2, "cpus": 2}, {"pods": 3}, {"budgets": 1, "disrupted": 1}):
        assert evolve(core, **around) in scopes
    assert looked.triples == looked.triples_met == 0
    _, alike = looked_at(SYSTEMS["preemption"], {judged: 9}, differs=False, changed=(judged,))
    assert evolve(judged, pods=2, cpus=2) in alike


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_each_power_is_used_with_what_it_comes_with(name: str) -> None:
    """Else no pair with this power ever meets."""
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, parse_release(RELEASES.get(name, "1.31.13"), system.minors))

    def once(scope: Any) -> Seen:
        return Seen(explore(system.machine(scope, rules), limits=Limits(states=1000)), False, False)

    assert set(powers_of(system)) - least_sizes(system, once).keys() == UNUSED.get(name, set())


def test_what_is_left_out_is_counted() -> None:
    whole, _ = looked_at(SYSTEMS["api-calls"], {})
    part, scopes = looked_at(SYSTEMS["api-calls"], {}, Further(states=50))
    assert whole.left == 0
    assert part.left > 0
    assert len(scopes) == part.scopes < whole.scopes


@pytest.mark.parametrize(("seconds", "none"), [(0, True), (90, False)])
def test_no_time_is_no_further_scope(seconds: float, none: bool) -> None:
    assert (within(seconds) is None) is none
