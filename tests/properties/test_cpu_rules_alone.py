"""Rules of the CPU manager that are asked alone: what a fix changes where no run of the system leads."""

import pytest
from attrs import evolve

from model.cpu.cpuset import CPUSet
from model.cpu.policy.types import TopologyHint
from model.cpu.topology import CPUTopology
from model.releases import parse_release, rules_for
from model.systems.cpu_manager import CPUManagerRules
from properties.cpu_manager.alone import MACHINES, QUESTIONS, effects_alone
from properties.effect import ALONE

RELEASES = ("1.13", "1.17", "1.22", "1.23.0", "1.31")
RULES = {release: rules_for(CPUManagerRules, parse_release(release)) for release in RELEASES}


def same_in_other_words(rules: CPUManagerRules) -> CPUManagerRules:
    def wrapped(rule):  # type: ignore[no-untyped-def]
        return lambda *args: rule(*args)

    return evolve(rules, **{field: wrapped(getattr(rules, field)) for field in QUESTIONS})


@pytest.mark.parametrize("release", RELEASES)
def test_the_same_rules_in_other_words_have_no_effect(release: str) -> None:
    assert effects_alone(RULES[release], same_in_other_words(RULES[release])) == []


def test_the_machines_are_of_the_kinds_that_the_system_lacks() -> None:
    kinds = {(machine.num_sockets, machine.num_numa_nodes) for machine in MACHINES}
    assert kinds >= {(2, 2), (1, 2), (2, 1), (2, 4)}
    for machine in MACHINES:
        assert sorted(machine.cpus) == list(range(machine.num_cpus))
        assert machine.num_cpus == machine.num_cores * machine.cpus_per_core()


def test_every_question_can_be_asked_of_some_release() -> None:
    for field, (_, questions) in QUESTIONS.items():
        rules = RULES["1.31"]
        assert [getattr(rules, field)(*args) for args in questions(rules)]


def test_cpus_of_the_last_numa_node_first_are_named_though_the_system_has_one_node() -> None:
    own = RULES["1.31"].take_by_topology

    def last_numa_node_first(topo: CPUTopology, available: CPUSet, number: int, strategy: str = "packed") -> object:
        last = topo.cpu_details.cpus_in_numa_nodes(topo.num_numa_nodes - 1) & available
        return own(topo, last if len(last) >= number else available, number, strategy)  # type: ignore[arg-type]

    rules = RULES["1.31"]
    (effect,) = effects_alone(rules, evolve(rules, take_by_topology=last_numa_node_first))
    assert (effect.subject, effect.of) == ("CPUs that are taken on larger machines", ALONE)
    assert 0 < effect.changed < effect.total


def test_hints_that_nobody_prefers_are_named() -> None:
    rules = RULES["1.31"]
    own = rules.generate_cpu_topology_hints

    def nothing_preferred(*args: object) -> tuple[TopologyHint, ...] | None:
        hints = own(*args)  # type: ignore[arg-type]
        return hints and tuple(TopologyHint(each.mask, False) for each in hints)

    (effect,) = effects_alone(rules, evolve(rules, generate_cpu_topology_hints=nothing_preferred))
    assert effect.subject == "hints to the topology manager"
