"""Traces as text: records in few words, only what changed; scopes without zeros; actions that a scope leaves out."""

from typing import Any

import pytest
from attrs import evolve, fields, frozen

from kubeproof.engines.explicit import Limits, explore
from kubeproof.report.changes import change_text, changes, show
from kubeproof.report.terminal import never_taken, steps_text
from kubeproof.systems.records import WORDS
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import replay
from model.machine import Action
from model.objects import Node, Pod
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot, PodState
from model.scheduler.calls import move_all
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.events import WILD_CARD_EVENT
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.scheduling import SchedulingScope
from model.systems.scheduling.offers import never_offered
from model.systems.scheduling.records import Goroutine, NodeEvent, PodEvent

POD = Pod("p1", "p1#1", cpu_milli=1000)
BOUND = evolve(POD, node_name="n1", annotations=(("gpu", "0"),))


@frozen
class Odd:
    """A record that nobody has words for."""

    number: int
    text: str = ""
    flag: bool = False


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (POD, "p1#1"),
        (Pod("p1", ""), "p1"),
        (evolve(BOUND, priority=1, terminating=True), "p1#1 (priority 1, on n1, annotation gpu=0, terminating)"),
        (evolve(POD, cpu_milli=500, nominated_node_name="n2"), "p1#1 (cpu 500m, nominated n2)"),
        (
            QueuedPodInfo(POD, 5, 2, frozenset({"B", "A"}), frozenset({"C"})),
            "p1#1 (2 attempts, rejected by A B, waits for C)",
        ),
        (PodState("p1#1", BOUND, assumed=True, deadline=7), "p1#1 (on n1, annotation gpu=0, assumed, until 7 ms)"),
        (PodState("p1#2", POD), "p1#1 (filed under p1#2)"),
        (NodeInfo("n1", Node("n1"), (POD, BOUND)), "n1: p1#1, p1#1"),
        (NodeInfo("n1"), "n1 (no Node): no pods"),
        (CacheSnapshot(), "none"),
        (Goroutine(("bind",), QueuedPodInfo(BOUND), node="n1"), "p1#1 (on n1, annotation gpu=0, to n1), next bind"),
        (Goroutine((), QueuedPodInfo(POD), candidates=("n1", "n2")), "p1#1 (fits n1 n2), next nothing"),
        (PodEvent("delete", POD, final_state_unknown=True), "delete p1#1 (final state unknown)"),
        (NodeEvent("add", Node("n2", "z1")), "add n2 (zone z1)"),
        (PodNotification(POD, BOUND), "update p1#1 (on n1, annotation gpu=0)"),
        (PodNotification(POD), "delete p1#1"),
        (PodNotification(None, POD), "add p1#1"),
        (move_all(WILD_CARD_EVENT), "queue.move_all_to_active_or_backoff_queue(WildCardEvent, None)"),
        (("", None), '["", None]'),
        (Odd(3, flag=True), "(number=3, flag=True)"),
        (frozenset({2, 1}), "{1, 2}"),
    ],
)  # fmt: skip
def test_a_record_is_told_by_what_is_not_as_usual(value: Any, expected: str) -> None:
    assert show(value) == expected


def test_every_field_of_a_pod_shows() -> None:
    other = Pod("p1", "p1#1", 1, 500, "n1", "n2", (("a", "b"),), (("c", "d"),), "e", "f", "g", 9, True, "h", ("i",))
    for field in fields(Pod):
        if field.name not in ("name", "uid"):
            assert show(evolve(POD, **{field.name: getattr(other, field.name)})) != show(POD)


def test_changes_tell_places_apart_and_a_snapshot_as_a_whole() -> None:
    assert list(changes((None, POD), (POD, BOUND), "pods")) == [
        ("pods[0]", None, POD),
        ("pods[1].node_name", "", "n1"),
        ("pods[1].annotations", (), (("gpu", "0"),)),
    ]
    taken = CacheSnapshot((NodeInfo("n1", Node("n1")),), ("n1",), 3)
    assert list(changes(CacheSnapshot(), taken, "snapshot")) == [("snapshot", CacheSnapshot(), taken)]


def test_of_a_list_that_lost_its_beginning_only_the_next_is_told() -> None:
    assert change_text(("a", "b", "c"), ("b", "c")) == "[a, b, c] -> [b, …]"
    assert change_text(("a", "b"), ("b",)) == "[a, b] -> [b]"
    assert change_text(("a", "b"), ("a",)) == "[a, b] -> [a]"


def test_a_trace_of_the_scheduler_says_what_changed_in_few_words() -> None:
    machine = SCHEDULING.machine(SchedulingScope(pods=1), rules_for(SCHEDULING.rules_class, parse_release("1.17.10")))
    names = ("create_pod", "deliver_pod", "pop", "schedule")
    trace = replay(machine, [*(Action.of(name, pod="p1") for name in names), Action.of("assume", pod="p1", node="n1")])
    assert steps_text(trace)[-6:] == [
        "   5  assume(pod='p1', node='n1')",
        "        cache.nodes[0].pods           [] -> [p1#1 (on n1)]",
        "        cache.nodes[0].requested_cpu  0 -> 1000",
        "        cache.pod_states              [] -> [p1#1 (on n1, assumed)]",
        "        cycle                         p1#1 (fits n1), next assume, delete_nominated_pod -> None",
        "        bindings                      [] -> [p1#1 (on n1, to n1), next bind]",
    ]
    assert not any(record.__name__ in line for record in WORDS for line in steps_text(trace))


# --- scopes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_the_brief_text_of_a_scope_names_the_same_scope(system: System) -> None:
    for scope in (system.scope, system.scopes.fix, *system.scopes.fix_narrow, system.scopes.large):
        brief = system.brief_scope(scope_text(scope))
        assert system.parse_scope(brief) == scope
        assert len(brief) <= len(scope_text(scope))


def test_a_zero_that_is_not_usual_is_told() -> None:
    text = scope_text(evolve(SCHEDULING.scope, extender=0))
    assert "extender=0" in SCHEDULING.brief_scope(text)
    assert "deletes=0" not in SCHEDULING.brief_scope(text)


# --- actions that are not there --------------------------------------------------------------------------------------

EVERY_POWER = SchedulingScope(
    pods=2, high=1, nodes=1, updates=1, finalizers=1, labels=1, deletes=1, recreates=1, resyncs=1, relists=1,
    node_deletes=1, node_adds=1, lost_replies=1, bind_errors=1, other_binders=1, extender=1, preemption=1, clock=1,
    flush=1, expiry=1, graceful=1, heartbeats=1, listeners=1,
)  # fmt: skip


@pytest.mark.parametrize("release", ["1.13.0", "1.17.10", "1.22.3", "1.31.0"])
@pytest.mark.parametrize(
    "scope",
    [
        SchedulingScope(pods=1),
        SchedulingScope(pods=2, deletes=1),
        SchedulingScope(pods=1, nodes=1, extender=1, preemption=1, bind_errors=1),
        SchedulingScope(pods=1, nodes=1, extender=1, preemption=1, fine=1),
        SchedulingScope(pods=2, high=1, nodes=1, preemption=1, graceful=1),
        SchedulingScope(pods=1, clock=1, late_nodes=1),
        EVERY_POWER,
    ],
    ids=lambda scope: SCHEDULING.brief_scope(scope_text(scope)),
)  # fmt: skip
def test_what_is_said_never_to_be_offered_is_never_taken(scope: SchedulingScope, release: str) -> None:
    rules = rules_for(SCHEDULING.rules_class, parse_release(release))
    run = explore(SCHEDULING.machine(scope, rules), symmetry=True, limits=Limits(states=2_000))
    taken = {name for name, count in run.counts.fired.items() if count}
    assert taken
    assert not taken & never_offered(scope, rules)


def test_in_a_scope_with_every_power_only_what_the_release_or_the_grain_lacks_is_left_out() -> None:
    rules = rules_for(SCHEDULING.rules_class, parse_release("1.17.10"))
    absent = never_offered(evolve(EVERY_POWER, fine=1), rules)
    assert absent == {
        "choose", "post_filter", "requeue", "add_nominated_pod", "patch_failure", "move_after_forget",
    }  # fmt: skip


def test_never_taken_leaves_out_what_the_scope_has_not() -> None:
    fired = {"create_pod": 1, "delete_pod": 0, "bind_failed": 0, "post_filter": 0}
    result = Result(
        property="p",
        engine="explicit",
        outcome=Outcome.HOLDS,
        states=1,
        fired=fired,
        scope=SCHEDULING.scope,
    )
    rules = rules_for(SCHEDULING.rules_class, parse_release("1.17.10"))
    assert never_taken(SCHEDULING, rules, [result]) == ["never taken by explicit: bind_failed"]
