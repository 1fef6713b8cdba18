"""Whether this cluster can lose a node in this release: the answer as data. `rendering` makes text of the answer."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import frozen
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.json import make_converter

from kubeproof.advise.nodes.cure import Cure, cures_for, zone_keys
from kubeproof.advise.nodes.kubectl_nodes import ClusterNode, ClusterNodes
from kubeproof.advise.nodes.runs import (
    ALL_MOMENTS_UP_TO,
    SETTLE_WITHIN,
    Joining,
    Losing,
    machine_of,
    settle,
    shortest,
    states_of,
)
from kubeproof.advise.nodes.survey import EFFORT, FINAL_SNAPSHOTS, LATE_LABEL_MOMENTS, Survey, plan_for, survey
from model.machine import Action
from model.releases import Release, rules_for
from model.systems.node_listing import NodeListing, NodeListingRules
from properties.node_listing.listing import missing, repeated

GO_FUNCTIONS = {"add_node": "addNode", "update_node": "updateNode", "update_snapshot": "UpdateSnapshot"}


@frozen
class ZoneCount:
    """A zone of the node tree: its region, its zone label, and how many nodes it has."""

    # As Go writes the key.
    key: str
    region: str
    zone: str
    nodes: int


@frozen
class Cursor:
    """The cursor of a zone."""

    zone: str
    # How many of the nodes of the zone were listed since the cursors were last reset.
    last_index: int
    # How many nodes the zone has.
    nodes: int


@frozen
class RunStep:
    """One action of a run."""

    action: str
    # The Go function.
    go: str
    # The node that joins or gets its zone label, and the key of its zone.
    node: str | None = None
    zone: str | None = None
    # After a snapshot: the node list, and the cursors if the release has cursors.
    list: tuple[str, ...] | None = None
    cursors: tuple[Cursor, ...] = ()


@frozen
class LostNode:
    """A node that is missing from the list at the end of a run."""

    name: str
    # Which further snapshot of the unchanged cluster has the node again, counted from 1; None: no such snapshot.
    back_after: int | None
    # Whether a still later snapshot lacks the node again.
    lost_again: bool


@frozen
class Run:
    """A run from the empty tree to a list that lacks a node."""

    # After which changes there is a snapshot.
    moments: tuple[int, ...]
    # Which snapshot of the whole cluster lacks a node, counted from 1.
    snapshots_at_end: int
    steps: tuple[RunStep, ...]
    # The last node list, the nodes that it lacks, and the nodes that it has more than once.
    list: tuple[str, ...]
    lost: tuple[LostNode, ...]
    twice: tuple[str, ...]
    # Whether further snapshots of the unchanged cluster were taken until a state came again.
    settled: bool


@frozen
class Moments:
    """For which moments of snapshots between the joins a node is lost. Moment i is between joins i and i + 1."""

    # Whether every set of moments was tried.
    all_sets: bool
    # How many sets were tried, and how many of them lose a node.
    tried: int
    losing: int
    # The sets that lose a node: the fewest moments first, and among equals the latest moments first.
    losing_sets: tuple[tuple[int, ...], ...]
    # Whether a node is lost with a snapshot after every join, or with one before the last join; None: not tried.
    after_every_join: bool | None
    before_last_join: bool | None
    # In place of every join: after how many of the newest joins a snapshot was tried, and whether a node is lost then.
    after_newest_joins: int | None = None
    after_newest_joins_loses: bool | None = None


@frozen
class LateLabel:
    """The same question if one node gets its zone label only after its join."""

    # How many runs were tried, and how many of them lose a node.
    tried: int
    losing: int
    # The node with the late label, and the shortest run that loses a node.
    node: str | None
    run: Run | None


@frozen
class ClusterAnswer:
    """The answer. Its fields are the keys of `--json`, as `to_json` names them."""

    release: str
    # The upstream release whose rules were used.
    judged_as: str
    # Whether a node can be lost if each node joins in its final zone.
    can_lose: bool
    # The names of the nodes, in the order of joining.
    joins: tuple[str, ...]
    zones: tuple[ZoneCount, ...]
    # The shortest run that loses a node if each node joins in its final zone.
    run: Run | None
    moments: Moments
    # None if no late label was tried.
    late_label: LateLabel | None
    cures: tuple[Cure, ...]
    # Which runs were tried and which were not, in sentences.
    considered: tuple[str, ...]
    # What the reader of the file has to say.
    notes: tuple[str, ...]


def analyse(cluster: ClusterNodes | Sequence[ClusterNode], release: Release, effort: int = EFFORT) -> ClusterAnswer:
    """Whether the cluster can lose a node in `release`. The nodes are in the order of joining.

    `effort`: the work for a cluster of more than ALL_MOMENTS_UP_TO nodes, as for `EFFORT`.
    """
    nodes, notes = (cluster.nodes, cluster.notes) if isinstance(cluster, ClusterNodes) else (cluster, ())
    keyed = zone_keys(nodes, release)
    rules = rules_for(NodeListingRules, release)
    found = survey(rules, keyed, effort)
    best = shortest(list(found.losing))
    late = found.shortest_late()
    late_label = None
    if found.late_tried:
        losing_run = None if late is None else _run(rules, Joining(keyed, late[0]), late[1])
        late_label = LateLabel(found.late_tried, len(found.late), keyed[late[0] - 1][0] if late else None, losing_run)
    return ClusterAnswer(
        release=str(release),
        judged_as=release.upstream,
        can_lose=best is not None,
        joins=tuple(name for name, _ in keyed),
        zones=_zones(keyed),
        run=None if best is None else _run(rules, Joining(keyed), best),
        moments=_moments(found, len(keyed), effort),
        late_label=late_label,
        cures=() if found.loses_nothing else cures_for(nodes, release, effort),
        considered=_considered(found, len(keyed), effort),
        notes=notes,
    )


def to_json(answer: ClusterAnswer) -> dict[str, Any]:
    """The answer in plain lists, dicts, strings, numbers. The key of a run is `history`, as in all versions."""
    converter = make_converter()
    for kind in (LateLabel, ClusterAnswer):
        hook = make_dict_unstructure_fn(kind, converter, run=override(rename="history"))
        converter.register_unstructure_hook(kind, hook)
    plain: dict[str, Any] = converter.unstructure(answer)
    return plain


def split_key(key: str) -> tuple[str, str]:
    """Region and zone of a zone key; two empty strings for the key of a node without labels."""
    region, _, zone = key.partition(":\x00:")
    return region, zone


def _zones(keyed: tuple[tuple[str, str], ...]) -> tuple[ZoneCount, ...]:
    return tuple(ZoneCount(key, *split_key(key), count) for key, count in Counter(key for _, key in keyed).items())


def _run(rules: NodeListingRules, joining: Joining, losing: Losing) -> Run:
    walked = list(states_of(rules, joining, losing))
    last = walked[-1][1]
    assert last is not None
    lost, settled = _how_long(rules, last, SETTLE_WITHIN if len(joining.nodes) <= 500 else 50)
    return Run(
        moments=losing.moments,
        snapshots_at_end=losing.final,
        steps=tuple(_step(action, state) for action, state in walked),
        list=last.snapshot.node_info_list,
        lost=lost,
        twice=repeated(last),
        settled=settled,
    )


def _step(action: Action, state: NodeListing | None) -> RunStep:
    """`state`: after a snapshot."""
    go = GO_FUNCTIONS[action.name]
    if state is None:
        return RunStep(action.name, go, str(action["node"]), str(action["zone"]))
    tree = state.tree
    cursors: tuple[Cursor, ...] = ()
    if any(array.last_index for array in tree.tree):
        pairs = zip(tree.zones, tree.tree, strict=True)
        cursors = tuple(Cursor(zone, array.last_index, len(array.nodes)) for zone, array in pairs)
    return RunStep(action.name, go, list=state.snapshot.node_info_list, cursors=cursors)


def _how_long(rules: NodeListingRules, last: NodeListing, limit: int) -> tuple[tuple[LostNode, ...], bool]:
    after = list(settle(machine_of(rules), last, limit))
    lists = [set(state.snapshot.node_info_list) for state in after]
    lost = []
    for name in missing(last):
        back = next((number for number, names in enumerate(lists, 1) if name in names), None)
        lost.append(LostNode(name, back, back is not None and any(name not in names for names in lists[back:])))
    return tuple(lost), after[-1] in after[:-1]


def _moments(found: Survey, nodes: int, effort: int) -> Moments:
    losing = {one.moments for one in found.losing}
    every, last = tuple(range(1, nodes)), (nodes - 1,)
    newest, newest_loses = None, None
    every_ran = True
    if nodes > ALL_MOMENTS_UP_TO:
        plan = plan_for(nodes, effort)
        every_ran = plan.complete
        if not every_ran:
            newest, newest_loses = len(plan.after_each), plan.after_each in losing
    return Moments(
        all_sets=nodes <= ALL_MOMENTS_UP_TO,
        tried=found.tried,
        losing=len(losing),
        losing_sets=tuple(sorted(sorted(losing, reverse=True), key=len)),
        after_every_join=every in losing if every_ran else None,
        before_last_join=last in losing if nodes > 1 else None,
        after_newest_joins=newest,
        after_newest_joins_loses=newest_loses,
    )


def _considered(found: Survey, nodes: int, effort: int) -> tuple[str, ...]:
    said = ["each node joins once, in the order of creation and in its final zone, from an empty tree"]
    if nodes == 0:
        return ()
    if nodes <= ALL_MOMENTS_UP_TO:
        said.append(f"a snapshot or none at each moment between two joins: all {found.tried} choices")
        said.append("after the last join snapshots until the scheduler's state repeats")
    else:
        plan = plan_for(nodes, effort)
        singles = f"one snapshot at {len(plan.single)} of {nodes - 1} moments, that before the last join among them"
        each = "one after every join" if plan.complete else f"one after each of the newest {len(plan.after_each)} joins"
        said.append(f"{singles}; and {each}: other choices of moments may lose a node too")
        said.append(f"after the last join {FINAL_SNAPSHOTS} snapshots")
    if found.late_tried:
        said.append(
            f"also one node that gets its zone label after its join and a snapshot, and before the next join, with at "
            f"most {LATE_LABEL_MOMENTS} snapshots on the way: {found.late_tried} runs"
        )
    elif nodes > ALL_MOMENTS_UP_TO:
        said.append("late zone labels were not tried for a cluster of this size")
    said.append("not tried: nodes that left or came back, restarts of the scheduler, several snapshots at one moment")
    return tuple(said)
