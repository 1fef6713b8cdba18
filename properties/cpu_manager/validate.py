"""Which states `validateState` accepts, judged by three properties, over all states of a tiny machine. Pure functions.

The states are all that a file can have for three containers, sound or not, reachable or not: an init container and an
app container of one pod, and a container of another pod. Go: policy_static.go validateState.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, product

from attrs import frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.types import PolicyRules, StaticPolicy, StaticPolicyOptions
from model.cpu.state.state import Assignments, ContainerKey, CPUManagerState, assigned_cpus
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from properties.cpu_manager.sets import DISJOINT, PARTITION, RESERVED

INIT, APP, OTHER = ("p", "i0"), ("p", "a0"), ("q", "a0")


def is_partition(machine: CPUSet, state: CPUManagerState) -> bool:
    """Whether the pool and the entries together are the machine, and no CPU is in both (`cpus-partition-machine`)."""
    assigned = assigned_cpus(state)
    return not state.default & assigned and state.default | assigned == machine


def is_disjoint(state: CPUManagerState, init: ContainerKey = INIT) -> bool:
    """Whether no two containers have a CPU in common (`exclusive-sets-disjoint`). `init` may share with its own pod."""
    for (key, cpus), (other, others) in combinations(state.assignments, 2):
        if cpus & others and not (key[0] == other[0] and init in (key, other)):
            return False
    return True


def is_reserved(reserved: CPUSet, state: CPUManagerState) -> bool:
    """Whether reserved CPUs are shared and not exclusive (`reserved-never-exclusive`)."""
    return reserved <= state.default and not reserved & assigned_cpus(state)


def _sets(cpus: int) -> list[CPUSet]:
    return [frozenset(chosen) for size in range(cpus + 1) for chosen in combinations(range(cpus), size)]


def every_state(cpus: int) -> Iterator[CPUManagerState]:
    """Every state over CPUs 0 to `cpus` - 1: each pool, with each set or no entry for each of the three containers."""
    sets = _sets(cpus)
    choices: list[CPUSet | None] = [None, *sets]
    for entries in product(choices, repeat=3):
        named = zip((APP, INIT, OTHER), entries, strict=True)
        assignments: Assignments = tuple((key, chosen) for key, chosen in named if chosen is not None)
        for default in sets:
            yield CPUManagerState(default, assignments)


@frozen
class Judged:
    """Which states were accepted. A kind of states is ("accepted" or "refused", names of the violated properties)."""

    # How many states were judged.
    states: int
    # How many states of each kind there are, and the first of them.
    counts: Mapping[tuple[str, tuple[str, ...]], int]
    first: Mapping[tuple[str, tuple[str, ...]], CPUManagerState]


@lru_cache(maxsize=16)
def judge(rules: PolicyRules, machine: int, reserved: CPUSet, known: int) -> Judged:
    """Judge every state over CPUs 0 to `known` - 1 for a kubelet that starts on CPUs 0 to `machine` - 1.

    An accepted state is judged as `Start` leaves it: `Start` puts all CPUs into the pool of an empty state.
    """
    cpus = frozenset(range(machine))
    policy = StaticPolicy(CPUTopology.of((cpu, cpu, 0, 0) for cpu in sorted(cpus)), reserved, rules, _takes_none)
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    first: dict[tuple[str, tuple[str, ...]], CPUManagerState] = {}
    for state in every_state(known):
        change = rules.validate_state(policy, state)
        after = change.state
        checks = {
            PARTITION.name: is_partition(cpus, after),
            DISJOINT.name: is_disjoint(after),
            RESERVED.name: is_reserved(reserved, after),
        }
        broken = tuple(name for name, holds in checks.items() if not holds)
        kind = ("accepted" if change.error is None else "refused", broken)
        counts[kind] += 1
        first.setdefault(kind, state)
    return Judged(sum(counts.values()), counts, first)


def _takes_none(topology: CPUTopology, available: CPUSet, num: int, options: StaticPolicyOptions) -> CPUSet | GoError:
    return GoError("validateState takes no CPUs")
