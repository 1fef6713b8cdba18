"""Event handlers: which calls a notification makes, in which order, and what an answer of the cache changes."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from model.objects import Pod
from model.releases import known_release, newest, rules_for
from model.scheduler import eventhandlers as event_handlers
from model.scheduler.calls import AtMost, Call, Calls, move_all
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import PodNotification, after, filtered, on_assigned, on_unassigned
from model.scheduler.pod_handlers import on_pod, told_with_hints
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from tests.conftest import DATA
from tests.model.scheduler.handlers import BOUND, POD, rules_of, run


@pytest.mark.parametrize("release", ["1.13.12", "1.20.13", "1.22.5", "1.31.13"])
def test_the_queue_hears_only_of_pods_of_this_scheduler(release: str) -> None:
    rules, other = rules_of(release), evolve(POD, uid="p1#2", scheduler_name="other")

    def heard(old: Pod | None, new: Pod | None, final_state_unknown: bool = False) -> list[str]:
        return [call.function for call in on_unassigned(rules, PodNotification(old, new, final_state_unknown))]

    assert heard(None, other) == heard(other, evolve(other, condition="no")) == heard(other, None) == []
    assert heard(other, None, final_state_unknown=True) == []
    assert heard(other, POD) == heard(None, POD) == ["add"]
    # The informer missed the delete, and the next incarnation is of another scheduler.
    assert heard(POD, other) == heard(POD, None)
    assert "delete" in heard(POD, other)
    assert heard(BOUND, other) == []
    # Bound, it takes room, whoever has bound it.
    bound = evolve(other, node_name="n1")
    assert next(call.function for call in on_assigned(rules, PodNotification(other, bound))) == "add_pod"


def test_of_an_update_the_one_handler_asks_whose_pod_the_old_version_was() -> None:
    """1.35 on: nothing takes a pod that changes hands out of the queue, or brings it in."""
    rules, other = rules_of("1.36.2"), evolve(POD, uid="p1#2", scheduler_name="other")

    def heard(old: Pod | None, new: Pod | None, final_state_unknown: bool = False) -> list[str]:
        return [call.function for call in on_pod(rules, PodNotification(old, new, final_state_unknown))]

    assert heard(None, other) == heard(other, evolve(other, condition="no")) == heard(other, None) == []
    assert heard(other, None, final_state_unknown=True) == heard(evolve(POD, node_name="n1"), None)
    # The informer missed the delete, and the next incarnation is another scheduler's pod, or no longer one.
    assert "update" in heard(POD, other)
    assert heard(other, POD) == []
    bound = evolve(other, node_name="n1")
    assert heard(other, bound)[0] == "add_pod"
    assert "delete" not in heard(other, bound)
    assert "delete" in heard(POD, BOUND)


def test_an_update_that_asks_of_both_versions_is_a_delete_or_an_add() -> None:
    """The smallest fix of QUEUE-UPDATE-OTHER-SCHEDULER, in the one handler of 1.35 on."""
    rules = evolve(rules_of("1.36.2"), own_versions=event_handlers.each_own_version)
    other = evolve(POD, uid="p1#2", scheduler_name="other")
    assert on_pod(rules, PodNotification(POD, other)) == on_pod(rules, PodNotification(POD, None))
    assert on_pod(rules, PodNotification(other, POD)) == on_pod(rules, PodNotification(None, POD))
    assert on_pod(rules, PodNotification(other, evolve(other, condition="no"))) == ()
    assert on_pod(rules, PodNotification(POD, evolve(POD, condition="no")))[0].function == "is_assumed_pod"


def update(old: Pod, new: Pod) -> PodNotification:
    return PodNotification(old, new)


# --- which handler hears of what ---


def test_a_bind_is_a_delete_of_the_unbound_version_and_an_add_of_the_bound_one():
    bind = update(POD, BOUND)
    rules = newest(EventRules, "scheduling")
    assert on_unassigned(rules, bind)[0] == Call("queue", "delete", (POD,)), "the version from before the bind"
    assert run(rules, on_assigned(rules, bind)) == ["add_pod", "assigned_pod_added"]
    assert on_assigned(rules, bind)[0].args == (BOUND,)


def test_a_pod_recreated_unbound_leaves_the_cache_by_its_old_version():
    again = evolve(POD, uid="p1#2")
    assert on_assigned(newest(EventRules, "scheduling"), update(BOUND, again))[0] == Call(
        "cache", "remove_pod", (BOUND,)
    )
    assert on_unassigned(newest(EventRules, "scheduling"), update(BOUND, again)) == (Call("queue", "add", (again,)),)


@pytest.mark.parametrize(("pod", "other"), [(POD, on_assigned), (BOUND, on_unassigned)])
def test_what_a_handler_does_not_select_it_does_not_hear_of(pod: Pod, other: Callable[..., Calls]):
    later = evolve(pod, labels=(("x", "y"),))
    for notification in (PodNotification(None, pod), update(pod, later), PodNotification(pod, None)):
        assert other(newest(EventRules, "scheduling"), notification) == ()


@pytest.mark.parametrize(
    ("release", "removed"),
    [("1.17", False), ("1.20.13", False), ("1.20.14", True), ("1.21.7", False), ("1.22.5", True), ("1.23.0", True)],
)
def test_a_missed_delete_of_a_pod_last_seen_unbound(release: str, removed: bool):
    """The pod may be assumed by now: only if both handlers take the delete does the cache hear of it."""
    rules = rules_of(release)
    missed = PodNotification(POD, None, final_state_unknown=True)
    assert run(rules, on_unassigned(rules, missed))[0] == "delete"
    assert bool(on_assigned(rules, missed)) == removed


def test_what_is_filtered_once_may_be_filtered_again():
    for old in (None, POD, BOUND):
        for new in (None, POD, BOUND):
            for selects in (event_handlers.assigned_pod, event_handlers.unassigned_pod):
                heard = filtered(selects, event_handlers.last_known_state_is_selected, PodNotification(old, new))
                if heard is not None:
                    assert filtered(selects, event_handlers.last_known_state_is_selected, heard) == heard


# --- updates of pods that are not bound ---


def test_an_update_in_flight_reaches_the_queue_as_long_as_the_pod_is_not_assumed():
    new = evolve(POD, annotations=(("gpu", "0"),), resource_version=2)
    for release in ("1.13", "1.17", "1.21", "1.31"):
        rules = rules_of(release)
        assert run(rules, on_unassigned(rules, update(POD, new)), is_assumed_pod=False) == ["is_assumed_pod", "update"]


@pytest.mark.parametrize(("release", "heard"), [("1.19.16", True), ("1.20.0", False), ("1.31", False)])
def test_a_resync_with_the_same_version(release: str, heard: bool):
    rules = rules_of(release)
    assert bool(on_unassigned(rules, update(POD, POD))) == heard
    assert on_unassigned(rules, update(POD, evolve(POD, resource_version=2))), "a new version alone is an update"


CHANGES: dict[str, Pod] = {
    "annotations": evolve(POD, annotations=(("a", "b"),)),
    "managed fields": evolve(POD, managed_fields="kubectl"),
    "finalizers": evolve(POD, finalizers=("f",)),
    "conditions": evolve(POD, condition="0/1 nodes are available"),
    "labels": evolve(POD, labels=(("a", "b"),)),
    "deletion": evolve(POD, terminating=True),
    "nomination": evolve(POD, nominated_node_name="n1"),
}
BENIGN = ["annotations", "managed fields", "finalizers", "conditions"]


@pytest.mark.parametrize(
    ("release", "skipped"),
    [
        ("1.13", ["annotations"]),
        ("1.16.10", ["annotations"]),
        ("1.16.11", ["annotations", "finalizers", "conditions"]),
        ("1.17.6", ["annotations"]),
        ("1.17.7", ["annotations", "finalizers", "conditions"]),
        ("1.17.9", BENIGN),
        ("1.18.2", ["annotations"]),
        ("1.18.3", ["annotations", "managed fields"]),
        ("1.18.4", BENIGN),
        ("1.19.0", BENIGN),
        ("1.21.4", BENIGN),
        ("1.22.3", list(CHANGES)),
        ("1.31", list(CHANGES)),
    ],
)
def test_which_updates_of_an_assumed_pod_are_skipped(release: str, skipped: list[str]):
    rules = rules_of(release)
    assumed = evolve(POD, node_name="n1")
    seen = [
        change
        for change, pod in CHANGES.items()
        if "update"
        not in run(
            rules,
            on_unassigned(rules, update(POD, evolve(pod, resource_version=2))),
            is_assumed_pod=True,
            get_pod=assumed,
        )
    ]
    assert seen == skipped


def test_a_pod_that_is_forgotten_between_the_two_looks_into_the_cache_is_updated():
    rules = rules_of("1.17")
    calls = on_unassigned(rules, update(POD, evolve(POD, resource_version=2)))
    assert run(rules, calls, is_assumed_pod=True, get_pod=None) == ["is_assumed_pod", "get_pod", "update"]
    assert run(rules_of("1.22"), calls, is_assumed_pod=True) == ["is_assumed_pod"], "one look, from 1.22 on"


# --- before a cycle ---


def test_a_pod_being_deleted_is_not_scheduled():
    for release in ("1.13", "1.18", "1.31"):
        assert rules_of(release).skip_pod_schedule(evolve(POD, terminating=True)) == ()


@pytest.mark.parametrize(
    ("release", "change", "scheduled"),
    [
        ("1.17", "annotations", True),
        ("1.18", "annotations", False),
        ("1.18", "labels", True),
        ("1.21.4", "nomination", True),
        ("1.22.3", "nomination", False),
        ("1.31", "labels", False),
    ],
)
def test_a_popped_pod_that_is_assumed_already(release: str, change: str, scheduled: bool):
    rules = rules_of(release)
    popped = evolve(CHANGES[change], resource_version=2)
    made = run(rules, rules.skip_pod_schedule(popped), is_assumed_pod=True, get_pod=evolve(POD, node_name="n1"))
    assert (made[-1:] == ["schedule_pod"]) == scheduled


def test_a_pod_whose_bind_was_confirmed_is_scheduled_again_in_every_release():
    """It is in the cache, but not assumed any more: the window that `skipPodSchedule` leaves open."""
    for release in ("1.17", "1.18", "1.23", "1.31"):
        rules = rules_of(release)
        assert run(rules, rules.skip_pod_schedule(POD), is_assumed_pod=False)[-1] == "schedule_pod"


# --- deletes ---


@pytest.mark.parametrize(
    ("release", "waited", "made"),
    [
        ("1.16", True, ["delete"]),
        ("1.17", True, ["delete", "reject_waiting_pod"]),
        ("1.22", True, ["delete", "reject_waiting_pod"]),
        ("1.23", True, ["delete", "reject_waiting_pod", "move_all_to_active_or_backoff_queue"]),
        ("1.23", False, ["delete", "reject_waiting_pod"]),
    ],
)
def test_a_deleted_pod_that_waits_at_permit(release: str, waited: bool, made: list[str]):
    rules = rules_of(release)
    assert run(rules, on_unassigned(rules, PodNotification(POD, None)), reject_waiting_pod=waited) == made


NOMINATED = evolve(POD, nominated_node_name="n1", priority=5)


@pytest.mark.parametrize(
    ("release", "pod", "waited", "moves"),
    [
        ("1.32.13", NOMINATED, False, ()),
        ("1.33.0", NOMINATED, False, (AtMost(5),)),
        ("1.33.0", NOMINATED, True, (None,)),
        ("1.33.0", POD, False, ()),
        ("1.33.0", POD, True, (None,)),
    ],
)
def test_who_hears_that_a_nominated_pod_is_deleted(
    release: str, pod: Pod, waited: bool, moves: tuple[AtMost | None, ...]
) -> None:
    """Those of its priority or less had counted it on the node; if it waited at Permit, everybody hears."""
    rules = rules_of(release)
    calls = on_unassigned(rules, PodNotification(pod, None))
    made: list[Call] = []
    while calls:
        made.append(calls[0])
        calls = after(rules, calls, waited)
    assert made[2:] == [move_all(ASSIGNED_POD_DELETE, check) for check in moves]


@pytest.mark.parametrize(
    ("release", "now", "moved"),
    [("1.32.13", "", False), ("1.33.0", "", True), ("1.33.0", "n2", True), ("1.33.0", "n1", False)],
)
def test_who_hears_that_a_pod_is_no_longer_nominated(release: str, now: str, moved: bool) -> None:
    rules, new = rules_of(release), evolve(NOMINATED, nominated_node_name=now, resource_version=9)
    calls = on_unassigned(rules, PodNotification(NOMINATED, new))
    assert [call.function for call in calls[:2]] == ["is_assumed_pod", "update"]
    assert calls[2:] == ((move_all(ASSIGNED_POD_DELETE, AtMost(5)),) if moved else ())
    assert run(rules, calls, is_assumed_pod=True) == ["is_assumed_pod"]


def test_the_moves_of_a_nomination_keep_their_check_with_hints_on() -> None:
    rules, newer = rules_of("1.34.1"), evolve(NOMINATED, nominated_node_name="", resource_version=9)
    at = known_release("1.34.1")
    setup = QueueSetup(rules_for(QueueRules, at), rules_for(NominatorRules, at), QueueConfig())
    for old, new in ((NOMINATED, None), (NOMINATED, newer)):
        told = told_with_hints(setup, lambda old, new: None, on_unassigned(rules, PodNotification(old, new)))
        assert told[-1].args[1] == AtMost(5)


def test_a_new_nomination_moves_nobody() -> None:
    new = evolve(NOMINATED, resource_version=9)
    assert len(on_unassigned(rules_of("1.36"), PodNotification(POD, new))) == 2


def test_a_priority_or_less() -> None:
    assert [AtMost(5)(evolve(POD, priority=priority)) for priority in (4, 5, 6)] == [True, True, False]


def test_a_deleted_bound_pod_moves_others_after_the_cache_forgot_it():
    rules = newest(EventRules, "scheduling")
    made = run(rules, on_assigned(rules, PodNotification(BOUND, None)))
    assert made == ["remove_pod", "move_all_to_active_or_backoff_queue"]


# --- updates of bound pods ---


@pytest.mark.parametrize(
    ("release", "made"),
    [
        ("1.18", ["update_pod", "assigned_pod_updated"]),
        ("1.19", ["remove_pod", "move_all_to_active_or_backoff_queue", "add_pod", "assigned_pod_added"]),
        ("1.23", ["remove_pod", "move_all_to_active_or_backoff_queue", "add_pod", "assigned_pod_added"]),
        ("1.24", ["update_pod", "assigned_pod_updated"]),
    ],
)
def test_a_pod_deleted_and_created_anew_that_is_seen_as_an_update(release: str, made: list[str]):
    rules = rules_of(release)
    assert run(rules, on_assigned(rules, update(BOUND, evolve(BOUND, uid="p1#2")))) == made


def test_what_changed_of_a_bound_pod_is_told_one_by_one_in_1_31():
    rules = rules_of("1.31")
    new = evolve(BOUND, labels=(("a", "b"),), cpu_milli=500)
    labels = [call.args[1].label for call in on_assigned(rules, update(BOUND, new))[1:]]
    assert labels == ["PodLabelChange", "PodRequestScaledDown"]
    other = on_assigned(rules, update(BOUND, evolve(BOUND, resource_version=3, cpu_milli=2000)))
    assert [call.args[1].label for call in other[1:]] == ["AssignedPodUpdate"]


# --- failures ---


@pytest.mark.parametrize(
    ("release", "reads", "cycle", "repairs"),
    [
        ("1.13", "api", "none", True),
        ("1.18", "api", "before the goroutine", True),
        ("1.19.14", "second informer", "at queueing", True),
        ("1.19.15", "informer", "at queueing", True),
        ("1.29", "informer", "at queueing", True),
        ("1.30", "informer", "at queueing", False),
    ],
)
def test_how_a_failed_pod_is_looked_up(release: str, reads: str, cycle: str, repairs: bool):
    shape = rules_of(release).error_func()
    assert (shape.reads, shape.scheduling_cycle, shape.repairs_nodes) == (reads, cycle, repairs)


# --- recordings of the real handlers, while a pod waits at Permit and so is assumed ---


def handler_of(action: str) -> tuple[PodNotification, Pod]:
    """What the recorded action tells the handler, and the pod in the cache: the labels, or the deletion, changed."""
    changed = {
        "update_event": evolve(POD, labels=(("x", "1"),), resource_version=2),
        "deleting_event": evolve(POD, terminating=True, resource_version=2),
        "delete_event": None,
    }
    return PodNotification(POD, changed[action]), evolve(POD, node_name="n1")


def expected(rules: EventRules, action: str) -> tuple[list[str], bool]:
    """The queue's functions that are called, in order; and whether the pod is in activeQ afterwards."""
    notification, assumed = handler_of(action)
    calls, made = on_unassigned(rules, notification), []
    while calls:
        if calls[0].component == "queue":
            made.append(calls[0].function)
        answers = {"is_assumed_pod": True, "get_pod": assumed, "reject_waiting_pod": True}
        calls = after(rules, calls, answers.get(calls[0].function))
    return made, "update" in made


GO_NAMES = {"delete": "Delete", "move_all_to_active_or_backoff_queue": "MoveAllToActiveOrBackoffQueue"}


@pytest.mark.parametrize("line", (DATA / "event_handlers.jsonl").read_text().splitlines())
def test_the_recorded_handlers_do_the_same(line: str):
    recorded = json.loads(line)
    made, active = expected(rules_of(recorded["release"]), recorded["action"])
    assert (recorded["uid"] in recorded["active"]) == active
    assert [call[1] for call in recorded["calls_after"]] == [GO_NAMES[name] for name in made if name != "update"]


@pytest.mark.parametrize("release", ["1.17.10", "1.28.14", "1.31.13"])
def test_every_recorded_update_of_a_waiting_pod(release: str, conformance: Path):
    """Where the binding succeeded, nothing but the update can have put the pod into activeQ."""
    rules = rules_of(release)
    seen = 0
    with gzip.open(conformance / "cycle" / f"cycle_calls-{release}.jsonl.gz", "rt") as lines:
        for case in map(json.loads, lines):
            for op, observed in zip(case["ops"], case["observed"], strict=True):
                state = observed["state"]
                for action in op.get("while_waiting", []):
                    uid = f"{action['pod']}#1"
                    if (
                        action["do"] not in ("update_event", "deleting_event")
                        or not state["cache"].get(uid, [0] * 3)[2]
                    ):
                        continue
                    seen += 1
                    assert (uid in state["active"]) == expected(rules, action["do"])[1], case["case"]
    assert seen > 5
