"""Rules that answer every noted call alike have the same exploration; any other rules are not taken for alike."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.counterexample import Counterexample, generations, release_rows_of
from kubeproof.bugs.kept import kept_document
from kubeproof.check.noted_calls import NotedCalls
from kubeproof.engines.explicit import explore
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import rules_of
from kubeproof.verdict.result import Outcome, Result
from model.go.errors import met_error
from model.releases import from_outside, parse_release, rules_for
from model.scheduler.cache.canonical import compress_generations
from model.scheduler.cache.node_tree import NodeTree, list_from_reset_cursors, list_stateless
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.systems.api_calls import ApiCallsScope
from model.systems.async_preemption import AsyncPreemptionScope
from model.systems.cpu_manager import CPUManagerScope
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from model.systems.preemption import PreemptionScope
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.scheduling import SchedulingRules, SchedulingScope
from model.systems.scheduling_cycle import SchedulingCycleScope
from model.which_rule import is_one_of, itself

SMALL = {
    "node-listing": NodeListingScope(nodes=2, zones=2),
    "cpu-manager": CPUManagerScope(cores=2, pods=1, restarts=1),
    "scheduling": SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, deletes=1),
    "queueing-hints": QueueingHintsScope(pods=1, plugins=1, gate=1, changes=1, errors=1),
    "preemption": PreemptionScope(nodes=1, pods=1, budgets=1, disrupted=1),
    "async-preemption": AsyncPreemptionScope(victims=2),
    "api-calls": ApiCallsScope(asynchronous_calls=1, refusals=1),
    "scheduling-cycle": SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=1, permit=1, failures=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_releases_that_answer_alike_have_the_same_exploration(name: str) -> None:
    system, scope = SYSTEMS[name], SMALL[name]
    noted: list[tuple[NotedCalls, Any]] = []
    alike = 0
    for first, _ in generations(system):
        rules = rules_for(system.rules_class, first)
        counts = explore(system.machine(scope, rules)).counts
        found = [known for notes, known in noted if notes.read_by(rules) is not None]
        assert all(known == counts for known in found), first
        alike += bool(found)
        if not found:
            notes = NotedCalls(rules, rules_of(system.mutants))
            noted.append((notes, explore(system.machine(scope, notes.rules)).counts))
            assert noted[-1][1] == counts
    assert alike
    assert len(noted) > 1


ANY_RESULT = Result(property="", engine="explicit", outcome=Outcome.VIOLATED)
NODES = NodeListingScope(nodes=2, zones=1)


def noted_listing(**others: Any) -> tuple[NotedCalls, NodeListingRules]:
    rules = evolve(rules_for(NodeListingRules, parse_release("1.31")), **others)
    notes = NotedCalls(rules)
    explore(NodeListingMachine(NODES, notes.rules))
    return notes, rules


def test_one_answer_that_differs_is_enough() -> None:
    def loses_the_second(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
        names, tree = list_stateless(tree)
        return names[:1], tree

    notes, rules = noted_listing(list_nodes=lambda tree: list_stateless(tree))
    assert from_outside(rules) == {"list_nodes"}
    assert notes.read_by(evolve(rules, list_nodes=lambda tree: list_stateless(tree))) == notes.fields
    assert notes.read_by(evolve(rules, list_nodes=loses_the_second)) is None


def test_an_error_is_an_answer() -> None:
    def raises(tree: NodeTree) -> Any:
        raise ValueError(len(tree.names()))

    notes, rules = noted_listing(list_nodes=lambda tree: list_stateless(tree))
    assert notes.read_by(evolve(rules, list_nodes=raises)) is None


def test_an_error_that_go_only_logs_is_a_part_of_the_answer() -> None:
    """Properties ask for such errors. A rule that returned the same and logged otherwise was taken for alike."""

    def logs(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
        met_error("list", "nobody expects this")
        return list_stateless(tree)

    notes, rules = noted_listing(list_nodes=lambda tree: list_stateless(tree))
    assert notes.read_by(evolve(rules, list_nodes=logs)) is None
    noisy, rules = noted_listing(list_nodes=logs)
    assert noisy.read_by(evolve(rules, list_nodes=lambda tree: logs(tree))) == noisy.fields
    machine, plain = NodeListingMachine(NODES, noisy.rules), NodeListingMachine(NODES, rules)
    joins = next(iter(machine.actions(machine.initial_states()[0])))
    state = machine.step(machine.initial_states()[0], joins)
    action = next(action for action in machine.actions(state) if action.name == "update_snapshot")
    assert machine.errors(state, action) == plain.errors(state, action) != ()


def test_a_rule_that_no_release_follows_is_not_alike_to_one_of_a_release() -> None:
    """Less is left out of the states that such a rule is given, so what it was not asked says nothing."""
    notes, rules = noted_listing()
    assert notes.read_by(rules) == notes.fields
    assert notes.read_by(evolve(rules, list_nodes=lambda tree: list_stateless(tree))) is None


def test_which_rule_it_is_counts_where_that_was_asked() -> None:
    notes = NotedCalls(rules_for(SchedulingRules, parse_release("1.20.0")))
    compress_generations(notes.rules, Cache(), CacheSnapshot())
    assert set(notes.questions) == {"next_generation", "take_snapshot"}
    assert notes.read_by(rules_for(SchedulingRules, parse_release("1.19.0"))) is not None
    assert notes.read_by(rules_for(SchedulingRules, parse_release("1.13.0"))) is None


def test_a_stand_in_is_known_for_the_rule_that_it_stands_for() -> None:
    notes = NotedCalls(rules_for(NodeListingRules, parse_release("1.31")))
    stand_in = notes.rules.list_nodes
    assert stand_in is not list_stateless
    assert itself(stand_in) is list_stateless
    assert is_one_of(stand_in, {list_stateless})
    assert not is_one_of(stand_in, (list_from_reset_cursors,))
    assert notes.questions["list_nodes"] == [({list_stateless}, True), ((list_from_reset_cursors,), False)]
    assert from_outside(notes.rules) == frozenset()


def test_rules_that_another_rule_asks_count_as_read() -> None:
    notes, _ = noted_listing()
    assert {"update_snapshot", "list_nodes"} <= notes.fields


@pytest.mark.slow
def test_a_property_that_asks_for_the_release_is_judged_in_each_release() -> None:
    """Up to 1.20 no queue says which plugin rejected a pod, so the property says nothing there."""
    bug = bug_named("QUEUE-STALE-PLUGINS")
    system = system_named(bug.system)
    example = Counterexample(bug, system.parse_scope(kept_document(bug)["#meta"]["scope"]), ANY_RESULT, ANY_RESULT)
    rows = release_rows_of(example, frozenset({"1.19.0", "1.20.0", "1.21.0"}))
    assert [row.violated for row in rows] == [False, False, True]
