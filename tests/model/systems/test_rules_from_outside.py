"""A rule from outside is given what Go gives it: no reduction drops what nobody but such a rule may read."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from attrs import evolve, fields, has
from hypothesis import given, settings, strategies as st

from kubeproof.engines.explicit import check, explore
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Outcome, Strength
from model.go.errors import met_error
from model.objects import Pod
from model.releases import from_outside, parse_release, rules_for
from model.scheduler.cache.canonical import compress_generations, forget_finished_bindings
from model.scheduler.cache.node_list import Snapshot
from model.scheduler.cache.node_tree import ListNodes, NodeTree
from model.scheduler.extender import ExtenderReply
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope, normal
from model.systems.scheduling.normal import _with_deadlines as with_deadlines, with_small_cycles as small_cycles
from model.systems.scheduling.rules import SchedulingSetup
from model.world.times import compressed
from properties.scheduling_cycle.search import first_name_alone
from tests.model.systems.plain import plain_counts

Log = list[tuple[str, Any]]

# Attempts and cycles since are told apart up to this number, and so long are the runs.
COUNTED = 9
ONE = SchedulingScope(pods=1, nodes=1, goroutines=1, attempts=COUNTED)
TWO = evolve(ONE, pods=2, nodes=2)
CASES = [
    ("1.13.0", evolve(TWO, deletes=1, updates=1)),
    ("1.14.10", evolve(TWO, updates=1, node_deletes=1, node_adds=1)),
    ("1.17.10", evolve(TWO, extender=1, preemption=1, high=1)),
    ("1.21.4", evolve(TWO, nodes=1, late_nodes=1, deletes=1, labels=1)),
    ("1.24.0", evolve(TWO, bind_errors=1, keep_snapshot=1, heartbeats=1)),
    ("1.24.0", evolve(ONE, clock=1, expiry=1, updates=1)),
    ("1.31.13", evolve(TWO, clock=1, flush=1, expiry=1, lost_replies=1)),
]
# With another rule in the place of `next_generation`, generations are kept as they come; a `take_snapshot` from outside
# is known for comparing them as it likes. So that the reductions for all other rules show, these stay the release's.
LEFT = (frozenset({"next_generation"}), frozenset({"next_generation", "take_snapshot"}))
# What is kept as a rank, or relative to another number: only compared with its like, in the same call.
TIMES = {"timestamp", "last_update", "deadline"}


def ranked(args: tuple[Any, ...]) -> Any:
    """What a rule can tell of its arguments: times and generations by their order, cycle numbers counted back."""
    numbers: dict[str, set[int]] = {"times": set(), "generation": set()}
    now = next((arg.scheduling_cycle for arg in args if isinstance(arg, Queue)), 0)

    def kind(name: str) -> str | None:
        return "times" if name in TIMES else name if name == "generation" else None

    def collect(value: Any) -> None:
        if has(type(value)):
            for field in fields(type(value)):
                inner = getattr(value, field.name)
                of = kind(field.name)
                if of and isinstance(inner, int):
                    numbers[of].add(inner)
                else:
                    collect(inner)
        elif isinstance(value, tuple | list):
            for each in value:
                collect(each)

    for arg in args:
        collect(arg)
    order = {of: {number: i for i, number in enumerate(sorted(found))} for of, found in numbers.items()}

    def replaced(value: Any) -> Any:
        if has(type(value)):
            named = {field.name: getattr(value, field.name) for field in fields(type(value))}
            for name, inner in named.items():
                of = kind(name)
                if of and isinstance(inner, int):
                    named[name] = order[of][inner]
                elif name in ("scheduling_cycle", "move_request_cycle"):
                    named[name] = inner - now
                else:
                    named[name] = replaced(inner)
            return (type(value).__name__, tuple(sorted(named.items(), key=lambda pair: pair[0])))
        if isinstance(value, tuple | list):
            return tuple(map(replaced, value))
        return value

    return tuple(replaced(arg) for arg in args)


def reading(field: str, rule: Callable[..., Any], log: Log) -> Callable[..., Any]:
    """The rule, from outside, reading all that it is given but rules and functions."""

    def read(*args: Any) -> Any:
        data = tuple(arg for arg in args if not callable(arg) and not type(arg).__name__.endswith(("Rules", "Setup")))
        if field == "queue_for_failed_pod":
            data = (*data[:2], data[2] - data[0].scheduling_cycle)
        if field == "still_backs_off":
            # Two times: their order.
            data = (data[0] > data[1], data[0] < data[1])
        log.append((field, ranked(data)))
        return rule(*args)

    return read


def machine_reading(release: str, scope: SchedulingScope, log: Log, leave: frozenset[str]) -> SchedulingMachine:
    """The system of `release` with every rule from outside, though each does as the release's does."""
    usual = rules_for(SchedulingRules, parse_release(release))
    named: Mapping[str, Callable[..., Any]] = {
        field.name: reading(field.name, getattr(usual, field.name), log)
        for field in fields(SchedulingRules)
        if field.name not in leave
    }
    return SchedulingMachine(scope, evolve(usual, **named))


def told_apart(
    release: str, scope: SchedulingScope, choices: list[int], leave: frozenset[str] = LEFT[0]
) -> tuple[str, Any, Any] | None:
    """What the first rule that can tell is given in Go's run and in the machine's, or None."""
    log: Log = []
    m = machine_reading(release, scope, log, leave)
    # Each asks once, and remembers the answer.
    _ = m.setup.queue, m.setup.one_pod_handler, m.setup.forgets_deleted_assumed_pods, m.setup.finishes_bindings
    bare = small = m.initial_states()[0]
    for choice in choices:
        enabled = list(m.actions(bare))
        if not enabled:
            return None
        if list(m.actions(small)) != enabled:
            return "actions", enabled, list(m.actions(small))
        action = enabled[choice % len(enabled)]
        log.clear()
        bare = m.bare_step(bare, action)
        there = [*log]
        log.clear()
        m.bare_step(small, action)
        here = [*log]
        if there != here:
            return next((one[0], one[1], other[1]) for one, other in zip(there, here, strict=True) if one != other)
        small = m.step(small, action)
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), CASES)
@settings(max_examples=40)
@given(choices=st.lists(st.integers(0, 199), max_size=40), leave=st.sampled_from(LEFT))
def test_a_rule_from_outside_is_given_all_that_go_gives_it(
    release: str, scope: SchedulingScope, choices: list[int], leave: frozenset[str]
) -> None:
    assert told_apart(release, scope, choices, leave) is None


SMALL = [
    ("1.13.0", SchedulingScope(pods=1, nodes=1, late_nodes=1, updates=1, goroutines=1, attempts=1)),
    # A retry of one pod while the other is popped.
    ("1.16.0", SchedulingScope(pods=2, nodes=1, goroutines=2, attempts=1)),
    ("1.24.0", SchedulingScope(pods=1, nodes=1, bind_errors=1, keep_snapshot=1, goroutines=1, attempts=1)),
    ("1.31.13", SchedulingScope(pods=1, nodes=1, late_nodes=1, clock=1, flush=1, goroutines=1, attempts=1)),
]


def from_elsewhere(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: rule(*args)


@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_what_is_remembered_of_a_step_is_all_that_a_rule_from_outside_may_read(
    release: str, scope: SchedulingScope
) -> None:
    """The numbers that retries hold are counted from the queue's, so a Pop changes them too.

    Counts were wrong once, and a violation that was found had no run.
    """
    usual = rules_for(SchedulingRules, parse_release(release))
    named = {field.name: from_elsewhere(getattr(usual, field.name)) for field in fields(SchedulingRules)}
    m = SchedulingMachine(scope, evolve(usual, **named))
    assert m.setup.queue_is_read
    counts = explore(m).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(m)


def first_told_apart(release: str, scope: SchedulingScope) -> str | None:
    """The first rule that is told apart in some runs."""
    for seed in range(60):
        choices = [(seed * 7 + 13 * turn + turn * turn * seed) % 200 for turn in range(40)]
        found = told_apart(release, scope, choices, LEFT[seed % 2])
        if found is not None:
            return found[0]
    return None


def no_attempts(setup: SchedulingSetup, info: QueuedPodInfo) -> QueuedPodInfo:
    return info if not info.attempts else evolve(info, attempts=0)


# Each reduction that is made for known rules, in the place of what is done for rules from outside.
REDUCTIONS: dict[str, tuple[object, str, object]] = {
    "attempts": (normal, "with_few_attempts", no_attempts),
    "cycles": (normal, "with_small_cycles", lambda queue, retries, _: small_cycles(queue, retries)),
    "backoffs by name": (normal, "compressed", lambda setup, queue, deadlines, _: compressed(setup, queue, deadlines)),
    "generations": (normal, "compress_generations", lambda *args: compress_generations(*args[:3])),
    "finished bindings": (normal, "_with_deadlines", lambda setup, cache, new: with_deadlines(
        setup, forget_finished_bindings(cache), new)),
    "deadlines, generations": (SchedulingSetup, "cache_is_read", False),
    "node order": (SchedulingSetup, "node_order_is_read", False),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_what_is_dropped_for_known_rules_would_be_noticed(reduction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one reduction in force the test before this one fails in some case."""
    monkeypatch.setattr(*REDUCTIONS[reduction])
    assert any(first_told_apart(release, scope) for release, scope in CASES)


def gives_up(queue: Queue, info: QueuedPodInfo, cycle: int) -> str:
    """A pod that failed twice goes to unschedulableQ for good; before that to activeQ."""
    return "unschedulable" if info.attempts >= 2 else "active"


def test_a_fix_that_reads_attempts_is_judged_on_states_that_have_them() -> None:
    """It was given no number but 0 and 1, so a pod that it gives up after two attempts was never given up."""
    scope = SchedulingScope(pods=2, nodes=1, goroutines=1)
    rules = evolve(rules_for(SchedulingRules, parse_release("1.24.0")), queue_for_failed_pod=gives_up)
    m = SchedulingMachine(scope, rules)
    run = explore(m)
    states = [run.state(number) for number in range(run.counts.distinct)]
    assert {info.attempts for state in states for info in state.queue.active} == {0, 1}
    assert {info.attempts for state in states for info in state.queue.unschedulable} == {2}
    held = [result for result in check(m, SYSTEMS["scheduling"].properties) if result.outcome is Outcome.HOLDS]
    assert {result.claim.strength for result in held if result.claim} == {Strength.BOUNDED}
    assert all("attempts up to 3" in str(result.claim) for result in held)


def prefers_lower_numbers(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """An extender that has a mind of its own about n1."""
    return ExtenderReply(nodes=tuple(node for node in nodes if node == "n1" or len(nodes) == 1))


def loses_n3(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    names, tree = rules_for(NodeListingRules, parse_release("1.31")).list_nodes(tree)
    return tuple(name for name in names if name != "n3"), tree


def lists_all(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    return rules_for(NodeListingRules, parse_release("1.31")).list_nodes(tree)


def test_a_fix_that_compares_names_is_not_taken_for_symmetric() -> None:
    """Renamed, n3 was n1 in a tree of one node, so the fix was found out two nodes later than it is."""
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    m = NodeListingMachine(NodeListingScope(nodes=3, zones=1), evolve(rules, list_nodes=loses_n3))
    assert not m.symmetric
    found = [result for result in check(m, SYSTEMS["node-listing"].properties) if result.outcome is Outcome.VIOLATED]
    assert min(result.trace.length for result in found if result.trace) == 2
    assert explore(m, symmetry=True).counts.distinct == explore(m).counts.distinct


def test_a_fix_of_the_tree_that_compares_no_names_is_shown_to_commute() -> None:
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    scope = NodeListingScope(nodes=4, zones=2)
    m = NodeListingMachine(scope, evolve(rules, list_nodes=lists_all))
    assert m.symmetric
    assert not NodeListingMachine(NodeListingScope(nodes=8, zones=4), m.rules).symmetric
    assert explore(m, symmetry=True).counts == explore(NodeListingMachine(scope, rules), symmetry=True).counts


def sorts_every_other_list(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """One node is missing, so a snapshot calls the rule twice, or once if the last snapshot has the same nodes."""
    names = tree.names() if tree.zone_index % 2 else tuple(sorted(tree.names()))
    return names[1:], evolve(tree, zone_index=(tree.zone_index + 1) % 4)


def test_each_call_of_a_rule_has_to_commute_and_not_only_those_of_a_first_snapshot() -> None:
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    assert not NodeListingMachine(
        NodeListingScope(nodes=3, zones=1), evolve(rules, list_nodes=sorts_every_other_list)
    ).symmetric


def complains_of_n2(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """Lists as it should, and logs an error where n2 is alone. Renamed, n2 is n1, and there is no error."""
    names, tree = lists_all(tree)
    met_error("nodeTree.list", "n2 is alone" if names == ("n2",) else None)
    return names, tree


def test_a_rule_has_to_meet_the_same_errors_under_other_names() -> None:
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    m = NodeListingMachine(NodeListingScope(nodes=2, zones=1), evolve(rules, list_nodes=complains_of_n2))
    assert not m.symmetric
    found = {result.property: result.outcome for result in check(m, SYSTEMS["node-listing"].properties)}
    assert found["no-needless-error"] is Outcome.VIOLATED


def complains_of_each(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    names, tree = lists_all(tree)
    for name in names:
        met_error("nodeTree.list", f"node {name} is there", name)
    return names, tree


def test_an_error_may_name_what_it_is_about() -> None:
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    assert NodeListingMachine(NodeListingScope(nodes=2, zones=2), evolve(rules, list_nodes=complains_of_each)).symmetric


def takes_snapshot(tree: NodeTree, snapshot: Snapshot, list_nodes: ListNodes) -> tuple[NodeTree, Snapshot]:
    return rules_for(NodeListingRules, parse_release("1.31")).update_snapshot(tree, snapshot, list_nodes)


def forgets_n3(tree: NodeTree, snapshot: Snapshot, list_nodes: ListNodes) -> tuple[NodeTree, Snapshot]:
    """A second snapshot leaves n3 out, so no tree alone shows that the rule compares names."""
    tree, taken = takes_snapshot(tree, snapshot, list_nodes)
    return tree, Snapshot(
        taken.node_info_list, tuple(n for n in taken.node_info_map if n != "n3" or snapshot == Snapshot())
    )


def test_a_fix_of_the_snapshot_is_asked_of_every_state() -> None:
    rules = rules_for(NodeListingRules, parse_release("1.31"))
    scope = NodeListingScope(nodes=3, zones=2)
    m = NodeListingMachine(scope, evolve(rules, update_snapshot=takes_snapshot))
    assert m.symmetric
    assert explore(m, symmetry=True).counts == explore(NodeListingMachine(scope, rules), symmetry=True).counts
    assert not NodeListingMachine(scope, evolve(rules, update_snapshot=forgets_n3)).symmetric


def test_in_scheduling_a_rule_from_outside_ends_symmetry() -> None:
    scope = SchedulingScope(pods=1, nodes=2, extender=1, preemption=1)
    rules = evolve(rules_for(SchedulingRules, parse_release("1.17.10")), extender_filter=prefers_lower_numbers)
    m = SchedulingMachine(scope, rules)
    assert explore(m, symmetry=True).counts.distinct == explore(m).counts.distinct
    results = check(m, SYSTEMS["scheduling"].properties)
    assert all("symmetry" not in result.claim.details for result in results if result.claim)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
@pytest.mark.parametrize("release", ["1.13", "1.18.3", "1.24.0", "1.31"])
def test_rules_of_releases_and_mutants_are_known(system: Any, release: str) -> None:
    rules = rules_for(system.rules_class, parse_release(release))
    m = system.machine(system.scope, rules)
    assert (m.symmetric, dict(m.cuts)) == (True, {})
    assert from_outside(rules) == frozenset()
    for field, mutants in system.mutants.items():
        for mutant in mutants:
            other = evolve(rules, **{field: mutant})
            assert from_outside(other) == {field}
            assert system.machine(system.scope, other).symmetric


def test_a_mutant_that_prefers_a_name_is_not_taken_for_symmetric() -> None:
    system = SYSTEMS["scheduling-cycle"]
    rules = rules_for(system.rules_class, parse_release("1.31"))
    scope = system.parse_scope("0,pods=1,nodes=3,room=1,goroutines=1,named_nodes=2")
    assert system.machine(scope, rules).symmetric
    assert not system.machine(scope, evolve(rules, named_nodes=first_name_alone)).symmetric


@pytest.mark.slow
def test_the_mutants_of_scheduling_cycle_commute_with_every_renaming() -> None:
    """A mutant is known, so that symmetry stays on. Each is taken along runs in which its rule decides."""
    system = SYSTEMS["scheduling-cycle"]
    bounds = "pods=3,nodes=2,high=1,room=1,goroutines=1,preemption=1,graceful=1,permit=2,named_nodes=2"
    scope, rules = system.parse_scope(f"0,{bounds}"), rules_for(system.rules_class, parse_release("1.31"))
    plain = system.machine(scope, rules)
    seen: dict[str, bool] = {}
    for field, mutants in system.mutants.items():
        for mutant in mutants:
            m = system.machine(scope, evolve(rules, **{field: mutant}))
            seen[mutant.__name__] = all(_commutes(m, plain.canonical, seed) for seed in range(25))
            # Where a mutant does not commute, the machine has to know.
            assert seen[mutant.__name__] or not m.symmetric, mutant.__name__
    assert seen == {name: name != "first_name_alone" for name in seen}


def _commutes(m: Any, canonical: Callable[[Any], Any], seed: int) -> bool:
    """Whether the steps from each state of a random run, and from the renamed state, lead to the same orbits."""
    drawn, state = Random(seed), m.initial_states()[0]
    sorts = [names for names in m.sorts.values() if len(names) > 1]
    for _ in range(50):
        enabled = list(m.actions(state))
        if not enabled:
            break
        for names in sorts:
            by = dict(zip(names, (*names[1:], names[0]), strict=True))
            if _orbits(m, canonical, m.rename(state, by)) != _orbits(m, canonical, state):
                return False
        state = m.step(state, drawn.choice(enabled))
    return True


def _orbits(m: Any, canonical: Callable[[Any], Any], state: Any) -> set[Any]:
    return {canonical(m.step(state, action)) for action in m.actions(state)}
