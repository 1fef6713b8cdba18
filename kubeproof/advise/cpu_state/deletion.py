"""What follows when the state file is deleted: computed, by starting the kubelet of the model without a file.

Pure functions. Without a drain the file's containers run on where they are, whatever the kubelet now thinks.
"""

from attrs import frozen

from kubeproof.advise.cpu_state.kubelet_start import Start, start
from kubeproof.advise.cpu_state.question import Question, written_version
from kubeproof.advise.cpu_state.sets import Holder
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.types import EMPTY_MEMORY, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set

# Of more containers no example of new CPUs is made.
EXAMPLE_UP_TO = 64


@frozen
class Running:
    """A container of the file that holds exclusive CPUs, and what comes of them when the file is gone.

    `cpus`: what it runs on, and goes on running on. `in_pool`: which of these the kubelet then thinks free for all.
    `given_anew`: an example of what it is given when it is admitted again, in the file's order, or None.
    """

    holder: Holder
    cpus: str
    in_pool: str
    given_anew: str | None = None


@frozen
class Deleted:
    """The kubelet without the file. `starts`: it then starts; if not, `error` says why, and deleting helps nothing.

    `pool`: its shared pool then. `running`: what that means for the containers in the file if they were not drained.
    `at_admission`: it gives them CPUs anew as it admits them again; if not, when it reconciles.
    """

    starts: bool
    error: str | None
    pool: str
    running: tuple[Running, ...]
    at_admission: bool


def deleted(asked: Question) -> Deleted:
    """What follows when the file is deleted."""
    fresh = start(asked, None)
    if fresh.refusals or fresh.state is None:
        return Deleted(not fresh.refusals, fresh.refusals[0].error if fresh.refusals else None, "", (), _by_name(asked))
    pool = fresh.state.default
    given = _given_anew(asked, fresh)
    running = tuple(
        Running(holder, to_string(cpus), to_string(cpus & pool), given.get(index))
        for index, (holder, cpus) in enumerate(asked.sets.entries)
        if cpus
    )
    return Deleted(True, None, to_string(pool), running, _by_name(asked))


def _by_name(asked: Question) -> bool:
    """CPUs are allocated at admission, and a container is known by its name: from 1.18 on."""
    return written_version(asked.release) == 2


def _given_anew(asked: Question, fresh: Start) -> dict[int, str]:
    """By index of the entry; {} without reserved CPUs, which decide what is free, or if not all can be served.

    Also {} if entries share CPUs: then some are init containers, and the file does not say which.
    """
    entries = [(index, holder, cpus) for index, (holder, cpus) in enumerate(asked.sets.entries) if cpus]
    if fresh.policy is None or fresh.state is None or asked.reserved is None or len(entries) > EXAMPLE_UP_TO:
        return {}
    if sum(len(cpus) for _, _, cpus in entries) > len(frozenset().union(*(cpus for _, _, cpus in entries))):
        return {}
    given: dict[int, str] = {}
    state = fresh.state
    for index, holder, cpus in entries:
        found = _allocate(fresh.policy, state, holder, cpus, _by_name(asked))
        if found is None:
            return {}
        state, chosen = found
        given[index] = to_string(chosen)
    return given


def _allocate(
    policy: StaticPolicy, state: CPUManagerState, holder: Holder, cpus: CPUSet, by_name: bool
) -> tuple[CPUManagerState, CPUSet] | None:
    """The container asks for as many CPUs as it had."""
    pod = holder.container if holder.pod is None else holder.pod
    spec = PodSpec(pod, app=(ContainerSpec(holder.container, str(len(cpus))),))
    change = policy.rules.allocate(policy, state, EMPTY_MEMORY, spec, holder.container, None, holder.container)
    key = (pod, holder.container) if by_name else ("", holder.container)
    chosen = get_cpu_set(change.state, *key)
    return None if change.error is not None or chosen is None else (change.state, chosen)
