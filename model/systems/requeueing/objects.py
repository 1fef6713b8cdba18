"""The pods and nodes of the system requeueing: only what a plugin of the scope looks at differs."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from model.objects import Pairs
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import NODE_AFFINITY, TAINT_TOLERATION
from model.scheduler.hint_objects import HintedNode, HintedPod, SpreadConstraint
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.systems.requeueing.scope import RequeueingScope

# The labels of a pod that the constraint of PodTopologySpread counts.
WEB: Pairs = (("app", "web"),)
# The labels of another pod that a term of the pod is about.
DB: Pairs = (("app", "db"),)
# The label that the pod asks of a node.
GPU = ("gpu", "yes")
TAINT = "dedicated"
ZONE, ZONES = "zone", ("z1", "z2")


def labels_of(scope: RequeueingScope) -> Pairs:
    """The labels of the pod, by which constraints and terms know the pod."""
    known = INTER_POD_AFFINITY in scope.plugins and scope.terms in (0, 2)
    return WEB if known or POD_TOPOLOGY_SPREAD in scope.plugins else ()


def counted_labels(scope: RequeueingScope) -> Pairs:
    """The labels of another pod of which the pod's constraint or term takes notice."""
    return DB if INTER_POD_AFFINITY in scope.plugins and scope.terms in (1, 3) else WEB


def the_pod(scope: RequeueingScope) -> HintedPod:
    """The pod that is to be scheduled. It asks something of each plugin of the scope, and tolerates nothing."""
    spread, own = POD_TOPOLOGY_SPREAD in scope.plugins, scope.terms if INTER_POD_AFFINITY in scope.plugins else 0
    return HintedPod(
        "p1", "p1#1",
        cpu_milli=int(NODE_RESOURCES_FIT in scope.plugins),
        node_selector=(GPU,) if NODE_AFFINITY in scope.plugins and not scope.by_name else (),
        node_names=tuple(f"n{at}" for at in range(1, scope.nodes)) if scope.by_name else (),
        labels=labels_of(scope),
        affinity_app={1: DB[0][1], 2: WEB[0][1]}.get(own, ""),
        anti_affinity_app=DB[0][1] if own == 3 else "",
        spread=(SpreadConstraint(ZONE, WEB),) if spread else (),
    )  # fmt: skip


def zoned(scope: RequeueingScope) -> bool:
    """Whether a plugin looks at zones."""
    return not {POD_TOPOLOGY_SPREAD, INTER_POD_AFFINITY}.isdisjoint(scope.plugins)


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
    zones: tuple[Pairs, ...] = ((), *(((ZONE, zone),) for zone in ZONES)) if zoned(scope) else ((),)
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
    rejecting = INTER_POD_AFFINITY in scope.plugins and not scope.terms
    for labels in (counted_labels(scope), ()) if zoned(scope) else ((),):
        app = WEB[0][1] if rejecting and labels else ""
        yield HintedPod(
            name, f"{name}#1", cpu_milli=size, node_name=node, labels=() if rejecting else labels, anti_affinity_app=app
        )
