"""Pods in flight: the gate SchedulerQueueingHints, which events are kept, and for how long, by release."""

import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from kubeproof.verdict.itf import state_digest, to_itf
from kubeproof.verdict.trace import Step, Trace
from model.go.errors import MetError, with_errors_met
from model.objects import Pod
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, Queue, QueuedPodInfo
from tests.model.scheduler.queue.in_flight import (
    UNWANTED,
    WANTED,
    A,
    B,
    added,
    came,
    elements,
    fail,
    setup_of,
    where,
)

# ------------------------------------------------------------------ the gate


@pytest.mark.parametrize(
    ("release", "on"),
    [("1.28.0", True), ("1.28.4", True), ("1.28.5", False), ("1.28.15", False), ("1.29.0-alpha.3", True),
     ("1.29.0", False), ("1.30.14", False), ("1.31.14", False), ("1.32.0-beta.0", False), ("1.32.0-rc.0", True),
     ("1.32.0", True)],
)  # fmt: skip
def test_which_releases_have_the_gate_on_without_being_asked(release: str, on: bool) -> None:
    assert setup_of(release, None).queueing_hints == on


@pytest.mark.parametrize("release", ["1.28.0", "1.28.4", "1.29.9", "1.31.13", "1.32.0"])
def test_with_the_gate_off_nothing_is_kept(release: str) -> None:
    setup = setup_of(release, False)
    info, state = queue.pop(setup, added(setup, A, B))
    state = came(setup, state)
    assert (state.in_flight_pods, state.in_flight_events) == ((), ())
    # The cycle number of the move request says what the hint would say.
    assert where(fail(setup, state, info)) == "backoff"
    assert queue.done(setup, state, "a#1") is state


# ------------------------------------------------------------------ what is kept, and for how long


@pytest.mark.parametrize("release", ["1.28.4", "1.29.9", "1.30.14", "1.31.13", "1.32.0"])
def test_events_behind_the_oldest_pod_are_kept(release: str) -> None:
    setup = setup_of(release)
    state = came(setup, added(setup, A, B))
    assert elements(state) == []  # nobody is in flight
    _, state = queue.pop(setup, state)
    _, state = queue.pop(setup, came(setup, state))
    state = came(setup, state)
    assert elements(state) == ["a#1", "NodeAdd", "b#1", "NodeAdd"]
    assert elements(queue.done(setup, state, "b#1")) == ["a#1", "NodeAdd", "NodeAdd"]
    state = queue.done(setup, state, "a#1")
    assert elements(state) == ["b#1", "NodeAdd"]
    assert queue.done(setup, state, "a#1") == state
    assert queue.done(setup, state, "b#1").in_flight_events == ()


def test_up_to_1_28_1_an_event_counts_the_pods_that_need_it() -> None:
    setup = setup_of("1.28.0")
    _, state = queue.pop(setup, added(setup, A, B))
    state = came(setup, state)
    _, state = queue.pop(setup, state)
    state = came(setup, state)
    assert state.in_flight_pods == (InFlightPod("a#1"), InFlightPod("b#1", 0))
    assert [each.in_flight_pods_num for each in state.in_flight_events if isinstance(each, InFlightEvent)] == [1, 2]
    # Both events came before a was done; the first was kept for a alone.
    state = queue.done(setup, state, "a#1")
    assert [each.in_flight_pods_num for each in state.in_flight_events if isinstance(each, InFlightEvent)] == [1]


def test_up_to_1_28_1_a_pod_is_told_what_came_after_the_event_that_it_remembers() -> None:
    setup = setup_of("1.28.0")
    first, state = queue.pop(setup, added(setup, A, B, Pod("c", "c#1")))
    second, state = queue.pop(setup, came(setup, state))
    third, state = queue.pop(setup, came(setup, state, UNWANTED))
    assert where(fail(setup, state, first)) == "backoff"
    assert where(fail(setup, state, second), "b") == "unschedulable"
    state = came(setup, state)
    assert where(fail(setup, state, second), "b") == "backoff"
    assert where(fail(setup, state, third), "c") == "backoff"
    # Once the first event has gone, the third pod's event is the first of the list.
    state = queue.done(setup, state, "a#1")
    assert state.in_flight_pods == (InFlightPod("b#1", REMOVED), InFlightPod("c#1", 0))
    assert where(fail(setup, state, second), "b") == "unschedulable"
    assert where(fail(setup, state, third), "c") == "backoff"


@pytest.mark.parametrize(("release", "kept"), [("1.28.4", 1), ("1.29.9", 1), ("1.30.14", 0), ("1.32.0", 0)])
def test_an_event_that_interests_no_plugin_is_kept_up_to_1_29(release: str, kept: int) -> None:
    """QH-RECORD-ALL."""
    setup = setup_of(release)
    _, state = queue.pop(setup, added(setup, A))
    assert elements(came(setup, state, UNWANTED)) == ["a#1", *["PvAdd"] * kept]


@pytest.mark.parametrize(
    ("release", "left"),
    [("1.28.0", []), ("1.28.4", ["a#1", "NodeAdd"]), ("1.31.13", ["a#1", "NodeAdd"]), ("1.32.0", [])],
)
def test_a_second_pop_of_one_uid_leaves_an_element_for_ever_from_1_28_2_to_1_31(release: str, left: list[str]) -> None:
    """QH-DUP-ELEMENT."""
    setup = setup_of(release)
    _, state = queue.pop(setup, added(setup, A))
    state = queue.discard_before_pop(setup, queue.add(setup, state, A, 5))
    if queue.heads(setup, state):
        _, state = queue.pop(setup, state)
    state = queue.done(setup, queue.done(setup, state, "a#1"), "a#1")
    assert state.in_flight_pods == ()
    assert elements(state) == left[:1]
    _, state = queue.pop(setup, queue.add(setup, state, B, 6))
    state = queue.done(setup, came(setup, state), "b#1")
    assert elements(state) == left


def test_a_second_pop_keeps_the_events_before_it_for_ever_up_to_1_28_1() -> None:
    """And no later ones: the first design knows nothing of QH-DUP-ELEMENT but this much."""
    setup = setup_of("1.28.0")
    _, state = queue.pop(setup, added(setup, A))
    _, state = queue.pop(setup, queue.add(setup, came(setup, state), A, 5))
    state = came(setup, state, UNWANTED)
    state = queue.done(setup, queue.done(setup, state, "a#1"), "a#1")
    assert elements(state) == ["NodeAdd"]
    _, state = queue.pop(setup, queue.add(setup, state, B, 6))
    assert elements(queue.done(setup, came(setup, state), "b#1")) == ["NodeAdd"]


@pytest.mark.parametrize("release", ["1.32.0-alpha.1", "1.32.0"])
def test_pop_discards_what_is_in_flight_and_takes_the_next_from_1_32_on(release: str) -> None:
    """#127016."""
    setup = setup_of(release)
    _, state = queue.pop(setup, added(setup, A))
    state = queue.add(setup, queue.add(setup, state, A, 5), B, 6)
    state, met = with_errors_met(lambda: queue.discard_before_pop(setup, state))
    text = "the same pod is tracked in multiple places in the scheduler, and just discard it"
    assert met == (MetError("unlockedPop", text, "a#1"),)
    info, state = queue.pop(setup, state)
    assert (info.pod, where(state), state.scheduling_cycle) == (B, "", 2)


def test_a_pod_that_a_sub_queue_has_is_done_all_the_same() -> None:
    setup = setup_of("1.31.13")
    info, state = queue.pop(setup, added(setup, A))
    state = queue.add(setup, state, A, 5)
    error, state = queue.add_unschedulable_if_not_present(setup, state, info, 1, 6)
    assert error == "Pod ns/a is already present in the active queue"
    assert state.in_flight_pods == ()


# ------------------------------------------------------------------ whatever happens


@pytest.mark.parametrize("release", ["1.28.4", "1.29.9", "1.31.13", "1.32.0"])
@settings(max_examples=40)
@given(st.data())
def test_as_long_as_no_pod_is_popped_twice_the_list_is_sound(release: str, data: st.DataObject) -> None:
    """Each pod in flight has one element, the list begins with a pod, and nothing stays when nobody is in flight."""
    setup, state, popped = setup_of(release), Queue(), list[QueuedPodInfo]()
    pods = (A, B, Pod("c", "c#1"))
    for now in range(data.draw(st.integers(0, 14))):
        out = {info.pod.uid for info in popped}
        steps = ["event", "unwanted"] + ["pop"] * bool(state.active) + ["fail", "done"] * bool(popped)
        steps += ["add"] * any(pod.uid not in out and not where(state, pod.name) for pod in pods)
        match data.draw(st.sampled_from(steps)):
            case "event":
                state = came(setup, state, WANTED, now)
            case "unwanted":
                state = came(setup, state, UNWANTED, now)
            case "pop":
                info, state = queue.pop(setup, state)
                popped.append(info)
            case "fail":
                state = fail(setup, state, popped.pop(data.draw(st.integers(0, len(popped) - 1))), now=now)
            case "done":
                state = queue.done(setup, state, popped.pop(data.draw(st.integers(0, len(popped) - 1))).pod.uid)
            case _:
                pod = next(pod for pod in pods if pod.uid not in out and not where(state, pod.name))
                state = queue.add(setup, state, pod, now)
        in_flight = sorted(info.pod.uid for info in popped)
        assert [pod.uid for pod in state.in_flight_pods] == in_flight
        assert sorted(each.uid for each in state.in_flight_events if isinstance(each, InFlightPod)) == in_flight
        assert not state.in_flight_events or isinstance(state.in_flight_events[0], InFlightPod)


# ------------------------------------------------------------------ in traces


@frozen
class _State:
    queue: Queue


def test_what_is_in_flight_is_written_to_a_trace_only_where_there_is_any() -> None:
    setup = setup_of("1.28.4")
    _, state = queue.pop(setup, added(setup, A))
    written = to_itf(Trace((Step(None, _State(Queue())), Step(None, _State(came(setup, state))))), {})
    assert not any("in_flight" in key for key in written["states"][0]["queue"])
    assert written["states"][1]["queue"]["in_flight_pods"][0]["uid"] == "a#1"
    assert state_digest(Queue()) != state_digest(came(setup, state))
