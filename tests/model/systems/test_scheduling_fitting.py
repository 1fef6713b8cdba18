"""Where a pod fits, who rejects a node, and whom a pod of another size or priority would preempt."""

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check
from kubeproof.systems.scheduling.scopes import ZONES
from kubeproof.verdict.result import Outcome
from model.objects import Node, Pod
from model.releases import known_release, parse_release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.eventhandlers import on_node
from model.scheduler.queue.events import NODE_ALLOCATABLE_CHANGE, NODE_SPEC_UNSCHEDULABLE_CHANGE, ClusterEvent, matches
from model.scheduler.queue.nominator import Nominator
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.fitting import eligible_to_preempt, rejected_by, select_victims
from model.systems.scheduling.rules import SchedulingSetup
from model.world.users import cpu_of, priority_of
from properties.scheduling.cache import SNAPSHOT_IS_CACHE

NOBODY = Nominator()
POD = Pod("p1", "p1#1", priority=2, cpu_milli=2000)
NODE = Node("n1", cpu_milli=2000)


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release))


@pytest.mark.parametrize(
    ("node", "pod", "plugin"),
    [
        (NODE, POD, ""),
        (NODE, evolve(POD, cpu_milli=2001), "NodeResourcesFit"),
        (evolve(NODE, unschedulable=True), evolve(POD, cpu_milli=2001), "NodeUnschedulable"),
        (evolve(NODE, anti_affinity_app="1"), evolve(POD, labels=(("app", "1"),)), "InterPodAffinity"),
        (evolve(NODE, anti_affinity_app="1"), evolve(POD, labels=(("app", "2"),)), ""),
        (evolve(NODE, anti_affinity_app="1"), evolve(POD, cpu_milli=2001, labels=(("app", "1"),)), "NodeResourcesFit"),
    ],
)
def test_the_first_filter_that_rejects_a_node_is_named(node: Node, pod: Pod, plugin: str) -> None:
    assert rejected_by(NodeInfo("n1", node), NOBODY, pod) == plugin


def lower(name: str, priority: int, cpu_milli: int) -> Pod:
    return Pod(name, f"{name}#1", priority=priority, cpu_milli=cpu_milli)


@pytest.mark.parametrize(
    ("pods", "asked", "victims"),
    [
        # The more important pod stays if it fits.
        ((lower("a", 0, 1000), lower("b", 1, 1000)), 2000, {("a#1",)}),
        # A big pod has to go, and a small one that is less important comes back all the same.
        ((lower("a", 0, 1000), lower("b", 1, 2000)), 1500, {("b#1",)}),
        # Which of two equals goes is the start time's choice.
        ((lower("a", 0, 1000), lower("b", 0, 1000)), 2000, {("a#1",), ("b#1",)}),
        # In one order the big one stays, in the other one the small one.
        ((lower("a", 0, 1000), lower("b", 0, 2000)), 1000, {("a#1",), ("b#1",)}),
        ((lower("a", 0, 1000), lower("b", 1, 1000)), 3000, {("b#1", "a#1")}),
        ((lower("a", 2, 1000), lower("b", 2, 1000)), 2000, set()),
    ],
)
def test_victims_are_those_who_cannot_come_back(
    pods: tuple[Pod, ...], asked: int, victims: set[tuple[str, ...]]
) -> None:
    info = NodeInfo("n1", Node("n1", cpu_milli=3000), pods, sum(pod.cpu_milli for pod in pods))
    assert set(select_victims(info, NOBODY, evolve(POD, cpu_milli=asked))) == victims
    away = NodeInfo("n1", Node("n1", "", 3000, unschedulable=True), info.pods, info.requested_cpu)
    assert select_victims(away, NOBODY, evolve(POD, cpu_milli=asked)) == ()


def test_a_bound_pod_preempts_on_its_own_node_alone() -> None:
    info = NodeInfo("n1", NODE, (lower("a", 0, 1000),), 1000)
    assert select_victims(info, NOBODY, POD) == (("a#1",),)
    assert select_victims(info, NOBODY, evolve(POD, node_name="n1")) == (("a#1",),)
    assert select_victims(info, NOBODY, evolve(POD, node_name="n2")) == ()


@pytest.mark.parametrize(("release", "counts"), [("1.26.15", True), ("1.27.0", False), ("1.31.13", False)])
def test_a_pod_that_a_user_deletes_keeps_nobody_from_preempting_from_1_27_on(release: str, counts: bool) -> None:
    nominated = evolve(POD, nominated_node_name="n1")
    for by_scheduler in (False, True):
        going = evolve(lower("a", 0, 1000), terminating=True, disruption_target=by_scheduler)
        snapshot = CacheSnapshot((NodeInfo("n1", NODE, (going,), 1000),), ("n1",))
        assert eligible_to_preempt(rules_of(release), snapshot, nominated) == (not counts and not by_scheduler)


@pytest.mark.parametrize(("release", "again"), [("1.18.20", False), ("1.33.1", False), ("1.34.0", True)])
def test_a_pod_nominated_to_a_node_that_got_too_small_preempts_again_from_1_34_on(release: str, again: bool) -> None:
    going = evolve(lower("a", 0, 1000), terminating=True, disruption_target=True)
    nominated = evolve(POD, nominated_node_name="n1")
    for cpu_milli, eligible in ((2000, False), (1999, again)):
        snapshot = CacheSnapshot((NodeInfo("n1", evolve(NODE, cpu_milli=cpu_milli), (going,), 1000),), ("n1",))
        rules = rules_for(SchedulingRules, known_release(release))
        assert eligible_to_preempt(rules, snapshot, nominated) == eligible


def test_a_pod_nominated_to_a_cordoned_node_preempts_again_from_1_19_on() -> None:
    going = evolve(lower("a", 0, 1000), terminating=True)
    nominated = evolve(POD, nominated_node_name="n1")
    for cordoned in (False, True):
        info = NodeInfo("n1", evolve(NODE, unschedulable=cordoned), (going,), 1000)
        snapshot = CacheSnapshot((info,), ("n1",))
        assert not eligible_to_preempt(rules_of("1.18.20"), snapshot, nominated)
        assert eligible_to_preempt(rules_of("1.19.0"), snapshot, nominated) == cordoned


@pytest.mark.parametrize(
    ("release", "events"),
    [
        ("1.21.4", [NODE_SPEC_UNSCHEDULABLE_CHANGE]),
        ("1.29.0", [NODE_SPEC_UNSCHEDULABLE_CHANGE]),
        ("1.30.0", [NODE_SPEC_UNSCHEDULABLE_CHANGE, NODE_ALLOCATABLE_CHANGE]),
    ],
)
def test_only_an_uncordoned_node_is_an_event(release: str, events: list[ClusterEvent]) -> None:
    cordoned, rules = evolve(NODE, unschedulable=True), rules_of(release)
    assert [call.args[0] for call in on_node(rules, cordoned, evolve(NODE, cpu_milli=3000))[1:]] == events
    assert on_node(rules, NODE, cordoned)[1:] == ()


@pytest.mark.parametrize(
    ("release", "waits"), [("1.21.4", True), ("1.22.3", False), ("1.29.14", False), ("1.30.0", True)]
)
def test_node_unschedulable_waits_for_allocatable_changes(release: str, waits: bool) -> None:
    registered = SchedulingSetup(SchedulingScope(cordons=1), rules_of(release)).registered
    events = [each.event for each in registered if each.plugin == "NodeUnschedulable"]
    assert any(matches(event, NODE_SPEC_UNSCHEDULABLE_CHANGE) for event in events)
    assert any(matches(event, NODE_ALLOCATABLE_CHANGE) for event in events) == waits


@pytest.mark.parametrize(("release", "lost"), [("1.14.10", True), ("1.18.4", True), ("1.22.3", False)])
def test_a_listing_over_several_zones_loses_nodes_where_cursors_are_kept(release: str, lost: bool) -> None:
    machine = SchedulingMachine(ZONES, rules_of(release))
    (found,) = check(machine, [SNAPSHOT_IS_CACHE])
    assert (found.outcome is Outcome.VIOLATED) == lost
    assert machine.sorts == {"pod": ("p1", "p2"), "node of z1": ("n1", "n2"), "node of z2": ("n3",)}


def test_pods_of_three_priorities_and_two_sizes() -> None:
    scope = SchedulingScope(pods=4, high=3, top=1, big=2)
    assert [priority_of(scope, at) for at in range(4)] == [2, 1, 1, 0]
    assert [cpu_of(scope, at) for at in range(4)] == [1000, 1000, 2000, 2000]
    with pytest.raises(ValueError, match="top=2"):
        SchedulingScope(high=1, top=2)
    with pytest.raises(ValueError, match="big=3"):
        SchedulingScope(pods=2, big=3)
