"""What a state of cpu-manager says of CPUs: which container has which CPUs and runs on which. Pure functions."""

from functools import lru_cache

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState
from model.systems.cpu_manager.pods import container_id, pod_names
from model.systems.cpu_manager.records import Checkpoint, Container, CPUManagerSystem, Pod
from model.systems.cpu_manager.shapes import SHARED, pod_spec
from model.variables import whole

NO_CPUS: CPUSet = frozenset()
GONE = frozenset({"succeeded", "failed", "deleted"})


def managed(state: CPUManagerSystem) -> bool:
    """Whether the kubelet runs with the static policy."""
    return state.kubelet.phase == "up" and state.file is not None and state.file.policy == "static"


def checkpoint(state: CPUManagerSystem) -> CPUManagerState:
    """The state in the file. A running kubelet has the same state in memory."""
    return CPUManagerState() if state.file is None else state.file.state


def specs(state: CPUManagerSystem) -> dict[str, PodSpec]:
    """The pods that have containers, by name."""
    names = pod_names(len(state.pods))
    return {name: pod_spec(name, pod.shape) for name, pod in zip(names, state.pods, strict=True) if pod.containers}


@frozen
class Placed:
    """A container and what the state says of it."""

    # The names of the pod and of the container.
    pod: str
    name: str
    # How many exclusive CPUs the container asks for. In a pod with resources of its own it asks for those that it has
    # been given: what it is given differs from release to release, and nothing promises any.
    wants: int
    container: Container
    # Its exclusive CPUs in the state; None: no entry.
    entry: CPUSet | None

    @property
    def running(self) -> bool:
        return self.container.state == "running"

    def __str__(self) -> str:
        return f"{self.pod}/{self.name}"


def placed(state: CPUManagerSystem) -> tuple[Placed, ...]:
    """Every container of every pod that has containers."""
    return _placed(state.file, whole(state.pods))


@lru_cache(maxsize=4)  # several properties ask this of one state
def _placed(file: Checkpoint | None, pods: tuple[Pod, ...]) -> tuple[Placed, ...]:
    entries = {} if file is None else dict(file.state.assignments)
    found = []
    for name, pod in zip(pod_names(len(pods)), pods, strict=True):
        if not pod.containers:
            continue
        spec = pod_spec(name, pod.shape)
        for each, container in zip(spec.containers, pod.containers, strict=True):
            entry = entries.get((name, each.name))
            if entry is None:
                entry = entries.get(("", container_id(name, each.name, container)))
            shares = each.cpu == SHARED or (spec.pod_level is not None and entry is None)
            wants = 0 if shares else int(each.cpu)
            found.append(Placed(name, each.name, wants, container, entry))
    return tuple(found)


def pooled(state: CPUManagerSystem) -> CPUSet:
    """The shared pool of a kubelet without containers: with strict-cpu-reservation it has no reserved CPU."""
    node = state.kubelet.started_on
    return node.cpus - state.kubelet.reserved_cpus if node.strict_reservation else node.cpus


def owner(key: tuple[str, str]) -> tuple[str, str]:
    """The pod and the container of an entry. Up to 1.17 the key of an entry is ("", container id)."""
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
    """Whether the kubelet runs with the static policy, and some container has exclusive CPUs."""
    return managed(state) and bool(checkpoint(state).assignments)


def running_exclusive(state: CPUManagerSystem) -> list[Placed]:
    """The running containers that asked for exclusive CPUs."""
    return [each for each in placed(state) if each.running and each.wants]


def runs_exclusive(state: CPUManagerSystem) -> bool:
    """Whether the kubelet runs with the static policy, and a container that asked for exclusive CPUs runs."""
    return managed(state) and bool(running_exclusive(state))
