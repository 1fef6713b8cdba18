"""For any number of nodes in each zone: the stateless `list` (1.20 to 1.31) gives each node exactly once.

The twin of `node_tree_proof` for a listing without cursors: row after row, in each row zone after zone. Same tree, same
watched entry.
"""

from functools import partial
from typing import Any

from attrs import frozen
from z3 import And, ArithRef, BoolRef, If, Int, Not, Or, Sum

from properties.smt.form import Obligation
from properties.smt.node_tree_proof import number


@frozen
class Rows:
    """A listing inside row `row` (Go's `nodeIndex`), before it looks at zone `zone` (at its end: the number)."""

    m: tuple[ArithRef, ...]
    row: ArithRef
    zone: ArithRef
    produced: ArithRef
    seen: ArithRef
    watched: ArithRef
    index: ArithRef

    @classmethod
    def of(cls, zones: int, tag: str = "") -> "Rows":
        """Fresh variables. The tree and the watched node are the same under every tag."""
        m = tuple(Int(f"m[{z}]") for z in range(zones))
        changing = {name: Int(name + tag) for name in ("row", "zone", "produced", "seen")}
        return cls(m=m, watched=Int("watched"), index=Int("index"), **changing)

    @property
    def zones(self) -> range:
        return range(len(self.m))

    def tree(self) -> BoolRef:
        """No zone is empty, and the watched entry exists."""
        chosen = Or(*(And(self.watched == z, self.index < self.m[z]) for z in self.zones))
        return And(*(size >= 1 for size in self.m), self.index >= 0, chosen)

    def taken(self, z: int) -> ArithRef:
        """How many nodes of zone `z` were given."""
        rows = self.row + If(z < self.zone, 1, 0)
        return If(self.m[z] <= rows, self.m[z], rows)

    def invariant(self) -> BoolRef:
        """What was given is the rows before this one, and this one up to the zone."""
        passed = Or(*(And(self.watched == z, self.taken(z) > self.index) for z in self.zones))
        return And(
            self.row >= 0,
            self.zone >= 0,
            self.zone <= len(self.m),
            self.produced == Sum(*(self.taken(z) for z in self.zones)),
            self.seen == If(passed, 1, 0),
        )

    def running(self) -> BoolRef:
        """Names are still to be given; looked at before each row only."""
        return self.produced < Sum(*self.m)

    def row_has_names(self) -> BoolRef:
        """Some zone has a node in this row: otherwise the listing stops with what it has."""
        return Or(*(self.row < size for size in self.m))

    def look(self, z: int, after: "Rows") -> BoolRef:
        """Zone `z` gives its node of this row, if it has one."""
        gives = self.row < self.m[z]
        hit = And(gives, self.watched == z, self.index == self.row)
        return And(
            self.zone == z,
            after.zone == z + 1,
            after.row == self.row,
            after.produced == self.produced + If(gives, 1, 0),
            after.seen == self.seen + If(hit, 1, 0),
        )

    def next_row(self, after: "Rows") -> BoolRef:
        """The row is complete."""
        kept = And(after.produced == self.produced, after.seen == self.seen)
        return And(self.zone == len(self.m), after.zone == 0, after.row == self.row + 1, kept)

    def show(self, model: Any) -> str:
        """A model as numbers."""
        value = partial(number, model)
        sizes = ", ".join(str(value(size)) for size in self.m)
        at = f"row {value(self.row)}, zone {value(self.zone)}"
        return f"zones of {sizes} nodes; {at}; {value(self.produced)} names given"


def row_obligations(zones: int) -> tuple[Obligation, ...]:
    """What makes the stateless listing right in a tree of `zones` zones."""
    now, after = Rows.of(zones), Rows.of(zones, "'")
    inside = [now.tree(), now.invariant()]
    looks = Or(*(now.look(z, after) for z in now.zones))
    begins = And(now.tree(), now.row == 0, now.zone == 0, now.produced == 0, now.seen == 0)
    row_begins = And(now.zone == 0, now.running())
    ended = And(now.zone == 0, Not(now.running()))

    def claim(name: str, *formulas: BoolRef) -> Obligation:
        return Obligation(f"{zones} zones: {name}", lambda: list(formulas), "unsat", now.show)

    def possible(name: str, *formulas: BoolRef) -> Obligation:
        return Obligation(f"{zones} zones: {name} can be", lambda: list(formulas), "sat", now.show)

    return (
        claim("start", begins, Not(now.invariant())),
        claim("a look at a zone keeps the invariant", *inside, looks, Not(after.invariant())),
        claim("the end of a row keeps the invariant", *inside, now.next_row(after), Not(after.invariant())),
        claim("no row is empty before the end", *inside, row_begins, Not(now.row_has_names())),
        claim("no more names than nodes", *inside, now.produced > Sum(*now.m)),
        claim("at the end each node was given once", *inside, ended, Not(now.seen == 1)),
        possible("start", begins),
        possible("a look at a zone", *inside, looks),
        possible("the end of a row", *inside, now.next_row(after)),
        possible("a row's start", *inside, row_begins),
        possible("the end", *inside, ended),
    )
