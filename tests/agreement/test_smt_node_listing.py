"""The Z3 formulas of node-listing say what the Python machine does, on every reachable state of small scopes."""

import operator
from collections import deque
from collections.abc import Iterable
from itertools import product

import pytest
from attrs import evolve
from z3 import And, Bool, BoolRef, BoolVal, Not, Or, PbEq, Solver, sat, unsat

from kubeproof.engines import smt
from kubeproof.verdict.result import Outcome
from model.scheduler.cache import node_list as snapshot, node_tree
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing.listing import (
    LIST_LENGTH,
    LISTED_EXACTLY_ONCE,
    NO_NEEDLESS_ERROR,
    OFFERED_WHEN_QUIET,
    RELISTED_SAME_NODES,
    list_one_per_zone,
)
from properties.smt.form import Cells, SmtForm
from properties.smt.node_listing.system import encode
from tests.agreement.columns import Columns, Literals
from tests.conftest import node_listing_rules

LISTS = (
    node_tree.list_from_resuming_cursors,
    node_tree.list_from_reset_cursors,
    node_tree.list_stateless,
    list_one_per_zone,
)
SNAPSHOTS = (snapshot.update_snapshot_every_cycle, snapshot.update_snapshot_on_node_change)
RULES = [node_listing_rules(list_nodes=ln, update_snapshot=us) for ln, us in product(LISTS, SNAPSHOTS)]


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


def taken_of(form: SmtForm) -> Cells:
    return tuple(Bool(f"a{i}") for i in range(len(form.actions)))


def exactly_one_of(bits: Cells) -> BoolRef:
    return PbEq([(bit, 1) for bit in bits], 1)


def column(bits: Iterable[bool]) -> int:
    """Bit r of the int is value r."""
    return int("".join("1" if bit else "0" for bit in bits)[::-1], 2)


def columns(cells: Cells, rows: Iterable[tuple[bool, ...]]) -> dict[BoolRef, int]:
    return dict(zip(cells, map(column, zip(*rows, strict=True)), strict=True))


def agree(machine: NodeListingMachine, form: SmtForm) -> int:
    """Compare the formulas with the machine on every reachable step; returns how many there are.

    Together with `is_a_function`: in each state the formulas enable the actions that the machine enables, and each of
    these leads to its successor and to no other state.
    """
    states = reachable(machine)
    before, after, taken = form.cells("0"), form.cells("1"), taken_of(form)
    steps = [(s, a, machine.step(s, a)) for s in states for a in machine.actions(s)]
    literals = Literals(before)
    bits = {state: literals.read(form.pin(before, state)) for state in states}
    assert len(set(bits.values())) == len(states), "two states have the same cells"

    alone = Columns(columns(before, bits.values()), len(states))
    enabled = [set(machine.actions(state)) for state in states]
    for i, action in enumerate(form.actions):
        odd = alone.of(form.enabled(before, i)) ^ column(action in actions for actions in enabled)
        assert not odd, f"{action} is enabled in one of the two only: {states[lowest(odd)]}"
    for q in (LISTED_EXACTLY_ONCE, LIST_LENGTH):
        assert alone.of(form.violations[q.name](before)) == column(not q.holds(s) for s in states), q.name
        assert alone.of(form.premises[q.name](before)) == column(q.premise(s) for s in states), q.name
    for node in machine.sorts["node"]:
        r = OFFERED_WHEN_QUIET
        assert alone.of(form.violations[r.name](before, node)) == column(not r.goal(s, node) for s in states), node
        assert alone.of(form.premises[r.name](before, node)) == column(r.premise(s, node) for s in states), node

    stepwise = Columns(
        columns(before, [bits[s] for s, _, _ in steps])
        | columns(after, [bits[s] for _, _, s in steps])
        | {c: column(a == action for _, a, _ in steps) for c, action in zip(taken, form.actions, strict=True)},
        len(steps),
    )
    odd = stepwise.every ^ stepwise.of(form.transition(before, taken, after))
    assert not odd, f"another successor in the formulas: {steps[lowest(odd)]}"
    for p in (RELISTED_SAME_NODES, NO_NEEDLESS_ERROR.of(machine)):
        broken = column(a.name in p.actions and not p.holds(s, a, t) for s, a, t in steps)
        assert stepwise.of(form.violations[p.name](before, taken, after)) == broken
        spoken_of = column(a.name in p.actions and p.premise(s, a, t) for s, a, t in steps)
        assert stepwise.of(form.premises[p.name](before, taken, after)) == spoken_of
    return len(steps)


def lowest(column: int) -> int:
    """The first row in which the column is true."""
    return (column & -column).bit_length() - 1


def is_a_function(form: SmtForm) -> None:
    """In the formulas a step takes exactly one action, an enabled one, and that determines the successor."""
    before, after, other, taken = form.cells("0"), form.cells("1"), form.cells("2"), taken_of(form)
    solver = Solver()
    solver.add(form.transition(before, taken, after))
    assert solver.check() == sat
    assert solver.check(Not(exactly_one_of(taken))) == unsat
    assert solver.check(Or(*(And(bit, Not(form.enabled(before, i))) for i, bit in enumerate(taken)))) == unsat
    solver.add(form.transition(before, taken, other))
    assert solver.check(Or(*(a != b for a, b in zip(after, other, strict=True)))) == unsat


def compare_everywhere(scope: NodeListingScope, rules: NodeListingRules) -> None:
    machine = NodeListingMachine(scope, rules)
    form = form_of(machine)
    is_a_function(form)
    assert agree(machine, form) > len(form.actions)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=name)
def test_step_equals_python_step(rules: NodeListingRules) -> None:
    compare_everywhere(NodeListingScope(nodes=2, zones=2), rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=name)
def test_step_equals_python_step_with_three_nodes(rules: NodeListingRules) -> None:
    compare_everywhere(NodeListingScope(nodes=3, zones=2), rules)


@pytest.mark.slow
def test_a_wrong_formula_is_found() -> None:
    """The comparison can fail: the machine of one rule against the formulas of another."""
    scope = NodeListingScope(nodes=2, zones=2)
    machines = [
        NodeListingMachine(scope, node_listing_rules(list_nodes=list_nodes, update_snapshot=SNAPSHOTS[0]))
        for list_nodes in (node_tree.list_from_resuming_cursors, node_tree.list_from_reset_cursors)
    ]
    with pytest.raises(AssertionError, match="successor"):
        agree(machines[0], form_of(machines[1]))


@pytest.mark.slow
def test_other_wrong_formulas_are_found() -> None:
    rules = node_listing_rules(list_nodes=node_tree.list_stateless, update_snapshot=SNAPSHOTS[0])
    machine = NodeListingMachine(NodeListingScope(nodes=2, zones=2), rules)
    form = form_of(machine)
    with pytest.raises(AssertionError, match="enabled in one of the two only"):
        agree(machine, evolve(form, enabled=lambda cells, i: BoolVal(True)))
    with pytest.raises(AssertionError, match="listed-exactly-once"):
        agree(machine, evolve(form, premises=form.violations))
    is_a_function(form)
    with pytest.raises(AssertionError):
        is_a_function(evolve(form, transition=lambda before, taken, after: exactly_one_of(taken)))
    with pytest.raises(AssertionError):
        is_a_function(evolve(form, transition=lambda before, taken, after: And(*map(operator.eq, before, after))))


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
        NodeListingScope(nodes=3, zones=2), node_listing_rules(list_nodes=ln, update_snapshot=us)
    )
    (result,) = smt.check(machine, form_of(machine), [LISTED_EXACTLY_ONCE])
    assert result.outcome is Outcome.VIOLATED
    assert result.minimal
    assert result.trace is not None
    assert result.trace.length == result.depth == shortest(machine)
    assert not LISTED_EXACTLY_ONCE.holds(result.trace.last)


@pytest.mark.slow
def test_lasso_of_a_node_that_is_never_listed_again() -> None:
    rules = node_listing_rules(list_nodes=node_tree.list_from_resuming_cursors, update_snapshot=SNAPSHOTS[1])
    machine = NodeListingMachine(NodeListingScope(nodes=3, zones=2), rules)
    (result,) = smt.check(machine, form_of(machine), [OFFERED_WHEN_QUIET])
    assert result.outcome is Outcome.VIOLATED
    trace = result.trace
    assert trace is not None
    assert trace.loop is not None
    assert trace.steps[trace.loop].state == trace.last
    assert {action.name for action in trace.actions[trace.loop :]} == {"update_snapshot"}
