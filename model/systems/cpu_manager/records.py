"""The state of cpu-manager: machine, checkpoint file, kubelet, pods, and what was used up of the scope."""

from attrs import field, frozen

from model.cpu.cpuset import CPUSet
from model.cpu.manager import Manager
from model.cpu.state.state import CPUManagerState
from model.evolve import evolve

NO_CPUS: CPUSet = frozenset()


@frozen(cache_hash=True)
class Node:
    """What the kubelet finds when it starts: the machine, and its own configuration.

    CPUs 0, 1, … make `cores` cores of `threads` CPUs each; those `offline` are missing. `reserved`: how many CPUs to
    reserve. `full_pcpus`: the option full-pcpus-only.
    """

    cores: int
    threads: int
    offline: CPUSet
    reserved: int
    policy: str = "static"
    full_pcpus: bool = False

    @property
    def cpus(self) -> CPUSet:
        """The CPUs that are online."""
        return frozenset(range(self.cores * self.threads)) - self.offline


@frozen(cache_hash=True)
class Checkpoint:
    """The file cpu_manager_state. While the kubelet runs, its memory state is the same: each change is written."""

    policy: str
    state: CPUManagerState


@frozen(cache_hash=True)
class Kubelet:
    """`phase`: up, down, or failed with `error` at its last start. `manager`: its memory while it is up.

    `started_on`: what the last start that succeeded found; `reserved_cpus`: what it reserved. Nothing depends on the
    words of `error`, so states that differ in them alone are one state; they name pods and CPUs as of the failure.
    """

    phase: str
    manager: Manager
    started_on: Node
    reserved_cpus: CPUSet = NO_CPUS
    error: str = field(default="", eq=False)


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
