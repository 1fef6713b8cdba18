"""What takeByTopology promises, and a sweep over every set of available CPUs of a small machine. Pure functions.

The promises are those of the Go code: the comments of cpu_assignment.go, and what the callers rely on. The true cores
of the machine decide, not the mean that `CPUsPerCore` gives.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from attrs import frozen

from model.cpu.assignment.assignment import AssignmentRules, Hang, Strategy, Taken, every_distributed, every_take
from model.cpu.cpuset import CPUSet
from model.cpu.topology import CPUTopology
from model.go.errors import GoError


@frozen
class Call:
    """One call of takeByTopology."""

    topology: CPUTopology
    available: CPUSet
    # How many CPUs are wanted.
    num_cpus: int
    # 0 for the packing algorithm; else the size of the CPU groups of the distributing algorithm.
    group_size: int = 0
    strategy: Strategy = "packed"


def _machines_cpus(call: Call) -> CPUSet:
    return call.available & call.topology.cpus


def wholly_available_cores(call: Call) -> list[CPUSet]:
    """The CPUs of each core whose CPUs are all available, by core id."""
    details = call.topology.cpu_details
    cores = [details.cpus_in_cores(core) for core in sorted(details.cores())]
    return [cpus for cpus in cores if cpus <= call.available]


def splits_a_core(call: Call, cpus: CPUSet) -> bool:
    """Whether `cpus` are some but not all CPUs of a core."""
    details = call.topology.cpu_details
    cores = frozenset(details[cpu].core_id for cpu in cpus)
    return details.cpus_in_cores(*cores) != cpus


def always(call: Call) -> bool:
    """The premise of what is promised of every call."""
    return True


def can_be_met(call: Call) -> bool:
    """Whether the call wants at least one CPU and no more than are available."""
    return 0 < call.num_cpus <= len(_machines_cpus(call))


def whole_cores_suffice(call: Call) -> bool:
    """Whether the call packs, wants a multiple of a core's size, and enough cores of this size are wholly available."""
    size = call.topology.cpus_per_core()
    if call.group_size or call.strategy.startswith("spread") or call.num_cpus % size:
        return False
    whole = sum(1 for cpus in wholly_available_cores(call) if len(cpus) == size)
    return 0 < call.num_cpus <= whole * size


def only_whole_cores_are_available(call: Call) -> bool:
    """Whether the call distributes groups, wants a multiple of the group's size, and only whole cores of this size are
    available."""
    if (
        call.group_size < 2
        or call.strategy.startswith("spread")
        or call.num_cpus % call.group_size
        or not can_be_met(call)
    ):
        return False
    cores = wholly_available_cores(call)
    all_fit = all(len(cpus) == call.group_size for cpus in cores)
    return all_fit and frozenset().union(*cores) == _machines_cpus(call)


def returns(call: Call, taken: Taken) -> bool:
    """Whether the call returns."""
    return not isinstance(taken, Hang)


def is_met_when_it_can_be(call: Call, taken: Taken) -> bool:
    """Whether there is no error."""
    return not isinstance(taken, GoError)


def is_subset_of_available(call: Call, taken: Taken) -> bool:
    """Whether all CPUs that were given were available."""
    return not isinstance(taken, frozenset) or taken <= call.available


def has_right_size(call: Call, taken: Taken) -> bool:
    """Whether as many CPUs were given as were wanted."""
    return not isinstance(taken, frozenset) or len(taken) == max(0, call.num_cpus)


def no_partial_core(call: Call, taken: Taken) -> bool:
    """Whether each core was given whole or not at all."""
    return not isinstance(taken, frozenset) or not splits_a_core(call, taken)


@frozen
class Promise:
    """What must hold of every outcome of a call."""

    name: str
    # The promise in one sentence.
    sentence: str
    # Where the Go code or its caller promises this.
    source: str
    # Of a call: whether the promise says anything of this call.
    premise: Callable[[Call], bool]
    # Of a call and an outcome: whether the promise is kept.
    holds: Callable[[Call, Taken], bool]


RETURNS = Promise(
    "returns",
    "The call comes back: it runs under the CPU manager's lock during pod admission.",
    "policy_static.go allocateCPUs",
    always,
    returns,
)
IS_MET = Promise(
    "is-met-when-it-can-be",
    "A request for no more CPUs than are available is met.",
    "cpu_assignment.go isFailed",
    can_be_met,
    is_met_when_it_can_be,
)
IS_SUBSET = Promise(
    "is-subset-of-available",
    "Only available CPUs are given.",
    "cpu_assignment.go takeByTopologyNUMAPacked: CPUs taken from the set availableCPUs",
    always,
    is_subset_of_available,
)
HAS_RIGHT_SIZE = Promise(
    "has-right-size",
    "As many CPUs are given as were wanted.",
    "cpu_assignment.go takeByTopologyNUMAPacked: a CPUSet containing numCPUs CPUs",
    always,
    has_right_size,
)
NO_PARTIAL_CORE = Promise(
    "no-partial-core-while-whole-cores-suffice",
    "A request for a multiple of a core's CPUs splits no core while whole cores of that size can meet it.",
    "cpu_assignment.go: acquire whole cores, if available; policy_static.go full-pcpus-only",
    whole_cores_suffice,
    no_partial_core,
)
NO_PARTIAL_GROUP = Promise(
    "no-partial-core-in-groups",
    "Distribution in groups of a core's size splits no core when only whole cores are available.",
    "cpu_assignment.go takeByTopologyNUMADistributed: all hyperthreads from a single core are allocated together",
    only_whole_cores_are_available,
    no_partial_core,
)
PROMISES = (RETURNS, IS_MET, IS_SUBSET, HAS_RIGHT_SIZE, NO_PARTIAL_CORE, NO_PARTIAL_GROUP)


def outcomes(rules: AssignmentRules, call: Call) -> tuple[Taken, ...]:
    """All that a release with these `rules` may answer to `call`."""
    if call.group_size:
        return every_distributed(rules, call.topology, call.available, call.num_cpus, call.group_size, call.strategy)
    return every_take(rules, call.topology, call.available, call.num_cpus, call.strategy)


def every_call(topology: CPUTopology, group_size: int = 0, strategy: Strategy = "packed") -> Iterator[Call]:
    """Every set of available CPUs, the smaller ones first, with every number from 0 to one more than there are."""
    cpus = sorted(topology.cpus)
    for size in range(len(cpus) + 1):
        for available in combinations(cpus, size):
            for num_cpus in range(size + 2):
                yield Call(topology, frozenset(available), num_cpus, group_size, strategy)


@frozen
class Broken:
    """A broken promise."""

    # In how many outcomes.
    count: int
    # The first call and its outcome.
    call: Call
    taken: Taken


@frozen
class Sweep:
    """What a sweep found. Keys are the names of promises."""

    calls: int
    outcomes: int
    # Of how many outcomes each promise says something.
    premises: Mapping[str, int]
    # The broken promises only.
    broken: Mapping[str, Broken]


def sweep(rules: AssignmentRules, topology: CPUTopology, group_size: int = 0, strategy: Strategy = "packed") -> Sweep:
    """Judge every call on `topology` by every promise. The work doubles with each CPU, so the machine must be small."""
    calls = seen = 0
    premises = {promise.name: 0 for promise in PROMISES}
    broken: dict[str, Broken] = {}
    for call in every_call(topology, group_size, strategy):
        calls += 1
        due = [promise for promise in PROMISES if promise.premise(call)]
        for taken in outcomes(rules, call):
            seen += 1
            for promise in due:
                premises[promise.name] += 1
                if not promise.holds(call, taken):
                    first = broken.get(promise.name) or Broken(0, call, taken)
                    broken[promise.name] = Broken(first.count + 1, first.call, first.taken)
    return Sweep(calls, seen, premises, broken)
