"""What plugins wait for, and which waiting pods a bound pod moves."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import KNOWN_MINORS, parse_release, rules_for
from model.scheduler.cycle import NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import (
    NODE_AFFINITY,
    TAINT_TOLERATION,
    EventsToRegisterRules,
    HintedEventsRules,
    events_of_plugins,
    registrations,
    registrations_with_gate,
)
from model.scheduler.queue.events import (
    ADD,
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_TAINT_CHANGE,
    UPDATE_NODE_CONDITION,
    UPDATE_NODE_LABEL,
    UPDATE_NODE_TAINT,
    UPDATE_POD_TOLERATIONS,
    ClusterEvent,
    matches,
    queue_after_backoff,
    queue_immediately,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.pre_enqueue import SCHEDULING_GATES
from model.scheduler.queue.rules import QueueRules
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.scheduler.queueing_hint_map import build_queueing_hint_map, node_taints_are_added


@pytest.mark.parametrize(
    ("release", "waiting"),
    [
        ("1.20.0", {NODE_RESOURCES_FIT, POD_TOPOLOGY_SPREAD}),
        ("1.23.3", set()),
        ("1.24.0-beta.0", set()),
        ("1.24.0", {NODE_RESOURCES_FIT}),
        ("1.29.9", {NODE_RESOURCES_FIT}),
        ("1.30.0", {NODE_RESOURCES_FIT, POD_TOPOLOGY_SPREAD}),
        ("1.31.13", {NODE_RESOURCES_FIT, POD_TOPOLOGY_SPREAD}),
    ],
)
def test_who_waits_for_a_taint_to_go(release: str, waiting: set[str]) -> None:
    registered = registrations(rules_for(EventsToRegisterRules, parse_release(release)))
    assert {each.plugin for each in registered if matches(each.event, NODE_TAINT_CHANGE)} == waiting
    assert {each.plugin for each in registered if matches(each.event, NODE_ADD)} == {
        NODE_RESOURCES_FIT,
        POD_TOPOLOGY_SPREAD,
    }
    assert NODE_RESOURCES_FIT in {each.plugin for each in registered if matches(each.event, NODE_ALLOCATABLE_CHANGE)}


MINORS = KNOWN_MINORS["queueing-hints"]
NODE_LABEL = ClusterEvent("Node", UPDATE_NODE_LABEL)
CONDITION = ClusterEvent("Node", UPDATE_NODE_CONDITION)
TOLERATION = ClusterEvent("UnschedulablePod", UPDATE_POD_TOLERATIONS)
ALL_PLUGINS = {NODE_RESOURCES_FIT, POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, NODE_AFFINITY, TAINT_TOLERATION}


@pytest.mark.parametrize(
    ("release", "gate", "event", "waiting"),
    [
        *((release, gate, NODE_ADD, ALL_PLUGINS) for release in ("1.28.4", "1.31.13", "1.32.0") for gate in (0, 1)),
        ("1.31.13", 1, CONDITION, ALL_PLUGINS - {POD_TOPOLOGY_SPREAD}),
        ("1.32.0", 0, CONDITION, set()),
        ("1.28.4", 1, NODE_TAINT_CHANGE, ALL_PLUGINS - {POD_TOPOLOGY_SPREAD}),
        ("1.32.0", 0, NODE_TAINT_CHANGE, ALL_PLUGINS),
        # With the gate on nobody keeps a new node from the plugins, and each asks for what it reads. But the scheduler
        # adds the taints.
        *((release, 1, NODE_TAINT_CHANGE, ALL_PLUGINS) for release in ("1.30.0", "1.32.0", "1.36.3")),
        ("1.32.0", 1, NODE_LABEL, {POD_TOPOLOGY_SPREAD, NODE_AFFINITY}),
        ("1.32.0", 1, NODE_ALLOCATABLE_CHANGE, {NODE_RESOURCES_FIT}),
        ("1.32.0", 0, NODE_ALLOCATABLE_CHANGE, {NODE_RESOURCES_FIT}),
        # QUEUE-EVENT-REG: #127427 and #127447.
        ("1.31.13", 1, TOLERATION, {TAINT_TOLERATION, SCHEDULING_GATES}),
        ("1.31.13", 0, TOLERATION, set()),
        ("1.32.0", 1, TOLERATION, {TAINT_TOLERATION, NODE_UNSCHEDULABLE, POD_TOPOLOGY_SPREAD}),
        ("1.32.0", 0, TOLERATION, set()),
    ],
)
def test_what_the_gate_changes_of_the_events(release: str, gate: int, event: ClusterEvent, waiting: set[str]) -> None:
    rules = rules_for(HintedEventsRules, parse_release(release, MINORS))
    registered = registrations_with_gate(rules, bool(gate))
    assert {each.plugin for each in registered if matches(each.event, event)} == waiting


@pytest.mark.parametrize(
    ("release", "named"), [("1.29.14", True), ("1.30.0", True), ("1.32.0", False), ("1.36.3", False)]
)
def test_of_what_the_scheduler_adds_no_hint_function_is_asked(release: str, named: bool) -> None:
    """NodeResourcesFit names all updates of a node up to 1.31, so that nothing is added; from 1.32 on it does not."""
    rules = rules_for(HintedEventsRules, parse_release(release, MINORS))
    events = events_of_plugins(rules, queueing_hints=True)
    found = build_queueing_hint_map(
        rules, {NODE_RESOURCES_FIT: events[NODE_RESOURCES_FIT]}, lambda *_: queue_immediately
    )
    assert [each.hint for each in found if matches(each.event, NODE_TAINT_CHANGE)] == [
        queue_immediately if named else queue_after_backoff
    ]


def test_only_a_plugin_that_waits_for_nodes_to_join_is_told_of_taints() -> None:
    assert not node_taints_are_added((ClusterEvent("Pod", ADD), NODE_LABEL))
    assert not node_taints_are_added((ClusterEvent("Node", ADD), NODE_TAINT_CHANGE))
    assert node_taints_are_added((ClusterEvent("Node", ADD), NODE_LABEL)) == (ClusterEvent("Node", UPDATE_NODE_TAINT),)


def test_there_was_no_topology_spread_before_1_16() -> None:
    registered = registrations(rules_for(EventsToRegisterRules, parse_release("1.15.11")))
    assert {each.plugin for each in registered} == {NODE_RESOURCES_FIT}


@pytest.mark.parametrize(
    ("release", "moved"), [("1.13", ["friend"]), ("1.30", ["friend"]), ("1.31", ["friend", "even"])]
)
def test_whom_a_bound_pod_may_help(release: str, moved: list[str]) -> None:
    rejected = QueuedPodInfo(Pod("other", "other"), 0, unschedulable_plugins=frozenset({NODE_RESOURCES_FIT}))
    friend = evolve(rejected, pod=Pod("friend", "friend", affinity_app="web"))
    even = evolve(rejected, pod=Pod("even", "even"), unschedulable_plugins=frozenset({POD_TOPOLOGY_SPREAD}))
    rules = rules_for(QueueRules, parse_release(release))
    bound = Pod("bound", "bound", labels=(("app", "web"),), node_name="n1")
    found = rules.pods_for_assigned_pod(Queue(unschedulable=(rejected, friend, even)), bound)
    assert [info.pod.name for info in found] == moved
