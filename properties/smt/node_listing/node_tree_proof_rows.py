"""For any number of nodes in each zone: the stateless `list` (1.20 to 1.31) gives each node exactly once.

The twin of `node_tree_proof` for a listing without cursors: row after row, in each row zone after zone.
"""

from functools import partial
from typing import Any

from attrs import frozen
from z3 import And, ArithRef, BoolRef, If, Int, Not, Or, Sum

from properties.smt.form import Obligation
from properties.smt.node_listing.watched_tree import WatchedTree, number, zone_sizes


@frozen(kw_only=True)
class Rows(WatchedTree):
    """A listing inside a row, before it looks at a zone."""

    # The row (Go: `nodeIndex`).
    row: ArithRef
    # The zone; at the end of the row, the number of zones.
    zone: ArithRef
    # How many names were listed so far.
    produced: ArithRef
    # How often the watched node was listed.
    seen: ArithRef

    @classmethod
    def of(cls, zones: int, tag: str = "") -> "Rows":
        """Fresh variables. The tree and the watched node are the same under every tag."""
        changing = {name: Int(name + tag) for name in ("row", "zone", "produced", "seen")}
        return cls(m=zone_sizes(zones), **changing)

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
        return self.produced < self.total()

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
    return (
        now.claim("start", begins, Not(now.invariant())),
        now.claim("a look at a zone keeps the invariant", *inside, looks, Not(after.invariant())),
        now.claim("the end of a row keeps the invariant", *inside, now.next_row(after), Not(after.invariant())),
        now.claim("no row is empty before the end", *inside, row_begins, Not(now.row_has_names())),
        now.claim("no more names than nodes", *inside, now.produced > now.total()),
        now.claim("at the end each node was given once", *inside, ended, Not(now.seen == 1)),
        now.possible("start", begins),
        now.possible("a look at a zone", *inside, looks),
        now.possible("the end of a row", *inside, now.next_row(after)),
        now.possible("a row's start", *inside, row_begins),
        now.possible("the end", *inside, ended),
    )
