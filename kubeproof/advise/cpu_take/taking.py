"""What the kubelet of the model gives to each container of the pod, in every way that Go leaves open. Pure.

Go: Allocate of the CPU manager for each container in its order, with the topology manager's hint before it, if there is
one: pkg/kubelet/cm/topologymanager (scope container). Up to 1.17 CPUs are taken as a container starts.
"""

from collections.abc import Sequence

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.configuration import is_on
from kubeproof.advise.cpu_state.kubelet_start import Start
from kubeproof.advise.cpu_state.question import written_version
from kubeproof.advise.cpu_take.question import TakeQuestion
from model.cpu.assignment.accumulator import Hang
from model.cpu.configuration import TOPOLOGY_MANAGER_GATE
from model.cpu.cpuset import CPUSet
from model.cpu.policy.allocate import get_available_cpus
from model.cpu.policy.choices import allocations
from model.cpu.policy.hints import get_topology_hints
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.static import PolicyTake
from model.cpu.policy.types import EMPTY_MEMORY, Change, PolicyMemory, Problem, StaticPolicy, TopologyHint
from model.cpu.state.state import ContainerKey, CPUManagerState, get_cpu_set
from model.gates import GATES
from model.go.errors import GoError

# Go's maps leave so many ways open at most; of more the first are told.
WAYS_UP_TO = 16
NO_LOCALITY = GoError("Resources cannot be allocated with Topology locality")


@frozen
class Taken:
    """What a container gets."""

    container: str
    # How many exclusive CPUs it asks for; 0: it runs in the shared pool.
    asked: int
    # The CPUs: empty in the shared pool, and where the kubelet refuses.
    cpus: CPUSet = frozenset()
    # Whether the state file has these CPUs for it already.
    present: bool = False
    # The CPUs that were free before, those that the pod's init containers leave included.
    free: CPUSet = frozenset()
    # The NUMA nodes of the hint; None: there is none.
    hint: tuple[int, ...] | None = None
    # The hints that the CPU manager gives to the topology manager; empty where nobody asks.
    hints: tuple[TopologyHint, ...] = ()
    # Why the kubelet refuses the pod, or None.
    error: Problem | None = None


@frozen
class Way:
    """One way in which the containers may get their CPUs."""

    taken: tuple[Taken, ...]
    state: CPUManagerState
    memory: PolicyMemory = EMPTY_MEMORY

    @property
    def refused(self) -> bool:
        return any(each.error is not None for each in self.taken)


def ways(asked: TakeQuestion, begun: Start) -> tuple[Way, ...]:
    """Every way, at most WAYS_UP_TO: () if the kubelet has no static policy."""
    policy, state = begun.policy, begun.state
    if policy is None or state is None:
        return ()
    spec = asked.pod.spec
    found: Sequence[Way] = (Way((), state),)
    for container in spec.containers:
        found = tuple(
            dict.fromkeys(
                after
                for way in found
                for after in ((way,) if way.refused else _after(asked, policy, way, spec, container.name))
            )
        )[:WAYS_UP_TO]
    return tuple(found)


def _after(asked: TakeQuestion, policy: StaticPolicy, way: Way, spec: PodSpec, container: str) -> Sequence[Way]:
    number = exclusive_cpus(policy, spec, container)
    if number == 0:
        return (evolve(way, taken=(*way.taken, Taken(container, 0))),)
    by_name = written_version(asked.kubelet.release) == 2
    key = (spec.uid, container) if by_name else ("", container)
    free = get_available_cpus(policy, way.state) | way.memory.reusable(spec.uid)
    manager = _topology_manager(asked)
    hints: tuple[TopologyHint, ...] = ()
    hint = None if asked.hint is None else tuple(sorted(asked.hint))
    if manager != "none":
        hints = get_topology_hints(policy, way.state, way.memory, spec, container) or ()
        if hint is None:
            best = chosen(hints, manager)
            hint = None if best is None else best.mask
            if manager in ("restricted", "single-numa-node") and (best is None or not best.preferred):
                refused = Taken(container, number, frozenset(), False, free, None, hints, NO_LOCALITY)
                return (evolve(way, taken=(*way.taken, refused)),)
    assert isinstance(policy.take, PolicyTake)
    affinity = None if hint is None else frozenset(hint)
    changes = allocations(policy, policy.take, way.state, way.memory, spec, container, affinity, container)
    return tuple(
        Way((*way.taken, _taken(way, change, key, number, free, hint, hints)), change.state, change.memory)
        for change in changes
    )


def _taken(
    way: Way,
    change: Change,
    key: ContainerKey,
    number: int,
    free: CPUSet,
    hint: tuple[int, ...] | None,
    hints: tuple[TopologyHint, ...],
) -> Taken:
    # In 1.16 and 1.17 the pod's init containers are removed first.
    kept = {entry for entry, _ in change.state.assignments}
    gone = (cpus for entry, cpus in way.state.assignments if entry not in kept)
    error = change.error
    return Taken(
        key[1],
        number,
        frozenset() if error is not None else get_cpu_set(change.state, *key) or frozenset(),
        get_cpu_set(way.state, *key) is not None,
        free.union(*gone),
        hint,
        hints,
        error,
    )


def _topology_manager(asked: TakeQuestion) -> str:
    """The topology manager's policy; up to 1.17 a gate is off by default."""
    known, at = asked.kubelet.configuration, asked.kubelet.release
    gate = GATES[TOPOLOGY_MANAGER_GATE]
    return (known.topology_manager_policy or "none") if is_on(gate, known.gates, at) else "none"


def chosen(hints: Sequence[TopologyHint], policy: str) -> TopologyHint | None:
    """The hint that the topology manager chooses if the CPU manager alone has hints; None: there is no hint to choose.

    A preferred one before others, then the one of fewest nodes, then the one with the smaller bitmask (HintMerger and
    IsNarrowerThan). The policy single-numa-node looks only at preferred hints of one node.
    """
    if policy == "single-numa-node":
        hints = [hint for hint in hints if hint.preferred and len(hint.mask) == 1]
    return min(
        hints, key=lambda hint: (not hint.preferred, len(hint.mask), sum(1 << node for node in hint.mask)), default=None
    )


def problem_text(problem: Problem) -> str:
    """What the kubelet says of it."""
    return f"(no error: Allocate never returns: {problem.loop})" if isinstance(problem, Hang) else problem.text
