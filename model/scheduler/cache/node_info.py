"""NodeInfo: what the scheduler's cache and its snapshots know of one node. Touches nothing but its arguments.

Go: NodeInfo in pkg/scheduler/cache/node_info.go (1.13), pkg/scheduler/nodeinfo/node_info.go (1.14 to 1.17),
pkg/scheduler/framework[/v1alpha1]/types.go (from 1.18 on). It has no lock: a NodeInfo of the cache changes under
`schedulerCache.mu`, one of a snapshot is read by the scheduling cycle alone.

A NodeInfo without a Node is a *ghost* when its node was removed before its pods, and a *placeholder* when its pods
came before their node. Nothing tells the two apart.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.objects import Node, Pod

Removal = Literal["removed", "not found", "panic"]


@frozen(cache_hash=True)
class NodeInfo:
    """What the cache knows of one node: the Node object, and the pods that count there."""

    # The key in the cache's map.
    name: str
    # The Node object. None: the NodeInfo is a ghost or a placeholder.
    node: Node | None = None
    # Sorted by uid. Go keeps a slice in which the last pod takes the place of a removed one. The cache reads that
    # order only for a uid that is there twice (an update with another uid, up to 1.23): a removal takes the first of
    # the two, here always the older copy.
    pods: tuple[Pod, ...] = ()
    # Requested.MilliCPU: a running sum. Up to 1.32 the sum is wrong after a removal that was given another version of
    # the pod than the one that was added.
    requested_cpu: int = 0
    # Tells versions of the NodeInfo apart; see `snapshot`.
    generation: int = 0

    @property
    def allocatable_cpu(self) -> int:
        """Allocatable.MilliCPU. A ghost's is 0: up to 1.17 it is cleared, later no snapshot has a ghost."""
        return self.node.cpu_milli if self.node is not None else 0

    def has_pod(self, uid: str) -> bool:
        """Whether a pod with this uid is counted here."""
        return any(pod.uid == uid for pod in self.pods)


def add_pod(info: NodeInfo, pod: Pod, generation: int) -> NodeInfo:
    """`info` with `pod`'s request added and `pod` among its pods, whether or not it is there already (`AddPod`)."""
    at = len(info.pods)
    while at and info.pods[at - 1].uid > pod.uid:
        at -= 1
    pods = (*info.pods[:at], pod, *info.pods[at:])
    return NodeInfo(info.name, info.node, pods, info.requested_cpu + pod.cpu_milli, generation)


def subtract_given(counted: Pod, given: Pod) -> Pod:
    """The request of the pod that the removal was given (`RemovePod`, to 1.32)."""
    return given


def subtract_counted(counted: Pod, given: Pod) -> Pod:
    """The request of the pod that was added: `removeFromSlice` answers its PodInfo (`RemovePod`; 1.33)."""
    return counted


def remove_pod(
    info: NodeInfo, pod: Pod, generation: int, subtracted: Callable[[Pod, Pod], Pod]
) -> tuple[Removal, NodeInfo]:
    """`info` without the pod of `pod`'s uid, and without the request of the pod that `subtracted` says (`RemovePod`).

    "not found" is Go's error `no corresponding pod NAME in pods of node NAME`. The node's name in that text comes
    from the Node object: without one the answer is "panic", a nil pointer dereference (all releases).
    """
    for at, known in enumerate(info.pods):
        if known.uid == pod.uid:
            left = info.requested_cpu - subtracted(known, pod).cpu_milli
            return "removed", NodeInfo(info.name, info.node, info.pods[:at] + info.pods[at + 1 :], left, generation)
    return ("panic" if info.node is None else "not found"), info


def set_node(info: NodeInfo, node: Node | None, generation: int) -> NodeInfo:
    """`info` with that Node object (`SetNode`), or as a ghost (`RemoveNode` of 1.13 to 1.17 and from 1.18.9 on)."""
    return NodeInfo(info.name, node, info.pods, info.requested_cpu, generation)
