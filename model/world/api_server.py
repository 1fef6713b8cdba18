"""What the API server does with pods and nodes, and the events it sends. Touches pods, nodes and their watches only.

Every function is one write to etcd, so it is atomic. Objects that are equal in all modelled fields count as one
version: a PUT of an object that is not equal to the live one meets the conflict of resourceVersions; a patch does not.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import frozen

from model.evolve import evolve
from model.objects import Node, Pod
from model.world.events import Kind, NodeEvent, PodEvent
from model.world.state import HasObjects

S = TypeVar("S", bound=HasObjects)

_LAST_TURNED = 99  # all that is counted down from it has two digits
CPU = 1000  # milli-CPU that a pod asks for, if it is not big
# What the API server answers to a request that it refuses.
NOT_FOUND = "the pod is not found"
CONFLICT = "the pod has changed, is bound or is being deleted"
NOT_READY = "PodScheduled=False"  # the message of the condition: what it says of nodes is not modelled


@frozen
class Reply(Generic[S]):
    """The state after a request, and with which error the API server refused it; None: it did not."""

    state: S
    error: str | None = None

    @property
    def refused(self) -> bool:
        return self.error is not None


def place(name: str) -> int:
    """The place of p2 is 1, that of n1 is 0."""
    return int(name[1:]) - 1


def pod_name(at: int) -> str:
    return f"p{at + 1}"


def node_name(at: int) -> str:
    return f"n{at + 1}"


def live(state: HasObjects, pod: Pod) -> Pod | None:
    """The API server's object of that name, whatever its UID."""
    return state.pods[place(pod.name)]


def write_pod(state: S, pod: Pod) -> S:
    """`pod` in place of the object of its name; without an event if it is equal (no new resourceVersion)."""
    at = place(pod.name)
    if state.pods[at] == pod:
        return state
    kind: Kind = "add" if state.pods[at] is None else "update"
    return evolve(state, pods=state.pods.put(at, pod), pod_watch=state.pod_watch.send(PodEvent(kind, pod)))


def remove_pod(state: S, at: int) -> S:
    """The pod is gone; the event carries its last state."""
    last = state.pods[at]
    if last is None:
        return state
    return evolve(state, pods=state.pods.put(at, None), pod_watch=state.pod_watch.send(PodEvent("delete", last)))


def delete_pod(state: S, pod: Pod, graceful: bool, blocked: bool = False) -> Reply[S]:
    """DELETE by name. A pod that is bound terminates first if `graceful`; one that is not goes at once.

    `blocked`: a pod with finalizers terminates too, bound or not.
    """
    current = live(state, pod)
    if current is None:
        return Reply(state, NOT_FOUND)
    if (current.node_name and graceful) or (current.finalizers and blocked):
        return Reply(write_pod(state, evolve(current, terminating=True)))
    return Reply(remove_pod(state, place(pod.name)))


def create_pod(
    state: S,
    at: int,
    priority: int,
    cpu_milli: int,
    gates: tuple[str, ...] = (),
    affinity_app: str = "",
    scheduler_name: str = "",
    turned: int = 0,
) -> S:
    """A new incarnation of the name. Gates, affinity and schedulerName are as in `Pod`.

    `turned`: whether the UID is before that of the last incarnation in the order of texts, and not after it.
    """
    incarnation = state.incarnations[at] + 1
    name, number = pod_name(at), _LAST_TURNED - incarnation if turned else incarnation
    pod = Pod(
        name, f"{name}#{number}", priority=priority, cpu_milli=cpu_milli, affinity_app=affinity_app,
        scheduling_gates=gates, scheduler_name=scheduler_name,
    )  # fmt: skip
    return evolve(write_pod(state, pod), incarnations=state.incarnations.put(at, incarnation))


def bind_pod(
    state: S,
    pod: Pod,
    node: str,
    honours_uid: Callable[[], bool],
    clears_nomination: Callable[[], bool] = lambda: False,
) -> Reply[S]:
    """POST of a Binding (registry/core/pod/storage assignPod): refused for a pod bound, terminating or gone.

    `honours_uid`: from 1.23 on the Binding's metadata.uid has to be the pod's (pull request #105913).
    `clears_nomination`: from 1.35 on status.nominatedNodeName is cleared. Asked of a nominated pod.
    """
    current = live(state, pod)
    if current is None:
        return Reply(state, NOT_FOUND)
    if current.node_name or current.terminating or (current.uid != pod.uid and honours_uid()):
        return Reply(state, CONFLICT)
    nominated = "" if current.nominated_node_name and clears_nomination() else current.nominated_node_name
    return Reply(write_pod(state, evolve(current, node_name=node, condition="", nominated_node_name=nominated)))


def put_status(state: S, pod: Pod, condition: str | None = None, nominated: str | None = None) -> Reply[S]:
    """UpdateStatus of `pod`'s own version with another status: refused with a conflict if that is not the live one."""
    current = live(state, pod)
    if current != pod:
        return Reply(state, NOT_FOUND if current is None else CONFLICT)
    return Reply(write_pod(state, _with_status(pod, condition, nominated)))


def patch_status(state: S, pod: Pod, condition: str | None = None, nominated: str | None = None) -> Reply[S]:
    """A patch of the status by name: it reaches whatever incarnation is there, bound or not."""
    current = live(state, pod)
    if current is None:
        return Reply(state, NOT_FOUND)
    return Reply(write_pod(state, _with_status(current, condition, nominated)))


def _with_status(pod: Pod, condition: str | None, nominated: str | None) -> Pod:
    if condition is not None:
        pod = evolve(pod, condition=condition)
    if nominated is not None:
        pod = evolve(pod, nominated_node_name=nominated)
    return pod


def write_node(state: S, at: int, node: Node | None) -> S:
    """The node is created, or with None deleted."""
    last = state.nodes[at]
    if node is None:
        if last is None:
            return state
        event = NodeEvent("delete", last)
    else:
        event = NodeEvent("add", node) if last is None else NodeEvent("update", node, last)
    return evolve(state, nodes=state.nodes.put(at, node), node_watch=state.node_watch.send(event))


def heartbeat(state: S, at: int) -> S:
    """The kubelet writes the node's status: a new version that is equal in all that is modelled."""
    node = state.nodes[at]
    assert node is not None
    return evolve(state, node_watch=state.node_watch.send(NodeEvent("update", node)))
