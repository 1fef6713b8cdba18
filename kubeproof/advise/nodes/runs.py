"""Runs that end in a given cluster: its nodes join in a fixed order, with snapshots at some moments between joins.

Moment i is the time between join i and the next join. The actions are those of `model.systems.node_listing`, under the
rules of a release. Only their order is chosen here.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, groupby

from attrs import evolve, frozen

from model.machine import Action
from model.scheduler.cache.node_tree import NodeArray, NodeTree, add_node
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope

SNAPSHOT = Action("update_snapshot")
# Up to this number of nodes every set of moments is tried.
ALL_MOMENTS_UP_TO = 12
# How many snapshots of the unchanged cluster are taken at most, until a state comes again.
SETTLE_WITHIN = 1000


@frozen
class Losing:
    """A run whose last snapshot lacks a node of the cluster."""

    # The moments with a snapshot.
    moments: tuple[int, ...]
    # How many snapshots there are after the last join.
    final: int


@frozen
class Joining:
    """The nodes of a cluster in the order of joining."""

    # The name and the zone key of each node.
    nodes: tuple[tuple[str, str], ...]
    # The number (from 1) of a node that joins without zone labels and gets its zone before the next join. There are two
    # moments between these joins. None: every node joins in its final zone.
    late: int | None = None

    @cached_property
    def changes(self) -> tuple[Action, ...]:
        """The joins, and the late label in its place. A moment is between two of these changes."""
        actions = []
        for number, (node, zone) in enumerate(self.nodes, 1):
            late = number == self.late
            actions.append(Action.of("add_node", node=node, zone="" if late else zone))
            if late:
                actions.append(Action.of("update_node", node=node, zone=zone))
        return tuple(actions)


def loses(state: NodeListing) -> bool:
    """Whether some node of the tree is missing in the list."""
    return not set(state.snapshot.node_info_list).issuperset(state.tree.names())


def machine_of(rules: NodeListingRules) -> NodeListingMachine:
    """The machine that takes the actions. Its scope does not matter: it only bounds the actions that are offered."""
    return NodeListingMachine(NodeListingScope(), rules)


def settle(machine: NodeListingMachine, state: NodeListing, limit: int = SETTLE_WITHIN) -> Iterator[NodeListing]:
    """The states after one, two … snapshots of the unchanged tree, until a state comes again or `limit` is reached.

    The state that comes again is the last one.
    """
    seen: set[NodeListing] = set()
    for _ in range(limit):
        state = machine.step(state, SNAPSHOT)
        yield state
        if state in seen:
            return
        seen.add(state)


def first_loss(machine: NodeListingMachine, state: NodeListing, limit: int = SETTLE_WITHIN) -> int | None:
    """Which snapshot of the unchanged tree, counted from 1, is the first that lacks a node; None: no snapshot."""
    for number, after in enumerate(settle(machine, state, limit), 1):
        if loses(after):
            return number
    return None


def every_subset(rules: NodeListingRules, joining: Joining) -> list[Losing]:
    """The losing runs among all 2^(n-1) sets of moments. Runs with the same beginning share the states of this
    beginning."""
    machine, changes = machine_of(rules), joining.changes
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

    Without this snapshot no listing has the node without its label.
    """
    between = range(1, len(joining.changes))
    return [
        moments for size in range(1, most + 1) for moments in combinations(between, size) if joining.late in moments
    ]


def run(
    rules: NodeListingRules, joining: Joining, moments: tuple[int, ...], limit: int = SETTLE_WITHIN
) -> Losing | None:
    """The run with snapshots at `moments`, if one of its first `limit` snapshots at the end lacks a node."""
    machine, state = machine_of(rules), NodeListing()
    for part, snapshot in _parts(joining, moments):
        state = after_changes(machine, state, part)
        if snapshot:
            state = machine.step(state, SNAPSHOT)
    final = first_loss(machine, state, limit) if joining.nodes else None
    return None if final is None else Losing(moments, final)


def states_of(rules: NodeListingRules, joining: Joining, losing: Losing) -> Iterator[tuple[Action, NodeListing | None]]:
    """The actions of the run, to the first snapshot that lacks a node. A snapshot has the state after it.

    The states between snapshots are left out: 20,000 of them would fill the memory.
    """
    machine, state = machine_of(rules), NodeListing()
    for part, snapshot in _parts(joining, losing.moments):
        yield from ((change, None) for change in part)
        state = after_changes(machine, state, part)
        if snapshot:
            state = machine.step(state, SNAPSHOT)
            yield SNAPSHOT, state
    for _ in range(losing.final):
        state = machine.step(state, SNAPSHOT)
        yield SNAPSHOT, state


def _parts(joining: Joining, moments: tuple[int, ...]) -> Iterator[tuple[tuple[Action, ...], bool]]:
    """The changes from each snapshot to the next one, and whether a snapshot is after them."""
    changes, at = joining.changes, 0
    for moment in sorted(set(moments)):
        if moment <= len(changes):
            yield changes[at:moment], True
            at = moment
    yield changes[at:], False


def after_changes(machine: NodeListingMachine, state: NodeListing, changes: Sequence[Action]) -> NodeListing:
    """The state after `changes`, one step each; joins in a row together if the rule for a join is Kubernetes' own."""
    together = machine.rules.add_node is add_node
    for joins, group in groupby(changes, lambda change: change.name == "add_node" and together):
        part = tuple(group)
        if joins:
            # The last join does to the snapshot what each of them does.
            state, part = evolve(state, tree=_with_joins(state.tree, part[:-1])), part[-1:]
        for change in part:
            state = machine.step(state, change)
    return state


def _with_joins(tree: NodeTree, joins: Iterable[Action]) -> NodeTree:
    """`add_node` for each join. Each `add_node` copies and searches the zone: of many joins that is quadratic."""
    joining: dict[str, dict[str, None]] = {}
    for join in joins:
        joining.setdefault(str(join["zone"]), {})[str(join["node"])] = None
    arrays, added = [], 0
    for zone, array in zip(tree.zones, tree.tree, strict=True):
        names = tuple(dict.fromkeys((*array.nodes, *joining[zone]))) if zone in joining else array.nodes
        added += len(names) - len(array.nodes)
        arrays.append(NodeArray(names, array.last_index) if len(names) > len(array.nodes) else array)
    known = set(tree.zones)
    new = [(zone, tuple(names)) for zone, names in joining.items() if zone not in known]
    added += sum(len(names) for _, names in new)
    zones = (*tree.zones, *(zone for zone, _ in new))
    return NodeTree(zones, (*arrays, *(NodeArray(names) for _, names in new)), tree.zone_index, tree.num_nodes + added)


def shortest(losing: list[Losing]) -> Losing | None:
    """The run with the fewest snapshots; among equals the one whose moments are nearest to the end."""
    latest = sorted(losing, key=lambda one: one.moments[::-1], reverse=True)
    return min(latest, key=lambda one: (len(one.moments) + one.final, one.final), default=None)
