"""Calls of handlers reach the queue with all that they say."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.cycle import EXTENDER_NAME
from model.scheduler.eventhandlers import PodNotification, on_assigned
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.world.calls_in import execute

WAITING = QueuedPodInfo(Pod("p1", "p1#1"), unschedulable_plugins=frozenset({EXTENDER_NAME}))
BOUND = Pod("p2", "p2#1", cpu_milli=1000, node_name="n1")


@pytest.mark.parametrize(("asks_for", "moves"), [(500, True), (1000, False)])
def test_a_bound_pod_that_asks_for_less_moves_those_that_wait(asks_for: int, moves: bool) -> None:
    rules = rules_for(SchedulingRules, parse_release("1.31.13"))
    machine = SchedulingMachine(SchedulingScope(extender=1), rules)
    (state,) = machine.initial_states()
    state = evolve(state, queue=Queue(unschedulable=(WAITING,)))
    update = PodNotification(BOUND, evolve(BOUND, cpu_milli=asks_for, resource_version=2))
    call = on_assigned(rules, update)[-1]
    assert call.function == "assigned_pod_updated"
    _, state = execute(machine.setup, state, call)
    assert bool(state.queue.active) is moves
