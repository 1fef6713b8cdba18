"""What the queue makes of the answers of hint functions, which are given the pod and the object that changed."""

import pytest

from model.evolve import evolve
from model.go.errors import GoError, MetError, with_errors_met
from model.objects import Node, Pod
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.events import (
    ASSIGNED_POD_OTHER_UPDATE,
    NODE_ADD,
    ClusterEvent,
    HintFunction,
    Registration,
    queue_after_backoff,
    queue_immediately,
    queue_skip,
    with_objects,
)
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import InFlightEvent, Queue, QueueConfig, QueuedPodInfo, find

A = Pod("a", "a#1", cpu_milli=2)
BOUND = Pod("b", "b#1", node_name="n")
SMALL, LARGE = Node("n", cpu_milli=1), Node("n", cpu_milli=2)
LATER = 20_000


def fits(pod: Pod, old: Node | None, new: Node | None) -> events.Hint:
    """A node has room for the pod now."""
    return "QueueAfterBackoff" if new is not None and pod.cpu_milli <= new.cpu_milli else "QueueSkip"


def fails(pod: Pod, old: object, new: object) -> GoError:
    return GoError("no claim")


def setup_of(release: str, *hints: HintFunction, event: ClusterEvent = NODE_ADD) -> QueueSetup:
    """A queue with the gate on. The first plugin is P1, the second P2, …; each waits for `event`."""
    at = parse_release(release, EVERY_MINOR)
    waits = tuple(Registration(f"P{number}", event, hint) for number, hint in enumerate(hints, 1))
    return QueueSetup(
        rules_for(QueueRules, at), rules_for(NominatorRules, at), QueueConfig(cluster_event_map=waits),
        rules_for(QueueingHintRules, at), True,
    )  # fmt: skip


def popped(setup: QueueSetup) -> tuple[QueuedPodInfo, Queue]:
    return queue.pop(setup, queue.add(setup, Queue(), A, 0))


def rejected(setup: QueueSetup, info: QueuedPodInfo, state: Queue, by: str) -> Queue:
    info = evolve(info, unschedulable_plugins=frozenset(by.split()))
    return queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, 0)[1]


def waits(state: Queue) -> bool:
    return find(state.unschedulable, A.name) is not None


def moved(release: str, *hints: HintFunction, by: str = "P1", new: Node = LARGE) -> bool:
    """Whether a node that joins moves the pod that these plugins rejected."""
    setup = setup_of(release, *hints)
    state = rejected(setup, *popped(setup), by)
    event = with_objects(NODE_ADD, None, new)
    return not waits(queue.move_all_to_active_or_backoff_queue(setup, state, LATER, event))


@pytest.mark.parametrize("release", ["1.28.3", "1.30.14", "1.31.14", "1.32.0"])
def test_a_hint_function_is_given_the_pod_and_the_object(release: str) -> None:
    assert moved(release, fits)
    assert not moved(release, fits, new=SMALL)


@pytest.mark.parametrize("release", ["1.28.3", "1.30.14", "1.31.14", "1.32.0"])
def test_what_the_answers_of_several_plugins_count_as(release: str) -> None:
    """A missing function counts as Queue, an error too, and any one rejecting plugin that says Queue suffices."""
    assert Registration("P1", NODE_ADD).hint is queue_after_backoff
    assert moved(release, queue_skip, queue_after_backoff, by="P1 P2")
    assert not moved(release, queue_skip, queue_skip, by="P1 P2")
    # P2 did not reject the pod.
    assert not moved(release, queue_skip, queue_after_backoff)
    assert moved(release, fails)


def test_an_error_is_logged() -> None:
    """#119290."""
    answer, met = with_errors_met(lambda: moved("1.31.14", fails))
    assert answer
    assert met == (MetError("isPodWorthRequeuing", "QueueingHintFn returns error: P1: no claim", "a#1"),)
    assert with_errors_met(lambda: moved("1.31.14", queue_skip)) == (False, ())


@pytest.mark.parametrize("release", ["1.28.0", "1.28.3", "1.30.14", "1.31.14", "1.32.0"])
def test_an_object_that_came_in_the_cycle_is_looked_at_when_the_pod_comes_back(release: str) -> None:
    for node, stays in ((SMALL, True), (LARGE, False)):
        setup = setup_of(release, fits)
        info, state = popped(setup)
        state = queue.move_all_to_active_or_backoff_queue(setup, state, 0, with_objects(NODE_ADD, None, node))
        assert waits(rejected(setup, info, state, "P1")) == stays


def of_bound(pod: Pod, old: Pod | None, new: Pod | None) -> events.Hint:
    """Something became of the bound pod, and both versions are told."""
    return "QueueAfterBackoff" if old == BOUND and new is not None and new.cpu_milli == 1 else "QueueSkip"


def test_the_update_of_a_bound_pod_brings_both_versions() -> None:
    """Also where the queue takes another event in place of the one that it is given (1.31)."""
    setup = setup_of("1.31.14", of_bound, event=ClusterEvent("Pod", events.UPDATE))
    state = rejected(setup, *popped(setup), "P1")
    new = evolve(BOUND, cpu_milli=1)
    for event in (events.POD_REQUEST_SCALED_DOWN, ASSIGNED_POD_OTHER_UPDATE):
        after = queue.assigned_pod_updated(setup, state, new, with_objects(event, BOUND, new), LATER)
        assert waits(after) == (event is ASSIGNED_POD_OTHER_UPDATE)


def of_own(pod: Pod, old: Pod | None, new: Pod | None) -> events.Hint:
    """The pod that waits got labels."""
    return "QueueAfterBackoff" if new is not None and new.uid == pod.uid and new.labels else "QueueSkip"


@pytest.mark.parametrize("release", ["1.31.14", "1.32.0"])
def test_the_update_of_the_pod_itself_brings_both_versions(release: str) -> None:
    setup = setup_of(release, of_own, event=ClusterEvent("Pod", events.UPDATE))
    labelled, noted = evolve(A, labels=(("app", "a"),)), evolve(A, annotations=(("a", "1"),))
    info, state = popped(setup)
    for new, stays in ((labelled, False), (noted, True)):
        assert waits(queue.update(setup, rejected(setup, info, state, "P1"), A, new, LATER)) == stays
        assert waits(rejected(setup, info, queue.update(setup, state, A, new, 0), "P1")) == stays


def test_events_have_no_objects_where_no_function_looks_at_them() -> None:
    setup = setup_of("1.32.0", queue_after_backoff, queue_immediately, event=ClusterEvent("Pod", events.ALL))
    _, state = popped(setup)
    state = queue.assigned_pod_added(setup, state, BOUND, 0)
    assert [each.event for each in state.in_flight_events if isinstance(each, InFlightEvent)] == [
        events.ASSIGNED_POD_ADD
    ]
    setup = setup_of("1.32.0", of_own, event=ClusterEvent("Pod", events.ALL))
    _, state = popped(setup)
    state = queue.assigned_pod_added(setup, state, BOUND, 0)
    assert state.in_flight_events[-1] == InFlightEvent(with_objects(events.ASSIGNED_POD_ADD, None, BOUND))
