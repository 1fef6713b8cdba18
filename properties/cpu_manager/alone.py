"""Effects of a change of the CPU manager's rules that no run of the system shows: rules asked alone.

The system has one socket and one NUMA node, and nothing damages the state file but crashes. Here rules are asked about
larger machines, about options, and about files and lists that somebody else may have written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from attrs import evolve

from model.cpu.policy.options import (
    ALIGN_BY_SOCKET,
    ALIGN_BY_UNCORE_CACHE,
    ALPHA_GATE,
    BETA_GATE,
    DISTRIBUTE_ACROSS_CORES,
    DISTRIBUTE_ACROSS_NUMA,
    FULL_PCPUS_ONLY,
    STRICT_RESERVATION,
)
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.static import PolicyTake
from model.cpu.policy.types import PolicyConfig, PolicyMemory, StaticPolicy, StaticPolicyOptions
from model.cpu.state.format import CheckpointV1, CheckpointV2, checksum_of, marshal_checkpoint
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.systems.cpu_manager import CPUManagerRules
from properties.effect import ALONE, Effect

Args = tuple[Any, ...]


def _machine(sockets: int, numa_nodes: int, cores: int, threads: int) -> CPUTopology:
    """`cores` in each of so many NUMA nodes. Siblings have numbers far from each other, as Linux numbers them."""
    count = numa_nodes * cores
    return CPUTopology.of(
        (core + thread * count, core, core * sockets // count, core // cores)
        for core, thread in product(range(count), range(threads))
    )


MACHINES = (
    _machine(1, 1, 2, 2), _machine(2, 2, 2, 2), _machine(1, 2, 2, 1), _machine(2, 1, 4, 1), _machine(2, 4, 2, 1),
    _machine(1, 3, 2, 2),
)  # fmt: skip
# With two uncore caches: of one NUMA node, and across two.
CACHED = tuple(
    CPUTopology.of((*row, row[1] // 2) for row in machine.rows)
    for machine in (_machine(1, 1, 4, 2), _machine(1, 2, 2, 2))
)
_NOTHING_SHARED = frozenset[int]()


def _sets(machine: CPUTopology) -> tuple[frozenset[int], ...]:
    """All CPUs; all but the first; all but some of two NUMA nodes; those with even numbers."""
    cpus = machine.cpus
    return cpus, cpus - {0}, cpus - {1, 2, max(cpus)}, frozenset(cpu for cpu in cpus if cpu % 2 == 0)


def _policy(rules: CPUManagerRules, machine: CPUTopology, options: StaticPolicyOptions) -> StaticPolicy:
    return StaticPolicy(machine, _NOTHING_SHARED, rules, PolicyTake(rules), _NOTHING_SHARED, options)


def _calls(machines: Iterable[CPUTopology], strategies: tuple[str, ...]) -> Iterator[Args]:
    for machine in machines:
        for available in _sets(machine):
            for number, strategy in product(range(1, len(available) + 2), strategies):
                yield machine, available, number, strategy


def _taking(rules: CPUManagerRules) -> Iterator[Args]:
    yield from _calls(MACHINES, ("packed", "spread"))
    yield from _calls(CACHED, ("packed-uncore", "spread-uncore"))


def _distributing(rules: CPUManagerRules) -> Iterator[Args]:
    for (machine, available, number, strategy), group in product(_calls(MACHINES, ("packed", "spread")), (1, 2)):
        yield machine, available, number, group, strategy


def _hinting(rules: CPUManagerRules) -> Iterator[Args]:
    for machine, aligned in product(MACHINES, (False, True)):
        policy = _policy(rules, machine, StaticPolicyOptions(align_by_socket=aligned))
        for available in _sets(machine):
            for number, reusable in product(
                (1, 2, 3, 5), (_NOTHING_SHARED, frozenset({0, 1}), frozenset({max(machine.cpus)}))
            ):
                yield policy, available - reusable, reusable, number


def _reserving(rules: CPUManagerRules) -> Iterator[Args]:
    for machine, number in product(MACHINES[:3], (0, 1, 3, 99)):
        for listed in (_NOTHING_SHARED, frozenset({0}), frozenset({0, 2, 3})):
            yield _policy(rules, machine, StaticPolicyOptions()), PolicyConfig(number, listed)


_OPTIONS = (
    *(FULL_PCPUS_ONLY, DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES, STRICT_RESERVATION),
    *(ALIGN_BY_UNCORE_CACHE, 'an "option"'),
)


def _configuring(rules: CPUManagerRules) -> Iterator[Args]:
    lists = [(), *(((name, value),) for name, value in product(_OPTIONS, ("true", "0", "maybe")))]
    lists += [((one, "true"), (other, "1")) for one, other in product(_OPTIONS, repeat=2) if one != other]
    for options, gates_off in product(lists, ((), (ALPHA_GATE,), (BETA_GATE,))):
        yield options, frozenset(gates_off)


def _validating(rules: CPUManagerRules) -> Iterator[Args]:
    for machine, aligned in product(MACHINES, (False, True)):
        for topology_manager in ("none", "single-numa-node"):
            yield StaticPolicyOptions(align_by_socket=aligned), machine, topology_manager


def _aligning(rules: CPUManagerRules) -> Iterator[Args]:
    for machine, full, number in product(MACHINES, (False, True), range(1, 6)):
        policy = _policy(rules, machine, StaticPolicyOptions(full_physical_cpus_only=full))
        for shared in _sets(machine):
            yield (
                evolve(policy, reserved=frozenset({0}), reserved_physical=frozenset({0})),
                CPUManagerState(shared),
                number,
            )


def _pods() -> Iterator[PodSpec]:
    inits = ((), (("i", "3", False),), (("s", "1", True), ("i", "2", False)), (("i", "1", False), ("s", "2", True)))
    for init, cpu, guaranteed in product(inits, ("2", "1500m", "0"), (True, False)):
        own = tuple(ContainerSpec(*each) for each in init)
        yield PodSpec("p", own, (ContainerSpec("a", cpu), ContainerSpec("b", "1")), guaranteed)


def _asking_containers(rules: CPUManagerRules) -> Iterator[Args]:
    return ((pod, each.name) for pod in _pods() for each in pod.containers)


def _asking_with_pod_level(rules: CPUManagerRules) -> Iterator[Args]:
    for pod, pod_level, gate in product(_pods(), (True, False), (True, False)):
        for each in pod.containers:
            yield evolve(pod, pod_level=pod_level), each.name, rules.guaranteed_cpus(pod, each.name), gate


def _asking_pods(rules: CPUManagerRules) -> Iterator[Args]:
    return ((pod, rules.guaranteed_cpus) for pod in _pods())


def _reusing(rules: CPUManagerRules) -> Iterator[Args]:
    memories = [PolicyMemory(), PolicyMemory((("p", frozenset({1, 2})),)), PolicyMemory((("q", frozenset({1})),))]
    for (pod, container), memory in product(_asking_containers(rules), memories):
        yield memory, pod, container, frozenset({2, 3})


def _checkpoints() -> Iterator[CheckpointV1 | CheckpointV2]:
    for version in (
        CheckpointV1("static", "0,3", (("c1", "1"), ("c2", "2"))),
        CheckpointV2("static", "0,3", (("p", (("a", "1"), ("b", "2"))), ("q", None))),
        CheckpointV2("none", "", None),
    ):
        for checksum in (0, 1, checksum_of(version)):
            yield evolve(version, checksum=checksum)


def _reading(rules: CPUManagerRules) -> Iterator[Args]:
    for raw in (
        b"",
        b"{",
        b"[]",
        b'{"checksum": "x"}',
        *(marshal_checkpoint(each).encode() for each in _checkpoints()),
    ):
        yield raw, rules.verify_checkpoint


def _migrating(rules: CPUManagerRules) -> Iterator[Args]:
    both = {"c1": ("p", "a"), "c2": ("p", "b")}
    return ((each, known) for each in _checkpoints() for known in (both, {"c1": ("p", "a")}, {}))


_LISTS = ("", "0", "0-3", "1,3-5", "3-1", "2-2", "1-", "-1", "a", "1-2-3", " 1", "1,,2", "1,", '"')
# Rule field -> what differs, and what the rule is asked.
QUESTIONS: Mapping[str, tuple[str, Callable[[CPUManagerRules], Iterable[Args]]]] = {
    "take_by_topology": ("CPUs that are taken on larger machines", _taking),
    "take_by_topology_numa_distributed": ("CPUs that are taken across NUMA nodes", _distributing),
    "generate_cpu_topology_hints": ("hints to the topology manager", _hinting),
    "reserve_cpus": ("CPUs that are reserved", _reserving),
    "static_policy_options": ("options that are accepted", _configuring),
    "validate_static_policy_options": ("options that suit the machine", _validating),
    "smt_alignment_error": ("requests that are refused on larger machines", _aligning),
    "guaranteed_cpus": ("CPUs that a container asks for", _asking_containers),
    "pod_guaranteed_cpus": ("CPUs that a pod asks for", _asking_pods),
    "pod_level_cpus": ("CPUs for a container of a pod with resources of its own", _asking_with_pod_level),
    "pod_level_gate": ("whether PodLevelResources is on by default", lambda rules: ((),)),
    "update_cpus_to_reuse": ("CPUs that a pod's next container may be given", _reusing),
    "parse_cpuset": ("lists of CPUs that are understood", lambda rules: ((text,) for text in _LISTS)),
    "verify_checkpoint": ("state files that are taken for whole", lambda rules: ((each,) for each in _checkpoints())),
    "get_checkpoint": ("state files that can be read", _reading),
    "migrate_checkpoint": ("entries of older state files", _migrating),
    "container_in_text": ("how an error names a container", lambda rules: ((("p", 'a"'),), (("", "id"),))),
}


def effects_alone(before: CPUManagerRules, after: CPUManagerRules) -> list[Effect]:
    """What differs in the answers of rules that are asked alone.

    A ValueError of a release's rule is an answer. Any other error is raised: whoever asks a fix knows whose it is.
    """
    found = []
    for field, (subject, questions) in QUESTIONS.items():
        old, new = getattr(before, field), getattr(after, field)
        if old is new:
            continue
        changed, total, example = 0, 0, None
        for args in questions(before):
            total += 1
            try:
                expected = old(*args)
            except ValueError:
                continue  # the release never asks this rule
            try:
                got = new(*args)
            except ValueError as error:
                got = f"{type(error).__name__}: {error}"
            if got != expected:
                changed += 1
                example = example or f"{_short(args)}: {_short(expected)} -> {_short(got)}"
        if changed:
            found.append(Effect(subject, changed, total, example, ALONE))
    return found


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
