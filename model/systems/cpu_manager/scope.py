"""The bounds of cpu-manager: the machine, the pods, and how often each power of the environment may be used."""

from attrs import frozen

from model.scope import amount, choice, power, switch


@frozen(cache_hash=True)
class CPUManagerScope:
    """How large the machine is, how many pods there are, and which powers the environment has (0: it has not)."""

    # Cores of the machine, all on one socket.
    cores: int = amount(3, 1, 99)
    # CPUs of each core.
    threads: int = amount(1, 1, 8)
    # CPUs that the kubelet reserves.
    reserved: int = amount(1, 1, 99)
    # Pod names. Each pod is created once.
    pods: int = amount(2, 1, 9)
    # The most containers that a pod has.
    containers: int = amount(2, 1, 4)
    # The most CPUs that a container asks for. A container may also ask for half a CPU; then it shares.
    size: int = amount(2, 0, 64)
    # Switch: pods may have init containers.
    init: int = switch()
    # Switch: pods may have sidecars.
    sidecars: int = switch()
    # Switch: pods may run to completion.
    jobs: int = switch()
    # How often an app container or sidecar exits and is started again.
    exits: int = power(99)
    # Switch: `RemoveContainer` may be called for an init container that has exited.
    removals: int = switch()
    # How often the kubelet is stopped.
    restarts: int = power(99)
    # How often the kubelet dies between two writes of the checkpoint.
    crashes: int = power(99)
    # Cores that may be added while the kubelet is down.
    hotplug: int = power(99)
    # CPUs that may go offline while the kubelet is down.
    offline: int = power(99)
    # CPUs by which the reserved set may grow while the kubelet is down.
    rereserve: int = power(99)
    # Switch: the configured policy may change while the kubelet is down (static, none, and a name that is not a
    # policy).
    repolicy: int = switch()
    # The operator may delete the state file while the kubelet is down: 1, after all pods are gone; 2, at any time.
    wipes: int = power(2)
    # Switch: the option full-pcpus-only is set.
    full_pcpus: int = switch()
    # Switch: the option strict-cpu-reservation is set.
    strict_reservation: int = switch()
    # Switch: pods may have resources of their own (spec.resources). The limits of such a pod equal its requests; its
    # containers have requests and no limits. A release without the gate PodLevelResources has no such pods.
    pod_level: int = switch()
    # The gate PodLevelResources. 0: as it is by default in the release. 1: on. 2: off.
    pod_level_gate: int = choice(0, 1, 2)
    # 0: CPUs are taken in the order of their numbers, as the release does. 1: as the release would take them under
    # some numbering of the machine's CPUs. Then cores and CPUs are interchangeable.
    numbering: int = choice(0, 1)
    # In which order the names of a pod's containers sort, which means nothing: the CPU manager has them in maps. 0: app
    # containers, init containers, sidecars. 1: app containers last.
    turned: int = choice(0, 1)

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
