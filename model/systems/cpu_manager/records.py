"""The state of cpu-manager: machine, checkpoint file, kubelet, pods, and what was used up of the scope."""

from collections.abc import Iterable

from attrs import field, frozen

from model.cpu.cpuset import CPUSet
from model.cpu.manager import Manager
from model.cpu.policy.options import FULL_PCPUS_ONLY, STRICT_RESERVATION
from model.cpu.policy.types import Options
from model.cpu.state.state import CPUManagerState
from model.evolve import evolve
from model.objects import SELDOM
from model.variables import Places, Series, apart

NO_CPUS: CPUSet = frozenset()


@frozen(cache_hash=True)
class Node:
    """What the kubelet finds when it starts: the machine, and the kubelet's own configuration."""

    # The machine has CPUs 0, 1, …: `cores` cores of `threads` CPUs each.
    cores: int
    threads: int
    # CPUs that the machine has, and that are offline.
    offline: CPUSet
    # How many CPUs the kubelet reserves.
    reserved: int
    # The policy that is configured: "static", "none", or a name that is not a policy.
    policy: str = "static"
    # Whether the option full-pcpus-only is set.
    full_pcpus: bool = False
    # Whether the option strict-cpu-reservation is set.
    strict_reservation: bool = field(default=False, metadata={SELDOM: True})

    @property
    def cpus(self) -> CPUSet:
        """The CPUs that are online."""
        return frozenset(range(self.cores * self.threads)) - self.offline

    @property
    def options(self) -> Options:
        """`--cpu-manager-policy-options`."""
        given = ((FULL_PCPUS_ONLY, self.full_pcpus), (STRICT_RESERVATION, self.strict_reservation))
        return tuple((name, "true") for name, on in given if on)


@frozen(cache_hash=True)
class Checkpoint:
    """The file cpu_manager_state. While the kubelet runs, its memory state is the same: each change is written."""

    policy: str
    state: CPUManagerState


@apart
@frozen(cache_hash=True)
class Kubelet:
    """The kubelet, as far as the CPU manager depends on it."""

    # "up", "down", or "failed": its last start failed.
    phase: str
    # The memory of the CPU manager while the kubelet is up.
    manager: Manager
    # What the last start that succeeded found.
    started_on: Node
    # The CPUs that this start reserved.
    reserved_cpus: CPUSet = NO_CPUS
    # Why the last start failed. The words name pods and CPUs as of the failure. Nothing depends on them, so states
    # that differ in these words alone are one state.
    error: str = field(default="", eq=False)


@frozen(cache_hash=True)
class Container:
    """A container on the machine."""

    # waiting, running or exited.
    state: str = "waiting"
    # The CPUs to which its cgroup confines the running container.
    cpus: CPUSet = NO_CPUS
    # How often the container was started, in releases that know containers by id; 0 in other releases.
    instance: int = 0


def _series(containers: Iterable[Container]) -> Series[Container]:
    return Series(containers)


@apart
@frozen(cache_hash=True)
class Pod:
    """A pod of the system, and its containers."""

    # "absent" (not yet created), "active", "succeeded", "failed" or "deleted".
    phase: str = "absent"
    # Its containers, as an action names them.
    shape: str = ""
    # How far the kubelet is with the pod: "no", "admitting" or "yes".
    seen: str = "no"
    # How many containers have been allocated in the admission that is under way.
    admitted: int = 0
    containers: Series[Container] = field(default=Series(), converter=_series)

    def with_container(self, index: int, container: Container) -> "Pod":
        return evolve(self, containers=self.containers.turned(_with, index, container))

    def with_exited(self, index: int) -> "Pod":
        """A container has ended."""
        return evolve(self, containers=self.containers.turned(_with_exited, index))


def _with(containers: tuple[Container, ...], at: int, container: Container) -> tuple[Container, ...]:
    return (*containers[:at], container, *containers[at + 1 :])


def _with_exited(containers: tuple[Container, ...], at: int) -> tuple[Container, ...]:
    return _with(containers, at, evolve(containers[at], state="exited", cpus=NO_CPUS))


@apart
@frozen(cache_hash=True)
class Used:
    """How often each power that has a number in the scope was used."""

    exits: int = 0
    restarts: int = 0
    crashes: int = 0
    rereserve: int = 0


@frozen(cache_hash=True)
class CPUManagerSystem:
    """A state of the system."""

    node: Node
    # The state file; None: there is no file.
    file: Checkpoint | None
    kubelet: Kubelet
    # p1, p2, … in this order.
    pods: Places[Pod]
    # How often each power was used.
    used: Used = Used()
