"""all-plugins-allow looks at the waiting pod whose wait ends, and at no namesake."""

from attrs import evolve

from model.machine import Action
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.queue.state import QueuedPodInfo
from model.scheduler.waiting_pods import WaitingPod
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from model.systems.scheduling_cycle.records import CycleGoroutine
from properties.scheduling_cycle.permit import goes_on_as_decided


def test_a_namesake_that_waits_on_the_same_node_is_told_apart() -> None:
    rules = rules_for(SchedulingCycleRules, parse_release("1.16.15"))
    (state,) = SchedulingCycleMachine(SchedulingCycleScope(pods=1, permit=2), rules).initial_states()
    first, second = (Pod("p1", f"p1#{incarnation}", node_name="n1") for incarnation in (1, 2))
    waiting = (
        WaitingPod(first.uid, 0, listening=True, signal="allowed", decided="allowed"),
        WaitingPod(second.uid, 1, listening=True, signal="allowed"),
    )
    bindings = tuple(CycleGoroutine(("wait_on_permit", "bind"), QueuedPodInfo(pod)) for pod in (first, second))
    state = evolve(state, waiting_pods=waiting, bindings=bindings)
    wait = Action.of("wait_on_permit", pod="p1", by="binding", node="n1")
    assert goes_on_as_decided(state, wait, state)
    assert not goes_on_as_decided(state, Action(wait.name, (*wait.args, ("nth", "2"))), state)
