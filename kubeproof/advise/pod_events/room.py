"""What nodes have left: what is allocatable, less the requests of bound pods that have not ended. Pure functions.

As in the scheduler, a nominated pod keeps its room from pods of the same or a lower priority.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from attrs import Factory, define

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.picture import Picture, Pod

# For each node on which a pod does not fit: the resources that are short.
Lacking = dict[str, tuple[str, ...]]


@define
class Room:
    """The room on all nodes."""

    nodes: tuple[Node, ...]
    # What each node has left of each resource. `pods` is one of the resources.
    free: dict[str, Counter[str]] = Factory(dict)
    # The waiting pods that are nominated for each node.
    nominated: dict[str, list[Pod]] = Factory(lambda: defaultdict(list))
    # The answers so far.
    _known: dict[object, Lacking] = Factory(dict)

    @classmethod
    def of(cls, picture: Picture) -> "Room":
        room = cls(picture.nodes or ())
        for node in room.nodes:
            room.free[node.name] = Counter(dict(node.allocatable))
        for pod in picture.pods or ():
            if pod.terminal:
                continue
            if pod.node in room.free:
                left = room.free[pod.node]
                left.subtract(dict(pod.requests))
                left["pods"] -= 1
            elif not pod.node and pod.nominated:
                room.nominated[pod.nominated].append(pod)
        return room

    def lacking(self, pod: Pod) -> Lacking:
        """For each node on which the pod does not fit: the resources that the pod asks for and that are short."""
        # Pods that ask for the same get the same answer, unless they are nominated.
        own = pod.uid if pod.nominated else ""
        key = (pod.requests, pod.priority, own)
        if key not in self._known:
            lacks = {node.name: self._lacks(pod, node) for node in self.nodes}
            self._known[key] = {name: short for name, short in lacks.items() if short}
        return self._known[key]

    def over(self) -> dict[str, dict[str, int]]:
        """For each node that holds more than is allocatable: each such resource, and by how much it is exceeded.

        A resource of which the node does not tell is not judged: an extender may look after it.
        """
        over = {}
        for node in self.nodes:
            free = self.free[node.name]
            if short := {resource: -free[resource] for resource, _ in node.allocatable if free[resource] < 0}:
                over[node.name] = short
        return over

    @property
    def asked(self) -> int:
        """How many different answers there are so far. The work is this number times the number of nodes."""
        return len(self._known)

    def left(self, pod: Pod, node: str) -> Counter[str]:
        """What the node has left for the pod."""
        left = Counter(self.free[node])
        for other in self.nominated.get(node, ()):
            if other.uid != pod.uid and other.priority >= pod.priority:
                left.subtract(dict(other.requests))
                left["pods"] -= 1
        return left

    def _lacks(self, pod: Pod, node: Node) -> tuple[str, ...]:
        left = self.left(pod, node.name) if node.name in self.nominated else self.free[node.name]
        short = [resource for resource, amount in pod.requests if left[resource] < amount]
        return (*short, "pods") if left["pods"] < 1 else tuple(short)


def kept_off(pod: Pod, node: Node) -> list[str]:
    """What besides resources keeps the pod off the node, or may keep it off."""
    reasons = list(pod.constraints)
    if node.unschedulable:
        reasons.append("the node is cordoned")
    if any(not tolerated(taint, pod.tolerations) for taint in node.taints):
        reasons.append("a taint of the node")
    if any(node.labels.get(key) != value for key, value in pod.selector):
        reasons.append("its node selector")
    return reasons


def tolerated(taint: tuple[str, str, str], tolerations: Iterable[tuple[str, str, str, str]]) -> bool:
    """Whether one of the tolerations (key, operator, value, effect) tolerates the taint (key, value, effect)."""
    key, value, effect = taint
    return any(
        each[3] in ("", effect)
        and each[0] in ("", key)
        and (each[1] == "Exists" or (each[0] == key and each[2] == value))
        for each in tolerations
    )
