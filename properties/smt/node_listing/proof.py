"""Which proofs for every size speak of node-listing under which rules, and for which properties.

A proof of the listing itself becomes one of the system where every snapshot lists the tree anew. Where the list is kept
until a node is added or removed, the listing is as right, but whether a kept list still fits the tree is not proved
here; there the bounded and the exhaustive engines judge.
"""

from collections.abc import Callable
from functools import partial

from z3 import And, BoolRef, Int, Not, Sum

from model.scheduler.cache import node_list as py_snapshot, node_tree as py_tree
from model.systems.node_listing import NodeListingRules
from properties.forms import Forms
from properties.node_listing import listing as props
from properties.smt.form import Obligation, Proof, allowed_powers
from properties.smt.node_listing.node_tree_proof import cursor_obligations
from properties.smt.node_listing.node_tree_proof_rows import row_obligations
from properties.smt.node_listing.watched_tree import number, zone_sizes

ZONES = range(1, 9)

FOLLOWS = {
    props.LISTED_EXACTLY_ONCE.name: "every snapshot lists the tree, and a listing gives each of its nodes exactly once",
    props.LIST_LENGTH.name: "every snapshot lists the tree, and a listing ends after as many names as nodes",
    props.RELISTED_SAME_NODES.name: "two listings that give each node of one tree exactly once are permutations",
}


# Whether each cycle lists the tree anew.
EVERY_CYCLE = Forms(
    "update_snapshot",
    {py_snapshot.update_snapshot_every_cycle: True, py_snapshot.update_snapshot_on_node_change: False},
)
# What has to be proved of a listing, by the number of zones.
BY_ZONES: Forms[Callable[[int], tuple[Obligation, ...]]] = Forms(
    "list_nodes",
    {
        py_tree.list_from_reset_cursors: partial(cursor_obligations, reset=True),
        py_tree.list_from_resuming_cursors: partial(cursor_obligations, reset=False),
        py_tree.list_stateless: row_obligations,
    },
)


def proofs_for(rules: NodeListingRules) -> tuple[Proof, ...]:
    """The proofs to try under `rules`: none for a rule from outside, nor where the snapshot keeps its list."""
    if not EVERY_CYCLE.has(rules) or not EVERY_CYCLE.of(rules) or not BY_ZONES.has(rules):
        return ()
    per_zone = BY_ZONES.of(rules)
    # Two zones first: the smallest tree in which a listing can go wrong.
    order = sorted(ZONES, key=lambda zones: (zones != 2, zones))
    obligations = tuple(obligation for zones in order for obligation in (*per_zone(zones), *tree_obligations(zones)))
    # A node that changes its zone is taken out of the tree and put into the tree again: any tree is listed right.
    details = {"nodes": "any number", "zones": f"{ZONES[0]} to {ZONES[-1]}", "powers": allowed_powers(())}
    return (Proof(f"{rules.list_nodes.__name__}, any number of nodes", FOLLOWS, obligations, details),)


def tree_obligations(zones: int) -> tuple[Obligation, ...]:
    """Adding and removing keep `num_nodes` the sum of the arrays' lengths, and no array empty."""
    m = zone_sizes(zones)
    num_nodes = Int("num_nodes")
    before = And(*(size >= 1 for size in m), num_nodes == Sum(*m))
    first, rest = m[0], m[1:]
    longer, shorter = Sum(first + 1, *rest), Sum(first - 1, *rest)

    def show(model: object) -> str:
        sizes = ", ".join(str(number(model, size)) for size in m)
        return f"zones of {sizes} nodes, num_nodes {number(model, num_nodes)}"

    def claim(name: str, *formulas: BoolRef) -> Obligation:
        return Obligation(f"{zones} zones: {name} keeps the count", lambda: list(formulas), "unsat", show)

    # Which zone it is makes no difference to a sum, so the first stands for all.
    return (
        claim("a node for a new zone", before, Not(num_nodes + 1 == Sum(*m, 1))),
        claim("a node for a zone of the tree", before, Not(And(first + 1 >= 1, num_nodes + 1 == longer))),
        claim("one node of several gone", before, first > 1, Not(And(first - 1 >= 1, num_nodes - 1 == shorter))),
        claim("the last node of a zone gone", before, Not(first > 1), Not(num_nodes - 1 == Sum(0, *rest))),
    )
