"""The explicit engine against brute force: counts, orbits, shortest runs, lassos, bounds."""

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import Limits, check, explore
from kubeproof.errors import RuleError
from kubeproof.verdict.result import Outcome, Strength
from kubeproof.verdict.trace import replay
from kubeproof.verdict.violation import violation
from model.machine import Action
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_list import update_snapshot_every_cycle, update_snapshot_on_node_change
from model.scheduler.cache.node_tree import (
    NodeTree,
    list_from_reset_cursors,
    list_from_resuming_cursors,
    list_stateless,
)
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing.listing import LISTED_EXACTLY_ONCE, PROPERTIES, list_one_per_zone
from properties.property import Invariant, Liveness, StepInvariant
from tests.conftest import node_listing_rules

LISTINGS = (list_from_resuming_cursors, list_from_reset_cursors, list_stateless, list_one_per_zone)
SNAPSHOTS = (update_snapshot_every_cycle, update_snapshot_on_node_change)


def machine(listing: Any, snapshot: Any, nodes: int = 3, zones: int = 2, moves: int = 1) -> NodeListingMachine:
    rules = node_listing_rules(list_nodes=listing, update_snapshot=snapshot)
    return NodeListingMachine(NodeListingScope(nodes, zones, moves), rules)


def plain_search(m: NodeListingMachine) -> tuple[set[NodeListing], int, int]:
    """States, generated and depth by the simplest search there is."""
    seen = set(m.initial_states())
    frontier, generated, depth = list(seen), len(seen), 0
    while frontier:
        following = []
        for state in frontier:
            for action in m.actions(state):
                generated += 1
                after = m.step(state, action)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        depth += bool(following)
        frontier = following
    return seen, generated, depth


def orbit(m: NodeListingMachine, state: NodeListing) -> set[NodeListing]:
    """Every renaming of `state`, by trying all of them."""
    nodes, zones = m.sorts["node"], m.sorts["zone"]
    return {
        m.rename(state, {**dict(zip(nodes, n, strict=True)), **dict(zip(zones, z, strict=True))})
        for n, z in product(permutations(nodes), permutations(zones))
    }


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_counts_equal_those_of_a_plain_search(listing: Any, snapshot: Any) -> None:
    m = machine(listing, snapshot)
    states, generated, depth = plain_search(m)
    run = explore(m)
    assert (run.counts.distinct, run.counts.generated, run.counts.depth) == (len(states), generated, depth)
    assert {run.state(number) for number in range(len(states))} == states
    assert sum(run.counts.fired.values()) == generated - 1


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize(("nodes", "zones"), [(3, 2), (2, 3)])
def test_orbit_counts_equal_brute_force(listing: Any, nodes: int, zones: int) -> None:
    m = machine(listing, update_snapshot_on_node_change, nodes, zones)
    states, _, depth = plain_search(m)
    orbits = 0
    while states:
        states -= orbit(m, next(iter(states)))
        orbits += 1
    run = explore(m, symmetry=True)
    assert (run.counts.distinct, run.counts.depth) == (orbits, depth)


@pytest.mark.slow
@pytest.mark.parametrize("listing", LISTINGS)
def test_orbit_counts_equal_brute_force_with_four_nodes(listing: Any) -> None:
    m = machine(listing, update_snapshot_every_cycle, 4, 2)
    states, _, _ = plain_search(m)
    orbits = 0
    while states:
        states -= orbit(m, next(iter(states)))
        orbits += 1
    assert explore(m, symmetry=True).counts.distinct == orbits


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [True, False])
def test_a_property_of_steps_is_given_what_the_machine_does(symmetry: bool) -> None:
    """The state after an action, under the names of the state before. No step is computed for the property alone."""

    class Counted(NodeListingMachine):
        steps = 0

        def step(self, state: NodeListing, action: Action) -> NodeListing:
            Counted.steps += 1
            return super().step(state, action)

    plain = machine(LISTINGS[0], SNAPSHOTS[1])
    counted = Counted(plain.scope, plain.rules)
    explore(counted, symmetry=symmetry)
    needed, Counted.steps, seen = Counted.steps, 0, []

    def holds(before: NodeListing, action: Action, after: NodeListing) -> bool:
        seen.append(action)
        return after == plain.step(before, action)

    told = StepInvariant(
        name="told", sentence="", broken_by=(), actions=frozenset(plain.action_names), holds=holds,
        premise=lambda before, action, after: True, explain=lambda before, action, after: "",
    )  # fmt: skip
    (result,) = check(counted, [told], symmetry=symmetry)
    assert result.outcome is Outcome.HOLDS
    assert 0 < len(seen) < (result.transitions or 0)
    assert Counted.steps == needed


def reachable(m: NodeListingMachine, choices: list[int]) -> NodeListing:
    state = m.initial_states()[0]
    for choice in choices:
        enabled = list(m.actions(state))
        state = m.step(state, enabled[choice % len(enabled)])
    return state


runs = st.lists(st.integers(0, 50), max_size=25)


@pytest.mark.slow
@given(runs, st.permutations(["n1", "n2", "n3", "n4"]), st.permutations(["z1", "z2", "z3"]), st.data())
def test_renaming_commutes_with_the_step(
    choices: list[int], nodes: list[str], zones: list[str], data: st.DataObject
) -> None:
    m = machine(list_from_resuming_cursors, update_snapshot_on_node_change, 4, 3)
    names = dict(zip((*m.sorts["node"], *m.sorts["zone"]), (*nodes, *zones), strict=True))
    state = reachable(m, choices)
    renamed = m.rename(state, names)
    assert m.canonical(renamed) == m.canonical(state)
    assert m.canonical(state) == m.canonical(m.canonical(state))
    action = data.draw(st.sampled_from(list(m.actions(state))))
    same = type(action)(action.name, tuple((key, names[value]) for key, value in action.args))
    assert same in set(m.actions(renamed))
    assert m.step(renamed, same) == m.rename(m.step(state, action), names)


@pytest.mark.slow
@given(runs)
def test_a_fixed_node_keeps_its_name(choices: list[int]) -> None:
    m = machine(list_from_resuming_cursors, update_snapshot_on_node_change, 4, 3)
    state = reachable(m, choices)
    fixed = m.canonical(state, frozenset({"n1"}))
    assert fixed in orbit(m, state)
    assert fixed.tree.num_nodes == state.tree.num_nodes
    assert ("n1" in fixed.tree.names()) == ("n1" in state.tree.names())
    assert fixed.snapshot.node_info_list.count("n1") == state.snapshot.node_info_list.count("n1")


@pytest.mark.slow
def test_forgetting_a_snapshot_that_is_never_read_changes_no_verdict() -> None:
    """The dead-variable reduction of REBUILDS_ALWAYS, against the same rule under another identity."""

    def kept(tree: NodeTree, snapshot: Any, list_nodes: Any) -> Any:
        return update_snapshot_every_cycle(tree, snapshot, list_nodes)

    for listing in LISTINGS:
        forgotten = check(machine(listing, update_snapshot_every_cycle), PROPERTIES)
        remembered = check(machine(listing, kept), PROPERTIES)
        assert [r.outcome for r in forgotten] == [r.outcome for r in remembered]
        lengths = [[r.trace.length if r.trace else None for r in results] for results in (forgotten, remembered)]
        assert lengths[0] == lengths[1]


@pytest.mark.slow
@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_symmetry_changes_no_verdict_and_no_length(listing: Any, snapshot: Any) -> None:
    m = machine(listing, snapshot)
    with_it, without = check(m, PROPERTIES, symmetry=True), check(m, PROPERTIES, symmetry=False)
    assert [r.outcome for r in with_it] == [r.outcome for r in without]
    for one, other in zip(with_it, without, strict=True):
        assert (one.trace is None) == (other.trace is None)
        if one.trace is not None and other.trace is not None and one.minimal:
            assert one.trace.length == other.trace.length


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("listing", LISTINGS)
def test_a_property_has_the_same_result_alone_and_among_all(listing: Any, nodes: int, symmetry: bool) -> None:
    """Properties share explorations: with one node that of liveness as well, where a safety property may end it."""
    m = machine(listing, update_snapshot_on_node_change, nodes)
    together = check(m, PROPERTIES, symmetry=symmetry)
    alone = [check(m, [p], symmetry=symmetry)[0] for p in PROPERTIES]
    assert [r.evolve(seconds=0) for r in together] == [r.evolve(seconds=0) for r in alone]


@pytest.mark.slow
def test_every_property_is_broken_by_the_rules_it_names_and_witnessed_by_the_others() -> None:
    for p in PROPERTIES:
        breaking = [rule for rule in LISTINGS if rule.__name__ in p.broken_by]
        assert breaking, f"{p.name} names no rule that breaks it"
        for rule in breaking:
            outcomes = {check(machine(rule, snapshot), [p])[0].outcome for snapshot in SNAPSHOTS}
            assert Outcome.VIOLATED in outcomes
        result = check(machine(list_stateless, update_snapshot_on_node_change), [p])[0]
        assert result.outcome is Outcome.HOLDS
        assert result.claim is not None
        assert result.claim.strength is Strength.EXHAUSTIVE
        assert result.claim.details["witnesses"] > 0


@pytest.mark.slow
def test_traces_replay_end_in_the_violation_and_are_deterministic() -> None:
    m = machine(list_from_resuming_cursors, update_snapshot_on_node_change)
    for p, result in zip(PROPERTIES, check(m, PROPERTIES), strict=True):
        if result.trace is None:
            continue
        again = replay(m, result.trace.actions, loop=result.trace.loop)
        assert again == result.trace
        assert check(m, [p])[0].trace == result.trace
        if isinstance(p, Invariant):
            assert not p.holds(again.last)
            assert all(p.holds(step.state) for step in again.steps[:-1])
        elif isinstance(p, StepInvariant):
            assert not p.holds(again.steps[-2].state, again.actions[-1], again.last)
        elif isinstance(p, Liveness):
            assert again.loop is not None
            cycle = again.steps[again.loop :]
            assert not any(p.goal(step.state, "n1") for step in cycle)
            assert {step.action.name for step in cycle[1:] if step.action} >= p.fair


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "next_snapshot_has_it"), [("1.13", True), ("1.17", True), ("1.18.4", False), ("1.19.0-rc.1", False)]
)
def test_whether_the_next_snapshot_has_the_lost_node_again(release: str, next_snapshot_has_it: bool) -> None:
    m = NodeListingMachine(NodeListingScope(3, 2), rules_for(NodeListingRules, parse_release(release)))
    results = {r.property: r.outcome for r in check(m, PROPERTIES)}
    assert results["listed-exactly-once"] is Outcome.VIOLATED
    quiet = Outcome.HOLDS if next_snapshot_has_it else Outcome.VIOLATED
    assert results["offered-again-when-quiet"] is quiet


@pytest.mark.parametrize(("fair", "staying"), [({"remove_node"}, True), ({"add_node"}, False)])
def test_a_run_may_stay_where_no_fair_action_is_enabled(fair: set[str], staying: bool) -> None:
    m = machine(list_stateless, update_snapshot_on_node_change)
    some_node = Liveness(
        name="some-node",
        sentence="There is a node.",
        broken_by=(),
        sorts=("node",),
        goal=lambda state, node: state.tree.num_nodes > 0,
        premise=lambda state, node: True,
        explain=lambda state, node: "there is none",
        fair=frozenset(fair),
        recurring=frozenset(fair),
    )
    (result,) = check(m, [some_node])
    assert (result.outcome is Outcome.VIOLATED) == staying
    if result.trace is not None:
        assert (result.trace.length, result.trace.loop, result.minimal) == (0, 0, True)
        assert violation(m, some_node, result.trace) == "there is none"


@pytest.mark.slow
def test_bounds_end_in_inconclusive_with_partial_counts() -> None:
    m = machine(list_stateless, update_snapshot_on_node_change, 5, 3)
    for limits, reason in (
        (Limits(states=500), "500 states"),
        (Limits(memory=1), "1 MiB"),
        (Limits(seconds=0), "time is up"),
    ):
        result = check(m, [LISTED_EXACTLY_ONCE], symmetry=False, limits=limits)[0]
        assert result.outcome is Outcome.INCONCLUSIVE
        assert reason in (result.reason or "")
        assert (result.states or 0) > 0


def test_a_scope_in_which_the_premise_never_holds_is_no_pass() -> None:
    never = type(LISTED_EXACTLY_ONCE)(
        **{**{f: getattr(LISTED_EXACTLY_ONCE, f) for f in ("name", "sentence", "broken_by", "holds", "explain")},
           "premise": lambda state: False}
    )  # fmt: skip
    result = check(machine(list_stateless, update_snapshot_on_node_change), [never])[0]
    assert result.outcome is Outcome.INCONCLUSIVE


def test_a_rule_that_raises_is_a_violation_with_the_way_there() -> None:
    def explode(tree: NodeTree) -> Any:
        if tree.num_nodes == 2:
            raise RuleError("list_nodes raised ZeroDivisionError: division by zero")
        return list_stateless(tree)

    result = check(machine(explode, update_snapshot_every_cycle), [LISTED_EXACTLY_ONCE])[0]
    assert result.outcome is Outcome.VIOLATED
    assert "ZeroDivisionError" in (result.explanation or "")
    assert result.trace is not None
    assert result.trace.length == 2
