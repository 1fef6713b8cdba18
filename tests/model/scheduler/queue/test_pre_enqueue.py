"""PreEnqueue plugins, gated pods, and what a move does with them (QUEUE-GATED-SKIP, QUEUE-GATED-TWICE)."""

import pytest

from model.objects import Pod
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.events import NODE_ADD, RESOURCE_CLAIM_ADD, Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pre_enqueue import (
    CLAIMS,
    DYNAMIC_RESOURCES,
    GATES,
    SCHEDULING_GATES,
    PreEnqueueRules,
    run_pre_enqueue_plugins,
)
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo, find

GATED = Pod("p", "p#1", scheduling_gates=("a.io/one", "b.io/two"))
FREE = Pod("p", "p#1")
NO_CLAIMS = Queue(lacks_claims=True)


def rules(release: str) -> PreEnqueueRules:
    return rules_for(PreEnqueueRules, parse_release(release, EVERY_MINOR))


def setup(release: str, hints: bool = True) -> QueueSetup:
    """A queue whose pods both plugins may hold back, without backoff."""
    at = parse_release(release, EVERY_MINOR)
    waits = (Registration(DYNAMIC_RESOURCES, RESOURCE_CLAIM_ADD),)
    return QueueSetup(
        rules_for(QueueRules, at), rules_for(NominatorRules, at), QueueConfig(0, 0, cluster_event_map=waits),
        rules_for(QueueingHintRules, at), hints, (GATES, CLAIMS), rules(release),
    )  # fmt: skip


def test_the_first_plugin_that_rejects_the_pod_decides() -> None:
    found = run_pre_enqueue_plugins((GATES, CLAIMS), NO_CLAIMS, QueuedPodInfo(GATED))
    assert (found.gated, found.gating_plugin, found.unschedulable_plugins) == (
        True, SCHEDULING_GATES, {SCHEDULING_GATES},
    )  # fmt: skip
    found = run_pre_enqueue_plugins((CLAIMS, GATES), NO_CLAIMS, QueuedPodInfo(GATED))
    assert (found.gating_plugin, found.unschedulable_plugins) == (DYNAMIC_RESOURCES, {DYNAMIC_RESOURCES})
    assert GATES.pre_enqueue(Queue(), GATED) == "waiting for scheduling gates: [a.io/one b.io/two]"


def test_a_pod_that_all_let_pass_keeps_the_plugins_that_rejected_it_before() -> None:
    info = QueuedPodInfo(FREE, unschedulable_plugins=frozenset({"NodeResourcesFit"}))
    found = run_pre_enqueue_plugins((GATES, CLAIMS), Queue(), info)
    assert (found.gated, found) == (False, info)


@pytest.mark.parametrize(("release", "first"), [("1.29.14", DYNAMIC_RESOURCES), ("1.30.0", SCHEDULING_GATES)])
def test_who_is_asked_first(release: str, first: str) -> None:
    assert rules(release).pre_enqueue_order()[0] == first


@pytest.mark.parametrize(
    ("release", "with_gates", "with_claims"),
    [
        ("1.27.14", False, False), ("1.27.15", True, True), ("1.27.16", True, True),
        ("1.28.0", False, False), ("1.28.10", False, False), ("1.28.11", True, True), ("1.28.12", True, False),
        ("1.28.14", True, False), ("1.29.0", False, False), ("1.29.5", False, False), ("1.29.6", True, True),
        ("1.29.7", True, False), ("1.30.1", False, False), ("1.30.2", True, True), ("1.30.3", True, False),
        ("1.31.0-alpha.2", True, True), ("1.31.0", True, False), ("1.32.2", True, False),
    ],
)  # fmt: skip
def test_which_gated_pods_a_move_passes_over(release: str, with_gates: bool, with_claims: bool) -> None:
    """QUEUE-GATED-SKIP where a pod is passed over that a plugin holds whose answer the event may have changed."""
    passed_over = rules(release).gated_pod_is_passed_over
    by_gates = run_pre_enqueue_plugins((GATES, CLAIMS), NO_CLAIMS, QueuedPodInfo(GATED))
    by_claims = run_pre_enqueue_plugins((GATES, CLAIMS), NO_CLAIMS, QueuedPodInfo(FREE))
    found = (passed_over(by_gates, NODE_ADD, ()), passed_over(by_claims, NODE_ADD, ()))
    assert found == (with_gates, with_claims)


@pytest.mark.parametrize(("release", "may"), [("1.28.4", False), ("1.31.14", False), ("1.32.0", True)])
def test_a_gated_pod_backs_off_from_1_32_on(release: str, may: bool) -> None:
    assert rules(release).gated_pod_may_back_off() is may


def where(state: Queue) -> list[str]:
    places = (("active", state.active), ("backoff", state.backoff), ("unschedulable", state.unschedulable))
    return [name for name, infos in places if find(infos, "p")]


@pytest.mark.parametrize("hints", [True, False])
@pytest.mark.parametrize("release", ["1.28.0", "1.28.14", "1.30.14", "1.31.13", "1.32.0"])
def test_a_pod_waits_for_its_gate_to_go(release: str, hints: bool) -> None:
    gates = setup(release, hints)
    at = parse_release(release, EVERY_MINOR)
    assert at.minor >= 28
    state = queue.add(gates, Queue(), GATED, 0)
    assert where(state) == ["unschedulable"]
    assert state.unschedulable[0].gating_plugin == SCHEDULING_GATES
    # With hints 1.31 and 1.32 ask the plugin's registration, which the system has.
    if not hints or at.minor < 31:
        state = queue.update(gates, state, GATED, FREE, 1)
        assert where(state) == ["active"]
        assert not state.active[0].gated


@pytest.mark.parametrize(
    ("release", "after"),
    [("1.28.10", "active"), ("1.28.11", "unschedulable"), ("1.28.14", "active"), ("1.31.13", "active")],
)
def test_an_event_that_opens_the_gate_lets_the_pod_in_unless_the_move_passes_over_the_pod(
    release: str, after: str
) -> None:
    claims = setup(release)
    state = queue.add(claims, NO_CLAIMS, FREE, 0)
    assert where(state) == ["unschedulable"]
    state = queue.move_all_to_active_or_backoff_queue(claims, state, 1, NODE_ADD)
    assert where(state) == ["unschedulable"]
    state = Queue(unschedulable=state.unschedulable)
    assert where(queue.move_all_to_active_or_backoff_queue(claims, state, 1, RESOURCE_CLAIM_ADD)) == [after]


@pytest.mark.parametrize(("release", "places"), [("1.30.14", ["backoff", "unschedulable"]), ("1.31.13", ["backoff"])])
def test_up_to_1_30_activate_puts_a_gated_pod_into_a_second_sub_queue(release: str, places: list[str]) -> None:
    claims = setup(release)
    state = Queue(backoff=(QueuedPodInfo(FREE),), lacks_claims=True)
    assert where(queue.activate(claims, state, FREE)) == places
