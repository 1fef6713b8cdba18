"""node-listing as Z3 formulas: states as Bools, one transition formula, the properties negated.

Says the same as `model.systems.node_listing` and `model.scheduler.cache.node_list`; tests compare the two on every
reachable state of small scopes.
"""

from collections.abc import Mapping
from functools import partial

from attrs import frozen
from z3 import Bool, BoolRef

from model.machine import Action
from model.scheduler.cache import node_tree as py_tree
from model.systems.node_listing import NodeListing, NodeListingMachine, NodeListingRules, NodeListingScope
from properties.forms import Forms, without_form
from properties.node_listing import listing as props
from properties.smt.bits import (
    Bit,
    OneHot,
    all_of,
    any_of,
    choose,
    choose_each,
    count,
    exactly_one,
    formula,
    negate,
    one_hot,
    same,
    same_count,
)
from properties.smt.form import Cells, SmtForm
from properties.smt.node_listing import node_tree
from properties.smt.node_listing.node_tree import ListNodesForm, SmtTree, checked_form, choose_tree
from properties.smt.node_listing.proof import EVERY_CYCLE, proofs_for

MAX_NODES, MAX_ZONES = 5, 4

LIST_NODES: Forms[ListNodesForm] = Forms(
    "list_nodes",
    {
        py_tree.list_from_resuming_cursors: node_tree.list_from_resuming_cursors,
        py_tree.list_from_reset_cursors: node_tree.list_from_reset_cursors,
        py_tree.list_stateless: node_tree.list_stateless,
        props.list_one_per_zone: node_tree.list_one_per_zone,
    },
)
ADD_NODE = Forms("add_node", {py_tree.add_node: node_tree.add_node})
# The two wordings of the error text differ in nothing that a state keeps.
REMOVE_NODE = Forms(
    "remove_node",
    {py_tree.remove_node: node_tree.remove_node, py_tree.remove_node_unquoted: node_tree.remove_node},
)


@frozen
class SmtState:
    """A state of the system as bits."""

    tree: SmtTree
    # `[r][n]`: entry r of the list is node n.
    node_info_list: list[OneHot]
    # `[n]`: the snapshot has the NodeInfo of node n.
    node_info_map: list[Bit]
    # Whether the tree has not changed since the snapshot was taken.
    fresh: Bit
    # Whether the last `UpdateSnapshot` answered an error.
    failed: Bit

    def bits(self) -> list[Bit]:
        """All bits in a fixed order, as `_Encoding.state` reads them."""
        tree = self.tree
        rows = [*tree.zones, *(entry for array in tree.arrays for entry in array), *tree.last_index]
        rows += [tree.zone_index, *self.node_info_list, self.node_info_map, [self.fresh, self.failed]]
        return [bit for row in rows for bit in row]


def encode(
    scope: NodeListingScope, rules: NodeListingRules, fix_forms: Mapping[str, ListNodesForm] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none.

    `fix_forms`: formulas that a fix brings for its own rules, by field; known here is `list_nodes`:
    `list_nodes_smt(tree: SmtTree) -> (names, tree)`, where `names` has one one-hot node for each place of the list
    (as many as the scope has nodes; "none" beyond the end) and `tree` is the given one with other cursors at most.
    `properties.smt.node_listing.node_tree` has the built-in ones as examples and `properties.smt.bits` the vocabulary.
    The form's `transition` raises FormError where one of them returns something else.
    """
    forms = dict(fix_forms or {})
    if scope.nodes > MAX_NODES or scope.zones > MAX_ZONES:
        return f"the formulas are made for at most {MAX_NODES} nodes and {MAX_ZONES} zones: give --scope smaller ones"
    brought = not LIST_NODES.has(rules) and "list_nodes" in forms
    unknown = without_form(rules, (LIST_NODES, ADD_NODE, REMOVE_NODE, EVERY_CYCLE), ["list_nodes"] if brought else [])
    if unknown is not None:
        hint = "" if LIST_NODES.has(rules) or brought else ": define list_nodes_smt beside it"
        return f"the rule {unknown} comes from outside and has no Z3 formula{hint}"
    list_nodes = checked_form("list_nodes_smt", forms["list_nodes"]) if brought else LIST_NODES.of(rules)
    encoding = _Encoding(NodeListingMachine(scope, rules), list_nodes)
    return SmtForm(
        cells=encoding.cells,
        initial=lambda cells: encoding.pin(cells, NodeListing()),
        actions=encoding.actions,
        enabled=lambda cells, i: formula(encoding.enabled(encoding.state(cells), encoding.actions[i])),
        transition=encoding.transition,
        pin=encoding.pin,
        violations={
            props.LISTED_EXACTLY_ONCE.name: encoding.not_once,
            props.LIST_LENGTH.name: encoding.other_length,
            props.RELISTED_SAME_NODES.name: encoding.not_relisted,
            props.NO_NEEDLESS_ERROR.name: encoding.fails,
            props.OFFERED_WHEN_QUIET.name: encoding.not_offered,
            props.OFFERED_UNDER_CHURN.name: encoding.not_offered,
        },
        premises={
            props.LISTED_EXACTLY_ONCE.name: encoding.taken,
            props.LIST_LENGTH.name: encoding.taken,
            props.RELISTED_SAME_NODES.name: encoding.lists_again,
            props.NO_NEEDLESS_ERROR.name: lambda before, taken, after: formula(True),
            props.OFFERED_WHEN_QUIET.name: encoding.in_tree,
            props.OFFERED_UNDER_CHURN.name: encoding.in_tree,
        },
        proofs=proofs_for(rules),
        from_outside=("list_nodes",) if brought else (),
    )


class _Encoding:
    """The formulas of one machine. Nodes and zones are numbered in the order of `machine.sorts`."""

    def __init__(self, machine: NodeListingMachine, list_nodes: ListNodesForm) -> None:
        self.scope = machine.scope
        self.list_nodes = list_nodes
        self.add_node, self.remove_node = ADD_NODE.of(machine.rules), REMOVE_NODE.of(machine.rules)
        self.every_cycle = EVERY_CYCLE.of(machine.rules)
        self.node = {name: i for i, name in enumerate(machine.sorts["node"])}
        self.zone = {name: i for i, name in enumerate(machine.sorts["zone"])}
        nodes, zones = tuple(self.node), tuple(self.zone)
        self.actions = (
            *(Action.of("add_node", node=n, zone=z) for n in nodes for z in zones),
            *(Action.of("remove_node", node=n) for n in nodes),
            *(Action.of("update_node", node=n, zone=z) for n in nodes for z in zones if self.scope.moves),
            Action.of("update_snapshot"),
        )
        self.width = len(self._empty().bits())

    def _empty(self) -> SmtState:
        n = self.scope.nodes
        return SmtState(SmtTree.empty(n, self.scope.zones), [one_hot(None, n)] * n, one_hot(None, n), False, False)

    def cells(self, tag: str) -> Cells:
        return tuple(Bool(f"s{i}@{tag}") for i in range(self.width))

    def state(self, cells: Cells) -> SmtState:
        rest = iter(cells)

        def rows(count: int, width: int) -> list[OneHot]:
            return [[next(rest) for _ in range(width)] for _ in range(count)]

        n, z = self.scope.nodes, self.scope.zones
        zones = rows(z, z)
        arrays = [rows(n, n) for _ in range(z)]
        tree = SmtTree(zones, arrays, rows(z, n + 1), rows(1, z + 1)[0])
        return SmtState(tree, rows(n, n), rows(1, n)[0], next(rest), next(rest))

    def constant(self, state: NodeListing) -> SmtState:
        """The bits of a Python state."""
        n, z = self.scope.nodes, self.scope.zones

        def nodes(names: tuple[str, ...]) -> list[OneHot]:
            padded: list[str | None] = [*names, *[None] * (n - len(names))]
            return [one_hot(None if name is None else self.node[name], n) for name in padded]

        tree, spare = state.tree, z - len(state.tree.zones)
        return SmtState(
            SmtTree(
                [one_hot(self.zone[name], z) for name in tree.zones] + [one_hot(None, z)] * spare,
                [nodes(array.nodes) for array in tree.tree] + [nodes(())] * spare,
                [one_hot(array.last_index, n + 1) for array in tree.tree] + [one_hot(0, n + 1)] * spare,
                one_hot(tree.zone_index, z + 1),
            ),
            nodes(state.snapshot.node_info_list),
            [name in state.snapshot.node_info_map for name in self.node],
            state.fresh,
            state.failed,
        )

    def pin(self, cells: Cells, state: NodeListing) -> BoolRef:
        return formula(all_of(*map(same, cells, self.constant(state).bits())))

    def enabled(self, state: SmtState, action: Action) -> Bit:
        tree = state.tree
        if action.name == "update_snapshot":
            return any_of(tree.has_zone(0), *state.node_info_map)
        node = self.node[action["node"]]
        if action.name == "add_node":
            return negate(tree.has_node(node))
        if action.name == "remove_node":
            return tree.has_node(node)
        return all_of(tree.has_node(node), negate(tree.in_zone(node, self.zone[action["zone"]])))

    def transition(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        state = self.state(before)
        by_action = list(zip(self.actions, taken, strict=True))

        def named(*names: str, **args: str) -> Bit:
            """Some action of these names with these arguments is taken."""
            wanted = set(args.items())
            return any_of(*(bit for action, bit in by_action if action.name in names and wanted <= set(action.args)))

        node = [named("add_node", "remove_node", "update_node", node=n) for n in self.node]
        zone = [named("add_node", "update_node", zone=z) for z in self.zone]
        adds, removes, snapshot = named("add_node"), named("remove_node"), named("update_snapshot")
        without = choose_tree(adds, state.tree, self.remove_node(state.tree, node))
        changed = choose_tree(removes, without, self.add_node(without, node, zone))
        taken_state = self.update_snapshot(state)
        tree = choose_tree(snapshot, taken_state.tree, changed)
        kept = self._empty() if self.every_cycle else state
        listed = node_tree.relisted(kept.node_info_list, taken_state.node_info_list, snapshot)
        known = choose_each(snapshot, taken_state.node_info_map, kept.node_info_map)
        following = SmtState(tree, listed, known, snapshot, choose(snapshot, taken_state.failed, state.failed))
        guards = (any_of(negate(bit), self.enabled(state, action)) for action, bit in by_action)
        return formula(all_of(exactly_one(taken), *guards, *map(same, after, following.bits())))

    def update_snapshot(self, state: SmtState) -> SmtState:
        """The state after a snapshot, by the rule."""
        tree = state.tree
        if self.every_cycle:
            names, listed_tree = self.list_nodes(tree)
            return SmtState(listed_tree, names, self._empty().node_info_map, True, False)
        first, inconsistent = self._before_check(state)
        names, listed_tree = self.list_nodes(first.tree)
        last = choose_tree(inconsistent, listed_tree, first.tree)
        listed = node_tree.relisted(first.node_info_list, names, inconsistent)
        return SmtState(last, listed, first.node_info_map, True, inconsistent)

    def _before_check(self, state: SmtState) -> tuple[SmtState, Bit]:
        """The state in which `UpdateSnapshot` compares lengths, and whether the lengths differ (1.18 on)."""
        tree = state.tree
        cache = [tree.has_node(n) for n in range(self.scope.nodes)]
        changed = negate(all_of(*map(same, cache, state.node_info_map)))
        names, listed_tree = self.list_nodes(tree)
        first = choose_tree(changed, listed_tree, tree)
        listed = node_tree.relisted(state.node_info_list, names, changed)
        inconsistent = negate(same_count(self._length(listed), tree.num_nodes()))
        return SmtState(first, listed, cache, True, inconsistent), inconsistent

    def fails(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """A snapshot is taken that is not consistent. The built-in `removeNode` finds every node of the tree."""
        if self.every_cycle:
            return formula(False)
        _, inconsistent = self._before_check(self.state(before))
        return formula(all_of(self._snapshot(taken), inconsistent))

    def _snapshot(self, taken: Cells) -> Bit:
        return any_of(
            *(bit for action, bit in zip(self.actions, taken, strict=True) if action.name == "update_snapshot")
        )

    def _length(self, names: list[OneHot]) -> OneHot:
        return count([any_of(*name) for name in names], self.scope.nodes)

    def taken(self, cells: Cells) -> BoolRef:
        state = self.state(cells)
        return formula(all_of(state.fresh, state.tree.has_zone(0)))

    def lists_again(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """A snapshot is taken of a tree that has not changed since the one before."""
        return formula(all_of(self._snapshot(taken), self.taken(before)))

    def in_tree(self, cells: Cells, entity: str) -> BoolRef:
        return formula(self.state(cells).tree.has_node(self.node[entity]))

    def not_once(self, cells: Cells) -> BoolRef:
        state = self.state(cells)
        wrong: list[Bit] = []
        for n in range(self.scope.nodes):
            places = [name[n] for name in state.node_info_list]
            wrong.append(negate(same(any_of(*places), state.tree.has_node(n))))
            wrong += [all_of(a, b) for i, a in enumerate(places) for b in places[:i]]
        return formula(all_of(state.fresh, any_of(*wrong)))

    def other_length(self, cells: Cells) -> BoolRef:
        state = self.state(cells)
        equal = same_count(self._length(state.node_info_list), state.tree.num_nodes())
        return formula(all_of(state.fresh, negate(equal)))

    def not_relisted(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        first, second = self.state(before), self.state(after)
        times = partial(count, limit=self.scope.nodes)
        equal = all_of(
            *(
                same_count(times(e[n] for e in first.node_info_list), times(e[n] for e in second.node_info_list))
                for n in range(self.scope.nodes)
            )
        )
        return formula(all_of(self.lists_again(before, taken, after), negate(equal)))

    def not_offered(self, cells: Cells, entity: str) -> BoolRef:
        state, n = self.state(cells), self.node[entity]
        listed: Bit = any_of(*(name[n] for name in state.node_info_list))
        return formula(choose(all_of(listed, negate(state.failed)), False, state.tree.has_node(n)))
