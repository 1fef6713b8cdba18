"""Where a pod fits, and whom it would preempt: what the scheduler concludes from a snapshot and the nominations. Pure.

Go: findNodesThatFit, podFitsOnNode / RunFilterPluginsWithNominatedPods, selectVictimsOnNode, pickOneNodeForPreemption,
podEligibleToPreemptOthers (pkg/scheduler/core/generic_scheduler.go up to 1.18; later also framework/preemption). The
one filter modelled is NodeResourcesFit. Reads no lock but the nominator's, node by node; here at one moment, so a
nomination that changes its node between two of those reads is not explored.
"""

from collections.abc import Callable
from itertools import permutations

from model.objects import Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.queue.nominator import Nominator, pods_for_node
from model.scheduler.queue.scheduling_queue import QueueSetup, nominated_pods_for_node
from model.scheduler.queue.state import Queue

Candidate = tuple[str, tuple[str, ...]]


def ghosts(snapshot: CacheSnapshot) -> bool:
    """Whether the list names a node that the snapshot does not have, or has without its Node object."""
    return any(info is None or info.node is None for info in snapshot.listed())


def nodes_of(snapshot: CacheSnapshot) -> tuple[NodeInfo, ...]:
    """The NodeInfos that the filter looks at, in listing order."""
    return tuple(info for info in snapshot.listed() if info is not None and info.node is not None)


def nominations(setup: QueueSetup, queue: Queue) -> Nominator:
    """The nominations with the objects that NominatedPodsForNode gives: 1.31 keeps names, and looks the pods up."""
    entries = ((node, nominated_pods_for_node(setup, queue, node)) for node, _ in queue.nominator.nominated_pods)
    return Nominator(tuple(entries), queue.nominator.nominated_pod_to_node)


def _competing(nominator: Nominator, node: str, pod: Pod) -> int:
    """Milli-CPU of the pods nominated to the node that count for `pod`: of its priority or higher, itself excepted."""
    nominated = pods_for_node(nominator, node)
    return sum(p.cpu_milli for p in nominated if p.priority >= pod.priority and p.uid != pod.uid)


def fits(info: NodeInfo, nominator: Nominator, pod: Pod) -> bool:
    """Whether the pod fits with the nominated pods added. Then it fits without them too, as it asks for CPU only."""
    free = info.allocatable_cpu - info.requested_cpu
    return pod.cpu_milli + _competing(nominator, info.name, pod) <= free


def feasible_nodes(snapshot: CacheSnapshot, nominator: Nominator, pod: Pod) -> tuple[str, ...]:
    """The nodes on which `pod` fits, in listing order."""
    return tuple(info.name for info in nodes_of(snapshot) if fits(info, nominator, pod))


def eligible_to_preempt(snapshot: CacheSnapshot, pod: Pod) -> bool:
    """Not while a pod of lower priority terminates on the node to which `pod` is nominated, by its own status."""
    info = snapshot.get(pod.nominated_node_name) if pod.nominated_node_name else None
    return info is None or not any(p.terminating and p.priority < pod.priority for p in info.pods)


def select_victims(info: NodeInfo, nominator: Nominator, pod: Pod) -> tuple[tuple[str, ...], ...]:
    """The victims' uids, in every order that Go may delete them; () if the pod does not fit without all of them.

    All pods of lower priority leave, then as many as fit come back, the more important first; so are the victims
    ordered. Among equals the start time decides, which is not modelled: any of them, in any order.
    """
    lower = sorted((p for p in info.pods if p.priority < pod.priority), key=lambda p: -p.priority)
    free = info.allocatable_cpu - info.requested_cpu + sum(p.cpu_milli for p in lower)
    free -= pod.cpu_milli + _competing(nominator, info.name, pod)
    if free < 0:
        return ()
    spared = 0
    while spared < len(lower) and lower[spared].cpu_milli <= free:
        free -= lower[spared].cpu_milli
        spared += 1
    going = [p.priority for p in lower[spared:]]
    found: list[tuple[str, ...]] = [()]
    for priority in dict.fromkeys(going):
        equals = [p.uid for p in lower if p.priority == priority]
        orders = list(permutations(equals, going.count(priority)))
        found = [(*before, *order) for before in found for order in orders]
    return tuple(dict.fromkeys(found))


def best_candidates(
    snapshot: CacheSnapshot, nominator: Nominator, pod: Pod, preempts_with: Callable[[int], bool]
) -> tuple[Candidate, ...]:
    """The nodes, with their victims, that pickOneNodeForPreemption may choose: no victims, else the least important."""
    found: list[tuple[tuple[int, int, int], Candidate]] = []
    for info in nodes_of(snapshot):
        priority = {p.uid: p.priority for p in info.pods}
        for victims in select_victims(info, nominator, pod):
            if preempts_with(len(victims)):
                lost = [priority[uid] for uid in victims]
                found.append(((max(lost, default=-1), sum(lost), len(lost)), (info.name, victims)))
    least = min((cost for cost, _ in found), default=None)
    return tuple(candidate for cost, candidate in found if cost == least)
