"""The system scheduling with the gate SchedulerQueueingHints on, as 1.32 and later have it."""

from collections.abc import Iterator

import pytest
from attrs import evolve

from kubeproof.engines.explicit import explore
from model.releases import known_release, rules_for
from model.scheduler.done import skipped_without_done
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from model.world.api_server import place
from properties.scheduling.catalogue import PROPERTIES
from tests.model.systems.grain import violated

ON = ("1.32.0", "1.33.1", "1.34.1", "1.35.0", "1.36.2")
SCOPES = (
    SchedulingScope(pods=2, high=1, nodes=1, room=1, goroutines=1, preemption=1),
    SchedulingScope(pods=1, nodes=1, room=1, goroutines=1, finalizers=1, deletes=1, blocked_deletes=1, bind_errors=1),
    SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, clock=1, deletes=1, listeners=1),
)
# A pod that the pods of others keep away because of its label loses the label.
LABELLED = SchedulingScope(pods=1, nodes=1, goroutines=1, labels=2, anti_affinity=1)
# Two pods, and room for one. A user deletes one of them while it is assumed.
DELETED = SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, deletes=1)

# Nothing fits the pod, and another scheduler binds it to the node.
BOUND_BY_OTHERS = SchedulingScope(pods=1, big=1, nodes=1, goroutines=1, updates=1, other_binders=1, node_grows=1)


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, known_release(release))


def states(rules: SchedulingRules, scope: SchedulingScope) -> Iterator[Scheduling]:
    found = explore(SchedulingMachine(scope, rules))
    return (found.state(number) for number in range(found.counts.distinct))


@pytest.mark.parametrize(("release", "on"), [("1.28.0", False), ("1.31.14", False), *((each, True) for each in ON)])
def test_the_gate_is_on_from_1_32_on(release: str, on: bool) -> None:
    setup = SchedulingMachine(SCOPES[0], rules_of(release)).setup
    assert setup.gate is on
    assert (setup.queue.hints is not None) is on
    assert setup.queue.pop_from_backoff is (on and release != "1.32.0")


def _of_the_cycle(rules: SchedulingRules, scope: SchedulingScope) -> bool:
    """Whether a pod is in flight only while its cycle lasts, and until a pod that failed was put back."""
    return all(
        {pod.uid for pod in state.queue.in_flight_pods} <= ({state.cycle.pod.uid} if state.cycle else set())
        and (state.queue.in_flight_pods or not state.queue.in_flight_events)
        and (state.cycle is None or "requeue" not in state.cycle.steps or bool(state.queue.in_flight_pods))
        for state in states(rules, scope)
    )


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("release", ON)
def test_a_pod_is_in_flight_while_its_cycle_lasts(release: str, scope: SchedulingScope) -> None:
    assert _of_the_cycle(rules_of(release), scope)


def test_without_done_of_a_skipped_pod_it_stays_in_flight() -> None:
    rules = evolve(rules_of("1.34.1"), done_when_skipped=skipped_without_done)
    assert not _of_the_cycle(rules, SCOPES[1])


@pytest.mark.slow
@pytest.mark.parametrize(("fine", "last"), [(0, "add_nominated_pod"), (1, "done_after_failure")])
@pytest.mark.parametrize("release", ON)
def test_a_failed_pod_that_is_bound_is_done_at_the_end_of_the_failure_handler(
    release: str, fine: int, last: str
) -> None:
    """Also after the condition; `calledDone` of handleSchedulingFailure."""
    m = SchedulingMachine(evolve(BOUND_BY_OTHERS, fine=fine), rules_of(release))
    ends = [
        state
        for state in states(m.rules, m.scope)
        if state.cycle is not None and "done_after_failure" in state.cycle.steps
    ]
    assert {state.cycle.steps[0] for state in ends if state.cycle} >= {last}
    for state in ends:
        assert [pod.uid for pod in state.queue.in_flight_pods] == ["p1#1"]
        (action,) = [action for action in m.actions(state) if state.cycle and action.name == state.cycle.steps[0]]
        after = m.step(state, action)
        assert bool(after.queue.in_flight_pods) is (action.name != last)
        assert (after.cycle is None) is (action.name == last)


@pytest.mark.parametrize(("release", "handles"), [("1.31.14", False), *((each, True) for each in ON)])
def test_an_event_between_the_two_ends_of_a_failure_is_kept(release: str, handles: bool) -> None:
    """Where the pod was done when the handler looked for the pod, nothing would be kept."""
    found = any(
        state.queue.in_flight_events and state.cycle is not None and "done_after_failure" in state.cycle.steps
        for state in states(rules_of(release), BOUND_BY_OTHERS)
    )
    assert found is handles


def _violated(rules: SchedulingRules, scope: SchedulingScope, name: str) -> bool:
    return bool(violated(SchedulingMachine(scope, rules), [each for each in PROPERTIES if each.name == name]))


@pytest.mark.parametrize(
    ("release", "lost"), [("1.31.14", False), ("1.32.0", True), ("1.35.0", True), ("1.36.2", False)]
)
def test_a_pods_own_label_is_no_event_for_inter_pod_affinity_from_1_32_to_1_35(release: str, lost: bool) -> None:
    """`isSchedulableAfterPodChange` skips every event of a pod without a node, also of the pod itself (to 1.35)."""
    assert _violated(rules_of(release), LABELLED, "no-event-lost") is lost


@pytest.mark.parametrize(("release", "forgets"), [("1.34.1", False), ("1.35.0", True), ("1.36.2", True)])
def test_an_assumed_pod_that_is_deleted_gives_back_its_room_from_1_35_on(release: str, forgets: bool) -> None:
    """`handleAssumedPodDeletion`: while the binding still goes on, the cache does not have the pod any more."""
    found = any(
        binding.steps[:1] == ("bind",) and not state.cache.pod_states and state.lister[place(binding.pod.name)] is None
        for state in states(rules_of(release), DELETED)
        for binding in state.bindings
    )
    assert found is forgets
