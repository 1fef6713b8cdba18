"""What users, controllers, kubelets and other schedulers do to pods and nodes, through the API server alone."""

from collections.abc import Iterator

from model.evolve import evolve
from model.machine import Action
from model.objects import Node, Pod
from model.scheduler.cycle import by_uid
from model.systems.scheduling.api_server import (
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
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import Setup
from model.systems.scheduling.scope import SchedulingScope


def node_of(scope: SchedulingScope, at: int) -> Node:
    """The node n1, n2 …: all alike."""
    return Node(node_name(at), cpu_milli=CPU * scope.room)


def priority_of(scope: SchedulingScope, at: int) -> int:
    return 1 if at < scope.high else 0


# An update of a pod by somebody else: the scope's field, and what it changes.
UPDATES = {"update_annotations": "updates", "update_finalizers": "finalizers", "update_labels": "labels"}


def user_actions(setup: Setup, state: Scheduling) -> Iterator[Action]:
    """Every request that somebody may make now."""
    scope, used = setup.scope, state.used
    for at, pod in enumerate(state.pods):
        name = pod_name(at)
        if pod is None:
            if not state.incarnations[at]:
                yield Action.of("create_pod", pod=name)
            elif used.of("recreates") < scope.recreates:
                yield Action.of("recreate_pod", pod=name)
            continue
        if pod.terminating:
            yield Action.of("finish_termination", pod=name)
            continue
        for action, field in UPDATES.items():
            if used.of(field) < getattr(scope, field):
                yield Action.of(action, pod=name)
        if used.of("deletes") < scope.deletes:
            yield Action.of("delete_pod", pod=name)
        if not pod.node_name and used.of("other_binders") < scope.other_binders:
            for node in state.nodes:
                if node is not None:
                    yield Action.of("bind_elsewhere", pod=name, node=node.name)
    for at, node in enumerate(state.nodes):
        if node is not None and scope.heartbeats and not state.node_watch:
            yield Action.of("heartbeat", node=node_name(at))
        if node is not None and used.of("node_deletes") < scope.node_deletes:
            yield Action.of("delete_node", node=node_name(at))
        if node is None and used.of("node_adds") < scope.node_adds + scope.late_nodes:
            yield Action.of("add_node", node=node_name(at))


def act(setup: Setup, state: Scheduling, action: Action) -> Scheduling:
    """The state after a user's request."""
    scope, name = setup.scope, action.name
    if name in ("add_node", "delete_node", "heartbeat"):
        at = place(action["node"])
        if name == "heartbeat":
            return heartbeat(state, at)
        node = node_of(scope, at) if name == "add_node" else None
        return _used(write_node(state, at, node), "node_adds" if node else "node_deletes")
    at = place(action["pod"])
    pod = state.pods[at]
    if name in ("create_pod", "recreate_pod"):
        state = create_pod(state, at, priority_of(scope, at))
        return _used(state, "recreates") if name == "recreate_pod" else state
    assert pod is not None
    match name:
        case "finish_termination":
            return remove_pod(state, at)
        case "delete_pod":
            return _used(delete_pod(state, pod, bool(scope.graceful)).state, "deletes")
        case "bind_elsewhere":
            return _used(bind_pod(state, pod, action["node"], by_uid).state, "other_binders")
    return _used(write_pod(state, _updated(pod, name)), UPDATES[name])


def _updated(pod: Pod, name: str) -> Pod:
    """A new version of the pod; each field counts how often it was changed."""
    if name == "update_annotations":
        times = int(dict(pod.annotations).get("note", "0")) + 1
        return evolve(pod, annotations=tuple(sorted({**dict(pod.annotations), "note": str(times)}.items())))
    if name == "update_labels":
        times = int(dict(pod.labels).get("app", "0")) + 1
        return evolve(pod, labels=(("app", str(times)),))
    return evolve(pod, finalizers=(*pod.finalizers, "example.com/kept"))


def _used(state: Scheduling, power: str) -> Scheduling:
    return evolve(state, used=state.used.once_more(power))
