"""What plugins wait for, and which waiting pods a bound pod moves."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.events_to_register import EventsToRegisterRules, registrations
from model.scheduler.queue.events import NODE_ADD, NODE_ALLOCATABLE_CHANGE, NODE_TAINT_CHANGE, matches
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
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
