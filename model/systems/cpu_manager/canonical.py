"""The representative of a state's orbit: pods in the order of what is known of each, then CPUs in that of all sets.

Exact: a pod's signature holds all that a state says of it, so that pods with equal ones are told apart by nothing. With
CPUs renamed as well (`numbering`), signatures are taken without CPUs, and inside ties every order is tried.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any

from model.cpu.cpuset import CPUSet
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import Checkpoint, CPUManagerSystem, Kubelet, Pod
from model.systems.cpu_manager.renaming import REMEMBERED, Renaming, renamed
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.symmetry import free_cores

Marks = tuple[tuple[bool, ...], ...]


def canonical(scope: CPUManagerScope, state: CPUManagerSystem, fixed: frozenset[str] = frozenset()) -> CPUManagerSystem:
    """The representative of `state` under renamings that leave the pods in `fixed` alone."""
    names = pod_names(scope.pods)
    places = [i for i in range(scope.pods) if names[i] not in fixed]
    # What the pod's own record says mostly tells pods apart; all that is known of them is looked up if not.
    records = [(pod.phase, pod.shape, pod.seen, pod.admitted) for pod in state.pods]
    ordered = sorted(places, key=lambda i: records[i])
    if all(records[a] != records[b] for a, b in pairwise(ordered)):
        orders: Iterable[Sequence[int]] = (ordered,)
    else:
        of = {i: (records[i], *_signature(state, names[i], i, not scope.numbering)) for i in places}
        orders = _orders(places, of) if scope.numbering else (sorted(places, key=lambda i: of[i]),)
    turned = (_with_pods(state, places, order) for order in orders)
    if not scope.numbering:
        return next(turned)
    best = min(((*_cpus_sorted(scope, each), each) for each in turned), key=lambda found: found[0])
    return renamed(best[2], Renaming(tuple(range(scope.pods)), best[1])) if best[1] else best[2]


def _with_pods(state: CPUManagerSystem, places: Sequence[int], order: Sequence[int]) -> CPUManagerSystem:
    """`order`: the pods that come to `places`."""
    if list(order) == places:
        return state
    pods = list(range(len(state.pods)))
    for new, old in zip(places, order, strict=True):
        pods[old] = new
    return renamed(state, Renaming(tuple(pods)))


def _orders(places: Sequence[int], signatures: dict[int, Any]) -> Iterable[tuple[int, ...]]:
    """The orders of the pods by signature, all of them inside ties."""
    groups: dict[Any, list[int]] = {}
    for i in sorted(places, key=lambda i: signatures[i]):
        groups.setdefault(signatures[i], []).append(i)
    for parts in product(*(permutations(group) for group in groups.values())):
        yield tuple(i for part in parts for i in part)


def _signature(state: CPUManagerSystem, name: str, index: int, with_cpus: bool) -> tuple[Any, ...]:
    """All else that the state says of the pod, as a tuple with an order; without the CPUs if they are to be renamed."""

    def of(cpus: CPUSet) -> tuple[int, ...]:
        return tuple(sorted(cpus)) if with_cpus else (len(cpus),)

    def mine(ref: tuple[str, str]) -> str | None:
        """What follows the pod's name in a key."""
        if ref[0]:
            return ref[1] if ref[0] == name else None
        return ref[1].removeprefix(f"{name}/") if ref[1].startswith(f"{name}/") else None

    pod, manager = state.pods[index], state.kubelet.manager
    entries = () if state.file is None else state.file.state.assignments
    pending = manager.pending_admission_pod
    pending_containers = pending.containers if pending is not None and pending.uid == name else ()
    return (
        tuple((each.state, of(each.cpus), each.instance) for each in pod.containers),
        tuple((key, of(cpus)) for ref, cpus in entries if (key := mine(ref)) is not None),
        tuple(of(cpus) for uid, cpus in manager.memory.cpus_to_reuse if uid == name),
        tuple((ref[1], key.removeprefix(name)) for ref, key in manager.memory.container_map if ref[0] == name),
        tuple((key.removeprefix(name), ref[1]) for key, ref in manager.container_map if ref[0] == name),
        tuple((key, of(cpus)) for ref, cpus in manager.last_update_state if (key := mine(ref)) is not None),
        tuple((each.name, each.cpu, each.restartable) for each in pending_containers),
    )


# --- CPUs ---------------------------------------------------------------------------------------------------------


def _cpus_sorted(scope: CPUManagerScope, state: CPUManagerSystem) -> tuple[Any, tuple[int, ...]]:
    """CPUs ordered by the sets that hold them, within each free core, then the cores likewise.

    Gives which sets hold them in that order, and the new number of each CPU, or () if all keep theirs.
    """
    threads, count, free = scope.threads, scope.cores * scope.threads, free_cores(scope)
    holding = list(
        zip(
            _marks_of_file(state.file, count),
            _marks_of_kubelet(state.kubelet, count),
            *(_marks_of_pod(pod, count) for pod in state.pods),
            strict=True,
        )
    )
    cores = []
    for core in free:
        members = sorted(range(core * threads, (core + 1) * threads), key=holding.__getitem__)
        cores.append(([holding[cpu] for cpu in members], members))
    cores.sort()
    order = [cpu for cpu in range(count) if cpu // threads not in free]
    key = [holding[cpu] for cpu in order]
    place = list(range(count))
    for core, (marks, members) in zip(free, cores, strict=True):
        key += marks
        for thread, cpu in enumerate(members):
            place[cpu] = core * threads + thread
    return key, () if place == list(range(count)) else tuple(place)


def _marks(sets: Sequence[CPUSet], count: int) -> Marks:
    """For each CPU which of the sets lack it, so that the lowest numbers go to those that come first in a set."""
    return tuple(tuple(cpu not in cpus for cpus in sets) for cpu in range(count))


@lru_cache(maxsize=REMEMBERED)
def _marks_of_file(file: Checkpoint | None, count: int) -> Marks:
    return _marks(() if file is None else [file.state.default, *(cpus for _, cpus in file.state.assignments)], count)


@lru_cache(maxsize=REMEMBERED)
def _marks_of_kubelet(kubelet: Kubelet, count: int) -> Marks:
    manager = kubelet.manager
    reusable, told = manager.memory.cpus_to_reuse, manager.last_update_state
    return _marks([manager.allocatable_cpus, *(cpus for _, cpus in reusable), *(cpus for _, cpus in told)], count)


@lru_cache(maxsize=REMEMBERED)
def _marks_of_pod(pod: Pod, count: int) -> Marks:
    return _marks([each.cpus for each in pod.containers], count)
