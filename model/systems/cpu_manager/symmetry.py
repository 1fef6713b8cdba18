"""What is interchangeable in cpu-manager: pods; and with `numbering` the cores without a reserved CPU, and their CPUs.

Pods: each is created once, and nothing orders them. CPUs: the release takes those with the lowest numbers among equals,
so they are interchangeable only where the machine may be numbered in any way (`choices.py`). A renaming gives each pod,
core and CPU its new name: `{"p1": "p2", "core1": "core2", "cpu2": "cpu3"}`; a CPU moves within its core first, then
with it.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations, product

from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.renaming import Renaming, renamed
from model.systems.cpu_manager.scope import CPUManagerScope


@lru_cache(maxsize=64)
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
    place = []
    for core in range(scope.cores):
        for cpu in range(core * scope.threads, (core + 1) * scope.threads):
            to_core = int(names.get(f"core{core}", f"core{core}")[4:])
            in_core = int(names.get(f"cpu{cpu}", f"cpu{cpu}")[3:]) - core * scope.threads
            place.append(to_core * scope.threads + in_core)
    pods = tuple(pod_names(scope.pods).index(names.get(pod, pod)) for pod in pod_names(scope.pods))
    stay = all(new == old for old, new in enumerate(place))
    return renamed(state, Renaming(pods, () if stay else tuple(place)))


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
