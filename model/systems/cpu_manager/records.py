"""The state of cpu-manager: machine, checkpoint file, kubelet, pods, and what was used up of the scope."""

from attrs import evolve, frozen

from model.cpu.cpuset import CPUSet
from model.cpu.manager import Manager
from model.cpu.state import CPUManagerState

NO_CPUS: CPUSet = frozenset()


@frozen(cache_hash=True)
class Node:
    """What the kubelet finds when it starts: `cores` of the machine, CPUs `offline`, configured reserve and policy."""

    cores: int
    offline: CPUSet
    reserved: int
    policy: str = "static"


@frozen(cache_hash=True)
class Checkpoint:
    """The file cpu_manager_state. While the kubelet runs, its memory state is the same: each change is written."""

    policy: str
    state: CPUManagerState


@frozen(cache_hash=True)
class Kubelet:
    """`phase`: up, down, or failed with `error` at its last start. `manager`: its memory while it is up.

    `started_on`: what the last start that succeeded found.
    """

    phase: str
    manager: Manager
    started_on: Node
    error: str = ""


@frozen(cache_hash=True)
class Container:
    """`state`: waiting, running or exited. `cpus`: what the running container is confined to by its cgroup.

    `instance`: how often it was started, in releases that know containers by id; 0 in others.
    """

    state: str = "waiting"
    cpus: CPUSet = NO_CPUS
    instance: int = 0


@frozen(cache_hash=True)
class Pod:
    """`phase`: absent (not yet created), active, succeeded, failed or deleted. `shape`: its containers, as an action
    names them. `seen`: no, admitting or yes: how far the kubelet is with it; `admitted`: containers allocated so far.
    """

    phase: str = "absent"
    shape: str = ""
    seen: str = "no"
    admitted: int = 0
    containers: tuple[Container, ...] = ()

    def with_container(self, index: int, container: Container) -> "Pod":
        return evolve(self, containers=(*self.containers[:index], container, *self.containers[index + 1 :]))


@frozen(cache_hash=True)
class Used:
    """How often each power that has a number in the scope was used."""

    exits: int = 0
    restarts: int = 0
    crashes: int = 0
    rereserve: int = 0


@frozen(cache_hash=True)
class CPUManagerSystem:
    """`pods`: p1, p2, … in this order. `file`: None where there is none."""

    node: Node
    file: Checkpoint | None
    kubelet: Kubelet
    pods: tuple[Pod, ...]
    used: Used = Used()
