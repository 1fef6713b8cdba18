"""Pods in flight and queueing hints: what each release does with the gate SchedulerQueueingHints on."""

import pytest
from attrs import evolve, frozen
from hypothesis import given, settings, strategies as st

from kubeproof.verdict.itf import states_of, to_itf
from kubeproof.verdict.trace import Step, Trace
from model.go.errors import MetError, errors_met, with_errors_met
from model.objects import Pod
from model.releases import COMPONENT_MINORS, parse_release, rules_for
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, Queue, QueueConfig, QueuedPodInfo

A = Pod("a", "a#1")
B = Pod("b", "b#1")
# What some plugin waits for, and what none does.
WANTED, UNWANTED = events.NODE_ADD, events.PV_ADD
WAITING = (
    Registration("OnNodeAdd", events.NODE_ADD),
    Registration("OnPodUpdate", ClusterEvent("Pod", events.UPDATE)),
    Registration("OnPodLabel", ClusterEvent("Pod", events.UPDATE_POD_LABEL)),
    Registration("Immediate", events.NODE_ADD, events.queue_immediately),
    Registration("Skip", events.NODE_ADD, events.queue_skip),
)
ON_NODE_ADD = frozenset({"OnNodeAdd"})


def setup_of(release: str, gate: bool | None = True) -> QueueSetup:
    """The queue of a release, with a backoff of 1 s; None: the gate as the release has it."""
    at = parse_release(release, COMPONENT_MINORS)
    hints = rules_for(QueueingHintRules, at)
    config = QueueConfig(max_backoff=1_000, cluster_event_map=WAITING)
    on = hints.queueing_hints_default() if gate is None else gate
    return QueueSetup(rules_for(QueueRules, at), rules_for(NominatorRules, at), config, hints, on)


def added(setup: QueueSetup, *pods: Pod) -> Queue:
    state = Queue()
    for now, pod in enumerate(pods):
        state = queue.add(setup, state, pod, now)
    return state


def came(setup: QueueSetup, state: Queue, event: ClusterEvent = WANTED, now: int = 10) -> Queue:
    return queue.move_all_to_active_or_backoff_queue(setup, state, now, event)


def fail(
    setup: QueueSetup,
    state: Queue,
    info: QueuedPodInfo,
    plugins: frozenset[str] = ON_NODE_ADD,
    pending: frozenset[str] = frozenset(),
    now: int = 20,
) -> Queue:
    """The pod comes back, rejected by these plugins."""
    info = evolve(info, unschedulable_plugins=plugins, pending_plugins=pending)
    error, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, now)
    assert error is None
    return state


def where(state: Queue, name: str = "a") -> str:
    """The sub-queues that have the pod of this name."""
    places = {"active": state.active, "backoff": state.backoff, "unschedulable": state.unschedulable}
    return " ".join(place for place, infos in places.items() if any(info.pod.name == name for info in infos))


def elements(state: Queue) -> list[str]:
    return [each.uid if isinstance(each, InFlightPod) else each.event.label for each in state.in_flight_events]


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
    assert states_of(written, _State) == [_State(Queue()), _State(came(setup, state))]
