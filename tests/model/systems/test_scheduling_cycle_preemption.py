"""Preemption inside scheduling-cycle: the component against the filters of scheduling, and each power by itself."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.queue.state import QueuedPodInfo
from model.scheduler.waiting_pods import get
from model.systems.scheduling import fitting
from model.systems.scheduling.preemption_steps import preemptor
from model.systems.scheduling_cycle import (
    SchedulingCycle,
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
)
from model.systems.scheduling_cycle.preempting import decisions
from model.systems.scheduling_cycle.preemption_steps import delete_victims
from model.systems.scheduling_cycle.records import CycleGoroutine
from properties.scheduling_cycle.preemption import ONLY_VICTIMS_GO

RELEASES = ("1.14.10", "1.17.10", "1.19.4", "1.22.3", "1.28.14", "1.31.13")
PREEMPTING = ("preempt", "post_filter")
FULL = {"pods": 2, "nodes": 1, "high": 1, "preemption": 1, "goroutines": 1}


def machine(release: str, **bounds: int) -> SchedulingCycleMachine:
    return SchedulingCycleMachine(
        SchedulingCycleScope(**bounds), rules_for(SchedulingCycleRules, parse_release(release))
    )


def walked(m: SchedulingCycleMachine, walks: int = 60, length: int = 45) -> set[SchedulingCycle]:
    """The states of some random runs."""
    drawn, found = Random(0), set[SchedulingCycle]()
    for _ in range(walks):
        state = m.initial_states()[0]
        for _ in range(length):
            enabled = list(m.actions(state))
            if not enabled:
                break
            # A run in which users do most preempts nobody.
            of_users = ("create_pod", "delete_pod") if drawn.random() < 0.9 else ()
            own = [each for each in enabled if each.name not in of_users]
            state = m.step(state, drawn.choice(own or enabled))
            found.add(state)
    return found


def first(m: SchedulingCycleMachine, wanted: Callable[[SchedulingCycle], Any]) -> SchedulingCycle:
    return next(state for state in sorted(walked(m), key=repr) if wanted(state))


def is_at(*names: str) -> Callable[[SchedulingCycle], bool]:
    return lambda state: state.cycle is not None and state.cycle.steps[0] in names


def offered(m: SchedulingCycleMachine, state: SchedulingCycle, *names: str) -> list[dict[str, Any]]:
    return [dict(action.args) for action in m.actions(state) if action.name in names]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    "bounds", [{"nodes": 2, "pods": 3, "high": 1}, {"room": 2, "pods": 3, "high": 1}, {"top": 1, "high": 2, "pods": 3}]
)
def test_without_powers_the_component_finds_what_the_filters_of_scheduling_find(
    release: str, bounds: dict[str, int]
) -> None:
    """Two descriptions of one thing: `fitting.best_candidates` knows neither budgets nor extenders."""
    m = machine(release, **{**FULL, **bounds})
    compared = 0
    for state in walked(m):
        if state.cycle is None or state.cycle.steps[0] not in PREEMPTING:
            continue
        pod = preemptor(m.setup, state, state.cycle)
        if pod is None or not fitting.eligible_to_preempt(m.rules, state.snapshot, pod):
            continue
        nominations = fitting.nominations(m.setup.queue, state.queue)
        found = fitting.best_candidates(state.snapshot, nominations, pod, m.rules.preempts_with)
        decided = decisions(m.setup, state, pod).values()
        assert {(each.node, each.victims) for each in decided if each.node} == set(found)
        compared += bool(found)
    assert compared


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_a_pod_whose_policy_is_never_preempts_nobody(release: str) -> None:
    never, other = machine(release, **FULL, never=1), machine(release, **FULL)
    for m, preempts in ((never, False), (other, True)):
        assert any("victims" in each for state in walked(m) for each in offered(m, state, *PREEMPTING)) == preempts


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_a_node_whose_pod_a_budget_protects_is_spared(release: str) -> None:
    """Of two nodes the one is taken whose pod is of no budget."""
    m = machine(release, **{**FULL, "pods": 3, "nodes": 2}, protected=1)
    both = [
        state
        for state in walked(m, 150)
        if is_at(*PREEMPTING)(state)
        and {pod.name for info in state.snapshot.node_info_map for pod in info.pods} == {"p2", "p3"}
    ]
    assert both
    found = [each["victims"] for state in both for each in offered(m, state, *PREEMPTING) if "victims" in each]
    assert set(found) == {"p2#1"}


def test_the_controller_counts_the_budget_some_time_after() -> None:
    m = machine("1.31.13", **{**FULL, "pods": 3, "nodes": 2}, protected=2, disruptions=1)
    counted = {state.disruptions_allowed for state in walked(m)}
    assert counted == {0, 1}


@pytest.mark.parametrize(
    ("release", "asked"), [("1.17.10", True), ("1.19.4", False), ("1.21.3", False), ("1.22.3", True), ("1.31.13", True)]
)
def test_a_node_that_the_extender_refuses_is_not_taken_where_the_extender_is_asked(release: str, asked: bool) -> None:
    m = machine(release, **FULL, preempt_extender=1)
    found = (offered(m, state, *PREEMPTING) for state in walked(m))
    choices = next(choices for choices in found if any("extender" in each for each in choices))
    refused = [each for each in choices if each.get("extender") == "refuses n1"]
    assert [bool(each.get("victims")) for each in refused] == [not asked]
    silent = [each for each in choices if each.get("extender") == "no answer"]
    assert [bool(each.get("victims")) for each in silent] == [not asked]


@pytest.mark.parametrize("release", RELEASES)
def test_without_an_answer_about_the_victim_nobody_is_deleted(release: str) -> None:
    m = machine(release, **FULL, patch_errors=1)
    state = first(m, lambda s: is_at("delete_victims")(s) and not s.used.of("patch_errors"))
    action = next(each for each in m.actions(state) if "answer" in dict(each.args))
    after = m.step(state, action)
    assert after.pods == state.pods
    # Up to 1.18 the pod is nominated before.
    assert after.cycle is None or after.cycle.node is None


def test_a_victim_that_goes_before_a_request_that_is_not_answered_is_a_victim() -> None:
    m = machine("1.24.0", **FULL | {"pods": 3, "room": 2}, node_shrinks=1, patch_errors=1)
    state = m.initial_states()[0]
    bound = ("create_pod", "deliver_pod", "pop", "schedule", "assume", "bind", "deliver_pod")
    tried = ("create_pod", "deliver_pod", "pop", "schedule", "post_filter")
    run = (
        *((step, "p2") for step in bound),
        *((step, "p3") for step in bound),
        ("shrink_node", None),
        ("deliver_node", None),
        *((step, "p1") for step in tried),
    )
    for step, pod in run:
        state = m.step(
            state, next(a for a in m.actions(state) if a.name == step and dict(a.args).get("pod", pod) == pod)
        )
    done = [(action, m.step(state, action)) for action in m.actions(state) if action.name == "delete_victims"]
    assert {sum(pod is not None for pod in after.pods) for _, after in done} == {1, 2, 3}
    assert all(ONLY_VICTIMS_GO.holds(state, action, after) for action, after in done)


def nominated_first(release: str) -> bool:
    return parse_release(release).minor < 19


@pytest.mark.parametrize("release", RELEASES)
def test_a_status_that_is_not_written_keeps_the_nomination_in_memory_from_1_19_on(release: str) -> None:
    m = machine(release, **FULL, patch_errors=1)
    name = "set_nominated_node_name" if nominated_first(release) else "patch_failure"
    state = first(m, lambda s: is_at(name)(s) and s.cycle is not None and bool(s.cycle.node) and not s.used.times)
    action = next(each for each in m.actions(state) if each.name == name and "answer" in dict(each.args))
    after = m.step(state, action)
    assert after.pods == state.pods
    assert bool(after.queue.nominator.nominated_pods) != nominated_first(release)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "deleted"), [("1.17.10", True), ("1.21.9", True), ("1.22.3", False)])
def test_a_victim_that_waits_at_permit_is_rejected_and_from_1_22_on_not_deleted(release: str, deleted: bool) -> None:
    m = machine(release, **FULL, permit=1)
    state = first(
        m, lambda s: any(each.uid == "p2#1" and each.listening and not each.decided for each in s.waiting_pods)
    )
    info = QueuedPodInfo(Pod("p1", "p1#1", priority=1))
    cycle = CycleGoroutine(("delete_victims",), info, node="n1", victims=("p2#1",))
    after, left = delete_victims(m.setup, state, cycle, None)
    waiting = get(after.waiting_pods, "p2#1")
    assert waiting is not None
    assert (waiting.decided, waiting.signal) == ("rejected", "rejected")
    assert (after.pods[1] is None) == deleted
    assert left.node == "n1"


@pytest.mark.slow
@pytest.mark.parametrize(("release", "marked"), [("1.24.0", False), ("1.28.14", True), ("1.31.13", True)])
def test_a_victim_that_terminates_carries_the_condition_from_1_26_on(release: str, marked: bool) -> None:
    m = machine(release, **FULL, graceful=1, deletes=1)
    found = walked(m, 150)
    for state in found:
        of_victims = {each.victim for each in state.evictions}
        for pod in state.pods:
            if pod is not None and pod.disruption_target:
                assert pod.terminating
                assert pod.uid in of_victims
    assert any(pod is not None and pod.disruption_target for state in found for pod in state.pods) == marked


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.23.17", "1.24.0", "1.28.10", "1.31.13"])
def test_on_a_node_that_no_plugin_names_nobody_is_preempted(release: str) -> None:
    m = machine(release, **{**FULL, "pods": 3, "nodes": 2}, named_nodes=1)
    taken = {each["node"] for s in walked(m, 150) for each in offered(m, s, *PREEMPTING) if "node" in each}
    assert taken == {"n1"}
