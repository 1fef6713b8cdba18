"""PreEnqueue plugins, gated pods, and what a move does with them (QUEUE-GATED-SKIP)."""

import pytest

from model.objects import Pod
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.hint_objects import HintedPod
from model.scheduler.queue.pre_enqueue import (
    SCHEDULING_GATES,
    PreEnqueuePlugin,
    PreEnqueueRules,
    run_pre_enqueue_plugins,
    scheduling_gates,
)
from model.scheduler.queue.state import QueuedPodInfo

GATES = PreEnqueuePlugin(SCHEDULING_GATES, scheduling_gates)
# As DynamicResources, which lets a pod pass once its claim exists.
CLAIMS = PreEnqueuePlugin("DynamicResources", lambda pod: None if dict(pod.annotations).get("claim") else "no claim")
GATED = HintedPod("p", "p#1", scheduling_gates=("a.io/one", "b.io/two"))
FREE = HintedPod("p", "p#1", annotations=(("claim", "yes"),))


def rules(release: str) -> PreEnqueueRules:
    return rules_for(PreEnqueueRules, parse_release(release, EVERY_MINOR))


def test_the_first_plugin_that_rejects_the_pod_decides() -> None:
    found = run_pre_enqueue_plugins((GATES, CLAIMS), QueuedPodInfo(GATED))
    assert (found.gated, found.status) == (True, "waiting for scheduling gates: [a.io/one b.io/two]")
    assert found.info.unschedulable_plugins == {SCHEDULING_GATES}
    found = run_pre_enqueue_plugins((CLAIMS, GATES), QueuedPodInfo(GATED))
    assert (found.gated, found.status, found.info.unschedulable_plugins) == (True, "no claim", {"DynamicResources"})


def test_a_pod_that_all_let_pass_keeps_the_plugins_that_rejected_it_before() -> None:
    info = QueuedPodInfo(FREE, unschedulable_plugins=frozenset({"NodeResourcesFit"}))
    found = run_pre_enqueue_plugins((GATES, CLAIMS), info)
    assert (found.gated, found.info) == (False, info)


def test_a_record_without_gates_is_refused() -> None:
    with pytest.raises(AssertionError):
        run_pre_enqueue_plugins((GATES,), QueuedPodInfo(Pod("p", "p#1")))


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
    by_gates = run_pre_enqueue_plugins((GATES, CLAIMS), QueuedPodInfo(GATED)).info
    by_claims = run_pre_enqueue_plugins((GATES, CLAIMS), QueuedPodInfo(HintedPod("p", "p#1"))).info
    assert (passed_over(by_gates), passed_over(by_claims)) == (with_gates, with_claims)


@pytest.mark.parametrize(("release", "may"), [("1.28.4", False), ("1.31.14", False), ("1.32.0", True)])
def test_a_gated_pod_backs_off_from_1_32_on(release: str, may: bool) -> None:
    assert rules(release).gated_pod_may_back_off() is may
