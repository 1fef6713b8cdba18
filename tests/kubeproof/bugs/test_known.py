"""Which documented bugs explain a violation that only a fix lets show: those whose cure takes the violation away."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs import known
from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.known import known_beside, known_bugs
from kubeproof.engines import explicit
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.verdict.result import Result
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeArray, NodeTree

LISTING, SCHEDULING = SYSTEMS["node-listing"], SYSTEMS["scheduling"]
AT, SMALL, NAME = parse_release("1.18.4"), "0,nodes=3,zones=2", "listed-exactly-once"


def violated(system: System, scope: str, rules: Any, name: str) -> Result:
    bounds = system.parse_scope(scope)
    (result,) = explicit.check(system.machine(bounds, rules), [system.property_named(name)])
    assert result.trace is not None
    return evolve(result, scope=bounds)


def test_a_bug_that_the_rule_of_a_later_release_takes_away_explains_the_violation() -> None:
    rules = rules_for(LISTING.rules_class, AT)
    found = violated(LISTING, SMALL, rules, NAME)
    assert known_beside(LISTING, AT, rules, {"add_node"}, found) == [bug_named("NODETREE-CURSOR")]
    # Nothing is known of a rule of the fix itself.
    assert known_beside(LISTING, AT, rules, {"list_nodes"}, found) == []


def test_a_second_fault_of_the_same_property_is_explained_by_no_page() -> None:
    rules = rules_for(LISTING.rules_class, AT)

    def twice(tree: NodeTree, node: str, zone: str) -> NodeTree:
        added = rules.add_node(tree, node, zone)
        if tree.num_nodes != 1 or (node, zone) != ("n2", "z1"):
            return added
        return evolve(added, tree=(*added.tree[:-1], NodeArray((*added.tree[-1].nodes, node))))

    with_fault = evolve(rules, add_node=twice)
    found = violated(LISTING, SMALL, with_fault, NAME)
    assert known_bugs(LISTING, AT, found) == [bug_named("NODETREE-CURSOR")]
    assert known_beside(LISTING, AT, with_fault, {"add_node"}, found) == []


def test_a_repair_takes_the_place_of_a_later_release() -> None:
    """No modelled release cures this bug: 1.37 will."""
    release, scope = parse_release("1.31.14"), "0,pods=2,nodes=1,room=1,goroutines=1,preemption=1"
    rules = rules_for(SCHEDULING.rules_class, release)
    found = violated(SCHEDULING, scope, rules, "nominated-node-has-a-name")
    assert known_beside(SCHEDULING, release, rules, {"skip_pod_schedule"}, found) == [bug_named("NOM-EMPTY-KEY")]
    assert known_beside(evolve(SCHEDULING, repairs=()), release, rules, set(), found) == []


def test_an_exploration_that_ends_early_explains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    release, scope = parse_release("1.31.14"), "0,pods=1,nodes=1,room=1,goroutines=1,extender=1"
    rules = rules_for(SCHEDULING.rules_class, release)
    found = violated(SCHEDULING, scope, rules, "pod-in-one-place")
    asked: list[explicit.Limits] = []

    def check(machine: Any, properties: Any, limits: explicit.Limits = explicit.Limits()) -> Any:  # noqa: B008
        asked.append(limits)
        return explicit.check(machine, properties, limits=evolve(limits, states=2))

    assert known_bugs(SCHEDULING, release, found) == [bug_named("QUEUE-INFLIGHT-DUP")]
    monkeypatch.setattr(known, "explicit", type("Explicit", (), {"check": staticmethod(check)}))
    assert known_bugs(SCHEDULING, release, found) == []
    assert asked
    assert all(limits.seconds <= 30 and limits.states <= 100_000 for limits in asked)
