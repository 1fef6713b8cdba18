"""What besides resources decides whether a pod fits on a node: what is judged here, and what is only named.

Go: the filters of nodeunschedulable, nodeaffinity and tainttoleration in pkg/scheduler/framework/plugins. All of them
answer UnschedulableAndUnresolvable: no pod that leaves the node changes this.
"""

from collections.abc import Iterator, Sequence

from attrs import frozen

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.room import tolerated
from kubeproof.advise.preemption.picture import AntiAffinity, Pod

UNSCHEDULABLE_TAINT = ("node.kubernetes.io/unschedulable", "", "NoSchedule")


@frozen
class Verdict:
    """What is said of a node before its resources are looked at."""

    # Why the pod never fits there, whoever leaves; empty: nothing says so.
    never: tuple[str, ...]
    # What decides there and is not judged.
    undecided: tuple[str, ...]


@frozen
class _Kept:
    """Where the anti-affinity of a pod that has a node keeps the pod off."""

    pod: str
    key: str
    value: str


def verdicts(pod: Pod, nodes: Sequence[Node], pods: Sequence[Pod], nowhere: tuple[str, ...] = ()) -> dict[str, Verdict]:
    """The verdict of each node for the pod, by the node's name. `pods`: those that have a node and have not ended.

    `nowhere`: why the pod fits on no node at all.
    """
    labels = {node.name: node.labels for node in nodes}
    kept = [
        _Kept(other.full_name, term.topology_key, labels[other.node][term.topology_key])
        for other in pods
        for term in other.anti_affinity
        if other.node in labels and term.topology_key in labels[other.node] and _about(term, other, pod)
    ]
    ports: dict[str, list[Pod]] = {}
    for other in pods:
        if other.host_ports & pod.host_ports:
            ports.setdefault(other.node, []).append(other)
    found = {}
    for node in nodes:
        undecided = list(pod.constraints)
        undecided += [f"the host ports of {other.full_name}" for other in ports.get(node.name, ())]
        undecided += [f"the anti-affinity of {each.pod}" for each in kept if node.labels.get(each.key) == each.value]
        found[node.name] = Verdict((*nowhere, *_never(pod, node)), tuple(undecided))
    return found


def _about(term: AntiAffinity, of: Pod, pod: Pod) -> bool:
    """Whether the term may be about the pod. What a namespaceSelector says of a namespace is not in the files."""
    if not term.by_selector and pod.namespace not in (term.namespaces or (of.namespace,)):
        return False
    return term.selector is not None and all(each.matches(pod.labels) for each in term.selector)


def _never(pod: Pod, node: Node) -> Iterator[str]:
    if node.unschedulable and not tolerated(UNSCHEDULABLE_TAINT, pod.tolerations):
        yield "the node is cordoned"
    for taint in node.taints:
        if not tolerated(taint, pod.tolerations) and not (node.unschedulable and taint == UNSCHEDULABLE_TAINT):
            yield f"the taint {_taint_text(taint)}"
    if any(node.labels.get(key) != value for key, value in pod.node_selector):
        yield "its node selector"
    if pod.node_terms is not None and not any(term.matches(node.name, node.labels) for term in pod.node_terms):
        yield "its node affinity"


def _taint_text(taint: tuple[str, str, str]) -> str:
    key, value, effect = taint
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
