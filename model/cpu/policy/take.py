"""The policy's way to take CPUs by topology, as its options say (Go: `staticPolicy.takeByTopology`, from 1.23 on)."""

from attrs import frozen

from model.cpu.assignment.assignment import AssignmentRules, Strategy, Taken, every_distributed, every_take
from model.cpu.cpuset import CPUSet
from model.cpu.policy.types import StaticPolicyOptions
from model.cpu.topology import CPUTopology


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
