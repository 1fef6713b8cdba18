"""Which actions a state of cpu-manager enables, in a fixed order: pods, containers, the kubelet, the machine.

Each part asks first whether the scope has the power, then what is known of its own pod.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from model.machine import Action, Offer
from model.systems.cpu_manager.crash import crashes_during
from model.systems.cpu_manager.kubelet import NO_POLICY
from model.systems.cpu_manager.pods import counted, is_init, startable, states
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import pod_spec, scheduler_request
from model.systems.cpu_manager.steps import Steps

SOURCES_READY = Action("sources_ready")
STOP_KUBELET = Action("stop_kubelet")
START_KUBELET = Action("start_kubelet")
DELETE_STATE_FILE = Action("delete_state_file")


def offers(steps: Steps) -> tuple[Offer[CPUManagerSystem], ...]:
    """Every enabled action. A crash belongs to the operation that it cuts short."""
    pods = range(steps.scope.pods)
    return (
        *(partial(_creations, steps, at) for at in pods),
        *(_with_crashes(steps, partial(_admissions, steps, at)) for at in pods),
        *(
            _with_crashes(steps, partial(offer, steps, at))
            for at in pods
            for offer in (_starts_of_containers, _of_containers, _ends_of_pod)
        ),
        partial(_sources, steps),
        _with_crashes(steps, partial(_reconciliations, steps)),
        partial(_stops, steps),
        _with_crashes(steps, partial(_starts, steps)),
        partial(_of_machine, steps),
        partial(_wipes, steps),
    )


def _with_crashes(steps: Steps, offer: Offer[CPUManagerSystem]) -> Offer[CPUManagerSystem]:
    """The same actions, each with the crashes that may cut its operation short."""
    most = steps.scope.crashes
    if not most:
        return offer

    def offered(state: CPUManagerSystem) -> Iterator[Action]:
        for action in offer(state):
            yield action
            if state.used.crashes < most and (action is START_KUBELET or _is_up(state)):
                yield from crashes_during(steps, state, action)

    return offered


def _is_up(state: CPUManagerSystem) -> bool:
    return state.kubelet.phase == "up"


# --- a pod --------------------------------------------------------------------------------------------------------


def _creations(steps: Steps, at: int, state: CPUManagerSystem) -> Iterator[Action]:
    if state.pods[at].phase == "absent":
        free, name = room(steps, state), steps.names[at]
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


def _admissions(steps: Steps, at: int, state: CPUManagerSystem) -> Iterator[Action]:
    """HandlePodAdditions takes one pod after the other."""
    pod, name = state.pods[at], steps.names[at]
    if pod.phase != "active" or pod.seen == "yes" or not _is_up(state):
        return
    if pod.seen == "no" and any(other.seen == "admitting" for other in state.pods):
        return
    if steps.allocates_at_admission:
        container = steps.spec(state, at).containers[pod.admitted].name
        yield from steps.choices(state, Action.of("allocate", pod=name, container=container))
    else:
        yield Action.of("admit", pod=name)


def _starts_of_containers(steps: Steps, at: int, state: CPUManagerSystem) -> Iterator[Action]:
    pod, name = state.pods[at], steps.names[at]
    if pod.phase == "active" and pod.seen == "yes" and _is_up(state):
        spec = steps.spec(state, at)
        for each in startable(pod, spec):
            start = Action.of("start_container", pod=name, container=spec.containers[each].name)
            yield from steps.choices(state, start)


def _of_containers(steps: Steps, at: int, state: CPUManagerSystem) -> Iterator[Action]:
    scope, pod, name = steps.scope, state.pods[at], steps.names[at]
    if pod.phase != "active":
        return
    spec = steps.spec(state, at)
    for index, is_ in enumerate(states(pod)):
        init = is_init(spec, index)
        if is_ == "running" and (init or (scope.exits and state.used.exits < scope.exits)):
            yield Action.of("exit_container", pod=name, container=spec.containers[index].name)
        if scope.removals and is_ == "exited" and init and _is_up(state):
            yield Action.of("remove_container", pod=name, container=spec.containers[index].name)


def _ends_of_pod(steps: Steps, at: int, state: CPUManagerSystem) -> Iterator[Action]:
    pod, name = state.pods[at], steps.names[at]
    if pod.phase == "active":
        # While the sync loop admits the pod it does not hear of the end; nor does it of a deletion, below.
        if steps.scope.jobs and pod.seen != "admitting":
            apps = states(pod)[len(steps.spec(state, at).init) :]
            if all(app == "running" for app in apps):
                yield Action.of("complete_pod", pod=name)
        if pod.seen != "admitting":
            yield Action.of("delete_pod", pod=name)
    elif pod.phase in ("succeeded", "failed"):
        yield Action.of("delete_pod", pod=name)


# --- the kubelet --------------------------------------------------------------------------------------------------


def _sources(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    waits = _is_up(state) and not state.kubelet.manager.sources_ready
    if waits and all(pod.seen == "yes" for pod in state.pods if pod.phase == "active"):
        yield SOURCES_READY


def _reconciliations(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    if _is_up(state):
        yield from steps.reconciliations(state)


def _stops(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    if steps.scope.restarts and state.used.restarts < steps.scope.restarts and _is_up(state):
        yield STOP_KUBELET


def _starts(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    if not _is_up(state):
        yield START_KUBELET


# --- machine, configuration and file, while the kubelet is down ---------------------------------------------------


def _of_machine(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    scope = steps.scope
    if not (scope.hotplug or scope.offline or scope.rereserve or scope.repolicy) or _is_up(state):
        return
    node = state.node
    if scope.hotplug and node.cores < scope.cores + scope.hotplug:
        yield Action.of("add_core")
    if len(node.offline) < scope.offline:
        for cpu in range(1, node.cores * scope.threads):
            if cpu not in node.offline:
                yield Action.of("offline_cpu", cpu=cpu)
    if scope.rereserve and node.reserved < scope.reserved + scope.rereserve:
        yield Action.of("grow_reserved")
    if scope.repolicy:
        for policy in ("static", "none", NO_POLICY):
            if policy != node.policy:
                yield Action.of("set_policy", policy=policy)


def _wipes(steps: Steps, state: CPUManagerSystem) -> Iterator[Action]:
    wipes = steps.scope.wipes
    if not wipes or _is_up(state) or state.file is None:
        return
    if wipes == 2 or all(pod.phase != "active" for pod in state.pods):
        yield DELETE_STATE_FILE
