"""What plugins wait for, and which waiting pods a bound pod moves."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import COMPONENT_MINORS, parse_release, rules_for
from model.scheduler.cycle import NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import (
    NODE_AFFINITY,
    TAINT_TOLERATION,
    EventsToRegisterRules,
    HintedEventsRules,
    registrations,
    registrations_with_gate,
)
from model.scheduler.queue.events import (
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_TAINT_CHANGE,
    UPDATE_NODE_CONDITION,
    UPDATE_NODE_LABEL,
    UPDATE_POD_TOLERATIONS,
    ClusterEvent,
    matches,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.pre_enqueue import SCHEDULING_GATES
from model.scheduler.queue.rules import QueueRules
from model.scheduler.queue.state import Queue, QueuedPodInfo


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
        # With the gate on nobody keeps a new node from the plugins, and each asks for what it reads.
        ("1.32.0", 1, NODE_TAINT_CHANGE, {POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, TAINT_TOLERATION}),
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
    rules = rules_for(HintedEventsRules, parse_release(release, COMPONENT_MINORS))
    registered = registrations_with_gate(rules, bool(gate))
    assert {each.plugin for each in registered if matches(each.event, event)} == waiting


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
