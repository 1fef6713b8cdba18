"""With which object of the pod a failure compares what it patches."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import known_release, rules_for
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.failure_steps import patch_failure, requeue
from model.systems.scheduling.records import Goroutine
from model.variables import Places
from model.world.api_server import NOT_READY

TRIED = Pod("p1", "p1#1", condition=NOT_READY)
CREATED_AGAIN = Pod("p1", "p1#2")


@pytest.mark.parametrize(
    ("release", "of_attempt"), [("1.19.7", False), ("1.24.17", False), ("1.25.0", True), ("1.31.13", True)]
)
@pytest.mark.parametrize(("tried", "listed"), [(TRIED, CREATED_AGAIN), (CREATED_AGAIN, TRIED), (TRIED, TRIED)])
def test_a_failure_patches_what_differs_from_one_object(
    release: str, of_attempt: bool, tried: Pod, listed: Pod
) -> None:
    """The condition is written unless the object that is compared with has the condition."""
    machine = SchedulingMachine(
        SchedulingScope(pods=1, deletes=1, recreates=1), rules_for(SchedulingRules, known_release(release))
    )
    (state,) = machine.initial_states()
    live = evolve(listed, condition="")
    state = evolve(state, pods=Places((live,)), lister=Places((listed,)))
    goroutine = Goroutine(("add_nominated_pod", "patch_failure"), QueuedPodInfo(tried))
    state, goroutine = requeue(machine.setup, state, goroutine, None)
    assert goroutine.pod == listed
    state, _ = patch_failure(machine.setup, state, goroutine, None)
    compared = tried if of_attempt else listed
    assert state.pods[0] == (live if compared.condition else evolve(live, condition=NOT_READY))
