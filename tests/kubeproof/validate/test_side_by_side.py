"""A fix beside the release, run by run: what it violates in runs that the release gets right."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines.explicit import explore
from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate.effects import as_from_outside, reduced_like
from kubeproof.validate.side_by_side import _Both, _Pair, compare
from model.go.errors import met_error
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree
from model.systems.node_listing import NodeListingMachine, NodeListingScope

NODE_LISTING, SCHEDULING = SYSTEMS["node-listing"], SYSTEMS["scheduling"]
SCOPE = NodeListingScope(nodes=2, zones=1)


def test_a_needless_error_is_found_as_every_other_safety_property_is() -> None:
    """What a property says of a machine's errors or setup was not asked here, and a broken one passed for uncovered."""
    rules = rules_for(NODE_LISTING.rules_class, parse_release("1.18.4"))
    short = next(rule for rule in NODE_LISTING.mutants["list_nodes"] if rule.__name__ == "list_one_per_zone")
    old, new = NODE_LISTING.machine(SCOPE, rules), NODE_LISTING.machine(SCOPE, evolve(rules, list_nodes=short))
    assert isinstance(old, NodeListingMachine)
    wanted = frozenset({"no-needless-error", "listed-exactly-once"})
    found = compare(old, new, NODE_LISTING.properties, wanted)
    assert found.complete
    assert found.broken.keys() == wanted
    assert {trace.length for trace in found.broken.values()} == {3}


def test_a_fix_that_only_adds_an_error_breaks_what_the_release_keeps() -> None:
    """The states are equal, and the error was charged to the release as well."""
    rules = rules_for(NODE_LISTING.rules_class, parse_release("1.31"))

    def list_nodes(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
        met_error("nodeTree.list", "wrong")
        return rules.list_nodes(tree)

    old, new = NODE_LISTING.machine(SCOPE, rules), NODE_LISTING.machine(SCOPE, evolve(rules, list_nodes=list_nodes))
    found = compare(old, new, NODE_LISTING.properties, frozenset({"no-needless-error"}))
    assert found.complete
    assert {name: trace.length for name, trace in found.broken.items()} == {"no-needless-error": 2}


def test_a_fix_that_changes_nothing_breaks_nothing() -> None:
    rules = rules_for(NODE_LISTING.rules_class, parse_release("1.18.4"))
    machine = NODE_LISTING.machine(NodeListingScope(nodes=3, zones=2), rules)
    found = compare(machine, machine, NODE_LISTING.properties, frozenset({"listed-exactly-once"}))
    assert (found.broken, found.beyond, found.at_last, found.complete) == ({}, set(), set(), True)


def test_states_that_were_reached_with_fewer_violations_are_not_looked_at_again() -> None:
    machine = NODE_LISTING.machine(SCOPE, rules_for(NODE_LISTING.rules_class, parse_release("1.18.4")))
    both = _Both(machine, machine, NODE_LISTING.properties, frozenset({"one", "other"}))
    number = both.new.intern(machine.initial_states()[0])
    assert both.old.intern(machine.initial_states()[0]) == number

    def is_new(*violated: str) -> bool:
        return both.is_new(_Pair(number, number, frozenset(violated), None, None))

    assert [is_new("one"), is_new("one", "other"), is_new("one"), is_new("other"), is_new(), is_new("other")] == [
        True, False, False, True, True, False,
    ]  # fmt: skip
    assert both.pairs == 3


def of_scheduling(**changes: Any) -> tuple[Any, Any]:
    """The rules of 1.17.10, and those rules with `changes` as a file would bring them."""
    rules = rules_for(SCHEDULING.rules_class, parse_release("1.17.10"))
    return rules, evolve(rules, **{field: as_from_outside(rule) for field, rule in changes.items()})


@pytest.mark.parametrize(
    ("field", "rule"), [("skip_pod_schedule", "skip_terminating_or_assumed_pod"), ("nominator_add", "add_by_status")]
)
def test_what_ends_alike_is_left_out_and_nothing_else(field: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = of_scheduling(**{field: SCHEDULING.built_in_rules(field)[rule]})
    scope = SCHEDULING.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,updates=1,deletes=1")
    wanted = frozenset(p.name for p in SCHEDULING.properties)
    before, after = (SCHEDULING.machine(scope, rules) for rules in (reduced_like(SCHEDULING, old, new), new))
    found = compare(before, after, SCHEDULING.properties, wanted)
    monkeypatch.setattr(_Both, "find_what_is_alike", lambda *_: None)
    assert compare(before, after, SCHEDULING.properties, wanted) == found


def test_a_rule_in_other_words_reaches_the_very_states_of_the_release() -> None:
    """The release was reduced otherwise, so that equal states looked different and all pairs had to be looked at."""
    release, _ = of_scheduling()
    old, new = of_scheduling(queue_update=release.queue_update)
    scope = SCHEDULING.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,updates=1")
    machines = [SCHEDULING.machine(scope, rules) for rules in (reduced_like(SCHEDULING, old, new), new)]
    both = _Both(machines[0], machines[1], SCHEDULING.properties, frozenset())
    (initial,) = machines[1].initial_states()
    both.find_what_is_alike([both.new.intern(initial)])
    assert len(both._alike) == explore(machines[1]).counts.distinct


def test_a_run_that_the_release_lacks_is_looked_at_only_for_what_the_release_keeps() -> None:
    rules = rules_for(NODE_LISTING.rules_class, parse_release("1.31"))
    short = next(rule for rule in NODE_LISTING.mutants["list_nodes"] if rule.__name__ == "list_one_per_zone")
    old, new = NODE_LISTING.machine(SCOPE, rules), NODE_LISTING.machine(SCOPE, evolve(rules, list_nodes=short))
    wanted = frozenset({"listed-exactly-once"})
    asked = [compare(old, new, NODE_LISTING.properties, wanted, held) for held in (None, wanted, frozenset[str]())]
    assert asked[0] == asked[1]
    assert [found.broken.keys() for found in asked] == [wanted] * 3
