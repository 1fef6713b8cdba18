"""nodeTree as Bools: the same functions as `model.scheduler.cache.node_tree`, on one-hot values in a bounded scope.

Zones and nodes are numbers. Positions count zones in the tree's order. A cursor that Go stores as a number stands here
as a one-hot value of the same range. Where a position has no zone, its array and its cursor are "none" and 0, so that
equal trees have equal cells.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve, frozen
from z3 import BoolRef

from properties.smt.bits import (
    Bit,
    OneHot,
    all_of,
    any_of,
    at_least,
    choose,
    choose_each,
    count,
    increment,
    negate,
    one_hot,
)
from properties.smt.form import FormError


@frozen
class SmtTree:
    """`zones[p][z]`: position p has zone z. `arrays[p][i][n]`: entry i there is node n.

    `last_index[p][i]` and `zone_index[p]` are the cursors.
    """

    zones: list[OneHot]
    arrays: list[list[OneHot]]
    last_index: list[OneHot]
    zone_index: OneHot

    @classmethod
    def empty(cls, nodes: int, zones: int) -> "SmtTree":
        """The empty tree of a scope."""
        return cls(
            [one_hot(None, zones) for _ in range(zones)],
            [[one_hot(None, nodes) for _ in range(nodes)] for _ in range(zones)],
            [one_hot(0, nodes + 1) for _ in range(zones)],
            one_hot(0, zones + 1),
        )

    @property
    def max_nodes(self) -> int:
        return len(self.arrays[0])

    @property
    def positions(self) -> range:
        return range(len(self.zones))

    def used(self, position: int, index: int) -> Bit:
        """The array at `position` has an entry `index`."""
        return any_of(*self.arrays[position][index])

    def has_zone(self, position: int) -> Bit:
        """There is a zone at `position`."""
        return any_of(*self.zones[position])

    def has_node(self, node: int) -> Bit:
        """Some zone has `node`."""
        return any_of(*(entry[node] for array in self.arrays for entry in array))

    def in_zone(self, node: int, zone: int) -> Bit:
        """`zone` has `node`."""
        return any_of(
            *(all_of(self.zones[p][zone], any_of(*(entry[node] for entry in self.arrays[p]))) for p in self.positions)
        )

    def num_nodes(self) -> OneHot:
        """How many nodes there are; each name stands in the tree once, because the system adds absent ones only."""
        return count([self.has_node(n) for n in range(self.max_nodes)], self.max_nodes)


ListNodesForm = Callable[[SmtTree], tuple[list[OneHot], SmtTree]]


def checked_form(name: str, form: ListNodesForm) -> ListNodesForm:
    """`form`, which came from outside as `name`, so that a result of another shape is a FormError."""

    def call(tree: SmtTree) -> tuple[list[OneHot], SmtTree]:
        result: Any = form(tree)
        names = [tree.arrays[0][0]] * tree.max_nodes
        if not (isinstance(result, tuple) and len(result) == 2 and _like(result[0], names)):
            wanted = f"{tree.max_nodes} one-hot names of {tree.max_nodes} bits each"
        elif not (isinstance(result[1], SmtTree) and _like(_rows_of(result[1]), _rows_of(tree))):
            wanted = "an SmtTree like the given one"
        else:
            return result[0], result[1]
        raise FormError(f"{name} must return (names, tree), but did not return {wanted}")

    return call


def _rows_of(tree: SmtTree) -> tuple[Any, ...]:
    return tree.zones, tree.arrays, tree.last_index, tree.zone_index


def _like(value: Any, pattern: Any) -> bool:
    """Rows of bits, as many and as long as those of `pattern`."""
    if isinstance(pattern, bool | BoolRef):
        return isinstance(value, bool | BoolRef)
    return isinstance(value, list | tuple) and len(value) == len(pattern) and all(map(_like, value, pattern))


def choose_tree(condition: Bit, then: SmtTree, otherwise: SmtTree) -> SmtTree:
    """`then` if `condition`, else `otherwise`."""
    return SmtTree(
        [choose_each(condition, a, b) for a, b in zip(then.zones, otherwise.zones, strict=True)],
        [
            [choose_each(condition, a, b) for a, b in zip(x, y, strict=True)]
            for x, y in zip(then.arrays, otherwise.arrays, strict=True)
        ],
        [choose_each(condition, a, b) for a, b in zip(then.last_index, otherwise.last_index, strict=True)],
        choose_each(condition, then.zone_index, otherwise.zone_index),
    )


def add_node(tree: SmtTree, node: Sequence[Bit], zone: Sequence[Bit]) -> SmtTree:
    """Append the one-hot `node`, which no zone has, to the array of the one-hot `zone`, last or new in the tree."""
    here = [any_of(*(all_of(a, b) for a, b in zip(zone, z, strict=True))) for z in tree.zones]
    known = any_of(*here)
    zones, arrays = [], []
    for p in tree.positions:
        first_free = all_of(negate(tree.has_zone(p)), tree.has_zone(p - 1) if p else True)
        new = all_of(negate(known), first_free)
        zones.append([any_of(old, all_of(new, z)) for old, z in zip(tree.zones[p], zone, strict=True)])
        array = []
        for i, entry in enumerate(tree.arrays[p]):
            end = all_of(negate(tree.used(p, i)), tree.used(p, i - 1) if i else True)
            append = all_of(any_of(here[p], new), end)
            array.append([any_of(old, all_of(append, n)) for old, n in zip(entry, node, strict=True)])
        arrays.append(array)
    return SmtTree(zones, arrays, tree.last_index, tree.zone_index)


def remove_node(tree: SmtTree, node: Sequence[Bit]) -> SmtTree:
    """Take the one-hot `node` out, and its zone too when that is empty then. No cursor moves."""
    nobody = one_hot(None, tree.max_nodes)
    arrays: list[list[OneHot]] = []
    emptied: list[Bit] = []
    for array in tree.arrays:
        gone: Bit = False
        shorter = []
        for i, entry in enumerate(array):
            gone = any_of(gone, *(all_of(a, b) for a, b in zip(entry, node, strict=True)))
            shorter.append(choose_each(gone, array[i + 1] if i + 1 < len(array) else nobody, entry))
        arrays.append(shorter)
        emptied.append(all_of(gone, negate(any_of(*shorter[0]))))
    bare = SmtTree.empty(tree.max_nodes, len(tree.zones))
    zones, closed, last_index = [], [], []
    moved: Bit = False
    for p in tree.positions:
        moved = any_of(moved, emptied[p])
        last = p + 1 == len(tree.zones)
        zones.append(choose_each(moved, bare.zones[p] if last else tree.zones[p + 1], tree.zones[p]))
        last_index.append(
            choose_each(moved, bare.last_index[p] if last else tree.last_index[p + 1], tree.last_index[p])
        )
        following = bare.arrays[p] if last else arrays[p + 1]
        closed.append([choose_each(moved, a, b) for a, b in zip(following, arrays[p], strict=True)])
    return SmtTree(zones, closed, last_index, tree.zone_index)


def reset_exhausted(tree: SmtTree) -> SmtTree:
    """All cursors back to the start."""
    start = SmtTree.empty(tree.max_nodes, len(tree.zones))
    return evolve(tree, last_index=start.last_index, zone_index=start.zone_index)


def next_node(tree: SmtTree, wanted: Bit) -> tuple[OneHot, SmtTree]:
    """One call of `next` if `wanted`, of a tree with zones, each of which has nodes (the tree drops empty ones).

    The loop looks at no more than one zone more than there are: after so many exhausted ones every cursor is back at
    the start, and the first zone gives its first node.
    """
    positions, last_value = tree.positions, tree.max_nodes
    present = [tree.has_zone(p) for p in positions]
    zone_count = count(present, len(present))
    name = one_hot(None, tree.max_nodes)
    exhausted_zones = one_hot(0, len(present) + 1)
    last_index, zone_index = tree.last_index, tree.zone_index
    running = wanted
    for _ in range(len(present) + 1):
        beyond = any_of(*(all_of(zone_index[p], negate(present[p])) for p in positions), zone_index[-1])
        at = [all_of(zone_index[p], present[p]) for p in positions]
        at[0] = any_of(at[0], beyond)
        exhausted, takes = [], []
        for p in positions:
            left = [all_of(last_index[p][i], tree.used(p, i)) for i in range(last_value)]
            takes.append(all_of(running, at[p], any_of(*left)))
            exhausted.append(all_of(running, at[p], negate(any_of(*left))))
            for n in range(tree.max_nodes):
                found = (all_of(takes[p], left[i], tree.arrays[p][i][n]) for i in range(last_value))
                name[n] = any_of(name[n], *found)
        last_index = [increment(last_index[p], takes[p]) for p in positions]
        zone_index = choose_each(running, [False, *at], zone_index)
        miss = any_of(*exhausted)
        exhausted_zones = increment(exhausted_zones, miss)
        reset = all_of(
            miss, any_of(*(all_of(zone_count[k], at_least(exhausted_zones, k)) for k in range(1, len(zone_count))))
        )
        start = one_hot(0, last_value + 1)
        last_index = [choose_each(reset, start, cursor) for cursor in last_index]
        zone_index = choose_each(reset, one_hot(0, len(zone_index)), zone_index)
        running = miss
    return name, SmtTree(tree.zones, tree.arrays, last_index, zone_index)


def list_from_resuming_cursors(tree: SmtTree) -> tuple[list[OneHot], SmtTree]:
    """`num_nodes` calls of `next` that begin where the last listing stopped."""
    num_nodes = tree.num_nodes()
    names = []
    for call in range(tree.max_nodes):
        name, tree = next_node(tree, at_least(num_nodes, call + 1))
        names.append(name)
    return names, tree


def list_from_reset_cursors(tree: SmtTree) -> tuple[list[OneHot], SmtTree]:
    """`resetExhausted`, then `num_nodes` calls of `next`."""
    return list_from_resuming_cursors(reset_exhausted(tree))


def list_stateless(tree: SmtTree) -> tuple[list[OneHot], SmtTree]:
    """Round robin over zones with local indices."""
    return _rows(tree, tree.max_nodes), tree


def list_one_per_zone(tree: SmtTree) -> tuple[list[OneHot], SmtTree]:
    """The mutant: the first round only."""
    return _rows(tree, 1), tree


def _rows(tree: SmtTree, rows: int) -> list[OneHot]:
    """Entry 0 of each array, then entry 1 of each, up to `rows`: each stands where those before it end."""
    names = [one_hot(None, tree.max_nodes) for _ in range(tree.max_nodes)]
    listed = one_hot(0, tree.max_nodes + 1)
    for i in range(rows):
        for p in tree.positions:
            for rank, name in enumerate(names):
                here = listed[rank]
                names[rank] = [any_of(old, all_of(here, n)) for old, n in zip(name, tree.arrays[p][i], strict=True)]
            listed = increment(listed, tree.used(p, i))
    return names


def relisted(first: list[OneHot], again: list[OneHot], condition: Bit) -> list[OneHot]:
    """`again` if `condition`, else `first`."""
    return [[choose(condition, a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(again, first, strict=True)]
