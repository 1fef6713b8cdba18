"""A fix beside the release, run by run: what it violates in runs that the release gets right."""

from attrs import evolve

from kubeproof.fix.side_by_side import _Both, _Pair, compare
from kubeproof.systems.registry import SYSTEMS
from model.go.errors import met_error
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree
from model.systems.node_listing import NodeListingMachine, NodeListingScope

NODE_LISTING = SYSTEMS["node-listing"]
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
    assert (found.broken, found.beyond, found.complete) == ({}, set(), True)


def test_states_that_were_reached_with_fewer_violations_are_not_looked_at_again() -> None:
    machine = NODE_LISTING.machine(SCOPE, rules_for(NODE_LISTING.rules_class, parse_release("1.18.4")))
    both = _Both(machine, machine, NODE_LISTING.properties, frozenset({"one", "other"}))
    number = both.new.store.intern(machine.initial_states()[0])
    assert both.old.store.intern(machine.initial_states()[0]) == number

    def is_new(*violated: str) -> bool:
        return both.is_new(_Pair(number, number, frozenset(violated), None, None))

    assert [is_new("one"), is_new("one", "other"), is_new("one"), is_new("other"), is_new(), is_new("other")] == [
        True, False, False, True, True, False,
    ]  # fmt: skip
    assert both.pairs == 3
