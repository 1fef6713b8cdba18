"""A cluster and a pod that waits, as the model's preemption reads them: `model.scheduler.preemption`.

The model's pod has one namespace and asks for CPU alone. So a pod's name is here namespace/name, and what a pod asks
for, of every resource, is in the filters that preemption is given (Go: `fitsRequest` in
pkg/scheduler/framework/plugins/noderesources/fit.go).
"""

from collections.abc import Callable, Iterable, Mapping

from attrs import evolve, frozen

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.requests import requests_in
from kubeproof.advise.preemption.judging import Verdict, verdicts
from kubeproof.advise.preemption.picture import Budget, Picture, Pod
from model.gates import GATES
from model.objects import NAMESPACE
from model.releases import Release, rules_for
from model.scheduler.cache.node_tree import GetZoneKey, NodeTree, NodeTreeRules
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.pod_requests import GATES as OF_REQUESTS, Amounts
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod, RunFilters
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.victims import with_nominated_pods

# The API server keeps preemptionPolicy of a pod only where this gate is on.
NEVER = GATES["NonPreemptingPriority"]
# The gates that may be set.
ASKED_GATES = (*OF_REQUESTS, NEVER.name, "PodSchedulingReadiness")


@frozen(slots=False, kw_only=True)
class ClusterRules(PreemptionRules, NodeTreeRules):
    """What a release does with a cluster: preemption, and the order in which the scheduler lists nodes."""

    get_zone_key: GetZoneKey


# The fields whose rules decide about an answer.
RULE_FIELDS = (
    "add_node",
    "fits_node",
    "get_zone_key",
    "list_nodes",
    "looks_in_any_order",
    "nodes_to_look_at",
    "order_of_lower_pods",
    "order_of_victims",
    "pick_one_node",
    "pods_with_pdb_violation",
    "preemption_might_help",
    "preempts_again",
    "status_of_absent_node",
    "terminating_pod_counts",
    "without_lower_pods",
)


@frozen
class ClusterBudget(PodDisruptionBudget):
    """A budget of a cluster, with its pods by name: selectors are evaluated once."""

    pods: frozenset[str] = frozenset()

    def matches(self, pod: PreemptionPod) -> bool:
        """Whether the budget is of this pod."""
        return pod.name in self.pods


@frozen(eq=False)
class Cluster:
    """All that is asked of preemption."""

    rules: ClusterRules
    pod: Pod
    preemptor: PreemptionPod
    # In the order in which a scheduler that has just started lists them.
    nodes: tuple[PreemptionNode, ...]
    # By the names of pods and nodes.
    pods: Mapping[str, Pod]
    requests: Mapping[str, Amounts]
    allocatable: Mapping[str, Amounts]
    verdicts: Mapping[str, Verdict]
    # Of each node the pods that are nominated to it and wait.
    nominated: Mapping[str, tuple[PreemptionPod, ...]]
    # Of each node the budgets of its pods: as the scheduler takes them; with the pods that they select; and with those
    # of them that are healthy, which alone count in truth.
    counted: Mapping[str, tuple[ClusterBudget, ...]]
    selected: Mapping[str, tuple[ClusterBudget, ...]]
    true: Mapping[str, tuple[ClusterBudget, ...]]

    def run_filters(self, node: str) -> RunFilters:
        """The filters that are judged, on this node, with the pods that are nominated to it (see there)."""
        return with_nominated_pods(self._fits, self.nominated.get(node, ()))

    def lower(self, node: PreemptionNode) -> tuple[PreemptionPod, ...]:
        """The pods that could go."""
        return tuple(pod for pod in node.pods if pod.priority < self.preemptor.priority)

    def lacking(self, node: PreemptionNode) -> tuple[str, ...]:
        """The resources of which the node has too little left, without regard to nominated pods."""
        allocatable, requests = self.allocatable[node.name], self.requests
        asked = requests[self.preemptor.name]
        short = [
            resource
            for resource, amount in asked.items()
            if amount
            > allocatable.get(resource, 0) - sum(self.requests[pod.name].get(resource, 0) for pod in node.pods)
        ]
        return (*short, "pods") if len(node.pods) + 1 > node.allowed_pods else tuple(short)

    def _fits(self, pod: PreemptionPod, node: PreemptionNode) -> Status:
        """Whether the preemptor fits on the node with these pods. No other pod is ever asked about."""
        if self.verdicts[node.name].never:
            return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, self.verdicts[node.name].never)
        lacking = self.lacking(node)
        if not lacking:
            return SUCCESS
        return Status(self._code(node, lacking), tuple(f"Insufficient {each}" for each in lacking))

    def _code(self, node: PreemptionNode, lacking: tuple[str, ...]) -> Code:
        """The model's pod asks for CPU alone. The release judges all resources alike: each is asked about as CPU."""
        asked, allocatable = self.requests[self.preemptor.name], self.allocatable[node.name]
        empty = (PreemptionNode(node.name, allocatable.get(each, 0), node.allowed_pods) for each in lacking)
        pods = (evolve(self.preemptor, cpu_milli=asked.get(each, 0)) for each in lacking)
        codes = [self.rules.fits_node(pod, room).code for pod, room in zip(pods, empty, strict=True)]
        never = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        return never if never in codes else Code.UNSCHEDULABLE


def cluster_of(picture: Picture, pod: Pod, release: Release, given: Mapping[str, bool] | None = None) -> Cluster:
    """The cluster as a scheduler of this release sees it when the pod's turn comes. `given`: the gates that are set."""
    rules = rules_for(ClusterRules, release)
    there = {node.name: node for node in picture.nodes}
    bound = [each for each in picture.pods if each.node in there and not each.terminal]
    computed = requests_in(release, given)
    requests = {each.full_name: computed.on_node(each.resources) for each in picture.pods}
    requests[pod.full_name] = computed.compared(pod.resources)
    of_node: dict[str, list[PreemptionPod]] = {name: [] for name in there}
    for each in bound:
        of_node[each.node].append(_component_pod(each, requests))
    nominated: dict[str, list[PreemptionPod]] = {}
    for each in picture.pods:
        if not each.node and each.nominated and not each.terminal and each != pod:
            nominated.setdefault(each.nominated, []).append(_component_pod(each, requests))
    allocatable = {name: dict(node.allocatable) for name, node in there.items()}
    preemptor = _component_pod(pod, requests)
    return Cluster(
        rules=rules,
        pod=pod,
        preemptor=preemptor if release.version >= NEVER.first else evolve(preemptor, preempts_never=False),
        nodes=tuple(
            PreemptionNode(
                name, allocatable[name].get("cpu", 0), allocatable[name].get("pods", 0), tuple(of_node[name])
            )
            for name in _in_order(rules, there)
        ),
        pods={each.full_name: each for each in picture.pods},
        requests=requests,
        allocatable=allocatable,
        verdicts=verdicts(pod, picture.nodes, bound, computed.refusals(pod.resources)),
        nominated={name: tuple(pods) for name, pods in nominated.items()},
        counted=_by_node(picture.budgets, bound, Budget.counted_by_scheduler),
        selected=_by_node(picture.budgets, bound, Budget.selects),
        true=_by_node(picture.budgets, bound, lambda budget, each: _healthy(each) and budget.selects(each)),
    )


def _healthy(pod: Pod) -> bool:
    """Whether the disruption controller counts the pod: a budget loses nothing by one that is not Ready or leaves."""
    return pod.ready and not pod.deleting


def _by_node(
    budgets: Iterable[Budget], bound: Iterable[Pod], is_of: Callable[[Budget, Pod], bool]
) -> dict[str, tuple[ClusterBudget, ...]]:
    """Of each node the budgets that have a pod there."""
    namespaces: dict[str, list[Pod]] = {}
    for pod in bound:
        namespaces.setdefault(pod.namespace, []).append(pod)
    found: dict[str, list[ClusterBudget]] = {}
    for budget in budgets:
        pods = [pod for pod in namespaces.get(budget.namespace, ()) if is_of(budget, pod)]
        of_cluster = ClusterBudget(
            budget.full_name,
            NAMESPACE,
            None,
            budget.allowed,
            frozenset(f"{budget.namespace}/{name}" for name in budget.disrupted),
            pods=frozenset(pod.full_name for pod in pods),
        )
        for node in dict.fromkeys(pod.node for pod in pods):
            found.setdefault(node, []).append(of_cluster)
    return {node: tuple(each) for node, each in found.items()}


def _component_pod(pod: Pod, requests: Mapping[str, Amounts]) -> PreemptionPod:
    return PreemptionPod(
        name=pod.full_name,
        priority=pod.priority,
        cpu_milli=requests[pod.full_name].get("cpu", 0),
        labels=tuple(sorted(pod.labels.items())),
        start_time=None if pod.started is None else int(pod.started.at.timestamp() * 1000),
        terminating=pod.deleting,
        disruption_target=pod.disruption_target,
        nominated_node_name=pod.nominated,
        preempts_never=pod.preempts_never,
    )


def _in_order(rules: ClusterRules, nodes: Mapping[str, Node]) -> tuple[str, ...]:
    tree = NodeTree()
    for name in sorted(nodes):
        tree = rules.add_node(tree, name, rules.get_zone_key(nodes[name].labels))
    return rules.list_nodes(tree)[0]
