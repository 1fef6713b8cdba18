"""Histories that end in a given cluster: its nodes join in a fixed order, with snapshots at some moments between.

Moment i is the time between join i and the next one. The steps are those of `model.systems.node_listing`, under the
rules of a release; here only the order of actions is chosen.
"""

from collections.abc import Iterator
from itertools import combinations

from attrs import frozen

from kubeproof.verdict.trace import Step, Trace
from model.machine import Action
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope

SNAPSHOT = Action("update_snapshot")
# Up to so many nodes every subset of the moments is tried.
ALL_MOMENTS_UP_TO = 12
# How many snapshots of the unchanged cluster are taken before "it has not settled" is the answer.
SETTLE_WITHIN = 1000


@frozen
class Losing:
    """A history whose last snapshot lacks a node of the cluster: `moments` with a snapshot, `final` ones at the end."""

    moments: tuple[int, ...]
    final: int


@frozen
class Joining:
    """Nodes with their zone keys, in joining order.

    `late`: the number (from 1) of a node that joins without zone labels and gets its zone before the next node
    joins, so that the gap after its join holds two moments; None: every node joins in its final zone.
    """

    nodes: tuple[tuple[str, str], ...]
    late: int | None = None

    def changes(self) -> tuple[Action, ...]:
        """The joins, with the label in its place: the moments are between two of these."""
        actions = []
        for number, (node, zone) in enumerate(self.nodes, 1):
            late = number == self.late
            actions.append(Action.of("add_node", node=node, zone="" if late else zone))
            if late:
                actions.append(Action.of("update_node", node=node, zone=zone))
        return tuple(actions)


def loses(state: NodeListing) -> bool:
    """Some node of the tree is missing in the list."""
    return not set(state.snapshot.node_info_list).issuperset(state.tree.names())


def machine_of(rules: NodeListingRules) -> NodeListingMachine:
    """The machine that steps; its scope bounds only which actions it offers, and nobody asks it for any here."""
    return NodeListingMachine(NodeListingScope(), rules)


def settle(machine: NodeListingMachine, state: NodeListing, limit: int = SETTLE_WITHIN) -> Iterator[NodeListing]:
    """The states after one, two … snapshots of the unchanged tree, until one comes again or `limit` is reached.

    The repeated state is the last one yielded.
    """
    seen: set[NodeListing] = set()
    for _ in range(limit):
        state = machine.step(state, SNAPSHOT)
        yield state
        if state in seen:
            return
        seen.add(state)


def first_loss(machine: NodeListingMachine, state: NodeListing, limit: int = SETTLE_WITHIN) -> int | None:
    """Which of the snapshots of the unchanged tree, counted from 1, is the first that lacks a node; None if none is."""
    for number, after in enumerate(settle(machine, state, limit), 1):
        if loses(after):
            return number
    return None


def every_subset(rules: NodeListingRules, joining: Joining) -> list[Losing]:
    """The losing ones among all 2^(n-1) sets of moments. Runs that begin alike are stepped once."""
    machine, changes = machine_of(rules), joining.changes()
    losing: list[Losing] = []

    def extend(state: NodeListing, at: int, moments: tuple[int, ...]) -> None:
        state = machine.step(state, changes[at - 1])
        if at == len(changes):
            final = first_loss(machine, state)
            if final is not None:
                losing.append(Losing(moments, final))
            return
        extend(state, at + 1, moments)
        extend(machine.step(state, SNAPSHOT), at + 1, (*moments, at))

    if changes:
        extend(NodeListing(), 1, ())
    return losing


def late_label_sets(joining: Joining, most: int) -> list[tuple[int, ...]]:
    """The sets of at most `most` moments with a snapshot between the join of the `late` node and its label.

    Without that snapshot no listing sees the node unlabelled.
    """
    between = range(1, len(joining.changes()))
    return [
        moments for size in range(1, most + 1) for moments in combinations(between, size) if joining.late in moments
    ]


def run(
    rules: NodeListingRules, joining: Joining, moments: tuple[int, ...], limit: int = SETTLE_WITHIN
) -> Losing | None:
    """The history with snapshots at `moments`, if it loses a node in one of its first `limit` final snapshots."""
    machine, wanted, state = machine_of(rules), frozenset(moments), NodeListing()
    for at, change in enumerate(joining.changes(), 1):
        state = machine.step(state, change)
        if at in wanted:
            state = machine.step(state, SNAPSHOT)
    final = first_loss(machine, state, limit) if joining.nodes else None
    return None if final is None else Losing(moments, final)


def trace_of(rules: NodeListingRules, joining: Joining, losing: Losing) -> Trace:
    """The history state by state, from the empty tree to the first snapshot that lacks a node of the cluster."""
    machine, wanted, state = machine_of(rules), frozenset(losing.moments), NodeListing()
    steps = [Step(None, state)]
    for at, change in enumerate(joining.changes(), 1):
        for action in (change, SNAPSHOT) if at in wanted else (change,):
            state = machine.step(state, action)
            steps.append(Step(action, state))
    for _ in range(losing.final):
        state = machine.step(state, SNAPSHOT)
        steps.append(Step(SNAPSHOT, state))
    return Trace(tuple(steps))


def shortest(losing: list[Losing]) -> Losing | None:
    """Fewest snapshots; among equals the one whose moments are nearest to the end."""
    latest = sorted(losing, key=lambda one: one.moments[::-1], reverse=True)
    return min(latest, key=lambda one: (len(one.moments) + one.final, one.final), default=None)
