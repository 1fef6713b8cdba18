"""The nominator: whom releases keep nominated, and where."""

import pytest
from attrs import evolve

from model.objects import Pod
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import Queue
from tests.model.scheduler.queue.queues import P1, failed, setup_of


def nominated(state: Queue) -> dict[str, list[str]]:
    return {node: [pod.uid for pod in pods] for node, pods in state.nominator.nominated_pods}


def test_1_13_looks_for_a_nomination_where_the_object_at_hand_says() -> None:
    setup = setup_of("1.13.0")
    state = queue.add(setup, Queue(), evolve(P1, nominated_node_name="n1"), 0)
    assert nominated(queue.delete(setup, state, evolve(P1, nominated_node_name="n2"))) == {"n1": ["p1#1"]}
    assert nominated(queue.delete(setup_of("1.14.0"), _as_1_14(state), P1)) == {}


def _as_1_14(state: Queue) -> Queue:
    return evolve(state, nominator=evolve(state.nominator, nominated_pod_to_node=(("p1#1", "n1"),)))


@pytest.mark.parametrize(
    ("release", "kept"), [("1.13.0", {}), ("1.13.2", {"n1": ["p1#1"]}), ("1.14.0", {"n1": ["p1#1"]})]
)
def test_a_nomination_is_made_in_memory_from_1_13_2_on(release: str, kept: dict[str, list[str]]) -> None:
    assert nominated(queue.add_nominated_pod(setup_of(release), Queue(), P1, "n1")) == kept


@pytest.mark.parametrize(
    ("release", "kept"), [("1.14.0", {}), ("1.15.11", {"n1": ["p1#1"]}), ("1.31", {"n1": ["p1#1"]})]
)
def test_an_update_that_says_nothing_of_a_node_keeps_the_nomination(release: str, kept: dict[str, list[str]]) -> None:
    setup = setup_of(release)
    state = queue.add_nominated_pod(setup, failed(setup), P1, "n1")
    assert nominated(queue.update(setup, state, P1, evolve(P1, resource_version=2), 5)) == kept


@pytest.mark.parametrize(
    ("release", "of_gone", "of_bound", "cleared"),
    [
        ("1.19.11", True, True, {"n0": ["p1#1"]}),
        ("1.19.12", False, True, {"n0": ["p1#1"]}),
        ("1.21.11", True, True, {"n0": ["p1#1"]}),
        ("1.21.12", False, False, {"n0": ["p1#1"]}),
        ("1.22.3", False, True, {"n0": ["p1#1"]}),
        ("1.22.9", False, False, {"n0": ["p1#1"]}),
        ("1.23.3", False, True, {"": ["p1#1"]}),
        ("1.23.10", False, False, {"": ["p1#1"]}),
        ("1.24.0-beta.0", False, True, {"": ["p1#1"]}),
        ("1.24.0", False, False, {"": ["p1#1"]}),
        ("1.31.13", False, False, {"": ["p1#1"]}),
    ],
)
def test_whom_the_nominator_accepts(release: str, of_gone: bool, of_bound: bool, cleared: dict[str, list[str]]) -> None:
    setup = setup_of(release)
    gone = queue.add_nominated_pod(setup, Queue(), P1, "n1", lambda name: None)
    assert bool(nominated(gone)) is of_gone
    bound = queue.add_nominated_pod(setup, Queue(), P1, "n1", {"p1": evolve(P1, node_name="n2")}.get)
    assert bool(nominated(bound)) is of_bound
    pod = evolve(P1, nominated_node_name="n0")
    assert nominated(queue.add_nominated_pod(setup, Queue(), pod, "", {"p1": pod}.get)) == cleared


@pytest.mark.parametrize(("release", "left"), [("1.17.10", {}), ("1.22.3", {"n1": ["p1#2"]}), ("1.31.13", {})])
def test_a_namesake_that_comes_as_an_update_inherits_a_place_in_the_list(
    release: str, left: dict[str, list[str]]
) -> None:
    setup = setup_of(release)
    old, new = evolve(P1, nominated_node_name="n1"), evolve(P1, uid="p1#2", resource_version=2)
    state = queue.update(setup, failed(setup, old), old, new, 5, {"p1": new}.get)
    assert nominated(state) == left
    assert state.nominator.nominated_pod_to_node == ()
    # Nothing looks for it there any more.
    assert nominated(queue.delete(setup, state, new)) == left


def test_1_31_reads_a_nominated_pod_from_the_sub_queues() -> None:
    pod = evolve(P1, priority=7)
    for release, in_flight in (("1.30.5", pod), ("1.31.13", Pod("p1", "p1#1"))):
        setup = setup_of(release)
        state = queue.add_nominated_pod(setup, queue.add(setup, Queue(), pod, 0), pod, "n1")
        assert queue.nominated_pods_for_node(setup, state, "n1") == (pod,)
        _, state = queue.pop(setup, state)
        assert queue.nominated_pods_for_node(setup, state, "n1") == (in_flight,)
        assert queue.delete_nominated_pod_if_exists(setup, state, pod).nominator == Nominator()
