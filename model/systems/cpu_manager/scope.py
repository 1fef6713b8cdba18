"""The bounds of cpu-manager: the machine, the pods, and how often each power of the environment may be used."""

from attrs import field, frozen
from attrs.validators import ge, in_, le


def _count(default: int, least: int = 0, most: int = 99) -> int:
    return field(default=default, validator=[ge(least), le(most)])


def _switch(default: int = 0) -> int:
    return field(default=default, validator=in_((0, 1)))


@frozen(cache_hash=True)
class CPUManagerScope:
    """The machine has `cores` cores of `threads` CPUs on one socket, of which the kubelet reserves `reserved` CPUs.

    There are `pods` pods, each created once, of at most `containers` containers; a container asks for at most `size`
    CPUs, or for half a one, and then it shares. The rest are powers of the environment, 0 is off:

    `init`, `sidecars`: pods may have such containers. `jobs`: pods may run to completion. `exits`: how often an app
    container or sidecar exits and is started again. `removals`: `RemoveContainer` may be called for an init container
    that has exited. `restarts`: how often the kubelet is stopped. `crashes`: how often it dies between two writes of
    the checkpoint. `hotplug`: cores that may be added while the kubelet is down. `offline`: CPUs that may go offline
    then. `rereserve`: CPUs by which the reserved set may grow then. `repolicy`: the configured policy may change then
    (static, none, and one that is no policy). `wipes`: the operator may delete the state file then, 1 after all pods
    are gone, 2 at any time. `full_pcpus`: the option full-pcpus-only. `numbering`: 0, CPUs are taken in the order of
    their numbers as the release does; 1, as it would under some numbering of the machine's CPUs, so that cores and
    CPUs are interchangeable.
    """

    cores: int = _count(3, 1)
    threads: int = _count(1, 1, 8)
    reserved: int = _count(1, 1)
    pods: int = _count(2, 1, 9)
    containers: int = _count(2, 1, 4)
    size: int = _count(2, 0, 64)
    init: int = _switch()
    sidecars: int = _switch()
    jobs: int = _switch()
    exits: int = _count(0)
    removals: int = _switch()
    restarts: int = _count(0)
    crashes: int = _count(0)
    hotplug: int = _count(0)
    offline: int = _count(0)
    rereserve: int = _count(0)
    repolicy: int = _switch()
    wipes: int = _count(0, 0, 2)
    full_pcpus: int = _switch()
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
