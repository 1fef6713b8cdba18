"""The Z3 formulas of node-listing say what the Python machine does, on every reachable state of small scopes."""

from collections import deque
from itertools import product

import pytest
from z3 import And, Bool, Not, Or, Solver, sat, unsat

from kubeproof.engines import smt
from kubeproof.verdict import Outcome
from model.machine import Action
from model.scheduler import node_tree, snapshot
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing import (
    LIST_LENGTH,
    LISTED_EXACTLY_ONCE,
    OFFERED_WHEN_QUIET,
    RELISTED_SAME_NODES,
    list_one_per_zone,
)
from properties.smt.form import SmtForm
from properties.smt.node_listing import encode

LISTS = (
    node_tree.list_from_resuming_cursors,
    node_tree.list_from_reset_cursors,
    node_tree.list_stateless,
    list_one_per_zone,
)
SNAPSHOTS = (snapshot.update_snapshot_every_cycle, snapshot.update_snapshot_on_node_change)
RULES = [NodeListingRules(list_nodes=ln, update_snapshot=us) for ln, us in product(LISTS, SNAPSHOTS)]


def name(rules: NodeListingRules) -> str:
    return f"{rules.list_nodes.__name__}-{rules.update_snapshot.__name__}"


def form_of(machine: NodeListingMachine) -> SmtForm:
    form = encode(machine.scope, machine.rules)
    assert isinstance(form, SmtForm)
    return form


def reachable(machine: NodeListingMachine) -> list[NodeListing]:
    queue = deque(machine.initial_states())
    seen = dict.fromkeys(queue)
    while queue:
        state = queue.popleft()
        for action in machine.actions(state):
            after = machine.step(state, action)
            if after not in seen:
                seen[after] = None
                queue.append(after)
    return list(seen)


def agree(machine: NodeListingMachine, states: list[NodeListing], form: SmtForm) -> int:
    """Compare the formulas with the machine on `states`; returns how many steps were compared."""
    before, after = form.cells("0"), form.cells("1")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    invariants = {p.name: (p, Bool(f"violates {p.name}")) for p in (LISTED_EXACTLY_ONCE, LIST_LENGTH)}
    premises = {p.name: (p, Bool(f"{p.name} speaks of it")) for p in (LISTED_EXACTLY_ONCE, LIST_LENGTH)}
    offered = {node: Bool(f"{node} is offered") for node in machine.sorts["node"]}
    relisted, relists = Bool("violates relisting"), Bool("relists")
    solver = Solver()
    solver.add(form.transition(before, taken, after))
    solver.add(*(bit == form.violations[key](before) for key, (_, bit) in invariants.items()))
    solver.add(*(bit == form.premises[key](before) for key, (_, bit) in premises.items()))
    solver.add(*(bit == form.premises[OFFERED_WHEN_QUIET.name](before, node) for node, bit in offered.items()))
    solver.add(relists == form.premises[RELISTED_SAME_NODES.name](before, taken, after))
    solver.add(relisted == form.violations[RELISTED_SAME_NODES.name](before, taken, after))
    compared = 0
    for state in states:
        enabled: dict[Action, NodeListing] = {a: machine.step(state, a) for a in machine.actions(state)}
        solver.push()
        solver.add(form.pin(before, state))
        for action, indicator in zip(form.actions, taken, strict=True):
            if action not in enabled:
                assert solver.check(indicator) == unsat, f"{action} is enabled in the formulas only: {state}"
                continue
            solver.push()
            solver.add(indicator)
            successor = form.pin(after, enabled[action])
            assert solver.check(successor) == sat, f"{action} has another successor in the formulas: {state}"
            solver.add(Not(successor))
            assert solver.check() == unsat, f"{action} has a second successor in the formulas: {state}"
            solver.pop()
            compared += 1
        if enabled:
            wrong = [bit if p.holds(state) else Not(bit) for p, bit in invariants.values()]
            wrong += [bit != p.premise(state) for p, bit in premises.values()]
            wrong += [bit != OFFERED_WHEN_QUIET.premise(state, node) for node, bit in offered.items()]
            for action, indicator in zip(form.actions, taken, strict=True):
                if action in enabled:
                    applies = action.name in RELISTED_SAME_NODES.actions
                    violated = applies and not RELISTED_SAME_NODES.holds(state, action, enabled[action])
                    wrong.append(And(indicator, relisted != violated))
                    speaks = applies and RELISTED_SAME_NODES.premise(state, action, enabled[action])
                    wrong.append(And(indicator, relists != speaks))
            assert solver.check(Or(*wrong)) == unsat, f"a property reads otherwise in the formulas: {state}"
        solver.pop()
    return compared


def compare_everywhere(scope: NodeListingScope, rules: NodeListingRules) -> None:
    machine = NodeListingMachine(scope, rules)
    states = reachable(machine)
    compared = agree(machine, states, form_of(machine))
    assert compared == sum(1 for state in states for _ in machine.actions(state)) > len(states)


@pytest.mark.parametrize("rules", RULES, ids=name)
def test_step_equals_python_step(rules: NodeListingRules) -> None:
    compare_everywhere(NodeListingScope(nodes=2, zones=2), rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=name)
def test_step_equals_python_step_with_three_nodes(rules: NodeListingRules) -> None:
    compare_everywhere(NodeListingScope(nodes=3, zones=2), rules)


def test_a_wrong_formula_is_found() -> None:
    """The comparison can fail: the machine of one rule against the formulas of another."""
    scope = NodeListingScope(nodes=2, zones=2)
    machines = [
        NodeListingMachine(scope, NodeListingRules(list_nodes=list_nodes, update_snapshot=SNAPSHOTS[0]))
        for list_nodes in (node_tree.list_from_resuming_cursors, node_tree.list_from_reset_cursors)
    ]
    with pytest.raises(AssertionError, match="successor"):
        agree(machines[0], reachable(machines[0]), form_of(machines[1]))


def shortest(machine: NodeListingMachine) -> int:
    """The fewest actions to a state that violates listed-exactly-once."""
    level, seen, length = set(machine.initial_states()), set(machine.initial_states()), 0
    while all(LISTED_EXACTLY_ONCE.holds(state) for state in level):
        level = {machine.step(state, action) for state in level for action in machine.actions(state)} - seen
        assert level, "no state violates it"
        seen |= level
        length += 1
    return length


@pytest.mark.parametrize("us", SNAPSHOTS)
@pytest.mark.parametrize("ln", [node_tree.list_from_resuming_cursors, list_one_per_zone])
def test_shortest_length_is_that_of_breadth_first_search(ln, us) -> None:
    machine = NodeListingMachine(
        NodeListingScope(nodes=3, zones=2), NodeListingRules(list_nodes=ln, update_snapshot=us)
    )
    (result,) = smt.check(machine, form_of(machine), [LISTED_EXACTLY_ONCE])
    assert result.outcome is Outcome.VIOLATED
    assert result.minimal
    assert result.trace is not None
    assert result.trace.length == result.depth == shortest(machine)
    assert not LISTED_EXACTLY_ONCE.holds(result.trace.last)


def test_lasso_of_a_node_that_is_never_listed_again() -> None:
    rules = NodeListingRules(list_nodes=node_tree.list_from_resuming_cursors, update_snapshot=SNAPSHOTS[1])
    machine = NodeListingMachine(NodeListingScope(nodes=3, zones=2), rules)
    (result,) = smt.check(machine, form_of(machine), [OFFERED_WHEN_QUIET])
    assert result.outcome is Outcome.VIOLATED
    trace = result.trace
    assert trace is not None
    assert trace.loop is not None
    assert trace.steps[trace.loop].state == trace.last
    assert {action.name for action in trace.actions[trace.loop :]} == {"update_snapshot"}
