"""Which actions a state of cpu-manager enables, in a fixed order: pods, containers, the kubelet, the machine."""

from collections.abc import Iterator
from fractions import Fraction

from model.machine import Action
from model.systems.cpu_manager.crash import crashes_during
from model.systems.cpu_manager.kubelet import NO_POLICY
from model.systems.cpu_manager.pods import counted, is_init, startable
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import pod_spec, scheduler_request
from model.systems.cpu_manager.steps import Steps

SOURCES_READY = Action("sources_ready")
STOP_KUBELET = Action("stop_kubelet")
START_KUBELET = Action("start_kubelet")
DELETE_STATE_FILE = Action("delete_state_file")


def actions(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    """Every enabled action. A crash belongs to the operation that it cuts short."""
    may_crash = state.used.crashes < steps.scope.crashes
    for action in _all_but_crashes(steps, state):
        yield action
        if may_crash and (state.kubelet.phase == "up" or action is START_KUBELET):
            yield from crashes_during(steps, state, action)


def _all_but_crashes(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    yield from _creations(steps, state)
    up = state.kubelet.phase == "up"
    if up:
        yield from _admissions(steps, state)
    for index, pod in enumerate(state.pods):
        if pod.phase == "active":
            yield from _of_pod(steps, state, index)
        elif pod.phase in ("succeeded", "failed"):
            yield Action.of("delete_pod", pod=steps.names[index])
    if up:
        if not state.kubelet.manager.sources_ready and all(p.seen == "yes" for p in state.pods if p.phase == "active"):
            yield SOURCES_READY
        yield from steps.reconciliations(state)
        if state.used.restarts < steps.scope.restarts:
            yield STOP_KUBELET
    else:
        yield START_KUBELET
        yield from _of_machine(steps, state)


def _creations(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    free = room(steps, state)
    for index, pod in enumerate(state.pods):
        if pod.phase == "absent":
            name = steps.names[index]
            for shape in steps.shapes:
                if scheduler_request(pod_spec(name, shape)) <= free:
                    yield Action.of("create_pod", pod=name, containers=shape)


def room(steps: Steps, state: CPUManagerSystem) -> Fraction:
    """The scheduler binds a pod that fits what it counts: the CPUs that the kubelet last reported, less the reserve."""
    node = state.kubelet.started_on
    return (
        len(node.cpus)
        - node.reserved
        - counted(state.pods, {i: steps.spec(state, i) for i, p in enumerate(state.pods) if p.phase == "active"})
    )


def _admissions(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    """HandlePodAdditions takes one pod after the other."""
    in_hand = [i for i, pod in enumerate(state.pods) if pod.seen == "admitting"]
    for index, pod in enumerate(state.pods):
        if pod.phase != "active" or pod.seen == "yes" or (in_hand and index not in in_hand):
            continue
        name = steps.names[index]
        if steps.allocates_at_admission:
            container = steps.spec(state, index).containers[pod.admitted].name
            yield from steps.choices(state, Action.of("allocate", pod=name, container=container))
        else:
            yield Action.of("admit", pod=name)


def _of_pod(steps: Steps, state: CPUManagerSystem, index: int) -> Iterator[Action]:
    pod, name, spec = state.pods[index], steps.names[index], steps.spec(state, index)
    up = state.kubelet.phase == "up"
    if up and pod.seen == "yes":
        for at in startable(pod, spec):
            start = Action.of("start_container", pod=name, container=spec.containers[at].name)
            yield from steps.choices(state, start)
    for at, container in enumerate(pod.containers):
        if container.state == "running" and (is_init(spec, at) or state.used.exits < steps.scope.exits):
            yield Action.of("exit_container", pod=name, container=spec.containers[at].name)
        if steps.scope.removals and up and container.state == "exited" and is_init(spec, at):
            yield Action.of("remove_container", pod=name, container=spec.containers[at].name)
    apps = pod.containers[len(spec.init) :]
    # While the sync loop admits the pod it does not hear of the end; nor does it of a deletion, below.
    if steps.scope.jobs and pod.seen != "admitting" and all(app.state == "running" for app in apps):
        yield Action.of("complete_pod", pod=name)
    if pod.seen != "admitting":
        yield Action.of("delete_pod", pod=name)


def _of_machine(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    """What may happen to machine, configuration and file while the kubelet is down."""
    scope, node = steps.scope, state.node
    if node.cores < scope.cores + scope.hotplug:
        yield Action.of("add_core")
    if len(node.offline) < scope.offline:
        for cpu in range(1, node.cores * scope.threads):
            if cpu not in node.offline:
                yield Action.of("offline_cpu", cpu=cpu)
    if node.reserved < scope.reserved + scope.rereserve:
        yield Action.of("grow_reserved")
    if scope.repolicy:
        for policy in ("static", "none", NO_POLICY):
            if policy != node.policy:
                yield Action.of("set_policy", policy=policy)
    if state.file is not None and (
        scope.wipes == 2 or (scope.wipes == 1 and all(pod.phase != "active" for pod in state.pods))
    ):
        yield DELETE_STATE_FILE
