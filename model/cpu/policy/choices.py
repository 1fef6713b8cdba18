"""Every outcome of a policy operation where Go leaves one open: the order of its maps, and CPUs taken by that order.

Pure functions around those of policy*.py, whatever rules are in them, a proposed fix included. The first outcome is
the one that the operation itself gives.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from attrs import evolve

from model.cpu.assignment.assignment import Taken
from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.static import PolicyTake, new_static_policy
from model.cpu.policy.types import (
    Affinity,
    Change,
    PolicyConfig,
    PolicyMemory,
    PolicyRules,
    Problem,
    StaticPolicy,
    StaticPolicyOptions,
    TakeByTopology,
)
from model.cpu.state.state import CPUManagerState, sorted_assignments
from model.cpu.topology import CPUTopology

R = TypeVar("R")
T = TypeVar("T")


def every_take(take: PolicyTake, run: Callable[[TakeByTopology], R]) -> tuple[R, ...]:
    """What `run` gives for each possible outcome of its calls of `take`. `run` is pure except for these calls."""
    found: dict[R, None] = {}
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        offered: list[int] = []

        def scripted(
            topology: CPUTopology,
            available: CPUSet,
            num_cpus: int,
            options: StaticPolicyOptions,
            script: tuple[int, ...] = script,
            offered: list[int] = offered,
        ) -> Taken:
            outcomes = take.outcomes(topology, available, num_cpus, options)
            chosen = script[len(offered)] if len(offered) < len(script) else 0
            offered.append(len(outcomes))
            return outcomes[chosen]

        found[run(scripted)] = None
        for call in range(len(script), len(offered)):
            zeros = (0,) * (call - len(script))
            scripts += [(*script, *zeros, choice) for choice in range(1, offered[call])]
    return tuple(found)


def _each_first(items: Sequence[T]) -> list[tuple[T, ...]]:
    """Orders of `items` in which each comes first once: enough where the first that is faulty decides."""
    return [(*items[i:], *items[:i]) for i in range(max(1, len(items)))]


def new_policies(
    rules: PolicyRules, take: PolicyTake, topology: CPUTopology, config: PolicyConfig
) -> tuple[StaticPolicy | Problem, ...]:
    """Every outcome of `new_static_policy`: the error of any faulty option or reserved CPU, any reserved set."""

    def rotated(by: int) -> Callable[[CPUSet], Iterable[int]]:
        return lambda cpus: sorted(cpus)[by % max(1, len(cpus)) :] + sorted(cpus)[: by % max(1, len(cpus))]

    found: dict[StaticPolicy | Problem, None] = {}
    for options in _each_first(config.options):
        ordered = evolve(config, options=options)
        # After as many turns as the machine has CPUs the orders come again.
        for by in range(max(1, min(config.num_reserved, len(topology.rows)))):

            def run(taking: TakeByTopology, ordered: PolicyConfig = ordered, by: int = by) -> StaticPolicy | Problem:
                made = new_static_policy(rules, taking, topology, ordered, rotated(by))
                return evolve(made, take=take) if isinstance(made, StaticPolicy) else made

            found |= dict.fromkeys(every_take(take, run))
    return tuple(found)


def _ordered(state: CPUManagerState) -> CPUManagerState:
    return evolve(state, assignments=sorted_assignments(state.assignments))


def validations(policy: StaticPolicy, state: CPUManagerState) -> tuple[Change, ...]:
    """Every outcome of the policy's `validate_state`: of several containers with shared CPUs any may be named."""
    found: dict[Change, None] = {}
    for entries in _each_first(state.assignments):
        change = policy.rules.validate_state(policy, evolve(state, assignments=entries))
        stores = tuple(_ordered(each) for each in change.stores)
        found[evolve(change, state=_ordered(change.state), stores=stores)] = None
    return tuple(found)


def allocations(
    policy: StaticPolicy,
    take: PolicyTake,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> tuple[Change, ...]:
    """Every outcome of the policy's `allocate`, with whatever CPUs `take` may give."""

    def run(taking: TakeByTopology) -> Change:
        taking_policy = evolve(policy, take=taking)
        return policy.rules.allocate(taking_policy, state, memory, pod, container, numa_affinity, container_id)

    return every_take(take, run)
