"""The bounds of cpu-manager: the machine, the pods, and how often each power of the environment may be used."""

from attrs import field, frozen
from attrs.validators import ge, in_, le


def _count(default: int, least: int = 0, most: int = 99) -> int:
    return field(default=default, validator=[ge(least), le(most)])


def _switch(default: int = 0) -> int:
    return field(default=default, validator=in_((0, 1)))


@frozen(cache_hash=True)
class CPUManagerScope:
    """How large the machine is, how many pods there are, and which powers the environment has (0: it has not)."""

    # Cores of the machine, all on one socket.
    cores: int = _count(3, 1)
    # CPUs of each core.
    threads: int = _count(1, 1, 8)
    # CPUs that the kubelet reserves.
    reserved: int = _count(1, 1)
    # Pod names. Each pod is created once.
    pods: int = _count(2, 1, 9)
    # The most containers that a pod has.
    containers: int = _count(2, 1, 4)
    # The most CPUs that a container asks for. A container may also ask for half a CPU; then it shares.
    size: int = _count(2, 0, 64)
    # Switch: pods may have init containers.
    init: int = _switch()
    # Switch: pods may have sidecars.
    sidecars: int = _switch()
    # Switch: pods may run to completion.
    jobs: int = _switch()
    # How often an app container or sidecar exits and is started again.
    exits: int = _count(0)
    # Switch: `RemoveContainer` may be called for an init container that has exited.
    removals: int = _switch()
    # How often the kubelet is stopped.
    restarts: int = _count(0)
    # How often the kubelet dies between two writes of the checkpoint.
    crashes: int = _count(0)
    # Cores that may be added while the kubelet is down.
    hotplug: int = _count(0)
    # CPUs that may go offline while the kubelet is down.
    offline: int = _count(0)
    # CPUs by which the reserved set may grow while the kubelet is down.
    rereserve: int = _count(0)
    # Switch: the configured policy may change while the kubelet is down (static, none, and a name that is not a
    # policy).
    repolicy: int = _switch()
    # The operator may delete the state file while the kubelet is down: 1, after all pods are gone; 2, at any time.
    wipes: int = _count(0, 0, 2)
    # Switch: the option full-pcpus-only is set.
    full_pcpus: int = _switch()
    # Switch: the option strict-cpu-reservation is set.
    strict_reservation: int = _switch()
    # Switch: pods may have resources of their own (spec.resources). The limits of such a pod equal its requests; its
    # containers have requests and no limits. A release without the gate PodLevelResources has no such pods.
    pod_level: int = _switch()
    # The gate PodLevelResources. 0: as it is by default in the release. 1: on. 2: off.
    pod_level_gate: int = field(default=0, validator=in_((0, 1, 2)))
    # 0: CPUs are taken in the order of their numbers, as the release does. 1: as the release would take them under
    # some numbering of the machine's CPUs. Then cores and CPUs are interchangeable.
    numbering: int = _switch()

    @reserved.validator
    def _leaves_some(self, _: object, value: int) -> None:
        if value > self.cores * self.threads:
            raise ValueError(f"reserved={value}: the machine has {self.cores * self.threads} CPUs")

    @numbering.validator
    def _keeps_the_machine(self, _: object, value: int) -> None:
        if value and (self.hotplug or self.offline or self.rereserve):
            raise ValueError(
                "numbering=1 is for machines that stay as they are: hotplug, offline and rereserve must be 0"
            )
