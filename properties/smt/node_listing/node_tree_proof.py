"""For any number of nodes in each zone: a listing from reset cursors, or without cursors, takes each node exactly once.

The enumeration itself is the transition system, one look at a zone for a step, in the tree of `watched_tree` with 1 to
8 zones; `seen` counts how often the watched node was taken.

Taken for granted: zones of the tree are not empty and `num_nodes` is the sum of the arrays' lengths; the obligations
of `properties.smt.node_listing.proof` show that adding and removing keep it so.
"""

from functools import partial
from typing import Any

from attrs import frozen
from z3 import And, ArithRef, BoolRef, BoolVal, If, Implies, Int, Not, Or, Sum

from properties.smt.form import Obligation
from properties.smt.node_listing.watched_tree import WatchedTree, number, zone_sizes

# Bound of the grounded search for a start that the invariant has no round for: nodes in a zone.
GROUND_NODES = 3


@frozen(kw_only=True)
class Listing(WatchedTree):
    """A listing between two looks at a zone."""

    # Go's cursors: over the zones, and over the nodes of each zone.
    zone_index: ArithRef
    last_index: tuple[ArithRef, ...]
    # Go's `numExhaustedZones` in the running call of `next`.
    exhausted: ArithRef
    # How many names were listed so far.
    produced: ArithRef
    # A ghost: how many rounds over the zones are complete.
    round: ArithRef
    # A ghost: how often the entry `index` of the zone `watched` was listed.
    seen: ArithRef

    @classmethod
    def of(cls, zones: int, tag: str = "") -> "Listing":
        """Fresh variables. The tree and the watched node are the same under every tag."""
        last_index = tuple(Int(f"last_index[{z}]{tag}") for z in range(zones))
        changing = {name: Int(name + tag) for name in ("zone_index", "exhausted", "produced", "round", "seen")}
        return cls(m=zone_sizes(zones), last_index=last_index, **changing)

    def invariant(self) -> BoolRef:
        """Round robin: zones before the cursor are one node ahead of the others, until they are used up."""
        done = [z < self.zone_index for z in self.zones]
        share = [self.last_index[z] == _minimum(self.m[z], self.round + If(done[z], 1, 0)) for z in self.zones]
        # The last `exhausted` zones before the cursor, counted round the ring, were found used up in this call.
        found = [
            Implies(
                Or(
                    And(z >= self.zone_index - self.exhausted, done[z]),
                    z >= self.zone_index + len(self.m) - self.exhausted,
                ),
                self.last_index[z] == self.m[z],
            )
            for z in self.zones
        ]
        passed = Or(*(And(self.watched == z, self.last_index[z] > self.index) for z in self.zones))
        return And(
            self.zone_index >= 0,
            self.zone_index <= len(self.m),
            self.round >= 0,
            self.exhausted >= 0,
            self.exhausted < len(self.m),
            *share,
            *found,
            self.produced == Sum(*self.last_index),
            self.seen == If(passed, 1, 0),
        )

    def running(self) -> BoolRef:
        """Names are still to be given: the listing calls `next` as often as the tree has nodes."""
        return self.produced < self.total()

    def at(self, z: int) -> BoolRef:
        """The next look is at zone `z`; a cursor past the last zone means the first."""
        return If(self.zone_index >= len(self.m), BoolVal(z == 0), self.zone_index == z)

    def look(self, z: int, after: "Listing", *, takes: bool) -> BoolRef:
        """One turn of the loop in `next`, at zone `z`: it takes a name, or finds the zone exhausted and goes on.

        A look that finds every zone exhausted calls `resetExhausted`; that it never happens is its own obligation.
        """
        has_more = self.last_index[z] < self.m[z]
        hit = And(self.watched == z, self.last_index[z] == self.index)
        cursors = [after.last_index[y] == self.last_index[y] + (1 if takes and y == z else 0) for y in self.zones]
        return And(
            self.running(),
            self.at(z),
            has_more if takes else Not(has_more),
            *cursors,
            after.zone_index == z + 1,
            after.exhausted == (0 if takes else self.exhausted + 1),
            after.produced == self.produced + (1 if takes else 0),
            after.round == self.round + If(self.zone_index >= len(self.m), 1, 0),
            after.seen == (self.seen + If(hit, 1, 0) if takes else self.seen),
        )

    def start(self, *, reset: bool) -> BoolRef:
        """A listing begins: from the cursors as they are, wherever they stand, or after `resetExhausted`."""
        anywhere = And(
            self.zone_index >= 0,
            self.zone_index <= len(self.m),
            *(And(last >= 0, last <= size) for last, size in zip(self.last_index, self.m, strict=True)),
        )
        begun = And(self.exhausted == 0, self.produced == 0, self.round == 0, self.seen == 0)
        if not reset:
            return And(anywhere, begun)
        return And(self.zone_index == 0, *(last == 0 for last in self.last_index), begun)

    def uneven(self) -> BoolRef:
        """No round of a listing leaves the cursors of the zones so (grounded: at most `GROUND_NODES` in a zone)."""
        small = And(*(size <= GROUND_NODES for size in self.m))
        shapes = [
            And(*(self.last_index[z] == _minimum(self.m[z], done + (1 if z < ahead else 0)) for z in self.zones))
            for done in range(GROUND_NODES + 1)
            for ahead in range(len(self.m) + 1)
        ]
        return And(small, Not(Or(*shapes)))

    def show(self, model: Any) -> str:
        """The cursors of a model as numbers, in the words of the Go code."""
        value = partial(number, model)
        arrays = (
            f"zone {z + 1} has {value(self.m[z])} nodes and lastIndex {value(self.last_index[z])}" for z in self.zones
        )
        given = f"{value(self.produced)} names given, numExhaustedZones {value(self.exhausted)}"
        return f"{', '.join(arrays)}; zoneIndex {value(self.zone_index)}; {given}"


def _minimum(a: ArithRef, b: ArithRef) -> ArithRef:
    return If(a <= b, a, b)


def cursor_obligations(zones: int, *, reset: bool) -> tuple[Obligation, ...]:
    """What makes a listing by `next` right in a tree of `zones` zones, from reset cursors or from any.

    Without the reset the obligation `start` has a model, a counterexample to induction: cursors from which no proof
    goes on. `start from uneven cursors` asks for one that really loses a node: no round of a listing leaves cursors so,
    so the names up to the next `resetExhausted` and those after it overlap.
    """
    now, after = Listing.of(zones), Listing.of(zones, "'")
    inside = [now.tree(), now.invariant()]
    takes = Or(*(now.look(z, after, takes=True) for z in now.zones))
    passes = Or(*(now.look(z, after, takes=False) for z in now.zones))
    ended = Not(now.running())
    listed = And(now.seen == 1, *(last == size for last, size in zip(now.last_index, now.m, strict=True)))
    begins = [now.tree(), now.start(reset=reset)]
    uneven = () if reset or zones == 1 else (now.claim("start from uneven cursors", *begins, now.uneven()),)
    return (
        *uneven,
        now.claim("start", *begins, Not(now.invariant())),
        now.claim("a look that takes a name keeps the invariant", *inside, takes, Not(after.invariant())),
        now.claim("a look at an exhausted zone keeps the invariant", *inside, passes, Not(after.invariant())),
        now.claim("resetExhausted is not reached before the end", *inside, passes, after.exhausted >= zones),
        now.claim(
            "a call of next ends within as many looks as zones", *inside, passes, Not(after.exhausted > now.exhausted)
        ),
        now.claim("some look is possible until the end", *inside, now.running(), Not(Or(*map(now.at, now.zones)))),
        now.claim("no more names than nodes", *inside, now.produced > now.total()),
        now.claim("at the end each node was taken once", *inside, ended, Not(listed)),
        now.possible("start", *begins),
        now.possible("a look that takes a name", *inside, takes),
        # With one zone an exhausted zone is the end of the listing.
        *((now.possible("a look at an exhausted zone", *inside, passes),) if zones > 1 else ()),
        now.possible("the end", *inside, ended),
    )
