"""The further scopes of a verdict: every pair of powers, and one more of each bound."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines.explicit import Limits, explore
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.validate.further import USUAL, Further, Looked, Seen, look, within
from model.releases import parse_release, rules_for
from model.systems.node_listing import NodeListingScope
from model.systems.preemption import PreemptionScope

RELEASES = {"preemption": "1.18.20", "node-listing": "1.18.4", "api-calls": "1.36.2"}


def looked_at(
    system: System,
    judged: dict[Any, int],
    further: Further = USUAL,
    *,
    asked: bool = True,
    differs: bool = True,
) -> tuple[Looked, list[Any]]:
    """How far it was looked in a release of the system, and the scopes in their order."""
    rules = rules_for(system.rules_class, parse_release(RELEASES[system.name], system.minors))
    scopes: list[Any] = []

    def see(scope: Any, states: int) -> Seen:
        scopes.append(scope)
        run = explore(system.machine(scope, rules), limits=Limits(states=min(states, 300)))
        return Seen(run, asked, differs)

    return look(system, judged, see, further), scopes


def test_a_pair_counts_if_one_run_uses_both() -> None:
    looked, scopes = looked_at(SYSTEMS["preemption"], {})
    # With those of a power that needs another one: `disrupted` needs `budgets`.
    assert looked.pairs > looked.powers * (looked.powers - 1) // 2
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


def test_what_is_left_out_is_counted() -> None:
    whole, _ = looked_at(SYSTEMS["api-calls"], {})
    part, scopes = looked_at(SYSTEMS["api-calls"], {}, Further(states=50))
    assert whole.left == 0
    assert part.left > 0
    assert len(scopes) == part.scopes < whole.scopes


@pytest.mark.parametrize(("seconds", "none"), [(0, True), (90, False)])
def test_no_time_is_no_further_scope(seconds: float, none: bool) -> None:
    assert (within(seconds) is None) is none
