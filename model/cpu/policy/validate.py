"""Can the policy go on from the state that a starting kubelet finds (Go: `validateState` in policy_static.go).

Pure functions. `Start` of the policy is this and nothing else; what the kubelet then says differs between releases.
"""

from collections.abc import Callable

from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import Change, StaticPolicy
from model.cpu.state.state import ContainerKey, CPUManagerState, assigned_cpus, set_default_cpu_set
from model.go.errors import GoError

OverlapText = Callable[[ContainerKey, CPUSet, CPUSet], str]


def overlap_by_name(key: ContainerKey, cpus: CPUSet, default: CPUSet) -> str:
    """The text for CPUs that are exclusive and shared at once; `key` is (pod, container), from 1.18 on."""
    pod, container = key
    return (
        f'pod: {pod}, container: {container} cpuset: "{to_string(cpus)}" '
        f'overlaps with default cpuset "{to_string(default)}"'
    )


def overlap_by_id(key: ContainerKey, cpus: CPUSet, default: CPUSet) -> str:
    """The same up to 1.17, where `key` is ("", container id)."""
    return f'container id: {key[1]} cpuset: "{to_string(cpus)}" overlaps with default cpuset "{to_string(default)}"'


def _lacks_reserved(policy: StaticPolicy, state: CPUManagerState) -> GoError | None:
    if policy.reserved <= state.default:
        return None
    reserved, default = to_string(policy.reserved), to_string(state.default)
    return GoError(f'not all reserved cpus: "{reserved}" are present in defaultCpuSet: "{default}"')


def _has_reserved(policy: StaticPolicy, state: CPUManagerState) -> GoError | None:
    shared = policy.reserved & state.default
    if not shared:
        return None
    text = f'"{to_string(shared)}" are present in defaultCpuSet: "{to_string(state.default)}"'
    return GoError(f"some of strictly reserved cpus: {text}")


def _validate(
    policy: StaticPolicy,
    state: CPUManagerState,
    overlap: OverlapText,
    cpus: CPUSet,
    reserved_misplaced: Callable[[StaticPolicy, CPUManagerState], GoError | None],
) -> Change:
    """`cpus`: those of the shared pool of a kubelet without containers."""
    if not state.default:
        if state.assignments:
            return Change(state, error=GoError("default cpuset cannot be empty"))
        started = set_default_cpu_set(state, cpus)
        return Change(started, stores=(started,))
    misplaced = reserved_misplaced(policy, state)
    if misplaced is not None:
        return Change(state, error=misplaced)
    for key, assigned in state.assignments:
        if assigned & state.default:
            return Change(state, error=GoError(overlap(key, assigned, state.default)))
    known = state.default | assigned_cpus(state)
    if known != cpus:
        text = (
            f'current set of available CPUs "{to_string(cpus)}" doesn\'t match with CPUs in state "{to_string(known)}"'
        )
        return Change(state, error=GoError(text))
    return Change(state)


def validate_state(policy: StaticPolicy, state: CPUManagerState) -> Change:
    """The change, with the memory of a kubelet just started, or the error that keeps it from starting (1.18 to 1.31).

    An empty state is initialised with every CPU of the machine: one store. Nothing else changes the state, and two
    containers with the same CPU are not noticed. Of several overlaps Go names any one (map order); here the first.
    """
    return _validate(policy, state, overlap_by_name, policy.topology.cpus, _lacks_reserved)


def validate_state_strictly(policy: StaticPolicy, state: CPUManagerState) -> Change:
    """`validate_state` from 1.32 on (#127483): with strict-cpu-reservation the pool has no reserved CPU.

    So the pool may become empty while containers have CPUs, and then the next kubelet does not start (#141196).
    """
    if not policy.options.strict_cpu_reservation:
        return validate_state(policy, state)
    return _validate(policy, state, overlap_by_name, policy.topology.cpus - policy.reserved, _has_reserved)


def validate_state_by_id(policy: StaticPolicy, state: CPUManagerState) -> Change:
    """`validate_state` as 1.13 to 1.17 word it, with container ids."""
    return _validate(policy, state, overlap_by_id, policy.topology.cpus, _lacks_reserved)


DRAIN_NODE = "[cpumanager] - please drain node and remove policy state file"


def panic_at_start(error: GoError) -> GoError:
    """What `Start` makes of a `validate_state` error in 1.13 to 1.17: it is logged, and a fixed text is the panic."""
    return GoError(DRAIN_NODE, panic=True)


def return_at_start(error: GoError) -> GoError:
    """What `Start` makes of it from 1.18 on: it is returned, and the kubelet exits."""
    return error
