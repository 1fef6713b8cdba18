"""Pop within a move: in 1.31 a move takes the lock of Pop several times, and with `fine` each of them is an action."""

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check, explore
from model.machine import Action
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.queue.move import move_in_one_hold
from model.scheduler.queue.pop import pop_under_lock
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling import Scheduling, SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.actors import SCHEDULING, queue_is_held
from model.variables import Channel, Places
from model.world.events import NodeEvent
from model.world.users import node_of
from properties.scheduling.catalogue import PROPERTIES

FINE = SchedulingScope(pods=2, high=1, nodes=1, late_nodes=1, fine=1, goroutines=1)
HIGH = Pod("p1", "p1#1", priority=1, cpu_milli=1000)
LOW = Pod("p2", "p2#1", cpu_milli=1000)


def machine_of(release: str, scope: SchedulingScope) -> SchedulingMachine:
    return SchedulingMachine(scope, rules_for(SchedulingRules, parse_release(release)))


def before_the_move(machine: SchedulingMachine) -> Scheduling:
    """Both pods wait for a node; the node has joined, and the cache knows of it."""
    node = node_of(machine.scope, 0)
    infos = tuple(QueuedPodInfo(pod, unschedulable_plugins=frozenset({NODE_RESOURCES_FIT})) for pod in (HIGH, LOW))
    (state,) = machine.initial_states()
    state = evolve(
        state,
        pods=Places((HIGH, LOW)),
        lister=Places((HIGH, LOW)),
        nodes=Places((node,)),
        node_watch=Channel((NodeEvent("add", node),)),
        queue=Queue(unschedulable=infos),
    )
    return machine.step(state, Action("deliver_node"))


def run(machine: SchedulingMachine, *actions: Action) -> Scheduling:
    state = before_the_move(machine)
    for action in actions:
        assert action in set(machine.actions(state)), action
        state = machine.step(state, action)
    return state


def offered(machine: SchedulingMachine, state: Scheduling) -> set[str]:
    return {action.name for action in machine.actions(state)}


def moves(pod: str) -> Action:
    return Action.of("deliver_node", moves=pod)


def test_up_to_1_30_a_move_is_one_action() -> None:
    machine = machine_of("1.30.14", FINE)
    state = run(machine, Action("deliver_node"))
    assert [info.pod.name for info in state.queue.active] == ["p1", "p2"]
    assert not queue_is_held(state)


def test_in_1_31_a_lower_pod_may_be_popped_before_the_move_reaches_the_higher() -> None:
    machine = machine_of("1.31.13", FINE)
    state = run(machine, moves("p2"), Action.of("pop", pod="p2"))
    assert state.cycle is not None
    assert [info.pod.name for info in state.queue.unschedulable] == ["p1"]
    # The move goes on, and counts as one that the popped pod's attempt has missed.
    for action in (Action("deliver_node"), Action("deliver_node")):
        assert queue_is_held(state)
        state = machine.step(state, action)
    assert not queue_is_held(state)
    assert state.queue.move_request_cycle == state.queue.scheduling_cycle


def test_the_order_of_a_move_that_nobody_interrupts_does_not_matter() -> None:
    machine = machine_of("1.31.13", FINE)
    one = run(machine, moves("p1"), Action("deliver_node"), Action("deliver_node"))
    other = run(machine, moves("p2"), Action("deliver_node"), Action("deliver_node"))
    assert one == other == run(machine_of("1.30.14", FINE), Action("deliver_node"))


def test_whoever_moves_keeps_the_queue_from_all_but_pop() -> None:
    machine = machine_of("1.31.13", evolve(FINE, deletes=1))
    # The unassigned handler hears that p1 is deleted: the queue's Delete waits until the move is over.
    state = run(machine, moves("p2"), Action.of("delete_pod", pod="p1"), Action.of("deliver_pod", pod="p1"))
    assert "handle_unassigned" not in offered(machine, state)
    assert {"pop", "deliver_node", "handle_assigned"} <= offered(machine, state)
    assert SCHEDULING.waits_for_queue(machine.setup, state, Action("flush_unschedulable_q_leftover"))
    for _ in range(2):
        state = machine.step(state, Action("deliver_node"))
    assert "handle_unassigned" in offered(machine, state)


def test_a_rule_that_gives_pop_the_queues_lock_keeps_pop_out_too() -> None:
    new = machine_of("1.31.13", FINE)
    machine = SchedulingMachine(FINE, evolve(new.rules, pop_lock=pop_under_lock))
    assert "pop" not in offered(machine, run(machine, moves("p2")))


def test_without_fine_a_move_is_one_action_in_every_release() -> None:
    machine = machine_of("1.31.13", evolve(FINE, fine=0))
    found = explore(machine)
    assert found.counts.distinct > 500
    assert not any(queue_is_held(found.state(number)) for number in range(found.counts.distinct))


@pytest.mark.slow
def test_a_refused_binding_moves_pods_hold_by_hold() -> None:
    machines = (machine_of(release, REFUSED) for release in ("1.30.14", "1.31.13"))
    before, after = (explore(machine, symmetry=True).counts.fired for machine in machines)
    assert before["go_on_moving"] == 0 < after["go_on_moving"]


# ------------------------------------------------------------------ what the holds change

REFUSED = SchedulingScope(pods=2, nodes=1, bind_errors=1, fine=1, goroutines=1)
SLOW = [FINE, SchedulingScope(pods=2, nodes=1, deletes=1, fine=1, goroutines=1)]


def verdicts(machine: SchedulingMachine) -> dict[str, str]:
    """For each property what was found. Runs may be longer: a hold more is an action more."""
    return {result.property: result.outcome.name for result in check(machine, PROPERTIES)}


@pytest.mark.slow
def test_the_holds_of_1_31_change_no_verdict() -> None:
    assert verdicts(machine_of("1.31.13", REFUSED)) == verdicts(machine_of("1.30.14", REFUSED))


@pytest.mark.slow
@pytest.mark.parametrize("scope", SLOW, ids=str)
def test_nor_in_larger_scopes(scope: SchedulingScope) -> None:
    """Neither beside the release before, nor beside the same rules with one hold."""
    new = machine_of("1.31.13", scope)
    found = verdicts(new)
    in_one_hold = evolve(new.rules, move_holds=move_in_one_hold, pop_lock=pop_under_lock)
    assert verdicts(SchedulingMachine(scope, in_one_hold)) == found
    assert verdicts(machine_of("1.30.14", scope)) == found
