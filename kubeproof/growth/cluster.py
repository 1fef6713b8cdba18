"""The cluster around the scheduler: the API server's pods and nodes, kubelets, and informers that tell of each change.

Not `model.world`: its steps are made for exploring all orders of a few actions. Here is one order of many.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from kubeproof.growth.clock import Clock
from model.evolve import evolve
from model.objects import Node, Pod

# How long it takes until an informer tells of a change. The same for all changes, so they come in order.
INFORMER_MS = 2
# How long a kubelet takes to report that a bound pod runs, and to end a pod; also a controller to remove a finalizer.
KUBELET_MS = 1_000

PodChange = Callable[[Pod | None, Pod | None], None]
NodeChange = Callable[[Node | None, Node | None], None]


class Cluster:
    """Pods and nodes as the API server has them."""

    def __init__(self, clock: Clock) -> None:
        self.pods: dict[str, Pod] = {}
        self.nodes: dict[str, Node] = {}
        self.clock = clock
        self._version = 0
        self._of_pods: list[PodChange] = []
        self._of_nodes: list[NodeChange] = []

    def tell(self, of_pods: PodChange, of_nodes: NodeChange) -> None:
        """Call these with the old and the new version of each object that changes from now on."""
        self._of_pods.append(of_pods)
        self._of_nodes.append(of_nodes)

    def start_with(self, pods: tuple[Pod, ...], nodes: tuple[Node, ...]) -> None:
        """Objects that are there from the start: nobody is told of them."""
        self.pods |= {pod.name: pod for pod in pods}
        self.nodes |= {node.name: node for node in nodes}

    def _next(self) -> int:
        self._version += 1
        return self._version

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        for told in self._of_pods:
            self.clock.after(INFORMER_MS, partial(told, old, new))

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        for told in self._of_nodes:
            self.clock.after(INFORMER_MS, partial(told, old, new))

    def create_pod(self, pod: Pod) -> None:
        self.pods[pod.name] = new = evolve(pod, resource_version=self._next())
        self._pod_changed(None, new)

    def update_pod(self, name: str, **changes: Any) -> None:
        """Change these fields. Without a field: the status, of which the models have no more than a new version."""
        old = self.pods.get(name)
        if old is not None:
            self.pods[name] = new = evolve(old, **changes, resource_version=self._next())
            self._pod_changed(old, new)

    def delete_pod(self, name: str) -> None:
        """A user's or a controller's delete.

        A bound pod gets a deletionTimestamp, and goes when its kubelet has ended it. So does an unbound pod that has a
        finalizer, when a controller has removed the finalizer. Any other unbound pod goes at once
        (pkg/registry/core/pod/strategy.go `CheckGracefulDelete`).
        """
        pod = self.pods.get(name)
        if pod is None or pod.terminating:
            return
        if not pod.node_name and not pod.finalizers:
            self.remove_pod(name)
            return
        self.update_pod(name, terminating=True)
        self.clock.after(KUBELET_MS, lambda: self.remove_pod(name))

    def remove_pod(self, name: str) -> None:
        """The pod goes at once."""
        old = self.pods.pop(name, None)
        if old is not None:
            self._pod_changed(old, None)

    def bind(self, pod: Pod, node: str) -> bool:
        """The scheduler's Binding; False: the pod is gone, is being deleted, or is bound (`BindingREST.Create`)."""
        now = self.pods.get(pod.name)
        if now is None or now.uid != pod.uid or now.terminating or now.node_name:
            return False
        self.update_pod(pod.name, node_name=node, condition="")
        self.clock.after(KUBELET_MS, lambda: self.update_pod(pod.name))
        return True

    def add_node(self, node: Node) -> None:
        self.nodes[node.name] = new = evolve(node, resource_version=self._next())
        self._node_changed(None, new)

    def remove_node(self, name: str) -> None:
        old = self.nodes.pop(name, None)
        if old is not None:
            self._node_changed(old, None)
