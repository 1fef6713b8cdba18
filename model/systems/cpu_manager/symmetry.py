"""What is interchangeable in cpu-manager: pods; and with `numbering` the cores without a reserved CPU, and their CPUs.

Pods: each is created once, and nothing orders them. CPUs: the release takes those with the lowest numbers among equals,
so they are interchangeable only where the machine may be numbered in any way (`choices.py`). A renaming gives each pod,
core and CPU its new name: `{"p1": "p2", "core1": "core2", "cpu2": "cpu3"}`; a CPU moves within its core first, then
with it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any

from model.cpu.cpuset import CPUSet
from model.cpu.manager import Manager
from model.cpu.policy_types import PolicyMemory
from model.cpu.state import CPUManagerState, sorted_assignments
from model.evolve import evolve
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import CPUManagerSystem, Kubelet, Pod
from model.systems.cpu_manager.scope import CPUManagerScope

Name = Callable[[str], str]
Number = Callable[[CPUSet], CPUSet]


def free_cores(scope: CPUManagerScope) -> tuple[int, ...]:
    """The cores that are interchangeable: those of which no CPU is reserved, the lowest being reserved first."""
    reserved = -(-scope.reserved // scope.threads)
    return tuple(range(reserved, scope.cores)) if scope.numbering else ()


def sorts(scope: CPUManagerScope) -> dict[str, tuple[str, ...]]:
    """Pods and the one node; with `numbering` cores, and for each core that is free its CPUs."""
    found = {"pod": pod_names(scope.pods), "node": ("node",)}
    if scope.numbering:
        found["core"] = tuple(f"core{core}" for core in free_cores(scope))
        for core in free_cores(scope):
            found[f"core{core}"] = tuple(f"cpu{core * scope.threads + t}" for t in range(scope.threads))
    return found


def rename(scope: CPUManagerScope, state: CPUManagerSystem, names: Mapping[str, str]) -> CPUManagerSystem:
    """`state` under the renaming; what `names` does not name stays, and so do the words of the kubelet's error."""
    place: dict[int, int] = {}
    for core in range(scope.cores):
        for cpu in range(core * scope.threads, (core + 1) * scope.threads):
            to_core = int(names.get(f"core{core}", f"core{core}")[4:])
            in_core = int(names.get(f"cpu{cpu}", f"cpu{cpu}")[3:]) - core * scope.threads
            place[cpu] = to_core * scope.threads + in_core
    number = None if all(a == b for a, b in place.items()) else lambda cpus: frozenset(place[cpu] for cpu in cpus)
    order = [pod_names(scope.pods).index(names.get(pod, pod)) for pod in pod_names(scope.pods)]
    pods = [state.pods[0]] * scope.pods
    for old, new in enumerate(order):
        pods[new] = state.pods[old]
    return _renamed(evolve(state, pods=tuple(pods)), lambda pod: names.get(pod, pod), number)


def _renamed(state: CPUManagerSystem, name: Name, number: Number | None) -> CPUManagerSystem:
    """Pods called by `name` and CPUs numbered by `number`, but for the order of `state.pods`."""
    as_it_is = number is None

    def cpus(old: CPUSet) -> CPUSet:
        return old if number is None else number(old)

    def ref(old: tuple[str, str]) -> tuple[str, str]:
        # Up to 1.17 the key is ("", container id), and the id begins with the pod.
        return (name(old[0]), old[1]) if old[0] else ("", identity(old[1]))

    def identity(old: str) -> str:
        pod, slash, rest = old.partition("/")
        return name(pod) + slash + rest

    file = state.file
    if file is not None:
        entries = sorted_assignments((ref(key), cpus(value)) for key, value in file.state.assignments)
        file = evolve(file, state=CPUManagerState(cpus(file.state.default), entries))
    manager = state.kubelet.manager
    if manager != Manager():
        pending = manager.pending_admission_pod
        memory = PolicyMemory(
            tuple((name(pod), cpus(value)) for pod, value in manager.memory.cpus_to_reuse),
            tuple(sorted((ref(key), identity(value)) for key, value in manager.memory.container_map)),
        )
        manager = evolve(
            manager,
            memory=memory,
            container_map=tuple(sorted((identity(key), ref(value)) for key, value in manager.container_map)),
            last_update_state=sorted_assignments((ref(key), cpus(v)) for key, v in manager.last_update_state),
            pending_admission_pod=None if pending is None else evolve(pending, uid=name(pending.uid)),
            allocatable_cpus=cpus(manager.allocatable_cpus),
        )
    kubelet: Kubelet = evolve(state.kubelet, manager=manager)
    pods = state.pods
    if not as_it_is:
        pods = tuple(
            evolve(pod, containers=tuple(evolve(each, cpus=cpus(each.cpus)) for each in pod.containers)) for pod in pods
        )
    return evolve(state, file=file, kubelet=kubelet, pods=pods)


def canonical(scope: CPUManagerScope, state: CPUManagerSystem, fixed: frozenset[str] = frozenset()) -> CPUManagerSystem:
    """The state's representative: pods in the order of what is known of each, then CPUs in that of all sets.

    Exact: a pod's signature holds all that a state says of it, so that pods with equal ones are told apart by nothing.
    With CPUs renamed as well, signatures are taken without CPUs, and inside ties every order is tried.
    """
    names = pod_names(scope.pods)
    movable = [i for i, name in enumerate(names) if name not in fixed]
    if not scope.numbering:
        # What the pod's own record says mostly tells pods apart; all that is known of them is looked up if not.
        ordered = sorted(movable, key=lambda i: _of_record(state.pods[i]))
        if any(_of_record(state.pods[a]) == _of_record(state.pods[b]) for a, b in pairwise(ordered)):
            ordered = sorted(movable, key=lambda i: (_of_record(state.pods[i]), _signature(state, names[i], i, True)))
        return _with_pods_at(scope, state, movable, ordered)
    best: tuple[Any, CPUManagerSystem] | None = None
    for chosen in _orders(movable, {i: _signature(state, names[i], i, False) for i in movable}):
        candidate = _with_cpus_sorted(scope, _with_pods_at(scope, state, movable, list(chosen)))
        key = _profile(candidate)
        if best is None or key < best[0]:
            best = (key, candidate)
    assert best is not None
    return best[1]


def _with_pods_at(
    scope: CPUManagerScope, state: CPUManagerSystem, places: list[int], ordered: list[int]
) -> CPUManagerSystem:
    if places == ordered:
        return state
    names = pod_names(scope.pods)
    return rename(scope, state, {names[old]: names[new] for new, old in zip(places, ordered, strict=True)})


def _orders(movable: list[int], signatures: Mapping[int, Any]) -> Iterable[tuple[int, ...]]:
    """The orders of the pods by signature, all of them inside ties."""
    groups: dict[Any, list[int]] = {}
    for i in sorted(movable, key=lambda i: signatures[i]):
        groups.setdefault(signatures[i], []).append(i)
    for parts in product(*(permutations(group) for group in groups.values())):
        yield tuple(i for part in parts for i in part)


def _of_record(pod: Pod) -> tuple[str, str, str, int]:
    return pod.phase, pod.shape, pod.seen, pod.admitted


def _signature(state: CPUManagerSystem, name: str, index: int, with_cpus: bool) -> tuple[Any, ...]:
    """All that the state says of the pod, as a tuple with an order; without the CPUs if they are to be renamed."""

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
    return (
        (pod.phase, pod.shape, pod.seen, pod.admitted),
        tuple((each.state, of(each.cpus), each.instance) for each in pod.containers),
        tuple((key, of(cpus)) for ref, cpus in entries if (key := mine(ref)) is not None),
        tuple(of(cpus) for uid, cpus in manager.memory.cpus_to_reuse if uid == name),
        tuple((ref[1], key.removeprefix(name)) for ref, key in manager.memory.container_map if ref[0] == name),
        tuple((key.removeprefix(name), ref[1]) for key, ref in manager.container_map if ref[0] == name),
        tuple((key, of(cpus)) for ref, cpus in manager.last_update_state if (key := mine(ref)) is not None),
        str(pending.containers) if pending is not None and pending.uid == name else "",
    )


def _cpu_sets(state: CPUManagerSystem) -> list[CPUSet]:
    """Every CPU set of the state, in a fixed order."""
    manager = state.kubelet.manager
    found = [manager.allocatable_cpus]
    found += [] if state.file is None else [state.file.state.default, *(v for _, v in state.file.state.assignments)]
    found += [value for _, value in manager.memory.cpus_to_reuse]
    found += [value for _, value in manager.last_update_state]
    found += [each.cpus for pod in state.pods for each in pod.containers]
    return found


def _profile(state: CPUManagerSystem) -> tuple[Any, ...]:
    return tuple(tuple(sorted(cpus)) for cpus in _cpu_sets(state)), tuple(
        _signature(state, f"p{i + 1}", i, False) for i in range(len(state.pods))
    )


def _with_cpus_sorted(scope: CPUManagerScope, state: CPUManagerSystem) -> CPUManagerSystem:
    """CPUs ordered by the sets that hold them, within each free core, then the cores likewise."""
    sets = _cpu_sets(state)
    threads = scope.threads
    cores = []
    for core in free_cores(scope):
        members = [(tuple(cpu not in s for s in sets), cpu) for cpu in range(core * threads, (core + 1) * threads)]
        members.sort()
        cores.append(([signature for signature, _ in members], [cpu for _, cpu in members]))
    cores.sort(key=lambda each: each[0])
    place = {cpu: cpu for cpu in range(scope.cores * threads)}
    for to_core, (_, members_of) in zip(free_cores(scope), cores, strict=True):
        for thread, cpu in enumerate(members_of):
            place[cpu] = to_core * threads + thread
    if all(a == b for a, b in place.items()):
        return state
    return _renamed(state, lambda pod: pod, lambda cpus: frozenset(place[cpu] for cpu in cpus))


@lru_cache(maxsize=16)
def numberings(scope: CPUManagerScope) -> tuple[dict[int, int], ...]:
    """Every way to number the CPUs of the free cores anew: CPU -> CPU."""
    threads, free = scope.threads, free_cores(scope)
    found = []
    for cores in permutations(free):
        for inner in product(permutations(range(threads)), repeat=len(free)):
            place = {cpu: cpu for cpu in range(scope.cores * threads)}
            for core, to_core, order in zip(free, cores, inner, strict=True):
                for thread in range(threads):
                    place[core * threads + thread] = to_core * threads + order[thread]
            found.append(place)
    return tuple(found)
