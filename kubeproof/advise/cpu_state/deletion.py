"""What follows if the state file is deleted: computed, by starting the kubelet of the model without a file. Pure.

Without a drain the containers of the file run on, on the same CPUs, whatever the kubelet then has in its state.
"""

from attrs import frozen

from kubeproof.advise.cpu_state.kubelet_start import Start, start
from kubeproof.advise.cpu_state.question import StateQuestion, written_version
from kubeproof.advise.cpu_state.sets import Holder
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.types import EMPTY_MEMORY, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set

# For more containers there is no example of new CPUs.
EXAMPLE_UP_TO = 64


@frozen
class Running:
    """A container of the file that has exclusive CPUs, and what happens to these CPUs if the file is deleted."""

    holder: Holder
    # The CPUs on which the container runs and goes on running.
    cpus: str
    # Which of these CPUs are then in the shared pool.
    in_pool: str
    # The CPUs that the container gets if containers are admitted again in the file's order; None: not computed.
    given_anew: str | None = None


@frozen
class Deleted:
    """The kubelet without the file."""

    starts: bool
    # Why the kubelet does not start. Then it does not help to delete the file.
    error: str | None
    # The shared pool after the start.
    pool: str
    # What happens to the containers of the file if they were not drained.
    running: tuple[Running, ...]
    # Whether a container gets CPUs again when the kubelet admits the container; if not, when the kubelet reconciles.
    at_admission: bool


def deleted(asked: StateQuestion) -> Deleted:
    """What follows if the file is deleted."""
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


def _by_name(asked: StateQuestion) -> bool:
    """Whether CPUs are allocated at admission, and containers are known by their names: from 1.18 on."""
    return written_version(asked.release) == 2


def _given_anew(asked: StateQuestion, fresh: Start) -> dict[int, str]:
    """The new CPUs by the index of the entry.

    {} if the reserved CPUs are not given, since they decide which CPUs are free; if not all containers get CPUs; and if
    entries share CPUs: then some are init containers, and the file does not say which.
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
    """The state after the container was allocated as many CPUs as it had, and these CPUs; None if that fails."""
    pod = holder.container if holder.pod is None else holder.pod
    spec = PodSpec(pod, app=(ContainerSpec(holder.container, str(len(cpus))),))
    change = policy.rules.allocate(policy, state, EMPTY_MEMORY, spec, holder.container, None, holder.container)
    key = (pod, holder.container) if by_name else ("", holder.container)
    chosen = get_cpu_set(change.state, *key)
    return None if change.error is not None or chosen is None else (change.state, chosen)
