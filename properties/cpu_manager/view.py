"""What a state of cpu-manager says of CPUs: who has which, who runs where. Pure functions for the properties."""

from functools import lru_cache

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState
from model.systems.cpu_manager.pods import container_id, pod_names
from model.systems.cpu_manager.records import Container, CPUManagerSystem
from model.systems.cpu_manager.shapes import SHARED, pod_spec

NO_CPUS: CPUSet = frozenset()
GONE = frozenset({"succeeded", "failed", "deleted"})


def managed(state: CPUManagerSystem) -> bool:
    """The kubelet runs with the static policy."""
    return state.kubelet.phase == "up" and state.file is not None and state.file.policy == "static"


def checkpoint(state: CPUManagerSystem) -> CPUManagerState:
    """What the file says, which is what a running kubelet's memory says."""
    return CPUManagerState() if state.file is None else state.file.state


def specs(state: CPUManagerSystem) -> dict[str, PodSpec]:
    """The pods that have containers, by name."""
    names = pod_names(len(state.pods))
    return {name: pod_spec(name, pod.shape) for name, pod in zip(names, state.pods, strict=True) if pod.containers}


@frozen
class Placed:
    """A container with its place: the pod, its spec's name, how many exclusive CPUs it asks for, its entry if any."""

    pod: str
    name: str
    wants: int
    container: Container
    entry: CPUSet | None

    @property
    def running(self) -> bool:
        return self.container.state == "running"

    def __str__(self) -> str:
        return f"{self.pod}/{self.name}"


@lru_cache(maxsize=4)  # several properties ask it of one state or step
def placed(state: CPUManagerSystem) -> tuple[Placed, ...]:
    """Every container of every pod that has containers."""
    entries = dict(checkpoint(state).assignments)
    found = []
    for i, name in enumerate(pod_names(len(state.pods))):
        pod = state.pods[i]
        if not pod.containers:
            continue
        spec = pod_spec(name, pod.shape)
        for each, container in zip(spec.containers, pod.containers, strict=True):
            entry = entries.get((name, each.name))
            if entry is None:
                entry = entries.get(("", container_id(name, each.name, container)))
            wants = 0 if each.cpu == SHARED else int(each.cpu)
            found.append(Placed(name, each.name, wants, container, entry))
    return tuple(found)


def owner(key: tuple[str, str]) -> tuple[str, str]:
    """(pod, container) of an entry; up to 1.17 its key is ("", container id)."""
    if key[0]:
        return key
    pod, _, rest = key[1].partition("/")
    return pod, rest.partition("#")[0]


def pod_entries(state: CPUManagerSystem, pod: str) -> list[CPUSet]:
    """The sets of the pod's entries."""
    return [cpus for key, cpus in checkpoint(state).assignments if owner(key)[0] == pod]


def assigned(state: CPUManagerSystem) -> CPUSet:
    """Every CPU that is in some entry."""
    return NO_CPUS.union(*(cpus for _, cpus in checkpoint(state).assignments))


def has_entries(state: CPUManagerSystem) -> bool:
    """The kubelet runs with the static policy, and somebody has exclusive CPUs."""
    return managed(state) and bool(checkpoint(state).assignments)


def running_exclusive(state: CPUManagerSystem) -> list[Placed]:
    """The running containers that asked for exclusive CPUs."""
    return [each for each in placed(state) if each.running and each.wants]


def runs_exclusive(state: CPUManagerSystem) -> bool:
    """The kubelet runs with the static policy, and a container that asked for exclusive CPUs runs."""
    return managed(state) and bool(running_exclusive(state))
