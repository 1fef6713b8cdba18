"""The pods and nodes of the system requeueing: only what a plugin of the scope looks at differs."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from model.objects import Pairs
from model.scheduler.cycle import NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import NODE_AFFINITY, TAINT_TOLERATION
from model.scheduler.hint_objects import HintedNode, HintedPod, SpreadConstraint
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.systems.requeueing.scope import RequeueingScope

# The labels of a pod that the constraint of PodTopologySpread counts.
WEB: Pairs = (("app", "web"),)
# The label that the pod asks of a node.
GPU = ("gpu", "yes")
TAINT = "dedicated"
ZONE, ZONES = "zone", ("z1", "z2")


def the_pod(scope: RequeueingScope) -> HintedPod:
    """The pod that is to be scheduled. It asks something of each plugin of the scope, and tolerates nothing."""
    spread = POD_TOPOLOGY_SPREAD in scope.plugins
    return HintedPod(
        "p1", "p1#1",
        cpu_milli=int(NODE_RESOURCES_FIT in scope.plugins),
        node_selector=(GPU,) if NODE_AFFINITY in scope.plugins and not scope.by_name else (),
        node_names=tuple(f"n{at}" for at in range(1, scope.nodes)) if scope.by_name else (),
        labels=WEB if spread else (),
        spread=(SpreadConstraint(ZONE, WEB),) if spread else (),
    )  # fmt: skip


@cache
def nodes_of(scope: RequeueingScope, name: str) -> tuple[HintedNode, ...]:
    """Each node of that name that plugins of the scope tell apart."""
    return tuple(_nodes(scope, name))


def _nodes(scope: RequeueingScope, name: str) -> Iterator[HintedNode]:
    plugins = scope.plugins
    sizes = (0, 1) if NODE_RESOURCES_FIT in plugins else (0,)
    labels: tuple[Pairs, ...] = ((), (GPU,)) if NODE_AFFINITY in plugins and not scope.by_name else ((),)
    taints = ("", TAINT) if TAINT_TOLERATION in plugins else ("",)
    cordoned = (False, True) if NODE_UNSCHEDULABLE in plugins else (False,)
    zones: tuple[Pairs, ...] = ((), *(((ZONE, zone),) for zone in ZONES)) if POD_TOPOLOGY_SPREAD in plugins else ((),)
    for size, label, taint, unschedulable, zone in product(sizes, labels, taints, cordoned, zones):
        yield HintedNode(name, cpu_milli=size, unschedulable=unschedulable, labels=(*label, *zone), taint=taint)


@cache
def changes_of(scope: RequeueingScope, node: HintedNode) -> tuple[HintedNode, ...]:
    """The same node after each change of one property."""
    return tuple(_changes(scope, node))


def _changes(scope: RequeueingScope, node: HintedNode) -> Iterator[HintedNode]:
    for other in nodes_of(scope, node.name):
        before, after = dict(node.labels), dict(other.labels)
        different = [
            node.cpu_milli != other.cpu_milli,
            node.taint != other.taint,
            node.unschedulable != other.unschedulable,
            *(before.get(key) != after.get(key) for key in (ZONE, GPU[0])),
        ]
        if sum(different) == 1:
            yield other


def bound_pods_of(scope: RequeueingScope, name: str, node: str) -> Iterator[HintedPod]:
    """Each pod of that name, bound to that node, that plugins of the scope tell apart."""
    size = int(NODE_RESOURCES_FIT in scope.plugins)
    labels: tuple[Pairs, ...] = (WEB, ()) if POD_TOPOLOGY_SPREAD in scope.plugins else ((),)
    for each in labels:
        yield HintedPod(name, f"{name}#1", cpu_milli=size, node_name=node, labels=each)
