"""Each property of cpu-manager can fail: under a rule that it names, in a release or put in on purpose."""

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.kept import reproduce
from kubeproof.check.check import check_system, rule_names
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for

OWN = [bug for bug in BUGS if bug.system == CPU_MANAGER.name]
CORE = "threads=1,reserved=1,init=0,removals=0,restarts=0,crashes=0,hotplug=0"
# What no kept counterexample shows under a rule that the property names.
PUT_IN = {
    "reserved-never-exclusive": (
        "1.31.0",
        f"cores=2,pods=1,containers=1,size=1,{CORE}",
        ("allocate=allocate_reserved",),
    ),
    "whole-cores-only": (
        "1.31.0",
        f"cores=2,pods=1,containers=1,size=2,{CORE}".replace("threads=1", "threads=2") + ",full_pcpus=1",
        ("allocate=allocate_reserved",),
    ),
    "exclusive-sets-disjoint": ("1.28.0", f"cores=3,pods=1,containers=2,size=1,{CORE},sidecars=1", ()),
}


def in_force(release, chosen=()):
    rules = rules_for(CPU_MANAGER.rules_class, parse_release(release))
    return {*rule_names(CPU_MANAGER, rules).values(), *(choice.split("=")[1] for choice in chosen)}


@pytest.mark.parametrize("p", CPU_MANAGER.properties, ids=lambda p: p.name)
def test_a_rule_that_the_property_names_breaks_it(p):
    if p.name in PUT_IN:
        release, scope, chosen = PUT_IN[p.name]
        report = check_system("cpu-manager", release, rules=chosen, scope=scope, properties=[p.name])
        assert report.results[0].outcome is Outcome.VIOLATED
        assert in_force(release, chosen) & set(p.broken_by)
        return
    shown = [bug for bug in OWN if bug.violates == p.name and in_force(bug.release) & set(p.broken_by)]
    assert shown
    assert all(reproduce(bug).appears for bug in shown)


@pytest.mark.parametrize("p", CPU_MANAGER.properties, ids=lambda p: p.name)
def test_the_rules_that_a_property_names_exist(p):
    known = {name for field in CPU_MANAGER.rule_fields for name in CPU_MANAGER.built_in_rules(field)}
    assert set(p.broken_by) <= known
