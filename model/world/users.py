"""What users, controllers, kubelets and other schedulers do to pods and nodes, through the API server alone."""

from collections.abc import Iterator
from functools import partial, reduce
from typing import Protocol, TypeVar

from model.evolve import evolve
from model.machine import Action, Offer
from model.objects import Node, Pod
from model.places import always
from model.scheduler.cycle import by_uid
from model.world.api_server import (
    CPU,
    bind_pod,
    create_pod,
    delete_pod,
    heartbeat,
    node_name,
    place,
    pod_name,
    remove_pod,
    write_node,
    write_pod,
)
from model.world.state import HasObjects, HasUsed, left, used
from model.world.step import Step


class UsersScope(Protocol):
    """What there is, and how often who may do what."""

    @property
    def high(self) -> int: ...
    @property
    def top(self) -> int: ...
    @property
    def pods(self) -> int: ...
    @property
    def big(self) -> int: ...
    @property
    def room(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def node_zones(self) -> int: ...
    @property
    def late_nodes(self) -> int: ...
    @property
    def recreates(self) -> int: ...
    @property
    def deletes(self) -> int: ...
    @property
    def other_binders(self) -> int: ...
    @property
    def heartbeats(self) -> int: ...
    @property
    def node_deletes(self) -> int: ...
    @property
    def node_adds(self) -> int: ...
    @property
    def graceful(self) -> int: ...
    @property
    def blocked_deletes(self) -> int: ...
    @property
    def anti_affinity(self) -> int: ...
    @property
    def shrinks(self) -> int: ...
    @property
    def resizes(self) -> int: ...
    @property
    def together(self) -> int: ...
    @property
    def turned(self) -> int: ...


class UsersSetup(Protocol):
    @property
    def scope(self) -> UsersScope: ...
    def scheduler_name(self, at: int, incarnation: int) -> str: ...
    def clears_nomination(self) -> bool: ...
    def requests_may_grow(self) -> bool: ...


class HasUsers(HasObjects, HasUsed, Protocol):
    """The API server's objects, and how often each power was used."""


S = TypeVar("S", bound=HasUsers)

# The value of label `app` that the pods of others keep away, with `anti_affinity`: that of a pod's first new label.
KEPT_AWAY = "1"

STEPS = (
    Step(name="create_pod", place=always("a user")),
    Step(name="recreate_pod", place=always("a controller"), power=("recreates",)),
    Step(name="update_annotations", place=always("a user or controller"), power=("updates",)),
    Step(name="update_finalizers", place=always("a controller"), power=("finalizers",)),
    Step(name="update_labels", place=always("a user or controller"), power=("labels",)),
    Step(name="shrink_pod", place=always("a user"), power=("shrinks",), needs=lambda scope: scope.big),
    Step(name="resize_pod", place=always("a user, and the kubelet of a bound pod"), power=("resizes",)),
    Step(name="delete_pod", place=always("a user"), power=("deletes",)),
    Step(
        name="finish_termination",
        place=always("the kubelet"),
        power=("graceful", "blocked_deletes"),
        needs=lambda scope: scope.deletes or scope.preemption,
    ),
    Step(name="bind_elsewhere", place=always("another scheduler"), power=("other_binders",)),
    Step(name="delete_node", place=always("the cloud provider"), power=("node_deletes",)),
    Step(name="add_node", place=always("the kubelet"), power=("late_nodes", "node_adds")),
    Step(name="grow_node", place=always("the kubelet"), power=("node_grows",)),
    Step(name="shrink_node", place=always("the kubelet"), power=("node_shrinks",)),
    Step(name="cordon_node", place=always("a user"), power=("cordons",)),
    Step(name="uncordon_node", place=always("a user"), power=("cordons",)),
    Step(name="heartbeat", place=always("the kubelet"), power=("heartbeats",)),
)
# How often an update of a pod by somebody else is allowed.
UPDATES = {step.name: step.power[0] for step in STEPS if step.name.startswith("update_")}
# Updates of a node that change something which is modelled: what of the scope says how often.
NODE_UPDATES = {
    "grow_node": "node_grows",
    "shrink_node": "node_shrinks",
    "cordon_node": "cordons",
    "uncordon_node": "cordons",
}


def node_of(scope: UsersScope, at: int) -> Node:
    """The node n1, n2 …: all alike, except for their zones."""
    kept_away = KEPT_AWAY if scope.anti_affinity else ""
    zone = f"z{zone_of(scope, at) + 1}" if scope.node_zones else ""
    return Node(node_name(at), zone, cpu_milli=CPU * scope.room, anti_affinity_app=kept_away)


def zone_of(scope: UsersScope, at: int) -> int:
    """The first nodes are in the first zone, the last in the last; 0 if there are no zones."""
    return at * (scope.node_zones or 1) // scope.nodes


def priority_of(scope: UsersScope, at: int) -> int:
    """Two levels, or three; 0 for the lowest."""
    at = _turned(scope, at)
    return (at < scope.high) + (at < scope.top)


def cpu_of(scope: UsersScope, at: int) -> int:
    """The milli-CPU that the pod asks for when it is created."""
    return 2 * CPU if _turned(scope, at) >= scope.pods - scope.big else CPU


def _turned(scope: UsersScope, at: int) -> int:
    """The place of which the pod in this place has the priority and the size."""
    return scope.pods - 1 - at if scope.turned else at


def offers(setup: UsersSetup) -> tuple[Offer[HasUsers], ...]:
    """Every request that somebody may make, pod by pod and node by node."""
    scope = setup.scope
    of_nodes = (scope.heartbeats, scope.node_deletes, scope.node_adds, scope.late_nodes)
    change = any(of_nodes) or any(getattr(scope, power) for power in NODE_UPDATES.values())
    return (
        *(partial(_of_pod, setup, at) for at in range(scope.pods)),
        *(partial(_of_node, scope, at) for at in range(scope.nodes) if change),
    )


def _of_pod(setup: UsersSetup, at: int, state: HasUsers) -> Iterator[Action]:
    """The requests about the pod in this place."""
    scope, pod, name = setup.scope, state.pods[at], pod_name(at)
    if pod is None:
        if not state.incarnations[at]:
            yield Action.of("create_pod", pod=name)
        elif left(state, "recreates", scope.recreates):
            yield Action.of("recreate_pod", pod=name)
        return
    if pod.terminating:
        yield Action.of("finish_termination", pod=name)
        return
    for action, power in UPDATES.items():
        if left(state, power, getattr(scope, power)):
            yield Action.of(action, pod=name)
    if pod.cpu_milli > CPU and not pod.node_name and left(state, "shrinks", scope.shrinks):
        yield Action.of("shrink_pod", pod=name)
    if left(state, "resizes", scope.resizes) and setup.requests_may_grow() and _can_be_resized(state, pod):
        yield Action.of("resize_pod", pod=name)
    if left(state, "deletes", scope.deletes):
        yield Action.of("delete_pod", pod=name)
    if not pod.node_name and left(state, "other_binders", scope.other_binders):
        for node in state.nodes:
            if node is not None:
                yield Action.of("bind_elsewhere", pod=name, node=node.name)


def _can_be_resized(state: HasUsers, pod: Pod) -> bool:
    """Whether a pod may ask for more: nobody looks for room before it is bound.

    Go: `ValidatePodResize` of the API server compares with no node. `canResizePod` of the kubelet (1.33: in kubelet.go,
    later pkg/kubelet/allocation) counts what it has allocated to the pods that are bound to it.
    """
    if not pod.node_name:
        return True
    node = state.nodes[place(pod.node_name)]
    there = sum(each.cpu_milli for each in state.pods if each is not None and each.node_name == pod.node_name)
    return node is not None and there + CPU <= node.cpu_milli


def _of_node(scope: UsersScope, at: int, state: HasUsers) -> Iterator[Action]:
    """The requests about the node in this place."""
    node, name = state.nodes[at], node_name(at)
    if node is None:
        if left(state, "node_adds", scope.node_adds + scope.late_nodes):
            yield Action.of("add_node", node=name)
        return
    if scope.heartbeats and not state.node_watch:
        yield Action.of("heartbeat", node=name)
    if left(state, "node_deletes", scope.node_deletes):
        yield Action.of("delete_node", node=name)
    for action, power in NODE_UPDATES.items():
        if left(state, power, getattr(scope, power)) and _updated_node(scope, node, action) != node:
            yield Action.of(action, node=name)


def act(setup: UsersSetup, state: S, action: Action) -> S:
    """The state after a user's request."""
    scope, name = setup.scope, action.name
    if name in NODE_UPDATES:
        at = place(action["node"])
        known = state.nodes[at]
        assert known is not None
        return used(write_node(state, at, _updated_node(scope, known, name)), NODE_UPDATES[name])
    if name in ("add_node", "delete_node", "heartbeat"):
        at = place(action["node"])
        if name == "heartbeat":
            return heartbeat(state, at)
        node = node_of(scope, at) if name == "add_node" else None
        return used(write_node(state, at, node), "node_adds" if node else "node_deletes")
    at = place(action["pod"])
    pod = state.pods[at]
    if name in ("create_pod", "recreate_pod"):
        other = setup.scheduler_name(at, state.incarnations[at] + 1)
        priority, cpu = priority_of(scope, at), cpu_of(scope, at)
        state = create_pod(state, at, priority, cpu, scheduler_name=other, turned=scope.turned)
        return used(state, "recreates") if name == "recreate_pod" else state
    assert pod is not None
    match name:
        case "finish_termination":
            return remove_pod(state, at)
        case "shrink_pod":
            return used(write_pod(state, evolve(pod, cpu_milli=CPU)), "shrinks")
        case "resize_pod":
            return used(write_pod(state, evolve(pod, cpu_milli=pod.cpu_milli + CPU)), "resizes")
        case "delete_pod":
            reply = delete_pod(state, pod, bool(scope.graceful), bool(scope.blocked_deletes))
            return used(reply.state, "deletes")
        case "bind_elsewhere":
            return used(bind_pod(state, pod, action["node"], by_uid, setup.clears_nomination).state, "other_binders")
    names = UPDATES if scope.together else (name,)
    return used(write_pod(state, reduce(_updated, names, pod)), UPDATES[name])


def _updated(pod: Pod, name: str) -> Pod:
    """A new version of the pod; each field counts how often it was changed."""
    if name == "update_annotations":
        times = int(dict(pod.annotations).get("note", "0")) + 1
        return evolve(pod, annotations=tuple(sorted({**dict(pod.annotations), "note": str(times)}.items())))
    if name == "update_labels":
        times = int(dict(pod.labels).get("app", "0")) + 1
        return evolve(pod, labels=(("app", str(times)),))
    return evolve(pod, finalizers=(*pod.finalizers, "example.com/kept"))


def _updated_node(scope: UsersScope, node: Node, name: str) -> Node:
    """A new version of the node."""
    if scope.together and name in ("grow_node", "shrink_node"):
        node = evolve(node, unschedulable=not node.unschedulable)
    match name:
        case "grow_node":
            return evolve(node, cpu_milli=node.cpu_milli + CPU)
        case "shrink_node":
            return evolve(node, cpu_milli=max(0, node.cpu_milli - CPU))
    return evolve(node, unschedulable=name == "cordon_node")
