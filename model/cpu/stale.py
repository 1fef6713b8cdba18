"""`removeStaleState`: entries of containers that are gone return to the shared pool.

Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, from 1.17 on; 1.14 to 1.16 do it at the end of `reconcileState`, 1.13 not
at all. Each function is one hold of m.Lock. The order in which Go removes several entries is its map order, which
changes the states stored on the way and not where they lead: `order` chooses among the orders.
"""

from collections.abc import Iterable
from itertools import permutations
from typing import TypeVar

from model.cpu.manager import ContainerRef, CPUManager, Effect, Manager, Pods, remove_by_ref
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState

T = TypeVar("T")


def in_map_order(keys: Iterable[T], order: int) -> tuple[T, ...]:
    """The `order`-th permutation of `keys`, counted round; 0 leaves them as they are."""
    keys = tuple(keys)
    if order == 0 or len(keys) < 2:
        return keys
    orders = list(permutations(keys))
    return orders[order % len(orders)]


def container_refs(pods: Iterable[PodSpec]) -> frozenset[ContainerRef]:
    """(pod, container) of every container of `pods`."""
    return frozenset((pod.uid, container.name) for pod in pods for container in pod.containers)


def remove_stale_state_never(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.13: an entry goes only by `RemoveContainer`. 1.14 to 1.16: only at the end of `reconcileState`."""
    return Effect(manager, state)


def remove_stale_state_by_id(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """1.17 (#81344): nothing goes while the sources are not ready, no pod is active, or any status or id is missing."""
    if not manager.sources_ready:
        return Effect(manager, state)
    active = cpu.rules.active_pods(pods)
    ids = {status.id for pod in active for status in pod.statuses}
    if not active or "" in ids:
        return Effect(manager, state)
    stale = [key for key, _ in state.assignments if key[1] not in ids]
    effect = Effect(manager, state)
    for _, container_id in in_map_order(stale, order):
        effect = effect.then(cpu.rules.manager_remove_container(cpu, effect.manager, effect.state, container_id))
    return effect


def remove_stale_assignments(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """From 1.18 on until #109103: the entries of containers of no active pod (#84462), and of none pending (1.22.1)."""
    if not manager.sources_ready:
        return Effect(manager, state)
    active = container_refs(_active_and_admitted(cpu, manager, pods))
    stale = [key for key, _ in state.assignments if key not in active]
    effect = Effect(manager, state)
    for ref in in_map_order(stale, order):
        effect = effect.then(remove_by_ref(cpu, effect.manager, effect.state, ref))
    return effect


def remove_stale_assignments_and_ids(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, order: int = 0
) -> Effect:
    """With #109103 (1.25, and patches of 1.21 to 1.24) also the containerMap's entries, of shared containers too."""
    effect = remove_stale_assignments(cpu, manager, state, pods, order)
    if not manager.sources_ready:
        return effect
    active = container_refs(_active_and_admitted(cpu, manager, pods))
    removed = frozenset(key for key, _ in state.assignments if key not in active)
    for ref in manager.container_map.ask(_refs_besides, active | removed):
        effect = effect.then(remove_by_ref(cpu, effect.manager, effect.state, ref))
    return effect


def _refs_besides(
    container_map: Iterable[tuple[str, ContainerRef]], known: frozenset[ContainerRef]
) -> tuple[ContainerRef, ...]:
    return tuple(ref for _, ref in container_map if ref not in known)


def _active_and_admitted(cpu: CPUManager, manager: Manager, pods: Pods) -> list[PodSpec]:
    active = [pod.spec for pod in cpu.rules.active_pods(pods)]
    return active if manager.pending_admission_pod is None else [*active, manager.pending_admission_pod]
