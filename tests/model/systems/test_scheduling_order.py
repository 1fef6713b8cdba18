"""When preemption happens relative to the record of the failure."""

import pytest

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.cycle import steps_after_failure
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.preemption_steps import delete_victims
from model.systems.scheduling.records import Goroutine
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope

PREEMPTED = SchedulingScope(pods=2, high=1, nodes=1, preemption=1)


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release))


@pytest.mark.parametrize(
    ("release", "first", "last"),
    [
        ("1.13.12", "start_error_func", "delete_victims"),
        ("1.17.17", "start_error_func", "delete_victims"),
        ("1.18.0", "preempt", "record_failure"),
        ("1.18.20", "preempt", "record_failure"),
        ("1.19.0", "post_filter", "patch_failure"),
    ],
)
def test_preemption_comes_before_the_record_from_1_18_on(release: str, first: str, last: str) -> None:
    rules = rules_of(release)
    steps = steps_after_failure(rules.error_func(), rules.preempts_first, no_node_fits=True)
    assert (steps[0], steps[-1]) == (first, last)
    without = steps_after_failure(rules.error_func(), rules.preempts_first, no_node_fits=False)
    assert without == tuple(step for step in steps if step in without)


BOUND = ("create_pod", "deliver_pod", "pop", "schedule", "assume", "bind", "deliver_pod")
PREEMPT = ("preempt", "set_nominated_node_name", "delete_victims")


def errors_of_record(release: str, *after_failure: str) -> int:
    """How many errors the record of a failure meets in a run in which a pod takes the place of one that is bound."""
    machine = SchedulingMachine(PREEMPTED, rules_of(release))
    (state,), found = machine.initial_states(), 0
    run = [(name, "p2") for name in BOUND]
    run += [(name, "p1") for name in ("create_pod", "deliver_pod", "pop", "schedule", *after_failure)]
    for name, pod in run:
        action = next(each for each in machine.actions(state) if (each.name, each["pod"]) == (name, pod))
        found += len(machine.errors(state, action)) if name == "record_failure" else 0
        state = machine.step(state, action)
    assert state.cycle is None
    assert state.pods[0] is not None
    assert state.pods[0].nominated_node_name == "n1"
    return found


def test_the_condition_of_a_preemptor_meets_a_conflict_in_1_18() -> None:
    """`podConditionUpdater` PUTs the popped pod, which is older than the nomination that was just written."""
    assert errors_of_record("1.17.17", "record_failure", *PREEMPT) == 0
    assert errors_of_record("1.18.20", *PREEMPT, "record_failure") == 1


@pytest.mark.parametrize(("release", "nominates"), [("1.18.20", True), ("1.19.0", False), ("1.31.13", False)])
def test_a_pod_whose_victim_is_gone_is_not_nominated_from_1_19_on(release: str, nominates: bool) -> None:
    """Go: `PrepareCandidate` ends with the error of the DELETE; up to 1.18 the nomination was written before."""
    machine = SchedulingMachine(PREEMPTED, rules_of(release))
    (state,) = machine.initial_states()
    cycle = Goroutine(("delete_victims",), QueuedPodInfo(Pod("p1", "p1#1", priority=1)), node="n1", victims=("p2#1",))
    after, left = delete_victims(machine.setup, state, cycle, None)
    assert after == state
    assert (left.node, left.victims) == ("n1" if nominates else None, ())
