"""Names that sort otherwise, which no release tells apart, and updates that change all that they may at once."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines.explicit import explore
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.trace import replay
from model.machine import Action
from model.releases import parse_release, rules_for

TURNED = [
    ("scheduling", "1.22.3", "only pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1,relists=1"),
    ("scheduling", "1.31.13", "only pods=2,high=1,nodes=1,room=1,goroutines=1,preemption=1"),
    ("scheduling-cycle", "1.36.2", "only pods=1,nodes=1,room=1,goroutines=1,permit=1,deletes=1,recreates=1"),
    ("queueing-hints", "1.34.7", "only pods=1,plugins=1,goroutines=1,gate=1,deletes=1,recreates=1"),
    ("preemption", "1.31.13", "only nodes=1,pods=2,cpus=1,priorities=1,budgets=1"),
]


def machine(name: str, release: str, scope: str, **bounds: int) -> Any:
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, parse_release(release, system.minors))
    return system.machine(evolve(system.parse_scope(scope), **bounds), rules)


@pytest.mark.parametrize(("name", "release", "scope"), TURNED, ids=lambda value: str(value))
def test_no_release_tells_one_order_of_names_from_the_other(name: str, release: str, scope: str) -> None:
    counts = [explore(machine(name, release, scope, turned=turned)).counts for turned in (0, 1)]
    assert len({(each.distinct, each.generated, each.depth) for each in counts}) == 1


@pytest.mark.parametrize(("turned", "ascends"), [(0, True), (1, False)])
def test_a_pod_that_is_created_again_has_a_uid_after_or_before_the_last(turned: int, ascends: bool) -> None:
    scope = "only pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1"
    actions = [Action.of(name, pod="p1") for name in ("create_pod", "delete_pod", "recreate_pod")]
    run = replay(machine("scheduling", "1.31.13", scope, turned=turned), actions)
    first, _, second = (step.state.pods[0] for step in run.steps[1:])
    assert (first.uid < second.uid) is ascends


def test_the_pod_of_higher_priority_has_the_first_name_or_the_last() -> None:
    scope = "only pods=2,high=1,nodes=1,room=1,goroutines=1,preemption=1"
    for turned, priority in ((0, 1), (1, 0)):
        m = machine("scheduling", "1.31.13", scope, turned=turned)
        assert replay(m, [Action.of("create_pod", pod="p1")]).last.pods[0].priority == priority


def test_the_more_important_pod_of_a_node_is_listed_last_or_first() -> None:
    for turned, order in ((0, [0, 1]), (1, [1, 0])):
        m = machine("preemption", "1.31.13", "only nodes=1,pods=2,cpus=1,priorities=2", turned=turned)
        more = {"listed": "first"} if turned else {}
        run = replay(m, [Action.of("run_pod", node="n1", priority=each, cpu=1, **more) for each in (0, 1)])
        (node,) = run.last.cluster.nodes
        assert [pod.priority for pod in node.pods] == order
        assert sorted(pod.name for pod in node.pods) == [pod.name for pod in node.pods]


@pytest.mark.parametrize("action", ["update_annotations", "update_labels", "update_finalizers"])
def test_an_update_of_a_pod_changes_all_that_an_update_may(action: str) -> None:
    scope = "only pods=1,nodes=1,room=1,goroutines=1,updates=1,labels=1,finalizers=1"
    for together, changed in ((0, 1), (1, 3)):
        m = machine("scheduling", "1.31.13", scope, together=together)
        run = replay(m, [Action.of("create_pod", pod="p1"), Action.of(action, pod="p1")])
        old, new = (step.state.pods[0] for step in run.steps[1:])
        names = ("annotations", "labels", "finalizers")
        assert sum(getattr(old, name) != getattr(new, name) for name in names) == changed


def test_a_node_that_changes_its_cpu_is_cordoned_and_uncordoned_too() -> None:
    m = machine(
        "scheduling", "1.31.13", "only pods=1,nodes=1,room=1,goroutines=1,node_grows=1,node_shrinks=1", together=1
    )
    run = replay(m, [Action.of(name, node="n1") for name in ("shrink_node", "grow_node")])
    nodes = [step.state.nodes[0] for step in run.steps]
    assert [(node.cpu_milli, node.unschedulable) for node in nodes] == [(1000, False), (0, True), (1000, False)]


def test_a_pod_comes_to_tolerate_a_taint_and_loses_its_gate_at_once() -> None:
    scope = "only pods=1,plugins=1,goroutines=1,gate=1,updates=1,tolerations=1,gates=1"
    for action in ("add_toleration", "take_off_gate", "update_annotations"):
        m = machine("queueing-hints", "1.31.13", scope, together=1)
        pod = replay(m, [Action.of("create_gated_pod", pod="p1"), Action.of(action, pod="p1")]).last.pods[0]
        assert pod.toleration
        assert pod.annotations
        assert not pod.scheduling_gates
