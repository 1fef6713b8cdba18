"""What the queue of 1.31 on keeps to whatever it is asked: operations by Hypothesis, with each setting of the gates."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.go.cases.scheduling_queue import cases
from model.evolve import evolve
from model.releases import known_release
from model.scheduler.queue import in_flight, pop, scheduling_queue as queue
from model.scheduler.queue.nominator import Nominator

RELEASES = ("1.31.13", "1.32.0", "1.33.1", "1.34.1", "1.35.0", "1.36.2")
Drawn = tuple[dict[str, Any], list[dict[str, Any]]]
# The operation, what was seen before and after it, and whether pods are popped from the backoff queue.
Claim = Callable[[dict[str, Any], dict[str, Any], dict[str, Any], bool], bool]
PLACES = ("active", "backoff", "unschedulable")
NOTHING: dict[str, Any] = {"active": [], "backoff": [], "unschedulable": [], "in_flight": [], "in_flight_events": []}


def _uids(seen: dict[str, Any]) -> list[str]:
    return [*seen["active"], *(uid for uid, _ in seen["backoff"]), *seen["unschedulable"]]


def in_one_place(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """No name is twice in the queue."""
    names = [uid.partition("#")[0] for uid in _uids(after)]
    return len(names) == len(set(names))


def deleted_is_gone(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """What was deleted is in no sub-queue."""
    if op["op"] != "delete":
        return True
    name = op["pod"]["uid"].partition("#")[0]
    return all(uid.partition("#")[0] != name for uid in _uids(after))


def one_element(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """The list of events has one element for each pod in flight, and begins with one."""
    elements = [each for each in after["in_flight_events"] if each.startswith("pod:")]
    begins = not after["in_flight_events"] or after["in_flight_events"][0].startswith("pod:")
    return begins and sorted(elements) == [f"pod:{uid}" for uid in after["in_flight"]]


def popped_is_first(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """Pop hands out the first of activeQ that is not in flight; with none left, one of the first window."""
    if op["op"] != "pop" or after["popped"] is None:
        return True
    left = [uid for uid in before["active"] if uid not in before["in_flight"]]
    if left:
        return bool(after["popped"] == left[0])
    errors = set(before.get("error_backoff", ()))
    waiting = {uid: end for uid, end in before["backoff"] if uid not in errors and uid not in before["in_flight"]}
    return pops and waiting.get(after["popped"]) == min(waiting.values(), default=None)


def error_backs_off(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """What met an error is not popped before its backoff is over."""
    return op["op"] != "pop" or after["popped"] not in before.get("error_backoff", ())


def others_stay_nominated(op: dict[str, Any], before: dict[str, Any], after: dict[str, Any], pops: bool) -> bool:
    """An operation about a pod leaves the nominations of others alone, and one about no pod those of all."""
    about = {op[role]["uid"].partition("#")[0] for role in ("pod", "old", "new") if role in op}

    def of_others(seen: dict[str, Any]) -> set[tuple[str, str]]:
        found = {(node, uid) for node, uids in seen.get("nominated", {}).items() for uid in uids}
        return {(node, uid) for node, uid in found if uid.partition("#")[0] not in about}

    return of_others(before) == of_others(after)


CLAIMS: dict[str, Claim] = {
    each.__name__: each
    for each in (
        in_one_place,
        deleted_is_gone,
        one_element,
        popped_is_first,
        error_backs_off,
        others_stay_nominated,
    )
}


def broken(release: str, drawn: Drawn) -> set[str]:
    """The claims that a case breaks. An operation that cannot be played raises."""
    config, ops = drawn
    player, before, found = SchedulingQueuePlayer(known_release(release), config), NOTHING, set()
    pops = config.get("pop_from_backoff_q", False)
    for op in ops:
        after = player.play(op)
        found |= {name for name, claim in CLAIMS.items() if not claim(op, before, after, pops)}
        before = after
    return found


@cache
def drawn_cases(release: str) -> st.SearchStrategy[Drawn]:
    return cases(known_release(release))


# Two sub-queues have the pod after an update of two properties of a pod, the first of which helps and the second does
# not: in 1.31 and 1.32, and later with SchedulerPopFromBackoffQ off. In 1.31 Pop takes what is in flight already.
KNOWN = {"1.31.13": {"in_one_place", "one_element", "popped_is_first"}, "1.32.0": {"in_one_place"}}
WITHOUT_POPS = {"in_one_place", "deleted_is_gone"}


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_queue_keeps_to_its_claims_whatever_it_is_asked(release: str, data: st.DataObject) -> None:
    config, ops = data.draw(drawn_cases(release))
    known = KNOWN.get(release, set() if config.get("pop_from_backoff_q") else WITHOUT_POPS)
    assert broken(release, (config, ops)) <= known


def _plays(release: str, config: dict[str, Any], ops: list[dict[str, Any]]) -> set[str]:
    return broken(release, (config, ops))


TWICE: list[dict[str, Any]] = [
    {"op": "add", "pod": {"uid": "p1#1", "cpu_milli": 30}},
    {"op": "pop"},
    {"op": "add_unschedulable", "pod": {"uid": "p1#1", "cpu_milli": 30}, "cycle": 1,
     "unschedulable_plugins": ["OnPodLabel"]},
    {"op": "update", "old": {"uid": "p1#1", "cpu_milli": 30},
     "new": {"uid": "p1#1", "cpu_milli": 20, "labels": {"app": "a"}}},
    {"op": "delete", "pod": {"uid": "p1#1", "cpu_milli": 20, "labels": {"app": "a"}}},
]  # fmt: skip


def test_a_deleted_pod_stays_where_delete_does_not_look() -> None:
    """1.33 on, with SchedulerPopFromBackoffQ off. The recordings have this case of the real code."""
    off = {"queueing_hints": True, "pop_from_backoff_q": False}
    for release in ("1.33.1", "1.34.1", "1.35.0", "1.36.2"):
        assert _plays(release, off, TWICE) == {"in_one_place", "deleted_is_gone"}
        assert _plays(release, {**off, "pop_from_backoff_q": True}, TWICE) == set()
    assert _plays("1.32.0", {"queueing_hints": True}, TWICE) == {"in_one_place"}
    with in_place_of("forget_deleted", queue.deleted_leaves_waiting):
        assert _plays("1.36.2", off, TWICE) == {"in_one_place"}


def _popping(ops: list[dict[str, Any]], *popped: str) -> list[dict[str, Any]]:
    """Each of these pods is popped, and fails; of p1 by a plugin, of p2 by an error."""
    for cycle, uid in enumerate(popped, start=1):
        rejected = {"unschedulable_plugins": ["AlwaysQueue"]} if uid == "p1#1" else {}
        ops = [*ops, {"op": "pop"}, {"op": "move_all", "event": "NodeAdd"},
               {"op": "add_unschedulable", "pod": {"uid": uid}, "cycle": cycle, **rejected}]  # fmt: skip
    return ops


def _last_of_backoff_queue(setup: Any, state: Any) -> Any:
    """Pop takes the last pod of the backoff queue, whatever its end is and whatever the pod met."""
    if state.active or not setup.pop_from_backoff or not state.backoff:
        return state
    return evolve(state, active=state.backoff[-1:], backoff=state.backoff[:-1])


def test_the_claims_about_pop_and_about_pods_in_flight_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    on = {"queueing_hints": True, "pop_from_backoff_q": True}
    added = [{"op": "add", "pod": {"uid": "p1#1"}}]
    twice = [*added, {"op": "pop"}, {"op": "add", "pod": {"uid": "p1#1"}}, {"op": "pop"}]
    assert _plays("1.36.2", on, twice) == set()
    with in_place_of("discard_popped", in_flight.discard_nothing):
        assert "one_element" in _plays("1.36.2", on, twice)
    both = _popping([*added, {"op": "add", "pod": {"uid": "p2#1"}}], "p1#1", "p2#1")
    assert _plays("1.36.2", on, [*both, {"op": "pop"}]) == set()
    monkeypatch.setattr(pop, "_with_head", _last_of_backoff_queue)
    # The backoff of p2 began in a later second.
    later = [*both[:-3], {"op": "advance", "ms": 1000}, *both[-3:], {"op": "pop"}]
    assert _plays("1.36.2", on, later) == {"error_backs_off", "popped_is_first"}


def test_the_claim_about_nominations_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    on = {"queueing_hints": True, "pop_from_backoff_q": True}
    ops = [
        {"op": "add", "pod": {"uid": "p1#1"}},
        {"op": "nominate", "pod": {"uid": "p1#1"}, "node": "n1"},
        {"op": "pop"},
    ]
    assert _plays("1.36.2", on, ops) == set()
    monkeypatch.setattr(pop, "_with_head", lambda setup, state: evolve(state, nominator=Nominator()))
    assert _plays("1.36.2", on, ops) == {"others_stay_nominated"}
