"""The representative of a state's orbit: pods in the order of what is known of each, then CPUs in that of all sets.

Exact: a pod's signature holds all that a state says of it, so that pods with equal ones are told apart by nothing. With
CPUs renamed as well (`numbering`), signatures are taken without CPUs, and inside ties every order is tried.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any

from model.cpu.cpuset import CPUSet
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import Checkpoint, CPUManagerSystem, Kubelet, Pod
from model.systems.cpu_manager.renaming import REMEMBERED, Renaming, renamed
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.symmetry import free_cores

Held = tuple[int, ...]


def canonical(scope: CPUManagerScope, state: CPUManagerSystem, fixed: frozenset[str] = frozenset()) -> CPUManagerSystem:
    """The representative of `state` under renamings that leave the pods in `fixed` alone."""
    names = pod_names(scope.pods)
    places = [i for i in range(scope.pods) if names[i] not in fixed]
    # What the pod's own record says mostly tells pods apart; all that is known of them is looked up if not.
    records = [(pod.phase, pod.shape, pod.seen, pod.admitted) for pod in state.pods]
    order = sorted(places, key=records.__getitem__)
    if any(records[a] == records[b] for a, b in pairwise(order)):
        of = {i: (records[i], *_signature(state, names[i], i, not scope.numbering)) for i in places}
        order = sorted(places, key=of.__getitem__)
        if scope.numbering and any(of[a] == of[b] for a, b in pairwise(order)):
            found = (_cpus_sorted(scope, _with_pods(state, places, each)) for each in _orders(places, of))
            return min(found, key=lambda each: each[0])[1]()
    turned = _with_pods(state, places, order)
    return _cpus_sorted(scope, turned)[1]() if scope.numbering else turned


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


def _cpus_sorted(
    scope: CPUManagerScope, state: CPUManagerSystem
) -> tuple[tuple[Held, ...], Callable[[], CPUManagerSystem]]:
    """Which sets hold each CPU once they are sorted, and the state with them sorted, made when asked for."""
    count = scope.cores * scope.threads
    marks = [_marks_of_file(state.file, count), _marks_of_kubelet(state.kubelet, count)]
    marks += [_marks_of_pod(pod, count) for pod in state.pods]
    held, by = _sorted(scope, tuple(zip(*marks, strict=True)))
    return held, lambda: state if by is None else renamed(state, by)


@lru_cache(maxsize=REMEMBERED)
def _sorted(scope: CPUManagerScope, holding: tuple[Held, ...]) -> tuple[tuple[Held, ...], Renaming | None]:
    """CPUs ordered by the sets that hold them, within each free core, then the cores likewise.

    Gives `holding` in that order, and the renaming to it, None if all CPUs keep their numbers.
    """
    threads, free = scope.threads, free_cores(scope)
    cores = []
    for core in free:
        members = sorted(range(core * threads, (core + 1) * threads), key=holding.__getitem__)
        cores.append(([holding[cpu] for cpu in members], members))
    cores.sort()
    stay = list(range(len(holding)))
    place = stay.copy()
    for core, (_, members) in zip(free, cores, strict=True):
        for thread, cpu in enumerate(members):
            place[cpu] = core * threads + thread
    in_order = tuple(holding[cpu] for cpu in sorted(stay, key=place.__getitem__))
    return in_order, None if place == stay else Renaming(tuple(range(scope.pods)), tuple(place))


def _marks(sets: Sequence[CPUSet], count: int) -> Held:
    """For each CPU which of the sets lack it, as bits, so that the lowest numbers go to those in the first sets."""
    bits = [1 << i for i in reversed(range(len(sets)))]
    return tuple(sum(bit for bit, cpus in zip(bits, sets, strict=True) if cpu not in cpus) for cpu in range(count))


@lru_cache(maxsize=REMEMBERED)
def _marks_of_file(file: Checkpoint | None, count: int) -> Held:
    return _marks(() if file is None else [file.state.default, *(cpus for _, cpus in file.state.assignments)], count)


@lru_cache(maxsize=REMEMBERED)
def _marks_of_kubelet(kubelet: Kubelet, count: int) -> Held:
    manager = kubelet.manager
    reusable, told = manager.memory.cpus_to_reuse, manager.last_update_state
    reported = [] if manager.allocatable_cpus is None else [manager.allocatable_cpus]
    return _marks([*reported, *(cpus for _, cpus in reusable), *(cpus for _, cpus in told)], count)


@lru_cache(maxsize=REMEMBERED)
def _marks_of_pod(pod: Pod, count: int) -> Held:
    return _marks([each.cpus for each in pod.containers], count)
