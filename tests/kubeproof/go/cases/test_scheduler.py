"""Operations of the scheduler are runs of scheduling, and the player follows the machine."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_run
from kubeproof.conform.conform import replay_cases
from kubeproof.conform.operations import NotCovered
from kubeproof.conform.scheduler import SchedulerPlayer
from kubeproof.errors import InputError
from kubeproof.go.cases.scheduler import RELEASES, cases, config, operation
from kubeproof.players.scheduling import SCHEDULING
from kubeproof.systems.system import fact_text
from model.releases import known_release

TWO_NODES = {"pods": 2, "nodes": 2, "room": 1}
TO_ASSUME = [
    {"op": "create_pod", "pod": "p1"},
    {"op": "deliver_pod", "pod": "p1"},
    {"op": "pop", "pod": "p1"},
    {"op": "schedule", "pod": "p1"},
]


def player(scope: dict[str, int], release: str = "1.31.13", **more: Any) -> SchedulerPlayer:
    return SchedulerPlayer(
        known_release(release), {"system": "scheduling", "scope": scope, "binds_any_uid": False, **more}
    )


@pytest.mark.parametrize("name", ["CACHE-RECREATE-LEAK", "NOM-STALE-RETRY", "NOM-NOT-CLEARED", "SNAP-GHOST-COUNT"])
def test_a_kept_run_goes_as_the_machine_goes(name: str) -> None:
    (bug,) = (bug for bug in BUGS if bug.id == name)
    run = kept_run(bug)
    machine = run.machine()
    plays = SchedulerPlayer(known_release(run.release), config("scheduling", run.scope, machine.rules))
    state = machine.initial_states()[0]
    for action in run.actions:
        state = machine.step(state, action)
        seen = {subject: fact_text(fact) for subject, fact in SCHEDULING.facts(state).items()}
        got = plays.play(operation(action))
        assert got == seen or plays.agrees(operation(action), seen, got)


@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_a_drawn_run_is_possible_in_its_release(release: str, data: st.DataObject) -> None:
    config, ops = data.draw(cases(known_release(release)))
    plays = SchedulerPlayer(known_release(release), config)
    for op in ops:
        assert "impossible" not in plays.play(op)


def test_go_may_take_another_node_that_fits() -> None:
    """The case goes on from the node that was taken; a node on which the pod does not fit is a difference."""
    plays, op = player(TWO_NODES), {"op": "assume", "pod": "p1", "node": "n2"}
    for each in TO_ASSUME:
        plays.play(each)
    got = plays.play(op)
    assert got["cache: p1#1"] == "assumed, on n2"
    swapped = {"cache: p1#1": "assumed, on n1", "cache: node n1": "a node, p1#1", "cache: node n2": "a node"}
    assert not plays.agrees(op, {**got, "cache: p1#1": "assumed, on n1"}, got)
    assert plays.agrees(op, {**got, **swapped}, got)
    assert plays.play({"op": "bind", "pod": "p1"})["API server: p1"] == "p1#1 (on n1)"


def test_an_operation_that_cannot_be_taken_ends_the_case() -> None:
    plays = player(TWO_NODES)
    got = plays.play({"op": "pop", "pod": "p1"})
    assert plays.agrees({"op": "pop", "pod": "p1"}, {"impossible": "no pod is in activeQ"}, got)
    assert not plays.agrees({"op": "pop", "pod": "p1"}, {"queue: activeQ": "p2#1"}, got)
    with pytest.raises(ValueError, match="impossible, which ends the case"):
        plays.play(TO_ASSUME[0])


def test_the_end_of_the_process_is_one_whatever_go_says_of_it() -> None:
    """CACHE-NODE-BEFORE-PODS-CRASH ends with klog's Fatalf or a panic, which have no state."""
    (bug,) = (bug for bug in BUGS if bug.id == "CACHE-NODE-BEFORE-PODS-CRASH")
    run = kept_run(bug)
    plays = SchedulerPlayer(known_release(run.release), config("scheduling", run.scope, run.machine().rules))
    *before, last = map(operation, run.actions)
    for op in before:
        got = plays.play(op)
        assert not plays.agrees(op, {"fatal": True}, got)
    got = plays.play(last)
    assert plays.agrees(last, {"fatal": True}, got)
    assert plays.agrees(last, {"panic": "invalid memory address"}, got)


def test_two_handlers_that_lag_are_not_covered_where_pods_have_one() -> None:
    """From 1.35 on (#134157) one handler hears of all pods; the driver's handlers that lag are two."""
    scope = {**TWO_NODES, "listeners": 1}
    assert "impossible" not in player(scope, "1.34.9").play(TO_ASSUME[0])
    with pytest.raises(NotCovered, match="one handler"):
        player(scope, "1.35.0")
    assert "impossible" not in player(TWO_NODES, "1.35.0").play(TO_ASSUME[0])


@pytest.mark.parametrize("bounds", [{"clock": 1}, {"fine": 1}])
def test_a_world_that_no_driver_makes_is_not_covered(bounds: dict[str, int]) -> None:
    with pytest.raises(NotCovered):
        player({**TWO_NODES, **bounds})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"scope": {"pods": 1, "nodes": 1, "wings": 2}}, "'wings' is not a bound of scheduling"),
        ({"system": "cpu-manager"}, "no driver plays 'cpu-manager'"),
        ({"scope": {"pods": "x"}}, "'config' is not a config of scheduler"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(more: dict[str, Any], said: str) -> None:
    config = {"system": "scheduling", "scope": TWO_NODES, "binds_any_uid": False, **more}
    case = {"system": "scheduler", "release": "1.31.13", "case": 0, "config": config, "ops": [], "observed": []}
    with pytest.raises(InputError, match=said):
        replay_cases("results", [("line 2", case)])
