"""The kubelet's static CPU policy: the rules of a release, and a policy made and started under them.

Go: NewStaticPolicy and Start in pkg/kubelet/cm/cpumanager/policy_static.go, releases 1.13 to 1.31. Pure functions. The
operations stand beside this file: allocate, remove, validate, hints, options.
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from model.cpu.assignment.accumulator import Hang
from model.cpu.assignment.assignment import AssignmentRules, Strategy, Taken, every_distributed, every_take
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import (
    NO_CPUS,
    Change,
    PolicyConfig,
    PolicyRules,
    Problem,
    StaticPolicy,
    StaticPolicyOptions,
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


# --- How the policy takes CPUs by topology, as its options say (Go: `staticPolicy.takeByTopology`, from 1.23 on)


def _group_size(topology: CPUTopology, options: StaticPolicyOptions) -> int:
    return topology.cpus_per_core() if options.full_physical_cpus_only else 1


def _order(options: StaticPolicyOptions) -> Strategy:
    return "spread" if options.distribute_cpus_across_cores else "packed"


def _strategy(options: StaticPolicyOptions) -> Strategy:
    """How CPUs are packed. Those that are distributed across NUMA nodes are not aligned by uncore cache."""
    if not options.prefer_align_by_uncore_cache:
        return _order(options)
    return "spread-uncore" if options.distribute_cpus_across_cores else "packed-uncore"


@frozen(cache_hash=True)
class PolicyTake:
    """`take_by_topology` of a policy under the release's rules of assignment; a value, so policies compare equal.

    Called, it gives one outcome; `outcomes` gives all that Go's map order may lead to, that one first.
    """

    rules: AssignmentRules

    def __call__(self, topology: CPUTopology, available: CPUSet, num_cpus: int, options: StaticPolicyOptions) -> Taken:
        if options.distribute_cpus_across_numa:
            group, order = _group_size(topology, options), _order(options)
            return self.rules.take_by_topology_numa_distributed(topology, available, num_cpus, group, order)
        return self.rules.take_by_topology(topology, available, num_cpus, _strategy(options))

    def outcomes(
        self, topology: CPUTopology, available: CPUSet, num_cpus: int, options: StaticPolicyOptions
    ) -> tuple[Taken, ...]:
        """All that a call may give."""
        if options.distribute_cpus_across_numa:
            group, order = _group_size(topology, options), _order(options)
            return every_distributed(self.rules, topology, available, num_cpus, group, order)
        return every_take(self.rules, topology, available, num_cpus, _strategy(options))
