"""The system scheduling-cycle in 1.32 to 1.36: where Done is called, whom the API nominates, how a victim ends."""

from collections.abc import Callable, Iterator

import pytest
from attrs import evolve

from kubeproof.engines.explicit import Limits, check, explore
from model.objects import Pod
from model.releases import known_release, rules_for
from model.scheduler.done import (
    done_after_bind,
    done_with_unknown_profile,
    only_popped_pod_goes_back,
    unknown_profile_without_done,
)
from model.scheduler.preemption.waiting_victims import only_rejected
from model.scheduler.queue.events import UNSCHEDULABLE_TIMEOUT
from model.scheduler.queue.in_flight import note_event
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.scheduling_cycle import (
    SchedulingCycle,
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
    machine,
)
from properties.scheduling_cycle.catalogue import PROPERTIES
from tests.model.systems.grain import violated

ON = ("1.32.0", "1.34.1", "1.36.2")
PERMIT = SchedulingCycleScope(pods=2, high=1, nodes=1, room=1, goroutines=1, preemption=1, permit=1)
PLUGINS = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=1, permit=1, failures=1, bind_errors=1)
OTHERS = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, late_nodes=1, deletes=1, recreates=1, unknown_profile=1)
IN_PRE_BIND = SchedulingCycleScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, volumes=1)


def rules_of(release: str) -> SchedulingCycleRules:
    return rules_for(SchedulingCycleRules, known_release(release))


def states(rules: SchedulingCycleRules, scope: SchedulingCycleScope) -> Iterator[SchedulingCycle]:
    found = explore(SchedulingCycleMachine(scope, rules))
    return (found.state(number) for number in range(found.counts.distinct))


def _in_flight(state: SchedulingCycle) -> set[str]:
    return {pod.uid for pod in state.queue.in_flight_pods}


def _in_flight_at(rules: SchedulingCycleRules, scope: SchedulingCycleScope) -> dict[str, set[bool]]:
    """For the next step of a binding whether the pod is in flight."""
    found: dict[str, set[bool]] = {}
    for state in states(rules, scope):
        for binding in state.bindings:
            found.setdefault(binding.steps[0], set()).add(binding.pod.uid in _in_flight(state))
    return found


@pytest.mark.parametrize(
    ("release", "pre_bind"), [("1.32.0", True), ("1.32.13", True), ("1.33.0", False), ("1.34.1", False)]
)
def test_done_follows_pre_bind_in_1_32_and_the_wait_for_permit_later(release: str, pre_bind: bool) -> None:
    at = _in_flight_at(rules_of(release), PLUGINS)
    assert at["listen"] == at["wait_on_permit"] == {True}
    assert at["pre_bind"] == {pre_bind}
    assert at["bind"] == {False}
    late = _in_flight_at(evolve(rules_of(release), done_in_binding=done_after_bind), PLUGINS)
    assert late["pre_bind"] == late["bind"] == {True}


def _somebody_stays_in_flight(rules: SchedulingCycleRules, scope: SchedulingCycleScope) -> bool:
    return any(state.cycle is None and not state.bindings and _in_flight(state) for state in states(rules, scope))


@pytest.mark.slow
@pytest.mark.parametrize("release", ON)
def test_nobody_is_in_flight_when_no_attempt_goes_on(release: str) -> None:
    """But for QH-RECREATE-LEAK: the next pod of the name goes back, and Done is not called of the one before."""
    rules = rules_of(release)
    assert not _somebody_stays_in_flight(rules, PLUGINS)
    assert _somebody_stays_in_flight(rules, OTHERS) is (release != "1.36.2")
    assert not _somebody_stays_in_flight(evolve(rules, goes_back=only_popped_pod_goes_back), OTHERS)


@pytest.mark.parametrize("rule", [done_with_unknown_profile, unknown_profile_without_done])
def test_done_is_called_of_a_popped_pod_of_another_scheduler(rule: Callable[[], bool]) -> None:
    machine = SchedulingCycleMachine(OTHERS, evolve(rules_of("1.36.2"), done_without_profile=rule))
    state = machine.initial_states()[0]
    pod = Pod("p1", "p1#1", scheduler_name="other")
    state = evolve(state, queue=evolve(state.queue, active=(QueuedPodInfo(pod),)))
    for name in ("pop", "schedule"):
        state = machine.step(state, next(action for action in machine.actions(state) if action.name == name))
    assert state.cycle is None
    assert _in_flight(state) == (set() if rule() else {"p1#1"})


@pytest.mark.slow
def test_the_others_are_moved_also_if_the_rejected_pod_was_created_again() -> None:
    """The handler leaves a pod of another UID alone (1.36). The move is deferred in handleBindingCycleError."""
    scope = evolve(PLUGINS, reserves=0, bind_errors=0, failures=0, deletes=1, recreates=1)
    m = SchedulingCycleMachine(scope, rules_of("1.36.2"))
    left = set()
    for state in states(m.rules, scope):
        for action in m.actions(state):
            (binding,) = state.bindings or (None,)
            pod = state.lister[0]
            if action.name == "requeue" and binding and pod and not pod.node_name and pod.uid != binding.pod.uid:
                left.add((binding.steps, *(goes_on.steps for goes_on in m.step(state, action).bindings)))
    handler = ("requeue", "add_nominated_pod", "patch_failure")
    assert left == {((*handler, "move_others_after_forget"), ("move_others_after_forget",)), (handler,)}


@pytest.mark.parametrize(("release", "nominates"), [("1.34.9", False), ("1.35.0", True), ("1.36.2", True)])
@pytest.mark.parametrize("bounds", [{"permit": 1}, {"volumes": 1}, {"reserves": 1}])
def test_from_1_35_on_a_pod_that_waits_or_is_in_pre_bind_is_nominated_to_its_host(
    release: str, nominates: bool, bounds: dict[str, int]
) -> None:
    scope = evolve(SchedulingCycleScope(pods=1, nodes=1, goroutines=1), **bounds)
    live = [pod for state in states(rules_of(release), scope) for pod in state.pods if pod is not None]
    assert any(pod.nominated_node_name for pod in live) is (nominates and "reserves" not in bounds)
    # ClearingNominatedNodeNameAfterBinding: who is bound is nominated no more.
    assert not any(pod.nominated_node_name for pod in live if pod.node_name)
    assert any(pod.node_name for pod in live)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "deleted"), [("1.35.1", True), ("1.36.2", False)])
def test_from_1_36_on_a_victim_in_pre_bind_goes_back_to_the_queue(release: str, deleted: bool) -> None:
    found = list(states(rules_of(release), IN_PRE_BIND))
    assert any(binding.canceled for state in found for binding in state.bindings) is not deleted
    evicted = [state for state in found if state.evictions or any(pod is None for pod in state.pods)]
    # Whose PreBind is over is deleted, in each release.
    assert any(state.cycle is not None and state.cycle.pod.name == "p1" for state in evicted)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "goes"), [("1.35.1", False), ("1.36.2", True)])
def test_a_victim_that_was_just_allowed_goes_from_1_36_on(release: str, goes: bool) -> None:
    """#135719 cures PREEMPT-WAITING-ALLOWED: a victim whose wait is decided is deleted."""
    properties = [each for each in PROPERTIES if each.name == "waiting-victim-goes"]
    rules = rules_of(release)
    assert violated(SchedulingCycleMachine(PERMIT, rules), properties) == (set() if goes else {"waiting-victim-goes"})
    before = evolve(rules, ends_of_waiting_victim=only_rejected)
    assert violated(SchedulingCycleMachine(PERMIT, before), properties) == {"waiting-victim-goes"}


@pytest.mark.slow
def test_the_wait_of_a_preempted_pod_ends_with_an_error_in_1_36() -> None:
    """The pod is not filed under the plugin that preempts, and is tried again after its backoff."""
    found = [binding for state in states(rules_of("1.36.2"), PERMIT) for binding in state.bindings]
    assert any("requeue" in binding.steps and "move_after_forget" not in binding.steps for binding in found)
    assert not any("move_others_after_forget" in binding.steps for binding in found)


# While one pod waits at Permit or in PreBind, the other one, which fits nowhere, is flushed and tried again.
FLUSHED = SchedulingCycleScope(pods=2, nodes=1, goroutines=1, clock=1, flush=1)


@pytest.mark.slow
@pytest.mark.parametrize("release", ON)
@pytest.mark.parametrize("bounds", [{"permit": 1}, {"volumes": 1}])
def test_flushes_while_a_pod_waits_in_its_binding_make_no_end_of_states(
    release: str, bounds: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where every flush is kept; in 1.33 and 1.34 Done comes before PreBind, and nothing before Done takes time."""
    system = SchedulingCycleMachine(evolve(FLUSHED, **bounds), rules_of(release))
    few = Limits(states=1500)
    assert not explore(system, symmetry=True, limits=few).stopped
    monkeypatch.setattr(machine, "_with_one_flush", lambda queue: queue)
    ends = not explore(system, symmetry=True, limits=few).stopped
    assert ends == (release == "1.34.1" and "volumes" in bounds)


@pytest.mark.slow
@pytest.mark.parametrize("release", ON)
def test_who_asks_for_the_events_learns_the_same_from_one_flush_as_from_two(release: str) -> None:
    system = SchedulingCycleMachine(evolve(FLUSHED, permit=1), rules_of(release))
    setup, asked = system.setup.queue, 0
    assert setup.hints is not None
    hint = setup.hints.hint_for_in_flight_pod
    for state in states(rules_of(release), evolve(FLUSHED, permit=1)):
        if state.queue.in_flight_events[-1:] != (machine._FLUSH,):
            continue
        again = note_event(setup, state.queue, UNSCHEDULABLE_TIMEOUT)
        assert again != state.queue
        for binding in state.bindings:
            info = QueuedPodInfo(binding.pod, unschedulable_plugins=frozenset({"NodeResourcesFit"}))
            assert hint(setup, state.queue, info) == hint(setup, again, info)
            asked += 1
        assert machine._with_one_flush(again) == state.queue
    assert asked


@pytest.mark.parametrize(("release", "length"), [("1.34.1", None), ("1.36.2", 12)])
def test_a_pod_with_a_finalizer_whose_delete_the_handler_hears_late_is_not_rejected(
    release: str, length: int | None
) -> None:
    """PERMIT-DELETE-MISSED without a broken watch: the page says so."""
    scope = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, permit=1, deletes=1, finalizers=1, blocked_deletes=1)
    wanted = next(each for each in PROPERTIES if each.name == "gone-pod-is-rejected")
    (found,) = check(SchedulingCycleMachine(scope, rules_for(SchedulingCycleRules, known_release(release))), [wanted])
    assert (found.trace.length if found.trace else None) == length
