"""Which runs of a cluster are tried under the rules of a release, and which of them lose a node."""

from attrs import frozen

from kubeproof.advise.nodes.runs import (
    ALL_MOMENTS_UP_TO,
    Joining,
    Losing,
    every_subset,
    late_label_sets,
    run,
    shortest,
)
from model.systems.node_listing import NodeListingRules

# With a late label only so many snapshots before the last ones: enough for the shortest run, and quick.
LATE_LABEL_MOMENTS = 2
# Beyond ALL_MOMENTS_UP_TO nodes: how many snapshots of the whole cluster end each run.
FINAL_SNAPSHOTS = 3
# The work that a survey of a large cluster may take, in names that listings write (about 2 µs each). A join copies the
# array of its zone and costs more than one name: so runs over the whole cluster get smaller shares.
EFFORT = 1_000_000


@frozen
class Plan:
    """The sets of moments to try in a cluster that is too large for all sets."""

    # The set with a snapshot after each join but the last, or after each of the newest joins.
    after_each: tuple[int, ...]
    # Whether `after_each` has all joins but the last.
    complete: bool
    # The sets with one moment. One of them is the moment before the last join.
    single: tuple[tuple[int, ...], ...]

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        return tuple(dict.fromkeys((*self.single, self.after_each)))


@frozen
class Survey:
    """Which runs were tried, and which of them lose a node."""

    # Of the runs in which every node joins in its final zone: how many were tried, and those that lose a node.
    tried: int
    losing: tuple[Losing, ...]
    # The same for runs with one late label; each losing run has the number of the node with the late label.
    late_tried: int
    late: tuple[tuple[int, Losing], ...]

    @property
    def loses_nothing(self) -> bool:
        return not self.losing and not self.late

    def shortest_late(self) -> tuple[int, Losing] | None:
        """The run with a late label that has the fewest snapshots; among equals the one whose label came last."""
        best = shortest([losing for _, losing in self.late])
        return next((one for one in reversed(self.late) if one[1] == best), None)


def plan_for(nodes: int, effort: int = EFFORT) -> Plan:
    """The moments to try for a cluster of `nodes` nodes, two or more. `effort` as for `EFFORT`."""
    newest = nodes - 1 if nodes * nodes <= 2 * effort else max(1, effort // (2 * nodes))
    singles = max(1, min(nodes - 1, effort // (16 * nodes)))
    # Evenly spread from the end, so that the moment before the last join is always one of them.
    spread = sorted({nodes - 1 - (k * (nodes - 1)) // singles for k in range(singles)})
    return Plan(tuple(range(nodes - newest, nodes)), newest == nodes - 1, tuple((moment,) for moment in spread))


def survey(rules: NodeListingRules, nodes: tuple[tuple[str, str], ...], effort: int = EFFORT) -> Survey:
    """Try runs of `nodes` (name and zone key, in the order of joining): all sets of moments, or those of a plan."""
    joining = Joining(nodes)
    if len(nodes) > ALL_MOMENTS_UP_TO:
        planned = plan_for(len(nodes), effort).sets
        found = [run(rules, joining, moments, FINAL_SNAPSHOTS) for moments in planned]
        return Survey(len(planned), tuple(one for one in found if one is not None), 0, ())
    late: list[tuple[int, Losing]] = []
    late_tried = 0
    for number, (_, zone) in enumerate(nodes, 1):
        if zone:
            with_label = Joining(nodes, late=number)
            sets = late_label_sets(with_label, LATE_LABEL_MOMENTS)
            late_tried += len(sets)
            late += [(number, one) for moments in sets if (one := run(rules, with_label, moments)) is not None]
    tried = 2 ** (len(nodes) - 1) if nodes else 0
    return Survey(tried, tuple(every_subset(rules, joining)), late_tried, tuple(late))
