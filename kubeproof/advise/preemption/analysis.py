"""What becomes of a pod that waits, in a release: puts together what the other files of this folder find."""

from collections.abc import Iterable, Iterator, Mapping

from kubeproof.advise.pod_events.bugs import KnownBug
from kubeproof.advise.pod_events.quantity import amount_text
from kubeproof.advise.preemption.answer import (
    BrokenBudget,
    Eviction,
    FittingBug,
    LessHarm,
    LookedAt,
    NodeAnswer,
    Outcome,
    PreemptionAnswer,
    Victim,
)
from kubeproof.advise.preemption.blame import Blame, blame
from kubeproof.advise.preemption.choosing import ALL_ORDERS, Choices, choices
from kubeproof.advise.preemption.cluster import NEVER, Cluster, cluster_of
from kubeproof.advise.preemption.least_harm import Harm, broken, harm_of
from kubeproof.advise.preemption.orders import kind_of
from kubeproof.advise.preemption.picture import Picture, Pod
from kubeproof.advise.preemption.searching import Search, least_harm
from kubeproof.systems.releases import newer_note
from model.gates import GATES
from model.releases import EVERY_MINOR, Release, known_release
from model.scheduler.framework.status import Status
from model.scheduler.pod_requests import Amounts, fields_of_gates
from model.scheduler.preemption.objects import Pods, PreemptionNode, PreemptionPod

_NEWEST = known_release(f"1.{EVERY_MINOR[-1]}").upstream


def analyse(picture: Picture, pod: Pod, release: Release, gates: Mapping[str, bool] | None = None) -> PreemptionAnswer:
    """What becomes of `pod`, which waits for a node, in this release. `gates`: those that are set."""
    cluster = cluster_of(picture, pod, release, gates)
    statuses = {node.name: cluster.run_filters(node.name)(cluster.preemptor, node) for node in cluster.nodes}
    nodes = tuple(_node(cluster, node, statuses[node.name]) for node in cluster.nodes)
    says = {each.node: each.says for each in nodes}
    made, search, blamed, why_not = None, None, None, ""
    outcome: Outcome = "fits"
    if pod.gated and GATES["PodSchedulingReadiness"].is_on(release, gates):
        outcome, why_not = "not-tried", "the pod has scheduling gates: the scheduler does not try it before they go"
    elif "fits" not in says.values():
        judged = frozenset(name for name, each in says.items() if each != "not-judged")
        rejected = {name: each for name, each in statuses.items() if not each.ok}
        made = choices(cluster, rejected, judged)
        if made.not_eligible is not None:
            outcome, why_not = "not-eligible", made.not_eligible
        elif made.chosen:
            outcome = "preempts"
            search = least_harm(
                cluster, (node for node in cluster.nodes if says[node.name] == "candidate"), made.chosen
            )
            if any(harm_of(cluster, node, each.pods) > search.least.harm for node, each in made.chosen):
                blamed = blame(
                    cluster,
                    release,
                    search.least.harm,
                    lambda other: choices(other, rejected, judged, all_orders=ALL_ORDERS // 4),
                )
        else:
            outcome = "no-candidate" if len(judged) == len(nodes) else "depends"
    evictions = () if made is None or search is None else tuple(_evictions(cluster, made, search))
    return PreemptionAnswer(
        release=str(release),
        judged_as=release.upstream,
        files=picture.files,
        looked_at=LookedAt(
            len(picture.pods), len(picture.nodes), len(picture.budgets), picture.classes, picture.passed_over
        ),
        pod=pod.full_name,
        priority=pod.priority,
        requests=_amounts(cluster.requests[pod.full_name]),
        outcome=outcome,
        why_not=why_not,
        evictions=evictions,
        less_harm=None if search is None else _less_harm(cluster, search),
        bugs=() if blamed is None else tuple(_bug(bug, release) for bug in blamed.bugs),
        nodes=nodes,
        notes=tuple(_notes(picture, pod, release, gates or {}, made, blamed)),
        undecided=tuple(_undecided(cluster, outcome, nodes, made, search)),
    )


def _bug(bug: KnownBug, release: Release) -> FittingBug:
    return FittingBug(
        bug=bug.id,
        title=bug.title,
        page=bug.page,
        reproduce=f"kubeproof reproduce {bug.id}",
        cured_in=bug.cured_in(release),
        until_then=bug.until_then,
        fixes=bug.fixes,
    )


def _node(cluster: Cluster, node: PreemptionNode, status: Status) -> NodeAnswer:
    verdict = cluster.verdicts[node.name]
    if verdict.never:
        return NodeAnswer(node.name, "never", verdict.never)
    left = node
    for pod in cluster.lower(node):
        left = left.without_pod(pod)
    without = cluster.run_filters(node.name)(cluster.preemptor, left)
    if not without.ok:
        return NodeAnswer(node.name, "too-small", without.reasons)
    if verdict.undecided:
        return NodeAnswer(node.name, "not-judged", verdict.undecided)
    return NodeAnswer(node.name, "fits" if status.ok else "candidate", status.reasons)


def _evictions(cluster: Cluster, made: Choices, search: Search) -> Iterator[Eviction]:
    for node, victims in made.chosen:
        harm = harm_of(cluster, node, victims.pods)
        yield Eviction(
            node=node,
            victims=_victims(cluster, node, victims.pods),
            counted_violations=victims.num_pdb_violations,
            violations=harm.violations,
            broken=_broken(cluster, node, victims.pods),
            needless=_needless(harm, search.least.harm),
        )


def _less_harm(cluster: Cluster, search: Search) -> LessHarm:
    least = search.least
    return LessHarm(
        node=least.node,
        victims=_victims(cluster, least.node, least.victims),
        violations=least.harm.violations,
        broken=_broken(cluster, least.node, least.victims),
        highest_priority=least.harm.highest,
        proved=not search.not_known,
        not_known=search.not_known,
    )


def _needless(harm: Harm, least: Harm) -> str:
    """The first criterion by which there is less harm, in words."""
    if harm.violations != least.violations:
        evictions = "1 eviction is" if harm.violations == 1 else f"{harm.violations} evictions are"
        return f"{evictions} too many for the budgets, where {least.violations or 'none'} need be"
    if harm.highest != least.highest:
        return f"a pod of priority {harm.highest} goes, where pods up to priority {least.highest} would do"
    if harm.number != least.number and harm.priorities > least.priorities:
        return f"{harm.number} pods go, where {least.number} would do"
    return "" if harm == least else "more important pods go than need be"


def _victims(cluster: Cluster, node: str, going: Pods) -> tuple[Victim, ...]:
    names = {pod.name for pod in going}
    others: dict[object, list[str]] = {}
    there = next(each for each in cluster.nodes if each.name == node)
    for pod in cluster.lower(there):
        if pod.name not in names:
            others.setdefault(kind_of(cluster, node, pod), []).append(pod.name)
    return tuple(
        Victim(
            pod=pod.name,
            priority=pod.priority,
            requests=_amounts(cluster.requests[pod.name]),
            started=_since(cluster, pod),
            instead=tuple(others.get(kind_of(cluster, node, pod), ())),
        )
        for pod in going
    )


def _since(cluster: Cluster, pod: PreemptionPod) -> str | None:
    started = cluster.pods[pod.name].started
    return None if started is None else str(started)


def _amounts(requests: Amounts) -> dict[str, str]:
    return {name: amount_text(name, requests[name]) for name in sorted(requests) if requests[name]}


def _broken(cluster: Cluster, node: str, victims: Pods) -> tuple[BrokenBudget, ...]:
    allowed = {budget.name: budget.disruptions_allowed for budget in cluster.true.get(node, ())}
    found = broken(cluster, node, victims)
    return tuple(BrokenBudget(name, allowed[name], too_many) for name, too_many in found.items())


def _notes(
    picture: Picture,
    pod: Pod,
    release: Release,
    gates: Mapping[str, bool],
    made: Choices | None,
    blamed: Blame | None,
) -> Iterator[str]:
    yield from newer_note(release)
    yield from picture.notes
    if blamed is not None and blamed.newest_too is not None and release.upstream != _NEWEST:
        does = "may evict needlessly here too" if blamed.newest_too else "evicts nobody needlessly here"
        yield f"{_NEWEST}, the newest release that is modelled, {does}"
    nodes = {node.name for node in picture.nodes}
    elsewhere = [each.full_name for each in picture.pods if each.node and each.node not in nodes and not each.terminal]
    if elsewhere:
        yield f"the nodes of {_some(elsewhere)} are not in these files, so these pods count nowhere"
    if len({each.namespace for each in picture.pods}) == 1:
        yield f"all pods are of the namespace {pod.namespace}: with -A kubectl gives those of the others too"
    yield from _fields_that_do_not_count(picture, release, gates)
    if pod.preempts_never and not NEVER.is_on(release, gates):
        counts = "is not known" if release.version < NEVER.first else f"counts with the gate {NEVER.name} alone"
        yield f"preemptionPolicy {counts} in {release.upstream}; by default it counts from {NEVER.on_from} on"
    if pod.scheduler != "default-scheduler":
        yield f"the pod names the scheduler or profile {pod.scheduler}: the answer is that of default plugins"
    yield from _of_other_schedulers(picture, pod, made)
    unread = {budget.full_name for budget in picture.budgets if budget.selector == () and not budget.beta}
    if unread:
        yield (
            f"the scheduler takes the empty selector of {_some(sorted(unread))} to select no pod, where policy/v1 says "
            "every pod of the namespace (PREEMPT-PDB-EMPTY-SELECTOR)"
        )
    if made is not None and made.enough < made.helped:
        yield (
            f"the search begins at a random node and stops after {made.enough} candidates, one of which breaks no "
            f"budget: of {made.helped} nodes it sees only some. The answers are those of one worker and of the nodes "
            "in the order of a scheduler that has just started"
        )


def _of_other_schedulers(picture: Picture, pod: Pod, made: Choices | None) -> Iterator[str]:
    """What two schedulers do not know of each other. Two profiles of one process know it: the files do not tell."""
    others = {each.full_name: each for each in picture.pods if each.scheduler != pod.scheduler and not each.terminal}
    nominated = [name for name, each in others.items() if each.nominated and not each.node]
    if nominated:
        yield (
            f"{_some(nominated)}, which names another scheduler than {pod.full_name}, is nominated: its room counts as "
            "kept, which is so for two profiles of one scheduler; another scheduler does not know of it"
        )
    victims = {victim.name for _, chosen in (made.chosen if made is not None else ()) for victim in chosen.pods}
    if going := sorted(victims & others.keys()):
        yield (
            f"{_some(going)} is of another scheduler than {pod.full_name}: if that is another process, it may take the "
            "room first, again and again (TWO-SCHEDULERS-PREEMPT)"
        )


def _fields_that_do_not_count(picture: Picture, release: Release, gates: Mapping[str, bool]) -> Iterator[str]:
    """Of the gates that are off: the fields of pods that count nothing so, and how to say that the gate is on."""
    having: dict[tuple[str, str], list[str]] = {}
    for each in picture.pods:
        for gate, name in fields_of_gates(each.resources).items():
            if not each.terminal and not GATES[gate].is_on(release, gates):
                having.setdefault((gate, name), []).append(each.full_name)
    for (gate, name), pods in having.items():
        if GATES[gate].default_in(release) is None:
            yield f"{release.upstream} has no gate {gate}, so {name} of {_some(pods)} does not count"
        else:
            off = f"{gate} is off {'as given' if gate in gates else f'by default in {release.upstream}'}"
            yield f"{off}, so {name} of {_some(pods)} does not count: --feature-gates {gate}=true if it is on there"


def _undecided(
    cluster: Cluster, outcome: Outcome, nodes: Iterable[NodeAnswer], made: Choices | None, search: Search | None
) -> Iterator[str]:
    unjudged = [each.node for each in nodes if each.says == "not-judged"]
    if unjudged and outcome not in ("fits", "not-tried", "not-eligible"):
        yield f"on {_some(unjudged)} more decides than these files say: the pod may fit there, or preempt there"
    if made is None or search is None:
        return
    if search.not_known:
        yield f"on {_some(search.not_known)} there are too many choices to say what the least harm would be"
    # Other orders on a node that is not chosen do not count: no choice there does less harm than what is known, and a
    # choice that does more is not taken. The count of budgets alone may say otherwise.
    picked = {node for node, _ in made.chosen}
    cut = [
        node
        for node, looked in made.looked.items()
        if not looked.all_orders and (node in picked or cluster.counted.get(node) or cluster.true.get(node))
    ]
    if cut:
        yield f"on {_some(cut)} so many pods are equally important that not every order of them was tried"
    if not made.whole:
        yield "so many nodes have several answers that not all of them were tried together"


def _some(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
