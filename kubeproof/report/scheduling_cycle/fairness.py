"""After how many searches each node was examined: the bound, and what breaks the bound, by release."""

from kubeproof.bugs.demonstrations.search import tree_of
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, patches, rules, table
from model.releases import Release, parse_release
from model.scheduler.filtering import FilteringRules
from properties.filtering.start_index import Grid, bound

NODES = ("n0", "n1", "n2", "n3")
# How many nodes a cluster has in the table of bounds.
SIZES = (100, 500, 1_000, 5_000, 15_000)
# A release of each way in which the number of feasible nodes that are enough is computed, default percentage.
SHOWN = ("1.16.15", "1.31.14")
WITH = (
    ("nothing else", ""),
    ("a pod that is tried on its nominated node", "nominated"),
    ("a pod whose PreFilter plugin names its node", "named"),
    ("a pod whose filter fails on a node", "errors"),
)


def formula(release: Release) -> str:
    """The bound in words: the formula that every size of the grid confirms."""
    tree = rules(FilteringRules, release).takes_nodes_from_tree()
    return "nodes / (enough + 1), rounded up" if tree else "(nodes - 1) / enough, rounded up"


def at_latest(release: Release, nodes: int, enough: int) -> int:
    """The bound by the formula."""
    tree = rules(FilteringRules, release).takes_nodes_from_tree()
    return max(1, -(-nodes // (enough + 1)) if tree else -(-(nodes - 1) // enough))


def verdict(release: Release, power: str) -> str:
    """Whether the formula is the bound for every size of the grid; or the node that is never examined."""
    for number in range(1, len(NODES) + 1):
        nodes = NODES[:number]
        for quota in range(1, number + 1):
            powers = {power: True} if power else {}
            found = bound(rules(FilteringRules, release), Grid(nodes, quota, tree_of(release, *nodes), **powers))
            if found.searches is None:
                return "**a node may never be examined**"
            assert found.searches == at_latest(release, number, quota), (release, power, number, quota)
    return "the bound holds"


def condition_rows() -> list[list[str]]:
    """Of each kind of search in between: whether the bound holds, by release."""
    return [[says, cell(by_release(lambda release, power=power: verdict_of(release, power)))] for says, power in WITH]  # type: ignore[misc]


def verdict_of(release: Release, power: str) -> str:
    """`verdict`, once for all releases with the same rules."""
    asked = rules(FilteringRules, release)
    key = (tuple(vars(asked).values()), power)
    if key not in _KNOWN:
        _KNOWN[key] = verdict(release, power)
    return _KNOWN[key]


_KNOWN: dict[object, str] = {}


def size_rows() -> list[list[str]]:
    """Of each size: how many feasible nodes are enough, and after how many searches each node was examined."""
    found = []
    for size in SIZES:
        row = [f"{size:,}"]
        for release in map(parse_release, SHOWN):
            enough = rules(FilteringRules, release).num_feasible_nodes_to_find(size, 0, None)
            row.append(f"{enough:,}: {at_latest(release, size, enough)}")
        found.append(row)
    return found


def _body() -> str:
    said = "; ".join(f"{releases}: {says}" for releases, says in by_release(formula, patches()))
    return f"""
A search stops when enough feasible nodes are found, and the next one begins where this one has ended. A comment in
`findNodesThatPassFilters` says that so "all nodes have the same chance of being examined". Over every sequence of
searches of up to {len(NODES)} nodes of one zone, whichever nodes fit and however many are enough, this is what holds as
long as no node joins or leaves: each node is examined at the latest in search number k, and a sequence needs that many.
k is at least 1, and: {said}.

Between these searches there may be others:

{table(("in between", "releases"), condition_rows())}

A search that fails does not count as one of the k. It does not move the start past the node that fails: if every pod
fails on the same node, no search gets further. Pages: FILTER-START-RESET, FILTER-START-SKIP.

All this is with one worker. If several ask nodes at the same time, from 1.17 on a node that one of them has taken when
the search is cancelled is not asked, and the next search begins behind it: FILTER-START-PARALLEL. The system
scheduling-cycle has both, with `quota` and `workers`.

With the default `percentageOfNodesToScore`: how many feasible nodes are enough, and k.

{table(("nodes", *SHOWN), size_rows())}
"""


SECTIONS = (Section("When is a node examined?", _body),)
