"""The scheduling queue: what releases do differently."""

from collections.abc import Iterator

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from model.objects import Pod
from model.scheduler.queue import events as queue_events, scheduling_queue as queue
from model.scheduler.queue.backoff import attempts_that_count, calculate_backoff_duration
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo
from tests.model.scheduler.queue.queues import P1, P2, failed, names, setup_of

EVERY_POD_EVENT = ClusterEvent("Pod", queue_events.ALL)


# ------------------------------------------------------------------ moves and cycles


@pytest.mark.parametrize(
    ("release", "waits_in"), [("1.13.0", "unschedulable"), ("1.13.12", "active"), ("1.14.0", "backoff")]
)
def test_a_pop_in_between_loses_the_move_request_as_a_flag_not_as_a_cycle(release: str, waits_in: str) -> None:
    setup = setup_of(release)
    state = queue.add(setup, queue.add(setup, Queue(), P1, 0), P2, 1)
    first, state = queue.pop(setup, state)
    cycle = state.scheduling_cycle
    state = queue.move_all_to_active_or_backoff_queue(setup, state, 2)
    _, state = queue.pop(setup, state)
    _, state = queue.add_unschedulable_if_not_present(setup, state, first, cycle, 3)
    assert names(getattr(state, waits_in)) == [first.pod.name]


@pytest.mark.parametrize(("release", "waits_in"), [("1.13.0", "active"), ("1.13.12", "active"), ("1.14.0", "backoff")])
def test_a_move_request_during_its_own_cycle_spares_a_failed_pod_the_waiting(release: str, waits_in: str) -> None:
    setup = setup_of(release)
    info, state = queue.pop(setup, queue.add(setup, Queue(), P1, 0))
    state = queue.move_all_to_active_or_backoff_queue(setup, state, 1)
    _, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, 2)
    assert names(getattr(state, waits_in)) == ["p1"]


def test_1_13_pops_any_pod_of_the_highest_priority() -> None:
    setup = setup_of("1.13.0")
    state = Queue()
    for pod in (P2, P1, evolve(P1, name="low", uid="low", priority=-1)):
        state = queue.add(setup, state, pod, 0)
    assert [queue.pop(setup, state, head)[0].pod for head in queue.heads(setup, state)] == [P1, P2]


@pytest.mark.parametrize(
    ("release", "attempts", "plugins"),
    [("1.16.0", 0, False), ("1.17.10", 2, True), ("1.28.0", 2, True), ("1.28.4", 2, False)],
)
def test_what_pop_hands_out(release: str, attempts: int, plugins: bool) -> None:
    setup = setup_of(release)
    state = queue.update(setup, failed(setup), P1, evolve(P1, annotations=(("k", "v"),)), 60_000)
    info, _ = queue.pop(setup, state)
    assert (info.attempts, bool(info.unschedulable_plugins), info.timestamp) == (attempts, plugins, 0)


def test_1_14_pops_the_older_pod() -> None:
    setup = setup_of("1.14.0")
    state = queue.add(setup, queue.add(setup, Queue(), P2, 5), P1, 6)
    assert queue.heads(setup, state) == (0,)
    assert queue.pop(setup, state)[0].pod == P2


@pytest.mark.parametrize(("release", "left"), [("1.15.11", []), ("1.16.0", ["p1"])])
def test_a_pod_that_no_queue_takes_is_dropped_up_to_1_15(release: str, left: list[str]) -> None:
    setup = setup_of(release)
    state = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 5, add_fails={"p1"})
    assert (names(state.active), names(state.backoff), names(state.unschedulable)) == ([], [], left)


@pytest.mark.parametrize(
    ("release", "event", "moves", "noted"),
    [
        ("1.17.10", queue_events.PV_ADD, True, True),
        ("1.24.0", queue_events.PV_ADD, False, True),
        ("1.31.13", queue_events.PV_ADD, False, False),
        ("1.31.13", queue_events.NODE_ADD, True, True),
        ("1.31.13", queue_events.UNSCHEDULABLE_TIMEOUT, True, True),
    ],
)
def test_from_1_22_on_an_event_moves_whom_it_may_help(
    release: str, event: ClusterEvent, moves: bool, noted: bool
) -> None:
    registration = Registration("NodeResourcesFit", ClusterEvent("Node", queue_events.ADD | queue_events.UPDATE))
    setup = setup_of(release, QueueConfig(cluster_event_map=(registration,)))
    state = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 5, event)
    assert (names(state.backoff) == ["p1"]) is moves
    assert (state.move_request_cycle == state.scheduling_cycle) is noted


@pytest.mark.parametrize(("release", "moves"), [("1.21.4", True), ("1.22.3", False)])
def test_a_pre_check_holds_pods_back_from_1_22_on(release: str, moves: bool) -> None:
    setup = setup_of(release)
    state = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 5, pre_check=lambda pod: False)
    assert (names(state.backoff) == ["p1"]) is moves


def test_an_assigned_pod_moves_those_with_affinity_to_it() -> None:
    setup = setup_of("1.17.10")
    state = failed(setup, evolve(P1, affinity_app="a"))
    bound = Pod("x", "x#1", node_name="n1", labels=(("app", "b"),))
    assert names(queue.assigned_pod_added(setup, state, bound, 5).unschedulable) == ["p1"]
    bound = evolve(bound, labels=(("app", "a"),))
    assert names(queue.assigned_pod_updated(setup, state, bound, queue_events.ASSIGNED_POD_UPDATE, 5).backoff) == ["p1"]


@pytest.mark.parametrize(
    ("event", "moves"),
    [
        (queue_events.POD_REQUEST_SCALED_DOWN, True),
        (queue_events.POD_LABEL_CHANGE, False),
        (queue_events.ASSIGNED_POD_OTHER_UPDATE, False),
    ],
)
def test_a_bound_pod_that_asks_for_less_moves_all_in_1_31(event: ClusterEvent, moves: bool) -> None:
    registration = Registration("NodeResourcesFit", ClusterEvent("Pod", queue_events.UPDATE_POD_SCALE_DOWN))
    setup = setup_of("1.31.13", QueueConfig(cluster_event_map=(registration,)))
    bound = Pod("x", "x#1", node_name="n1")
    assert (names(queue.assigned_pod_updated(setup, failed(setup), bound, event, 5).backoff) == ["p1"]) is moves


def test_up_to_1_30_no_update_of_a_bound_pod_moves_who_does_not_ask_for_it() -> None:
    setup = setup_of("1.30.14", QueueConfig(cluster_event_map=(Registration("NodeResourcesFit", EVERY_POD_EVENT),)))
    state = queue.assigned_pod_updated(setup, failed(setup), Pod("x", "x#1"), queue_events.ASSIGNED_POD_UPDATE, 5)
    assert names(state.unschedulable) == ["p1"]


# ------------------------------------------------------------------ the lock of Pop


def waiting(setup: QueueSetup, *pods: Pod) -> Queue:
    """A queue in which these pods failed, one after the other from 0 ms on."""
    state = Queue()
    for now, pod in enumerate(pods):
        info, state = queue.pop(setup, queue.add(setup, state, pod, now))
        info = evolve(info, unschedulable_plugins=frozenset({"NodeResourcesFit"}))
        _, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, now)
    return state


def ends(
    setup: QueueSetup, state: Queue, infos: tuple[QueuedPodInfo, ...], event: ClusterEvent, now: int
) -> Iterator[tuple[int, Queue]]:
    """For each order of the holds of a move: how many there are, and the queue after the last."""
    for hold in setup.rules.move_holds(setup, state, infos, event, now):
        if hold.last:
            yield 1, hold.queue
        else:
            left = tuple(info for info in infos if info.pod.name != hold.pod)
            yield from ((1 + holds, after) for holds, after in ends(setup, hold.queue, left, event, now))


@pytest.mark.parametrize(("release", "holds"), [("1.30.14", {1}), ("1.31.13", {3})])
def test_a_move_takes_the_lock_of_pop_for_each_pod_in_1_31(release: str, holds: set[int]) -> None:
    registration = Registration("NodeResourcesFit", queue_events.NODE_ADD)
    setup = setup_of(release, QueueConfig(cluster_event_map=(registration,)))
    state = waiting(setup, P1, evolve(P2, priority=1), Pod("late", "late#1"))
    # At 1001 ms the first two have backed off; the third backs off until 1002 ms, and takes no hold.
    found = list(ends(setup, state, state.unschedulable, queue_events.NODE_ADD, 1_001))
    assert {number for number, _ in found} == holds
    assert {after for _, after in found} == {
        queue.move_all_to_active_or_backoff_queue(setup, state, 1_001, queue_events.NODE_ADD)
    }
    assert [names(after.active) for _, after in found[:1]] == [["p2", "p1"]]


def test_who_is_popped_within_a_move_counts_as_having_missed_the_move_in_1_31() -> None:
    setup = setup_of("1.31.13")
    state = waiting(setup, P1, P2)
    first = setup.rules.move_holds(setup, state, state.unschedulable, queue_events.WILD_CARD_EVENT, 2_000)[0]
    info, between = queue.pop(setup, first.queue)
    for _, after in ends(setup, between, between.unschedulable, queue_events.WILD_CARD_EVENT, 2_000):
        assert (info.pod.name, after.move_request_cycle) == ("p1", after.scheduling_cycle)
    _, whole = queue.pop(setup, queue.move_all_to_active_or_backoff_queue(setup, state, 2_000))
    assert whole.move_request_cycle == whole.scheduling_cycle - 1


def test_an_event_that_nobody_waits_for_is_no_hold_that_changes_anything() -> None:
    setup = setup_of("1.31.13")
    state = waiting(setup, P1)
    (hold,) = setup.rules.move_holds(setup, state, state.unschedulable, queue_events.PV_ADD, 2_000)
    assert (hold.queue, hold.last) == (state, True)


@pytest.mark.parametrize(("release", "lock"), [("1.30.14", queue.LOCK), ("1.31.13", "PriorityQueue.activeQLock")])
def test_pop_has_a_lock_of_its_own_in_1_31(release: str, lock: str) -> None:
    assert setup_of(release).rules.pop_lock() == lock


# ------------------------------------------------------------------ backoff and flushes


def test_the_backoff_doubles_up_to_its_maximum() -> None:
    config = QueueConfig()
    assert [calculate_backoff_duration(config, n) for n in range(7)] == [1000, 1000, 2000, 4000, 8000, 10_000, 10_000]
    assert attempts_that_count(config) == 5


@given(st.integers(0, 20), st.integers(0, 50))
def test_attempts_above_those_that_count_change_nothing(initial: int, most: int) -> None:
    config = QueueConfig(initial, most)
    count = attempts_that_count(config)
    durations = {calculate_backoff_duration(config, n) for n in range(count, count + 9)}
    assert len(durations) == 1
    assert count == 1 or calculate_backoff_duration(config, count - 1) not in durations


@pytest.mark.parametrize(("release", "second_backoff"), [("1.17.2", 1000), ("1.17.10", 2000), ("1.24.0", 2000)])
def test_a_backoff_may_be_forgotten_while_the_pod_waits(release: str, second_backoff: int) -> None:
    setup = setup_of(release)
    state = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 11_000)
    info, state = queue.pop(setup, state)
    _, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, 11_000)
    assert setup.rules.backoff_time(setup, state, state.unschedulable[0]) == 11_000 + second_backoff


@pytest.mark.parametrize(("release", "after"), [("1.14.0", 60_000), ("1.23.10", 60_000), ("1.24.0", 300_000)])
def test_leftovers_are_flushed_once_they_waited_for_longer_than_the_limit(release: str, after: int) -> None:
    setup = setup_of(release)
    state = failed(setup)
    assert queue.flush_unschedulable_q_leftover(setup, state, after) == state
    assert names(queue.flush_unschedulable_q_leftover(setup, state, after + 1).active) == ["p1"]


def test_1_13_never_flushes() -> None:
    setup = setup_of("1.13.0")
    state = failed(setup)
    assert names(state.unschedulable) == ["p1"]
    assert queue.flush_unschedulable_q_leftover(setup, state, 10**9) == state


def test_pods_leave_the_backoff_queue_when_their_backoff_has_ended() -> None:
    setup = setup_of("1.17.10")
    state = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 500)
    assert queue.flush_backoff_q_completed(setup, state, 999) == state
    assert names(queue.flush_backoff_q_completed(setup, state, 1000).active) == ["p1"]


def test_1_29_retries_a_pod_that_no_plugin_rejected() -> None:
    for release, expected in (("1.28.4", "unschedulable"), ("1.29.9", "backoff")):
        setup = setup_of(release)
        info, state = queue.pop(setup, queue.add(setup, Queue(), P1, 0))
        _, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, 1)
        assert names(getattr(state, expected)) == ["p1"]


def test_a_pod_that_a_plugin_left_pending_was_rejected() -> None:
    registration = Registration("Gang", queue_events.NODE_ADD)
    setup = setup_of("1.29.9", QueueConfig(cluster_event_map=(registration,)))
    info, state = queue.pop(setup, queue.add(setup, Queue(), P1, 0))
    info = evolve(info, pending_plugins=frozenset({"Gang"}))
    _, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, 1)
    assert names(state.unschedulable) == ["p1"]
    # What it was pending for has happened, so it does not back off.
    state = queue.move_all_to_active_or_backoff_queue(setup, state, 2, queue_events.NODE_ADD)
    assert names(state.active) == ["p1"]


# ------------------------------------------------------------------ updates


@pytest.mark.parametrize(("release", "goes_to"), [("1.17.10", "active"), ("1.22.3", "backoff")])
def test_an_update_ends_the_backoff_up_to_1_20(release: str, goes_to: str) -> None:
    setup = setup_of(release)
    new = evolve(P1, labels=(("app", "a"),), resource_version=2)
    assert names(getattr(queue.update(setup, failed(setup), P1, new, 5), goes_to)) == ["p1"]
    waiting = queue.move_all_to_active_or_backoff_queue(setup, failed(setup), 5)
    status = evolve(P1, condition="still none fits", resource_version=2)
    state = queue.update(setup, waiting, P1, status, 6)
    assert [info.pod for info in getattr(state, goes_to)] == [status]


@pytest.mark.parametrize("release", ["1.13.0", "1.17.10", "1.31.13"])
@pytest.mark.parametrize("changes", [{"condition": "other"}, {"disruption_target": True}])
def test_an_update_of_the_status_leaves_an_unschedulable_pod_where_it_is(
    release: str, changes: dict[str, object]
) -> None:
    setup = setup_of(release)
    new = evolve(P1, resource_version=2, **changes)
    state = queue.update(setup, failed(setup), P1, new, 5)
    assert [info.pod for info in state.unschedulable] == [new]


@pytest.mark.parametrize("release", ["1.13.0", "1.17.10", "1.24.0", "1.31.13"])
def test_an_update_queues_a_pod_that_is_in_flight(release: str) -> None:
    setup = setup_of(release)
    _, state = queue.pop(setup, queue.add(setup, Queue(), P1, 0))
    assert names(queue.update(setup, state, P1, evolve(P1, resource_version=2), 1).active) == ["p1"]


def test_activate_moves_a_waiting_pod_only() -> None:
    setup = setup_of("1.24.0")
    assert names(queue.activate(setup, failed(setup), P1).active) == ["p1"]
    assert queue.activate(setup, Queue(), P1) == Queue()
