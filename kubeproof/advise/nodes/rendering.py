"""The answer about a cluster as text, for readers who run Kubernetes and do not know this tool."""

from collections.abc import Iterator, Sequence

from kubeproof.advise.cpu_state.wording import number_of
from kubeproof.advise.nodes.answer import ClusterAnswer, LostNode, Run, RunStep, split_key
from kubeproof.advise.nodes.cure import Cure

# Longer lists are shortened in text; the JSON has them whole.
NAMES_SHOWN = 16
CURSORS_SHOWN = 8
MOMENTS_SHOWN = 8
ZONES_SHOWN = 20


def render(answer: ClusterAnswer) -> str:
    """Plain text, the verdict in the first line; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: ClusterAnswer) -> str:
    """One line: whether a node can be lost, and which."""
    release = f"Kubernetes {answer.release}"
    if not answer.joins:
        return f"No nodes, nothing can be lost in {release}."
    if answer.run is not None:
        lost = _names([node.name for node in answer.run.lost])
        return f"This cluster can lose a node in {release}: {lost} is missing from the scheduler's node list."
    whole = "No node of this cluster can be lost" if answer.moments.all_sets else "No run that was tried loses a node"
    return f"{whole} in {release} while nodes join in their final zone."


def _lines(answer: ClusterAnswer) -> Iterator[str]:
    yield verdict(answer)
    if answer.release != answer.judged_as:
        yield f"Judged as upstream {answer.judged_as} with the known back-ports. The vendor may have other back-ports."
    if not answer.joins:
        return
    yield ""
    yield f"Cluster: {number_of(len(answer.joins), 'node')} in {number_of(len(answer.zones), 'zone')}"
    if len(answer.zones) > ZONES_SHOWN:
        yield f"  the first {ZONES_SHOWN} zones:"
    for zone in answer.zones[:ZONES_SHOWN]:
        yield f"  {zone_text(zone.key)}: {number_of(zone.nodes, 'node')}"
    yield from (f"  Note: {note}" for note in answer.notes)
    if answer.run is not None:
        yield ""
        actions = number_of(len(answer.run.steps), "action")
        yield f"Shortest run that ends in this cluster and loses a node: {actions}"
        yield from _run(answer.run)
        yield ""
        yield from _how_long(answer.run)
    yield ""
    yield from _moments(answer)
    yield from _late_label(answer)
    if answer.run is not None or answer.cures:
        yield ""
        yield from _cures(answer.cures)
    yield ""
    yield "What was considered"
    yield from (f"  - {line}" for line in answer.considered)


def zone_text(key: str) -> str:
    """A zone key as people write it: `region/zone`."""
    region, zone = split_key(key)
    if not region and not zone:
        return "no zone label"
    return f"{region or '(no region)'}/{zone or '(no zone)'}"


def _run(run: Run) -> Iterator[str]:
    width = len(str(len(run.steps)))
    number = 0
    while number < len(run.steps):
        step = run.steps[number]
        alike = _joins_alike(run.steps, number)
        if alike > 3 and len(run.steps) > 2 * NAMES_SHOWN:
            names = f"{step.node} … {run.steps[number + alike - 1].node}"
            yield f"  {number + 1:>{width}}  {step.go}: {alike} nodes join, {zone_text(step.zone or '')}: {names}"
            number += alike
            continue
        number += 1
        yield f"  {number:>{width}}  {_step(step)}"
        if step.cursors and len(step.cursors) <= CURSORS_SHOWN:
            at = "; ".join(f"{zone_text(c.zone)} {c.last_index} of {c.nodes}" for c in step.cursors)
            yield f"  {'':>{width}}  cursors stay at: {at}"
    pad = " " * width
    yield f"  {pad}  lost: {_names([node.name for node in run.lost])}"
    if run.twice:
        yield f"  {pad}  in the list twice or more: {_names(run.twice)}"


def _joins_alike(steps: Sequence[RunStep], at: int) -> int:
    first, end = steps[at], at
    while end < len(steps) and steps[end].action == first.action == "add_node" and steps[end].zone == first.zone:
        end += 1
    return end - at


def _step(step: RunStep) -> str:
    match step.action:
        case "add_node":
            return f"{step.go}: {step.node} joins, {zone_text(step.zone or '')}"
        case "update_node":
            return f"{step.go}: {step.node} gets its zone label, {zone_text(step.zone or '')}"
    return f"{step.go}: the node list becomes [{_names(step.list or ())}]"


def _how_long(run: Run) -> Iterator[str]:
    yield "How long: further snapshots while no node joins or leaves"
    for node in run.lost[:NAMES_SHOWN]:
        yield f"  {node.name}: {_back(node, run.settled)}"
    if len(run.lost) > NAMES_SHOWN:
        yield f"  and {len(run.lost) - NAMES_SHOWN} more nodes"


def _back(node: LostNode, settled: bool) -> str:
    if node.back_after is None:
        if settled:
            return (
                "in no further snapshot: the node stays lost until a node joins or leaves. "
                "Pods that fit only this node stay Pending"
            )
        return "in no snapshot that was tried"
    when = "back in the next snapshot" if node.back_after == 1 else f"back in snapshot {node.back_after}"
    return f"{when}, and lost again later" if node.lost_again else when


def _moments(answer: ClusterAnswer) -> Iterator[str]:
    moments = answer.moments
    what = "choices of moments" if moments.all_sets else "choices of moments that were tried"
    yield f"When: snapshots between the joins lose a node in {moments.losing} of {moments.tried} {what}"
    fewest = [one for one in moments.losing_sets if len(one) == len(moments.losing_sets[0])]
    for chosen in fewest[:MOMENTS_SHOWN]:
        after = ", ".join(f"join {moment} ({answer.joins[moment - 1]})" for moment in chosen[:NAMES_SHOWN])
        more = ", …" if len(chosen) > NAMES_SHOWN else ""
        yield f"  loses: a snapshot after {after}{more}, then all other joins" if chosen else "  loses: no snapshot"
    if len(fewest) > MOMENTS_SHOWN:
        yield f"  and {len(fewest) - MOMENTS_SHOWN} more choices with as few snapshots"
    if moments.before_last_join is not None:
        yield f"  one snapshot before the last join: {_loses(moments.before_last_join)}"
    if moments.after_every_join is not None:
        yield f"  a snapshot after every single join: {_loses(moments.after_every_join)}"
    elif moments.after_newest_joins is not None:
        lost = _loses(bool(moments.after_newest_joins_loses))
        yield f"  a snapshot after each of the newest {moments.after_newest_joins} joins: {lost}"
        yield "  a snapshot after every single join: not tried, since the cluster is too large"


def _loses(lost: bool) -> str:
    return "a node is lost" if lost else "no node is lost"


def _late_label(answer: ClusterAnswer) -> Iterator[str]:
    late = answer.late_label
    if late is None:
        return
    yield ""
    if late.run is None:
        yield f"Late zone labels: no node is lost in {_late_tried(late.tried)}."
        return
    if answer.can_lose:
        yield f"Late zone labels: a node is lost in {late.losing} of {_late_tried(late.tried)}."
        return
    lost = _names([node.name for node in late.run.lost])
    yield f"Late zone labels: if the cloud provider labels {late.node} only after its join, {lost} can be lost"
    yield from _run(late.run)
    yield from (f"  {line}" for line in _how_long(late.run))


def _late_tried(tried: int) -> str:
    return f"{number_of(tried, 'more run')} in which one node gets its label after its join"


def _cures(cures: Sequence[Cure]) -> Iterator[str]:
    yield "Cure: the same runs lose no node in"
    if not cures:
        yield "  no later release that is modelled"
    for cure in cures:
        why = "; ".join(f"{c.rule_field}: {c.change or c.rule} ({c.evidence})" for c in cure.changes)
        kind = "the first upstream release" if cure.kind == "upstream" else "a vendor back-port"
        yield f"  {cure.release}, {kind}: {why}"


def _names(names: Sequence[str]) -> str:
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    half = NAMES_SHOWN // 2
    return f"{', '.join(names[:half])}, … {len(names) - 2 * half} more …, {', '.join(names[-half:])}"
