"""Which plugins reject a pod in the nodes of a cluster: the filters of the scheduler's plugins. Pure.

Go: `Filter` in pkg/scheduler/framework/plugins/nodeunschedulable, tainttoleration, nodeaffinity, noderesources,
podtopologyspread and interpodaffinity (filtering.go), in the order of the default configuration;
`findNodesThatPassFilters` in pkg/scheduler/schedule_one.go. The first plugin that rejects a node ends the filters of
this node. A pod's `UnschedulablePlugins` are those that rejected some node, if all nodes are rejected.

Left out: preemption, scores, resources but CPU, how many pods a node allows. All taints are NoSchedule. A pod may be
one more than in the domain with the fewest pods (`maxSkew: 1`), and nodeAffinityPolicy is Honor.
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import NODE_AFFINITY, TAINT_TOLERATION
from model.scheduler.hint_functions import CORDON_TAINT
from model.scheduler.hint_objects import HintedNode, HintedPod, SpreadConstraint
from model.scheduler.inter_pod_affinity import TERM_KEY, asked_for
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD

Nodes = tuple[HintedNode, ...]
Pods = tuple[HintedPod, ...]
# Of the pod, the node, all nodes and all bound pods: whether the node is rejected.
Filter = Callable[[HintedPod, HintedNode, Nodes, Pods], bool]


def cordoned(pod: HintedPod, node: HintedNode) -> bool:
    """NodeUnschedulable: the node is cordoned, and the pod does not tolerate that."""
    return node.unschedulable and pod.toleration != CORDON_TAINT


def untolerated(pod: HintedPod, node: HintedNode) -> bool:
    """TaintToleration: the node has a taint that the pod does not tolerate."""
    return node.taint not in ("", pod.toleration)


def unlike(pod: HintedPod, node: HintedNode) -> bool:
    """NodeAffinity: the node has not all labels that the pod asks for."""
    return not set(pod.node_selector) <= set(node.labels)


def of_other_name(pod: HintedPod, node: HintedNode) -> bool:
    """Whether the pod asks for nodes by name, and not for this one."""
    return bool(pod.node_names) and node.name not in pod.node_names


def too_small(pod: HintedPod, node: HintedNode, bound: Pods) -> bool:
    """NodeResourcesFit: the node has less left than the pod asks for."""
    taken = sum(each.cpu_milli for each in bound if each.node_name == node.name)
    return pod.cpu_milli > 0 and node.cpu_milli < taken + pod.cpu_milli


def _counts(pod: HintedPod, constraint: SpreadConstraint, nodes: Nodes, bound: Pods) -> dict[str, int]:
    """Of each domain how many pods the constraint counts there (`calPreFilterState`)."""
    found: dict[str, int] = {}
    for node in nodes:
        domain = dict(node.labels).get(constraint.topology_key)
        if (
            domain is None
            or unlike(pod, node)
            or of_other_name(pod, node)
            or (constraint.honors_taints and untolerated(pod, node))
        ):
            continue
        here = [each for each in bound if each.node_name == node.name and constraint.matches(each.labels)]
        found[domain] = found.get(domain, 0) + len(here)
    return found


def too_many_in_domain(pod: HintedPod, node: HintedNode, nodes: Nodes, bound: Pods) -> bool:
    """PodTopologySpread: the node has no domain, or the pod would be one too many in the node's domain."""
    for constraint in pod.spread:
        domain = dict(node.labels).get(constraint.topology_key)
        if domain is None:
            return True
        counts = _counts(pod, constraint, nodes, bound)
        more = int(constraint.matches(pod.labels))
        if counts.get(domain, 0) + more - min(counts.values(), default=0) > 1:
            return True
    return False


def repelled_or_alone(pod: HintedPod, node: HintedNode, nodes: Nodes, bound: Pods) -> bool:
    """InterPodAffinity: a pod of the node's domain is rejected by a term, or none is there that a term asks for.

    A pod that its own affinity asks for may be the first of its kind (`satisfyPodAffinity`).
    """
    domains = {each.name: dict(each.labels).get(TERM_KEY) for each in nodes}
    domain = domains[node.name]
    here = [each for each in bound if domain is not None and domains.get(each.node_name) == domain]
    if any(asked_for(each.anti_affinity_app, pod) or asked_for(pod.anti_affinity_app, each) for each in here):
        return True
    if not pod.affinity_app or any(asked_for(pod.affinity_app, each) for each in here):
        return bool(pod.affinity_app) and domain is None
    some = any(asked_for(pod.affinity_app, each) and domains.get(each.node_name) is not None for each in bound)
    return domain is None or some or not asked_for(pod.affinity_app, pod)


# In the order of the default configuration.
FILTERS: dict[str, Filter] = {
    NODE_UNSCHEDULABLE: lambda pod, node, nodes, bound: cordoned(pod, node),
    TAINT_TOLERATION: lambda pod, node, nodes, bound: untolerated(pod, node),
    NODE_AFFINITY: lambda pod, node, nodes, bound: unlike(pod, node),
    NODE_RESOURCES_FIT: lambda pod, node, nodes, bound: too_small(pod, node, bound),
    POD_TOPOLOGY_SPREAD: too_many_in_domain,
    INTER_POD_AFFINITY: repelled_or_alone,
}


@frozen
class Narrowed:
    """What comes of a pod that asks for nodes by name (`matchFields` of `metadata.name`)."""

    # Whether the other nodes are left out before the filters (`PreFilterResult`). Else NodeAffinity rejects each.
    before_filters: bool
    # Whether NodeAffinity counts as a plugin that rejected the pod when it left nodes out.
    registers: bool


def by_filter() -> Narrowed:
    """NodeAffinity rejects every other node (up to 1.23)."""
    return Narrowed(before_filters=False, registers=False)


def by_pre_filter_result() -> Narrowed:
    """PreFilter leaves the other nodes out, and nobody says who did (1.24, QUEUE-PREFILTER-RESULT)."""
    return Narrowed(before_filters=True, registers=False)


def by_registered_pre_filter_result() -> Narrowed:
    """PreFilter leaves the other nodes out, and the plugin is one that rejected the pod (1.31, #122251)."""
    return Narrowed(before_filters=True, registers=True)


@frozen(slots=False, kw_only=True)
class FilterRules:
    """What releases do differently in filters."""

    # See Narrowed.
    narrowed_by_name: Callable[[], Narrowed]


def rejected_by(
    rules: FilterRules, pod: HintedPod, nodes: Iterable[HintedNode | None], bound: Iterable[HintedPod | None]
) -> frozenset[str] | None:
    """The plugins that reject the pod, of all nodes together; None if some node passes.

    No plugin rejects a pod of a cluster without nodes (`ErrNoNodesAvailable`).
    """
    known, there = tuple(filter(None, nodes)), tuple(filter(None, bound))
    narrowed = rules.narrowed_by_name()
    plugins = set()
    for node in known:
        if of_other_name(pod, node):
            plugins |= set() if narrowed.before_filters else {NODE_AFFINITY}
            continue
        first = next((name for name, rejects in FILTERS.items() if rejects(pod, node, known, there)), None)
        if first is None:
            return None
        plugins.add(first)
    registered = bool(pod.node_names and known and narrowed.registers)
    return frozenset(plugins | ({NODE_AFFINITY} if registered else set()))


def passes_pre_check(pod: HintedPod, node: HintedNode, bound: Iterable[HintedPod | None]) -> bool:
    """Whether `preCheckForNode` lets the pod hear of an event of this node (pkg/scheduler/eventhandlers.go, 1.22)."""
    there = tuple(filter(None, bound))
    return not (too_small(pod, node, there) or unlike(pod, node) or of_other_name(pod, node) or untolerated(pod, node))
