"""node-listing: nodes join, leave and change zone while the scheduler takes snapshots.

Environment of `model.scheduler.cache.node_tree` and `model.scheduler.cache.node_list`. Every action is one hold of
`schedulerCache.mu` (up to 1.16: one of `NodeTree.mu` for each call of `Next`; a snapshot that is interrupted by a
node event is the subject of NODETREE-LIVE-ITER, not of this system).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from attrs import define, field, frozen
from attrs.validators import ge, in_, le

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met, meet_again, met_error, with_errors_met
from model.machine import Action, Offer
from model.objects import SELDOM
from model.releases import from_outside
from model.renaming import commutes
from model.scheduler.cache.node_list import REBUILDS_ALWAYS, Snapshot, SnapshotRules
from model.scheduler.cache.node_tree import AskingRules, NodeArray, NodeTree, NodeTreeRules, update_node
from model.variables import whole
from model.which_rule import ask_ahead, is_one_of


@frozen
class NodeListingScope:
    """Bounds: how many node names and zones there are, and whether nodes may change their zone (1 or 0)."""

    nodes: int = field(default=4, validator=[ge(1), le(99)])
    zones: int = field(default=2, validator=[ge(1), le(99)])
    moves: int = field(default=1, validator=in_((0, 1)))


@frozen(slots=False, kw_only=True)
class NodeListingRules(NodeTreeRules, SnapshotRules):
    """All rules of this system in one choice."""


@frozen(cache_hash=True)
class NodeListing:
    """A state of the system."""

    tree: NodeTree = NodeTree()
    snapshot: Snapshot = Snapshot()
    # Whether the tree has not changed since the snapshot was taken.
    fresh: bool = False
    # Whether the last UpdateSnapshot answered an error. Then the scheduling cycle failed: its pod was offered no node,
    # though the list was made anew for the next cycle. Go: the caller of UpdateSnapshot returns the error.
    failed: bool = field(default=False, metadata={SELDOM: True})


UPDATE_SNAPSHOT = Action("update_snapshot")
# The actions that call a rule.
ACTIONS_OF = {
    "update_snapshot": ("update_snapshot",),
    "list_nodes": ("update_snapshot",),
    "add_node": ("add_node", "update_node"),
    "remove_node": ("remove_node", "update_node"),
}


@define(frozen=True, slots=False)
class NodeListingMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    It starts from an empty tree. Nodes are n1, n2, …, zones z1, z2, …; both are interchangeable.
    """

    scope: NodeListingScope
    rules: NodeListingRules
    # Rules besides those of the releases that compare no names.
    known: Collection[Callable[..., Any]] = ()

    # Nothing that a rule is given is dropped.
    cuts: ClassVar[Mapping[str, str]] = {}
    named: ClassVar[Mapping[str, tuple[str, ...]]] = {"tree": (), "snapshot": ()}
    action_names = ("add_node", "remove_node", "update_node", "update_snapshot")

    @cached_property
    def _tree(self) -> AskingRules:
        return AskingRules(self.rules, self._outside)

    @cached_property
    def _outside(self) -> frozenset[str]:
        return from_outside(self.rules)

    @cached_property
    def _forgets(self) -> bool:
        return is_one_of(self.rules.update_snapshot, REBUILDS_ALWAYS)

    @cached_property
    def symmetric(self) -> bool:
        """A rule from outside is shown to commute with every renaming, in all of the scope, or there is none."""
        outside = from_outside(self.rules, self.known)
        try:
            return not outside or self._commutes(outside)
        except Exception:  # what the rule raises, the search meets as well, and says after which run
            return False

    def _commutes(self, fields: frozenset[str]) -> bool:
        """Whether the actions that call these rules commute with every renaming.

        A rule that is given a tree and nothing of a snapshot is asked of every tree: of them there are fewer.
        """
        of_all = "update_snapshot" in fields
        return commutes(
            NodeListing(),
            lambda state: (*(each for each in self.actions(state) if each != UPDATE_SNAPSHOT), UPDATE_SNAPSHOT),
            self.step if of_all else self._of_tree,
            self.rename,
            self._relabelled if of_all else lambda state: self._relabelled(NodeListing(state.tree)),
            self.sorts,
            {action for field in fields for action in ACTIONS_OF[field]},
            partial(self._ask_ahead, of_all),
        )

    def _ask_ahead(self, of_all: bool, steps: Sequence[tuple[NodeListing, Action]]) -> None:
        """Ask the first rule that each of these steps calls, of all steps at once."""
        rules, name = self.rules, steps[0][1].name
        if name == "add_node":
            ask_ahead(rules.add_node, [(state.tree, action["node"], action["zone"]) for state, action in steps])
        elif name != "update_snapshot":
            nodes = [(state.tree, action["node"]) for state, action in steps]
            ask_ahead(rules.remove_node, [(tree, node, tree.zone_of(node) or "") for tree, node in nodes])
        elif of_all:
            ask_ahead(rules.update_snapshot, [(state.tree, state.snapshot, rules.list_nodes) for state, _ in steps])
        else:
            ask_ahead(rules.list_nodes, [(state.tree,) for state, _ in steps])

    def _of_tree(self, state: NodeListing, action: Action) -> NodeListing:
        """What `action` makes of a tree, whatever the last snapshot was. A snapshot is one call of `list_nodes`.

        How often a snapshot calls the rule depends on the last snapshot. Calls in a row give every number.
        """
        if action != UPDATE_SNAPSHOT:
            return self.step(NodeListing(state.tree), action)
        names, listed = self.rules.list_nodes(state.tree)
        return NodeListing(listed, Snapshot(names))

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return {
            "node": tuple(f"n{i + 1}" for i in range(self.scope.nodes)),
            "zone": tuple(f"z{i + 1}" for i in range(self.scope.zones)),
        }

    def initial_states(self) -> tuple[NodeListing, ...]:
        return (NodeListing(),)

    @cached_property
    def _adds(self) -> dict[str, tuple[Action, ...]]:
        zones = self.sorts["zone"]
        return {n: tuple(Action.of("add_node", node=n, zone=z) for z in zones) for n in self.sorts["node"]}

    @cached_property
    def _updates(self) -> dict[tuple[str, str], tuple[Action, ...]]:
        nodes, zones = self.sorts["node"], self.sorts["zone"]
        return {
            (n, old): tuple(Action.of("update_node", node=n, zone=z) for z in zones if z != old)
            for n in nodes
            for old in zones
        }

    @cached_property
    def _removes(self) -> dict[str, Action]:
        return {n: Action.of("remove_node", node=n) for n in self.sorts["node"]}

    @cached_property
    def offers(self) -> tuple[Offer[NodeListing], ...]:
        return self._node_events, self._snapshots

    def _node_events(self, state: NodeListing) -> Iterator[Action]:
        nodes, zone_of = self.sorts["node"], dict(state.tree.ask(_zone_of_each))
        for node in nodes:
            if node not in zone_of:
                yield from self._adds[node]
        for node in nodes:
            if node in zone_of:
                yield self._removes[node]
        if self.scope.moves:
            for node in nodes:
                if node in zone_of:
                    yield from self._updates[node, zone_of[node]]

    def _snapshots(self, state: NodeListing) -> Iterator[Action]:
        """A second snapshot of nothing changes nothing, and is not offered."""
        if state.tree.sorted_names() or state.snapshot.node_info_map:
            yield UPDATE_SNAPSHOT

    def ends(self, state: NodeListing) -> bool:
        return False

    def actions(self, state: NodeListing) -> Iterator[Action]:
        for offer in self.offers:
            yield from offer(state)

    def step(self, state: NodeListing, action: Action) -> NodeListing:
        tree = state.tree
        match action.name:
            case "add_node":
                return self._changed(state, self._tree.add_node(tree, action["node"], action["zone"]))
            case "remove_node":
                node = action["node"]
                error, tree = self._tree.remove_node(tree, node, tree.zone_of(node) or "")
                met_error("removeNode", error)
                return self._changed(state, tree)
            case "update_node":
                node = action["node"]
                old_zone = tree.zone_of(node) or ""
                return self._changed(state, update_node(self._tree, tree, node, old_zone, action["zone"]))
            case "update_snapshot":
                (tree, snapshot), met = with_errors_met(lambda: self._updated_snapshot(state))
                meet_again(met)
                failed = any(error.function == "UpdateSnapshot" for error in met)
                return evolve(state, tree=tree, snapshot=snapshot, fresh=True, failed=failed)
        raise ValueError(f"node-listing has no action {action.name}")

    def _updated_snapshot(self, state: NodeListing) -> tuple[NodeTree, Snapshot]:
        update = self.rules.update_snapshot
        if "update_snapshot" in self._outside:
            return update(whole(state.tree), whole(state.snapshot), self.rules.list_nodes)
        return update(state.tree, state.snapshot, self._tree.list_nodes)

    def errors(self, state: NodeListing, action: Action) -> MetErrors:
        return errors_met(lambda: self.step(state, action))

    def _changed(self, state: NodeListing, tree: NodeTree) -> NodeListing:
        changed = evolve(state, tree=tree, fresh=False)
        return evolve(changed, snapshot=Snapshot()) if self._forgets else changed

    def rename(self, state: NodeListing, names: Mapping[str, str]) -> NodeListing:
        tree, snapshot = state.tree, state.snapshot
        return NodeListing(
            NodeTree(
                tuple(names[zone] for zone in tree.zones),
                tuple(NodeArray(tuple(names[n] for n in array.nodes), array.last_index) for array in tree.tree),
                tree.zone_index,
                tree.num_nodes,
            ),
            Snapshot(
                tuple(names[n] for n in snapshot.node_info_list),
                tuple(sorted(names[n] for n in snapshot.node_info_map)),
            ),
            state.fresh,
            state.failed,
        )

    def canonical(self, state: NodeListing, fixed: frozenset[str] = frozenset()) -> NodeListing:
        return self._relabelled(state, fixed) if self.symmetric else state

    def _relabelled(self, state: NodeListing, fixed: frozenset[str] = frozenset()) -> NodeListing:
        return self.rename(state, self.relabelling(state, fixed))

    def relabelling(self, state: NodeListing, fixed: frozenset[str] = frozenset()) -> Mapping[str, str]:
        """Relabel in order of appearance: zones in tree order; nodes in tree order, then as the list has them.

        Exact and linear: tree and list are sequences, so a position tells identifiers apart; names that only the
        map has are told apart by nothing.
        """
        zones, seen = state.tree.ask(_appearing)
        nodes, snapshot = self.sorts["node"], state.snapshot
        for further in ("node_info_list", "node_info_map"):
            if len(set(seen)) < len(nodes):
                seen = (*seen, *getattr(snapshot, further))
        return _in_order(self.sorts["zone"], zones, fixed) | _in_order(nodes, seen, fixed)


def _zone_of_each(tree: NodeTree) -> tuple[tuple[str, str], ...]:
    """(node, zone) for each node, in the order of the names. Of a name in two zones the later one in the tree."""
    found = {name: zone for zone, array in zip(tree.zones, tree.tree, strict=True) for name in array.nodes}
    return tuple(sorted(found.items()))


def _appearing(tree: NodeTree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tree.zones, tree.names()


def _in_order(sort: tuple[str, ...], seen: tuple[str, ...], fixed: frozenset[str]) -> dict[str, str]:
    """Give the names in `seen`, in that order, and then all others, the names of `sort` that are not fixed."""
    free = iter([name for name in sort if name not in fixed])
    return {name: name if name in fixed else next(free) for name in dict.fromkeys((*seen, *sort))}
