"""Each field that a rule may read has a power that changes it, or is left out for a reason that is shown."""

import pytest
from attrs import evolve, fields

from kubeproof.report.inventory import system_text
from kubeproof.systems.read_fields import ReadField, left_out
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling.described import READ_FIELDS
from model.objects import Node, Pod
from model.releases import known_release

# The entry for each field of model.objects.
OF_POD = {
    "name": "Pod.metadata.name",
    "uid": "Pod.metadata.uid",
    "priority": "Pod.spec.priority",
    "cpu_milli": "Pod.spec.containers[].resources.requests",
    "node_name": "Pod.spec.nodeName",
    "nominated_node_name": "Pod.status.nominatedNodeName",
    "labels": "Pod.metadata.labels",
    "annotations": "Pod.metadata.annotations",
    "affinity_app": "Pod.spec.affinity",
    "toleration": "Pod.spec.tolerations",
    "condition": "Pod.status.conditions",
    "resource_version": "Pod.metadata.resourceVersion",
    "terminating": "Pod.metadata.deletionTimestamp",
    "managed_fields": "Pod.metadata.managedFields",
    "finalizers": "Pod.metadata.finalizers",
    "scheduling_gates": "Pod.spec.schedulingGates",
    "disruption_target": "Pod.status.conditions",
    "scheduler_name": "Pod.spec.schedulerName",
}
OF_NODE = {
    "name": "Node.metadata.name",
    "zone": "Node.metadata.labels",
    "cpu_milli": "Node.status.allocatable",
    "resource_version": "Node.metadata.resourceVersion",
    "unschedulable": "Node.spec.unschedulable",
    # The labels of pods decide against the pod that this field stands for.
    "anti_affinity_app": "Pod.metadata.labels",
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_field_has_powers_of_the_scope_or_a_reason(name: str) -> None:
    system = SYSTEMS[name]
    bounds = {field.name for field in fields(system.scope_class)}
    assert system.read_fields
    for each in system.read_fields:
        assert set(each.powers) <= bounds, each.name
        assert each.powers or each.left_out, each.name


def test_each_field_of_a_modelled_pod_or_node_is_named() -> None:
    assert set(OF_POD) == {field.name for field in fields(Pod)}
    assert set(OF_NODE) == {field.name for field in fields(Node)}
    assert {*OF_POD.values(), *OF_NODE.values()} <= {each.name for each in READ_FIELDS}


@pytest.mark.slow
def test_what_is_left_out_is_shown() -> None:
    some = (ReadField("Pod.a", ("pods",)), ReadField("Pod.b", (), "nobody"), ReadField("Pod.c", ("pods",), "so"))
    assert left_out(some) == ["Pod.b", "Pod.c in part"]
    system = evolve(SYSTEMS["scheduling"], read_fields=some, left_out=("There are no scores.",))
    old, new = known_release("1.26.0"), known_release("1.33.0")
    said = "left out, so that no verdict speaks of it: 2 fields and 1 other point"
    assert system.left_out_line(old) == f"{said} (see `kubeproof list scheduling`)"
    assert system.left_out_line(new) == (
        f"{said}; of what 1.33.0 has on by default: SchedulerAsyncPreemption, PodSchedulingReadiness "
        "(see `kubeproof list scheduling`)"
    )
    assert evolve(system, read_fields=some[:1], left_out=()).left_out_line(old) == ""
    listed = system_text(SYSTEMS["scheduling"])
    assert "Node.spec.taints: no bound; left out: no node has a taint" in listed
    assert "\n  There are no scores: the scheduler may choose any node that fits.\n" in listed
