"""Pods and nodes with the fields that only hint functions read. Pure data.

Go: core/v1. All pods live in one namespace, as everywhere in the models.
"""

from collections.abc import Callable

from attrs import fields, frozen

from model.evolve import evolve
from model.objects import Node, Pairs, Pod
from model.scheduler.queue.events import Answer


@frozen(cache_hash=True)
class SpreadConstraint:
    """A topologySpreadConstraint with whenUnsatisfiable: DoNotSchedule."""

    # The label of nodes whose values are the domains.
    topology_key: str
    # The labels that a counted pod has (matchLabels).
    selector: Pairs
    # nodeTaintsPolicy: Honor. A node whose taint the pod does not tolerate is not counted.
    honors_taints: bool = False

    def matches(self, labels: Pairs) -> bool:
        """Whether a pod with these labels is counted."""
        return set(self.selector) <= set(labels)


@frozen(cache_hash=True)
class HintedPod(Pod):
    """A version of a pod object."""

    # The labels that spec.nodeSelector, or the required node affinity, asks of a node.
    node_selector: Pairs = ()
    # The names of the nodes that the required node affinity asks for (matchFields), () for any.
    node_names: tuple[str, ...] = ()
    # The value of label `app` that a required pod anti-affinity term rejects, "" for no such term.
    anti_affinity_app: str = ""
    # spec.topologySpreadConstraints.
    spread: tuple[SpreadConstraint, ...] = ()


@frozen(cache_hash=True)
class HintedNode(Node):
    """A version of a node object."""

    # metadata.labels, as sorted pairs.
    labels: Pairs = ()
    # The key of a taint with the effect NoSchedule or NoExecute, "" for none.
    taint: str = ""


# What a node without such fields has in their place.
_PLAIN = HintedNode("")


def hinted(node: Node) -> HintedNode:
    """The node if it has labels and a taint, else a node without."""
    return node if isinstance(node, HintedNode) else _PLAIN


def hinted_pod(pod: Pod) -> HintedPod:
    """The pod, with none of what only hint functions read if it has no such fields."""
    return pod if isinstance(pod, HintedPod) else HintedPod(*(getattr(pod, name) for name in _OF_POD))


_OF_POD = tuple(field.name for field in fields(Pod))


# The label that says in which zone a node is.
ZONE_LABEL = "zone"


def hinted_node(node: Node) -> HintedNode:
    """The node with the labels and the taint that only hint functions read: of a plain node, the label of its zone."""
    if isinstance(node, HintedNode):
        return node
    found = HintedNode(*(getattr(node, name) for name in _OF_NODE))
    return evolve(found, labels=((ZONE_LABEL, node.zone),)) if node.zone else found


_OF_NODE = tuple(field.name for field in fields(Node))


@frozen
class OfPods:
    """A plugin's hint function for pods, asked of pods as a system has them."""

    rule: Callable[..., Answer]

    def __call__(self, pod: Pod, old: Pod | None, new: Pod | None) -> Answer:
        return self.rule(*(None if each is None else hinted_pod(each) for each in (pod, old, new)))


@frozen
class OfNodes:
    """A plugin's hint function for nodes, asked of a pod and of nodes as a system has them."""

    rule: Callable[..., Answer]

    def __call__(self, pod: Pod, old: Node | None, new: Node | None) -> Answer:
        return self.rule(hinted_pod(pod), *(None if each is None else hinted_node(each) for each in (old, new)))
