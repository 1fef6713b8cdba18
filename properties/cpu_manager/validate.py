"""C9: does `validateState` accept the states that satisfy C1 to C3, and no others? Over all states of a tiny machine.

Pure functions. The states are all that a file can hold for three containers, sound or not, reachable or not: an init
container and an app container of one pod, and another pod's container. Go: policy_static.go validateState.
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

INIT, APP, OTHER = ("p", "i0"), ("p", "a0"), ("q", "a0")


def is_partition(machine: CPUSet, state: CPUManagerState) -> bool:
    """C1: the pool and the entries together are the machine, and no CPU is in both."""
    assigned = assigned_cpus(state)
    return not state.default & assigned and state.default | assigned == machine


def is_disjoint(state: CPUManagerState, init: ContainerKey = INIT) -> bool:
    """C2: no two containers have a CPU in common, but for `init` and those of its pod."""
    for (key, cpus), (other, others) in combinations(state.assignments, 2):
        if cpus & others and not (key[0] == other[0] and init in (key, other)):
            return False
    return True


def is_reserved(reserved: CPUSet, state: CPUManagerState) -> bool:
    """C3: reserved CPUs are shared and not exclusive."""
    return reserved <= state.default and not reserved & assigned_cpus(state)


def _sets(cpus: int) -> list[CPUSet]:
    return [frozenset(chosen) for size in range(cpus + 1) for chosen in combinations(range(cpus), size)]


def every_state(cpus: int) -> Iterator[CPUManagerState]:
    """Each pool and each set or no entry for each of the three containers, of CPUs 0 to `cpus` - 1."""
    sets = _sets(cpus)
    choices: list[CPUSet | None] = [None, *sets]
    for entries in product(choices, repeat=3):
        named = zip((APP, INIT, OTHER), entries, strict=True)
        assignments: Assignments = tuple((key, chosen) for key, chosen in named if chosen is not None)
        for default in sets:
            yield CPUManagerState(default, assignments)


@frozen
class Judged:
    """`counts`: how many states were accepted or refused, by what they violate; `first`: the first of each kind.

    A kind is ("accepted" or "refused", what the state violates of C1, C2, C3, in this order).
    """

    states: int
    counts: Mapping[tuple[str, tuple[str, ...]], int]
    first: Mapping[tuple[str, tuple[str, ...]], CPUManagerState]


@lru_cache(maxsize=16)
def judge(rules: PolicyRules, machine: int, reserved: CPUSet, known: int) -> Judged:
    """Every state over CPUs 0 to `known` - 1, before a kubelet that starts on CPUs 0 to `machine` - 1.

    An accepted state is judged as `Start` leaves it, which makes an empty one the whole machine.
    """
    cpus = frozenset(range(machine))
    policy = StaticPolicy(CPUTopology.of((cpu, cpu, 0, 0) for cpu in sorted(cpus)), reserved, rules, _takes_none)
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    first: dict[tuple[str, tuple[str, ...]], CPUManagerState] = {}
    for state in every_state(known):
        change = rules.validate_state(policy, state)
        after = change.state
        checks = {
            "C1": is_partition(cpus, after),
            "C2": is_disjoint(after),
            "C3": is_reserved(reserved, after),
        }
        broken = tuple(name for name, holds in checks.items() if not holds)
        kind = ("accepted" if change.error is None else "refused", broken)
        counts[kind] += 1
        first.setdefault(kind, state)
    return Judged(sum(counts.values()), counts, first)


def _takes_none(topology: CPUTopology, available: CPUSet, num: int, options: StaticPolicyOptions) -> CPUSet | GoError:
    return GoError("validateState takes no CPUs")
