"""The kubelet's static CPU policy: the rules of a release, and a policy made and started under them.

Go: NewStaticPolicy and Start in pkg/kubelet/cm/cpumanager/policy_static.go, releases 1.13 to 1.31. Pure functions. The
operations stand beside this file: allocate, remove, validate, hints, options.
"""

from collections.abc import Callable, Iterable

from model.cpu.assignment.accumulator import Hang
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import (
    NO_CPUS,
    Change,
    PolicyConfig,
    PolicyRules,
    Problem,
    StaticPolicy,
    TakeByTopology,
)
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.evolve import evolve
from model.go.errors import GoError


def reserve_cpus(policy: StaticPolicy, config: PolicyConfig) -> CPUSet | Problem:
    """The reserved CPUs: those listed, else `num_reserved` taken by topology (1.18 to 1.31).

    That listed CPUs exist is not asked. An error of the taking is dropped, so that the set is empty.
    """
    reserved = config.reserved_cpus or _take_reserved(policy, config.num_reserved)
    if isinstance(reserved, Hang):
        return reserved
    return reserved if len(reserved) == config.num_reserved else GoError(_unable_to_reserve(reserved, config))


def reserve_cpus_or_panic(policy: StaticPolicy, config: PolicyConfig) -> CPUSet | Problem:
    """1.17 (#83592: a list may be given): a wrong number of CPUs is a panic."""
    reserved = reserve_cpus(policy, config)
    return GoError(reserved.text, panic=True) if isinstance(reserved, GoError) else reserved


def reserve_number_or_panic(policy: StaticPolicy, config: PolicyConfig) -> CPUSet | Problem:
    """1.13 to 1.16: no list, `num_reserved` alone counts."""
    return reserve_cpus_or_panic(policy, evolve(config, reserved_cpus=NO_CPUS))


def _take_reserved(policy: StaticPolicy, num_reserved: int) -> CPUSet | Hang:
    taken = policy.take(policy.topology, policy.topology.cpus, num_reserved, policy.options)
    return NO_CPUS if isinstance(taken, GoError) else taken


def _unable_to_reserve(reserved: CPUSet, config: PolicyConfig) -> str:
    size = f"size of {to_string(reserved)} did not equal {config.num_reserved}"
    return f"[cpumanager] unable to reserve the required amount of CPUs ({size})"


def reserved_physical_cpus(topology: CPUTopology, reserved: Iterable[int]) -> CPUSet | GoError:
    """The reserved CPUs with their core siblings (#114114, 1.27 to 1.31).

    `reserved`: in the order of Go's walk over a map; of several CPUs that the machine has not the first is named.
    """
    physical = NO_CPUS
    for cpu in reserved:
        core = topology.cpu_core_id(cpu)
        if isinstance(core, GoError):
            problem = "unable to build the reserved physical CPUs from the reserved set"
            return GoError(f"[cpumanager] {problem}: {core.text}")
        physical |= topology.cpu_details.cpus_in_cores(core)
    return physical


def reserved_cpus_alone(topology: CPUTopology, reserved: Iterable[int]) -> CPUSet | GoError:
    """1.13 to 1.26: siblings do not count, and the CPUs need not exist."""
    return frozenset(reserved)


def new_static_policy(
    rules: PolicyRules,
    take: TakeByTopology,
    topology: CPUTopology,
    config: PolicyConfig,
    reserved_in_order: Callable[[CPUSet], Iterable[int]] = sorted,
) -> StaticPolicy | Problem:
    """The policy of a kubelet starting on this machine, or why it does not start (`NewStaticPolicy`).

    `take`: how the release takes CPUs by topology. `reserved_in_order`: Go's walk over the reserved CPUs, which decides
    between errors. The policy's memory is empty then (`EMPTY_MEMORY`).
    """
    options = rules.static_policy_options(config.options, config.gates_off)
    if isinstance(options, GoError):
        return options
    error = rules.validate_static_policy_options(options, topology, config.topology_manager_policy)
    if error is not None:
        return error
    policy = StaticPolicy(
        topology, NO_CPUS, rules, take, options=options, pod_level_resources=config.pod_level_resources
    )
    reserved = rules.reserve_cpus(policy, config)
    if isinstance(reserved, GoError | Hang):
        return reserved
    physical = rules.reserved_physical_cpus(topology, reserved_in_order(reserved))
    if isinstance(physical, GoError):
        return physical
    return evolve(policy, reserved=reserved, reserved_physical=physical)


def start(policy: StaticPolicy, state: CPUManagerState) -> Change:
    """The change a starting kubelet makes to the state it found, or the error it ends with (`Start`)."""
    change = policy.rules.validate_state(policy, state)
    if not isinstance(change.error, GoError):
        return change
    return evolve(change, error=policy.rules.report_at_start(change.error))
