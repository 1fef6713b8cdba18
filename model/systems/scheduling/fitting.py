"""Where a pod fits, and whom it would preempt: what the scheduler concludes from a snapshot and the nominations. Pure.

Go: findNodesThatFit, podFitsOnNode / RunFilterPluginsWithNominatedPods, selectVictimsOnNode, pickOneNodeForPreemption,
podEligibleToPreemptOthers (pkg/scheduler/core/generic_scheduler.go up to 1.18; later also framework/preemption). The
filters modelled are NodeUnschedulable, NodeResourcesFit and, against pods of others, InterPodAffinity. They run in this
order, and the first that rejects a node ends them. Reads no lock but the nominator's, node by node; here at one moment,
so a nomination that changes its node between two of those reads is not explored.
"""

from collections.abc import Callable
from itertools import permutations, product
from math import inf

from model.evolve import evolve
from model.objects import Node, Pairs, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.framework.status import Code
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod
from model.scheduler.queue.nominator import Nominator, pods_for_node
from model.scheduler.queue.scheduling_queue import QueueSetup, nominated_pods_for_node
from model.scheduler.queue.state import Queue
from model.systems.scheduling.rules import SchedulingRules

Candidate = tuple[str, tuple[str, ...]]
Cost = tuple[float, ...]
# More than any harm.
_NO_CANDIDATE: Cost = (inf,)


def ghosts(snapshot: CacheSnapshot) -> bool:
    """Whether the list names a node that the snapshot does not have, or has without its Node object."""
    return any(info is None or info.node is None for info in snapshot.listed())


def nodes_of(snapshot: CacheSnapshot) -> tuple[NodeInfo, ...]:
    """The NodeInfos that the filter looks at, in listing order."""
    return tuple(info for info in snapshot.listed() if info is not None and info.node is not None)


def nominations(setup: QueueSetup, queue: Queue) -> Nominator:
    """The nominations with the objects that NominatedPodsForNode gives: 1.31 keeps names, and looks the pods up."""
    entries = ((node, nominated_pods_for_node(setup, queue, node)) for node, _ in queue.nominator.nominated_pods)
    return evolve(queue.nominator, nominated_pods=tuple(entries))


def competing(nominator: Nominator, node: str, pod: Pod) -> int:
    """Milli-CPU of the pods nominated to the node that count for `pod`: of its priority or higher, itself excepted."""
    nominated = pods_for_node(nominator, node)
    return sum(p.cpu_milli for p in nominated if p.priority >= pod.priority and p.uid != pod.uid)


def tolerates(node: Node | None, pod: Pod) -> bool:
    """Whether the node, apart from resources, lets the pod in: not cordoned, and no pod of others keeps it away.

    A bound pod is let in by its own node alone (`PodFitsHost`; the plugin NodeName from 1.19 on).
    """
    return node is None or not (
        node.unschedulable or _kept_away(node, pod) or (pod.node_name and pod.node_name != node.name)
    )


def _kept_away(node: Node, pod: Pod) -> bool:
    return bool(node.anti_affinity_app) and ("app", node.anti_affinity_app) in pod.labels


def rejected_by(info: NodeInfo, nominator: Nominator, pod: Pod) -> str:
    """The plugin that rejects the node first, "" if the pod fits with the nominated pods added.

    Then it fits without them too, as it asks for CPU only.
    """
    if info.node is not None and info.node.unschedulable:
        return NODE_UNSCHEDULABLE
    free = info.allocatable_cpu - info.requested_cpu
    if pod.cpu_milli + competing(nominator, info.name, pod) > free:
        return NODE_RESOURCES_FIT
    return INTER_POD_AFFINITY if info.node is not None and _kept_away(info.node, pod) else ""


def filtered(snapshot: CacheSnapshot, nominator: Nominator, pod: Pod) -> tuple[tuple[str, ...], frozenset[str]]:
    """The nodes on which `pod` fits, in listing order, and the plugins that rejected others.

    A ghost that the list names counts as a node without room, where the filter does not panic.
    """
    asked = [(info.name, rejected_by(info, nominator, pod)) for info in nodes_of(snapshot)]
    plugins = {plugin for _, plugin in asked if plugin}
    if ghosts(snapshot):
        plugins.add(NODE_RESOURCES_FIT)
    return tuple(name for name, plugin in asked if not plugin), frozenset(plugins)


def preemption_pod(pod: Pod, labels: Pairs = (), *, preempts_never: bool = False) -> PreemptionPod:
    """The pod as preemption reads it, by its UID: two incarnations of a name may be there at once."""
    return PreemptionPod(
        pod.uid,
        pod.priority,
        pod.cpu_milli,
        labels,
        start_time=0,
        terminating=pod.terminating,
        disruption_target=pod.disruption_target,
        nominated_node_name=pod.nominated_node_name,
        preempts_never=preempts_never,
    )


def eligible_to_preempt(rules: SchedulingRules, snapshot: CacheSnapshot, pod: Pod) -> bool:
    """Not while a pod of lower priority terminates on the node to which `pod` is nominated, by its own status.

    The release says which terminating pods count. Of a cordoned node the filters answer UnschedulableAndUnresolvable;
    from 1.34 on also of one that has less than the pod asks for. Then the release may decide otherwise.
    """
    info = snapshot.get(pod.nominated_node_name) if pod.nominated_node_name else None
    if info is None or rules.preempts_again(_unresolvable(rules, info, pod)):
        return True
    return not any(p.priority < pod.priority and rules.terminating_pod_counts(preemption_pod(p)) for p in info.pods)


def _unresolvable(rules: SchedulingRules, info: NodeInfo, pod: Pod) -> bool:
    """Whether nobody's leaving would let the pod onto the node. The node allows one more pod than it has."""
    if info.node is not None and info.node.unschedulable:
        return True
    there = tuple(preemption_pod(each) for each in info.pods)
    node = PreemptionNode(info.name, info.allocatable_cpu, allowed_pods=len(there) + 1, pods=there)
    return rules.fits_node(preemption_pod(pod), node).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def select_victims(info: NodeInfo, nominator: Nominator, pod: Pod) -> tuple[tuple[str, ...], ...]:
    """The victims' uids, in every order that Go may delete them; () if the pod does not fit without all of them.

    All pods of lower priority leave, then those that fit come back, the more important first; so are the victims
    ordered. Among equals the start time decides, which is not modelled: any of them, in any order. A node where the pod
    may not be whoever leaves has no victims.
    """
    if not tolerates(info.node, pod):
        return ()
    lower = sorted((p for p in info.pods if p.priority < pod.priority), key=lambda p: -p.priority)
    free = info.allocatable_cpu - info.requested_cpu + sum(p.cpu_milli for p in lower)
    free -= pod.cpu_milli + competing(nominator, info.name, pod)
    if free < 0:
        return ()
    equals = [
        [i for i, p in enumerate(lower) if p.priority == each] for each in sorted({p.priority for p in lower})[::-1]
    ]
    orders = product(*(permutations(places) for places in equals))
    found = {_not_spared(lower, sum(order, ()), free) for order in orders}
    return tuple(dict.fromkeys(tuple(lower[i].uid for i in going) for going in sorted(found)))


def _not_spared(lower: list[Pod], order: tuple[int, ...], free: int) -> tuple[int, ...]:
    """The places of those in `lower` for whom there is no room, if they come back in this order."""
    going = []
    for i in order:
        if lower[i].cpu_milli <= free:
            free -= lower[i].cpu_milli
        else:
            going.append(i)
    return tuple(going)


def cost(priorities: list[int]) -> Cost:
    """What harm victims of these priorities are, as pickOneNodeForPreemption takes it: the least is chosen.

    The highest priority of them; the sum of their priorities, of which each is shifted by 2^31, so that one pod more is
    more harm; their number. No victims are no harm.
    """
    return max(priorities, default=-1), sum(each + 2**31 for each in priorities), len(priorities)


def best_candidates(
    snapshot: CacheSnapshot, nominator: Nominator, pod: Pod, preempts_with: Callable[[int], bool]
) -> tuple[Candidate, ...]:
    """The nodes, with their victims, that pickOneNodeForPreemption may choose.

    Start times decide which victims each node has. So a candidate may be chosen if of each other node some victims are
    no less harm, or do not make that node a candidate.
    """
    found: dict[str, list[tuple[Cost, tuple[str, ...]]]] = {}
    for info in nodes_of(snapshot):
        priority = {p.uid: p.priority for p in info.pods}
        found[info.name] = [
            (cost([priority[uid] for uid in victims]) if preempts_with(len(victims)) else _NO_CANDIDATE, victims)
            for victims in select_victims(info, nominator, pod)
        ]
    most = {name: max((harm for harm, _ in options), default=_NO_CANDIDATE) for name, options in found.items()}
    return tuple(
        (name, victims)
        for name, options in found.items()
        for harm, victims in options
        if harm != _NO_CANDIDATE and all(harm <= top for other, top in most.items() if other != name)
    )
