"""Pods that come back from flight: where a failed pod goes, what an update does, and Activate, by release."""

import pytest
from attrs import evolve

from model.go.errors import errors_met
from model.objects import Pod
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.state import Queue, QueuedPodInfo
from tests.model.scheduler.queue.in_flight import (
    A,
    B,
    added,
    came,
    elements,
    fail,
    setup_of,
    where,
)

# ------------------------------------------------------------------ where a failed pod goes


@pytest.mark.parametrize(("release", "place"), [("1.28.0", "unschedulable"), ("1.28.1", "unschedulable"),
                                                ("1.28.2", "backoff"), ("1.32.0", "backoff")])  # fmt: skip
def test_events_after_a_marker_that_has_gone_are_lost_up_to_1_28_1(release: str, place: str) -> None:
    """QH-MARKER-REMOVED."""
    setup = setup_of(release)
    _, state = queue.pop(setup, added(setup, A, B))
    info, state = queue.pop(setup, came(setup, state))
    state = came(setup, queue.done(setup, state, "a#1"))
    assert where(fail(setup, state, info), "b") == place


@pytest.mark.parametrize(
    ("release", "no_event", "before", "since"),
    [
        ("1.28.0", "unschedulable", "backoff", "backoff"),
        ("1.28.4", "unschedulable", "unschedulable", "backoff"),
        ("1.29.0", "backoff", "backoff", "backoff"),
        ("1.32.0", "backoff", "backoff", "backoff"),
    ],
)
def test_a_pod_that_met_an_error_waits_for_an_event_up_to_1_28(
    release: str, no_event: str, before: str, since: str
) -> None:
    """QUEUE-ERROR-STUCK, #119105: no event came; one came before the pod's Pop; one since."""
    setup = setup_of(release)
    nobody: frozenset[str] = frozenset()
    _, other = queue.pop(setup, added(setup, B, A))
    info, state = queue.pop(setup, other)
    assert where(fail(setup, state, info, nobody)) == no_event
    assert where(fail(setup, came(setup, state), info, nobody)) == since
    info, state = queue.pop(setup, came(setup, other))
    assert where(fail(setup, state, info, nobody)) == before


@pytest.mark.parametrize(("release", "place"), [("1.28.4", "unschedulable"), ("1.30.14", "unschedulable"),
                                                ("1.31.13", "backoff"), ("1.32.0", "backoff")])  # fmt: skip
def test_a_pod_of_which_nothing_is_known_waits_for_the_flush_up_to_1_30(release: str, place: str) -> None:
    setup = setup_of(release)
    assert where(fail(setup, Queue(), QueuedPodInfo(A, attempts=1), frozenset())) == place
    # One that a plugin rejected is tried again.
    assert where(fail(setup, Queue(), QueuedPodInfo(A, attempts=1))) == "backoff"


@pytest.mark.parametrize(
    ("release", "function", "rejected", "not_rejected"),
    [
        ("1.28.0", "determineSchedulingHintForInFlightPod", 1, 0),
        ("1.28.4", "determineSchedulingHintForInFlightPod", 1, 0),
        ("1.30.14", "determineSchedulingHintForInFlightPod", 1, 0),
        ("1.31.13", "clusterEventsForPod", 1, 1),
        # 1.32 asks what came for a pod that a plugin rejected, and for no other.
        ("1.32.0", "clusterEventsForPod", 1, 0),
    ],
)
def test_go_logs_an_error_of_a_pod_that_is_not_in_flight(
    release: str, function: str, rejected: int, not_rejected: int
) -> None:
    setup = setup_of(release)
    info = QueuedPodInfo(A, attempts=1)
    met = errors_met(lambda: fail(setup, Queue(), info))
    assert [(each.function, each.about) for each in met] == [(function, "a#1")] * rejected
    assert "isn't found in the scheduling queue" in met[0].text
    assert len(errors_met(lambda: fail(setup, Queue(), info, frozenset()))) == not_rejected
    # Of a pod that is in flight there is nothing to log.
    popped, state = queue.pop(setup, added(setup, A))
    assert errors_met(lambda: fail(setup, state, popped)) == ()


@pytest.mark.parametrize(
    ("release", "plugins", "pending", "place"),
    [
        ("1.28.4", {"Skip"}, set(), "unschedulable"),
        ("1.28.4", {"Skip", "OnNodeAdd"}, set(), "backoff"),
        ("1.28.4", {"OnNodeAdd", "Immediate"}, set(), "active"),
        # From 1.29.0-alpha.3 on a plugin's answer says no more than Queue; who is pending skips the backoff.
        ("1.30.14", {"OnNodeAdd", "Immediate"}, set(), "backoff"),
        ("1.30.14", {"Skip"}, {"OnNodeAdd"}, "active"),
        ("1.30.14", set(), {"OnPodLabel"}, "unschedulable"),
        ("1.31.13", {"OnNodeAdd", "Immediate"}, set(), "backoff"),
        ("1.31.13", {"Skip"}, {"OnNodeAdd"}, "active"),
        ("1.31.13", {"OnNodeAdd"}, {"Skip"}, "backoff"),
        ("1.31.13", set(), {"OnPodLabel"}, "unschedulable"),
    ],
)
def test_the_strongest_hint_of_the_rejecting_plugins_decides(
    release: str, plugins: set[str], pending: set[str], place: str
) -> None:
    setup = setup_of(release)
    info, state = queue.pop(setup, added(setup, A))
    state = fail(setup, came(setup, state), info, frozenset(plugins), frozenset(pending))
    assert where(state) == place


def test_a_pod_that_waited_for_its_backoff_goes_to_active_q() -> None:
    setup = setup_of("1.31.13")
    setup = evolve(setup, config=evolve(setup.config, initial_backoff=0, max_backoff=0))
    info, state = queue.pop(setup, added(setup, A))
    assert where(fail(setup, came(setup, state), info)) == "active"


# ------------------------------------------------------------------ updates


RELABELLED = evolve(A, labels=(("app", "x"),))
ANNOTATED = evolve(A, annotations=(("note", "x"),))


@pytest.mark.parametrize(
    ("release", "new", "place", "kept"),
    [
        ("1.30.14", RELABELLED, "active", ["a#1"]),
        ("1.31.0-alpha.2", RELABELLED, "active", ["a#1"]),
        ("1.31.13", RELABELLED, "", ["a#1", "UnschedulablePodUpdate"]),
        ("1.32.0", RELABELLED, "", ["a#1", "UnschedulablePodUpdatePodLabel"]),
        ("1.32.0", evolve(RELABELLED, toleration="t"), "",
         ["a#1", "UnschedulablePodUpdatePodLabel", "UnschedulablePodUpdatePodTolerations"]),
        ("1.32.0", ANNOTATED, "", ["a#1", "UnschedulablePodUpdate"]),
    ],
)  # fmt: skip
def test_the_update_of_a_pod_in_flight_is_an_event_from_1_31_on(
    release: str, new: Pod, place: str, kept: list[str]
) -> None:
    """QUEUE-INFLIGHT-DUP, #125578."""
    setup = setup_of(release)
    _, state = queue.pop(setup, added(setup, A))
    state = queue.update(setup, state, A, new, 5)
    assert (where(state), elements(state)) == (place, kept)


@pytest.mark.parametrize(("release", "place"), [("1.31.13", "backoff"), ("1.32.0", "unschedulable")])
def test_from_1_32_on_another_update_does_not_wake_who_waits_for_labels(release: str, place: str) -> None:
    setup = setup_of(release)
    info, state = queue.pop(setup, added(setup, A))
    state = queue.update(setup, state, A, ANNOTATED, 5)
    assert where(fail(setup, state, info, frozenset({"OnPodLabel"}))) == place


@pytest.mark.parametrize(
    ("release", "place"), [("1.30.14", "backoff"), ("1.31.0-alpha.2", "unschedulable"), ("1.31.13", "unschedulable")]
)
def test_hints_are_asked_for_the_update_of_an_unschedulable_pod_from_1_31_on(release: str, place: str) -> None:
    setup = setup_of(release)
    info, state = queue.pop(setup, added(setup, A))
    state = fail(setup, state, info)
    assert where(queue.update(setup, state, A, RELABELLED, 21)) == place


@pytest.mark.parametrize("release", ["1.31.13", "1.32.0"])
def test_a_pod_whom_one_change_helps_and_the_next_does_not_is_in_two_sub_queues(release: str) -> None:
    setup = setup_of(release)
    big = evolve(A, cpu_milli=2)
    info, state = queue.pop(setup, added(setup, big))
    state = fail(setup, state, info, frozenset({"OnPodLabel"}))
    state = queue.update(setup, state, big, evolve(RELABELLED, cpu_milli=1), 21)
    assert where(state) == "backoff unschedulable"
    # Whatever takes it to activeQ takes it out of both.
    assert where(queue.flush_backoff_q_completed(setup, state, 2_000)) == "active"
    assert where(queue.activate(setup, state, big)) == "active"
    assert where(came(setup, state, events.WILD_CARD_EVENT, 2_000)) == "active"


@pytest.mark.parametrize(("release", "nominated"), [("1.31.13", (("n1", ("a",)),)), ("1.32.0", ())])
def test_an_update_that_brings_a_pod_to_active_q_forgets_its_nomination_in_1_32(
    release: str, nominated: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    setup = setup_of(release)
    info, state = queue.pop(setup, added(setup, A))
    state = queue.add_nominated_pod(setup, fail(setup, state, info, frozenset({"OnPodUpdate"})), A, "n1")
    state = queue.update(setup, state, A, ANNOTATED, 2_000)
    assert where(state) == "active"
    names = tuple((node, tuple(pod.name for pod in pods)) for node, pods in state.nominator.nominated_pods)
    assert names == nominated


# ------------------------------------------------------------------ Activate


@pytest.mark.parametrize(("release", "place"), [("1.31.13", "unschedulable"), ("1.32.0", "backoff")])
def test_activate_of_a_pod_in_flight_is_lost_up_to_1_31(release: str, place: str) -> None:
    for gate in (True, False):
        setup = setup_of(release, gate)
        info, state = queue.pop(setup, added(setup, A))
        assert where(fail(setup, queue.activate(setup, state, A), info)) == place


def test_activate_of_a_pod_in_flight_is_for_this_pod_alone() -> None:
    setup = setup_of("1.32.0")
    one, state = queue.pop(setup, added(setup, A, B))
    other, state = queue.pop(setup, state)
    state = queue.activate(setup, state, B)
    assert elements(state) == ["a#1", "b#1", "ForceActivate"]
    state = fail(setup, fail(setup, state, one), other)
    assert (where(state, "a"), where(state, "b")) == ("unschedulable", "backoff")
    # Of a pod that nobody knows nothing is kept but the cycle number.
    state = queue.activate(setup, evolve(state, scheduling_cycle=7), Pod("c", "c#1"))
    assert (elements(state), state.move_request_cycle) == ([], 7)
