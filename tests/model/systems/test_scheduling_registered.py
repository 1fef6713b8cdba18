"""What plugins and extenders wait for, and so which events are move requests."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import known_release, rules_for
from model.scheduler.cycle import EXTENDER_NAME, INTER_POD_AFFINITY
from model.scheduler.eventhandlers import PodNotification, on_assigned
from model.scheduler.queue.events import NODE_SPEC_UNSCHEDULABLE_CHANGE
from model.scheduler.queue.scheduling_queue import assigned_pod_updated, move_all_to_active_or_backoff_queue
from model.scheduler.queue.state import Queue, QueuedPodInfo, find
from model.systems.scheduling import SchedulingRules, SchedulingScope
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope

BOUND = Pod("p1", "p1#1", node_name="n1")
CHANGES = {"status": {"condition": "PodScheduled=False"}, "label": {"labels": (("app", "1"),)}}


def setup_of(release: str, **bounds: int) -> SchedulingSetup:
    return SchedulingSetup(SchedulingScope(**bounds), rules_for(SchedulingRules, known_release(release)))


def is_noted(setup: SchedulingSetup, changed: str) -> bool:
    """Whether the update of a bound pod is a move request."""
    update = PodNotification(BOUND, evolve(BOUND, **CHANGES[changed]))
    (event,) = [call.args[1] for call in on_assigned(setup.rules, update) if call.function == "assigned_pod_updated"]
    return bool(assigned_pod_updated(setup.queue, Queue(), BOUND, event, 0).move_request_cycle != -1)


@pytest.mark.parametrize(
    ("release", "extender", "noted"),
    [
        ("1.29.14", 0, ["status", "label"]),
        ("1.30.14", 0, ["status", "label"]),
        ("1.31.13", 0, ["label"]),
        ("1.31.13", 1, ["status", "label"]),
    ],
)
def test_an_update_that_nobody_waits_for_is_no_move_request(release: str, extender: int, noted: list[str]) -> None:
    setup = setup_of(release, extender=extender)
    assert [changed for changed in CHANGES if is_noted(setup, changed)] == noted


@pytest.mark.parametrize("release", ["1.22.6", "1.31.13", "1.32.0", "1.36.2"])
def test_an_extender_waits_for_every_event_only_where_there_is_one(release: str) -> None:
    def waits(setup: SchedulingSetup) -> bool:
        return any(each.event.is_wild_card() for each in setup.registered)

    assert not waits(setup_of(release))
    assert waits(setup_of(release, extender=1))
    rules = rules_for(SchedulingCycleRules, known_release(release))
    assert not waits(CycleSetup(SchedulingCycleScope(), rules))
    for bounds in ({"extender": 1}, {"binder_extenders": 1}, {"preempt_extender": 1, "preemption": 1, "high": 1}):
        found = CycleSetup(SchedulingCycleScope(**bounds), rules).registered
        assert [each.plugin for each in found if each.event.is_wild_card()] == [EXTENDER_NAME]


@pytest.mark.parametrize(("release", "moves"), [("1.21.14", True), ("1.29.14", False), ("1.30.14", True)])
def test_which_pods_that_affinity_rejected_an_uncordoned_node_moves(release: str, moves: bool) -> None:
    """In 1.21 the plugin waits for anything; from 1.30 on for taints, of which Go takes `unschedulable` for one."""
    setup = setup_of(release, anti_affinity=1, cordons=1)
    waiting = QueuedPodInfo(Pod("p2", "p2#1"), unschedulable_plugins=frozenset({INTER_POD_AFFINITY}))
    queue = move_all_to_active_or_backoff_queue(
        setup.queue, Queue(unschedulable=(waiting,)), 0, NODE_SPEC_UNSCHEDULABLE_CHANGE
    )
    assert (find(queue.unschedulable, "p2") is None) is moves
