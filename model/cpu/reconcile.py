"""`reconcileState`: every few seconds the manager cleans up and tells running containers which CPUs are theirs.

Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, releases 1.13 to 1.31. One pass is one step here. In Go the removal and
each container's turn hold m.Lock separately; what comes between two turns reaches the container at the next pass.
`order` is the map order of removals (stale.py).
"""

from model.cpu.manager import ContainerStatus, CPUManager, Effect, Manager, Pods, PodView
from model.cpu.stale import in_map_order
from model.cpu.state.state import CPUManagerState, get_cpu_set, get_cpu_set_or_default


def _readd(cpu: CPUManager, effect: Effect, pods: Pods, statuses_of_init: bool) -> tuple[Effect, set[str]]:
    """The pass of 1.13 to 1.17 over containers: one that the state lacks is added, whatever it is doing by now.

    Gives the effect and the ids that were seen. `statuses_of_init`: ids of init containers are found as well.
    """
    seen = set()
    for pod in cpu.rules.active_pods(pods):
        init = {container.name for container in pod.spec.init}
        for status in pod.statuses:
            if not status.id or (status.name in init and not statuses_of_init):
                continue
            if get_cpu_set(effect.state, "", status.id) is None:
                if not pod.running:
                    continue
                added = cpu.rules.manager_add_container(
                    cpu, effect.manager, effect.state, pod.spec, status.name, status.id
                )
                effect = effect.then(added)
                if added.error is not None:
                    continue
            seen.add(status.id)
            cpus = get_cpu_set_or_default(effect.state, "", status.id)
            effect = effect.then(Effect(effect.manager, effect.state, updates=((status.id, cpus),)))
    return effect, seen


def reconcile_state_adding(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.13: entries without a container are never looked at; ids of init containers are not found."""
    effect, _ = _readd(cpu, Effect(manager, state), pods, statuses_of_init=False)
    return effect


def _adding_and_removing(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int, statuses_of_init: bool
) -> Effect:
    effect, seen = _readd(cpu, Effect(manager, state), pods, statuses_of_init)
    gone = [key[1] for key, _ in effect.state.assignments if key[1] not in seen]
    for container_id in in_map_order(gone, order):
        effect = effect.then(cpu.rules.manager_remove_container(cpu, effect.manager, effect.state, container_id))
    return effect


def reconcile_state_removing_without_init(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.14 (#68619): entries of containers not seen in this pass are removed, init containers' among them."""
    return _adding_and_removing(cpu, manager, state, pods, order, statuses_of_init=False)


def reconcile_state_removing(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.15 and 1.16: as in 1.14, and ids of init containers are found."""
    return _adding_and_removing(cpu, manager, state, pods, order, statuses_of_init=True)


def reconcile_state_cleaning_and_adding(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.17 (#81344): `removeStaleState` first, then the pass that adds."""
    cleaned = cpu.rules.remove_stale_state(cpu, manager, state, pods, order)
    return _readd(cpu, cleaned, pods, statuses_of_init=True)[0]


def reconcile_state_removing_terminated(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.18.0 to 1.18.3 (#84300): nothing is added; a terminated container that the containerMap knows is removed."""
    effect = cpu.rules.remove_stale_state(cpu, manager, state, pods, order)
    for pod, status in _started(cpu, pods):
        if status.state == "terminated":
            removed = cpu.rules.manager_remove_container(cpu, effect.manager, effect.state, status.id)
            effect = effect.then(removed)
        else:
            effect = effect.then(_tell(effect, pod, status))
    return effect


def reconcile_state_telling_all(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.18.4 to 1.21 (#90377): a terminated container keeps its CPUs; each running one is told its CPUs every time."""
    effect = cpu.rules.remove_stale_state(cpu, manager, state, pods, order)
    for pod, status in _started(cpu, pods):
        if status.state == "running":
            effect = effect.then(_tell(effect, pod, status))
    return effect


def reconcile_state_telling_changes(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """From 1.22 on a container is told only if its CPUs are not those of `lastUpdateState` (#101771)."""
    effect = cpu.rules.remove_stale_state(cpu, manager, state, pods, order)
    for pod, status in _started(cpu, pods):
        if status.state != "running":
            continue
        ref = (pod.spec.uid, status.name)
        mapped = effect.manager.with_container(status.id, ref)
        cpus = get_cpu_set_or_default(effect.state, *ref)
        if not cpus or mapped.was_told(ref, cpus):
            effect = effect.then(Effect(mapped, effect.state))
        else:
            effect = effect.then(Effect(mapped.telling(ref, cpus), effect.state, updates=((status.id, cpus),)))
    return effect


def _started(cpu: CPUManager, pods: Pods) -> list[tuple[PodView, ContainerStatus]]:
    """The containers of active pods that are past waiting, in the order in which `reconcileState` visits them."""
    return [
        (pod, status)
        for pod in cpu.rules.active_pods(pods)
        for status in pod.statuses
        if status.id and status.state != "waiting"
    ]


def _tell(effect: Effect, pod: PodView, status: ContainerStatus) -> Effect:
    ref = (pod.spec.uid, status.name)
    cpus = get_cpu_set_or_default(effect.state, *ref)
    updates = ((status.id, cpus),) if cpus else ()
    return Effect(effect.manager.with_container(status.id, ref), effect.state, updates=updates)


# Here a container's turn changes nothing for the next one. In other releases a pass takes CPUs for containers or gives
# them back between two turns, so the order of the pods matters, which is Go's map order.
TURNS_IN_ANY_ORDER = frozenset({reconcile_state_telling_all, reconcile_state_telling_changes})
