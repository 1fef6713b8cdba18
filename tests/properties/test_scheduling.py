"""Each property of scheduling can fail: under a rule that it names, in a release or put in on purpose."""

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.kept import reproduce
from kubeproof.check.check import check_system, rule_names
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for

OWN = [bug for bug in BUGS if bug.system == SCHEDULING.name]
ALONE = "pods=1,nodes=1,extender=0,preemption=0"
TWO_NODES = "pods=1,nodes=2,extender=0,preemption=0"
# What no kept counterexample shows under a rule that the property names.
PUT_IN = {
    "one-attempt-at-a-time": ("1.17.10", f"{ALONE},updates=1", ()),
    "bound-once": ("1.17.10", f"{TWO_NODES},updates=1,lost_replies=1", ()),
    "no-failure-of-bound-pod": ("1.17.10", "pods=1,nodes=2,extender=1,preemption=1", ()),
    "assumed-pod-not-scheduled-again": ("1.17.10", f"{ALONE},updates=1", ()),
    "pending-pod-not-forgotten": ("1.31.0", f"{ALONE},updates=1", ("skip_pod_schedule=skip_annotated_pod",)),
    "snapshot-equals-cache": (
        "1.31.0",
        f"{ALONE},node_deletes=1,node_adds=1,keep_snapshot=1",
        ("take_snapshot=snapshot_taken_once",),
    ),
    "fitting-pod-is-not-starved": (
        "1.13.0",
        "pods=2,high=1,nodes=1,room=2,extender=1,preemption=0,bind_errors=1,heartbeats=1,goroutines=1",
        (),
    ),
}


def in_force(release, chosen=()):
    rules = rules_for(SCHEDULING.rules_class, parse_release(release))
    return {*rule_names(SCHEDULING, rules).values(), *(choice.split("=")[1] for choice in chosen)}


@pytest.mark.parametrize("p", SCHEDULING.properties, ids=lambda p: p.name)
def test_a_rule_that_the_property_names_breaks_it(p):
    if p.name in PUT_IN:
        release, scope, chosen = PUT_IN[p.name]
        report = check_system("scheduling", release, rules=chosen, scope=scope, properties=[p.name])
        assert report.results[0].outcome is Outcome.VIOLATED
        assert in_force(release, chosen) & set(p.broken_by)
        return
    shown = [bug for bug in OWN if bug.violates == p.name and in_force(bug.release) & set(p.broken_by)]
    assert shown
    assert all(reproduce(bug).appears for bug in shown)


@pytest.mark.parametrize("p", SCHEDULING.properties, ids=lambda p: p.name)
def test_the_rules_that_a_property_names_exist(p):
    known = {name for field in SCHEDULING.rule_fields for name in SCHEDULING.built_in_rules(field)}
    assert set(p.broken_by) <= known
