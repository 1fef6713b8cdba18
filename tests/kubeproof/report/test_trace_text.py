"""Runs as text: facts in few words, only what changed; scopes from 0 on; actions that a scope leaves out."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields

from kubeproof.check.check import check_system
from kubeproof.engines.explicit import Limits, explore
from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix
from kubeproof.report.terminal import never_taken, trace_text
from kubeproof.report.told import Change, changes, loop_text
from kubeproof.systems.component_facts import pod_text
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.scheduling.facts import facts
from kubeproof.systems.system import Fact, Facts, System, bounds_text, kept_scope_text, scope_text, shown_scope
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Step, Trace
from model.machine import Action
from model.objects import Node, Pod
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import Cache, PodState
from model.scheduler.calls import move_all
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.events import WILD_CARD_EVENT
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.scope import powers_in
from model.systems.node_listing import NodeListing, NodeListingScope
from model.systems.scheduling import SchedulingScope
from model.systems.scheduling.actors import SCHEDULING as ACTORS
from model.systems.scheduling.records import Goroutine
from model.systems.scheduling.second_scheduler import NAMES as NAMES_OF_SECOND
from model.world.events import Listener, NodeEvent, PodEvent

POD = Pod("p1", "p1#1", cpu_milli=1000)
BOUND = evolve(POD, node_name="n1", annotations=(("gpu", "0"),))


def test_every_field_of_a_pod_shows() -> None:
    other = Pod(
        "p1",
        "p1#1",
        1,
        2000,
        "n1",
        "n2",
        (("a", "b"),),
        (("c", "d"),),
        "e",
        "f",
        "g",
        9,
        True,
        "h",
        ("i",),
        ("j",),
        scheduler_name="k",
        disruption_target=True,
    )
    for field in fields(Pod):
        # Of the priority see the next test.
        if field.name not in ("name", "uid", "priority"):
            assert pod_text(evolve(POD, **{field.name: getattr(other, field.name)})) != pod_text(POD)


@pytest.mark.parametrize(
    ("state", "subject", "fact"),
    [
        ({"pods": (evolve(POD, priority=1),)}, "API server: p1", ("UID p1#1", "priority 1", "pending")),
        ({"pods": (BOUND,)}, "API server: p1", ("UID p1#1", "on n1", "annotation gpu=0")),
        ({"pod_watch": (PodEvent("delete", POD, True),)}, "informers: on the way",
         ("delete p1#1, final state unknown",)),
        ({"node_watch": (NodeEvent("add", Node("n2", "z1")),)}, "informers: on the way", ("add n2 (zone z1)",)),
        ({"node_watch": (NodeEvent("update", Node("n1", "", 2000), Node("n1", "", 1000)),)}, "informers: on the way",
         ("update n1 (allocatable 2000m CPU)",)),
        ({"nodes": (Node("n1", unschedulable=True, anti_affinity_app="1"),)}, "API server: nodes",
         ("n1 (cordoned, a pod of others there keeps app=1 away)",)),
        ({"cache": Cache(nodes=(NodeInfo("n1", Node("n1", unschedulable=True)),))}, "cache: nodes", ("n1 (cordoned)",)),
        ({"assigned": Listener((PodNotification(POD, BOUND),))}, "handler of assigned pods",
         ("update p1#1 (on n1, annotation gpu=0)",)),
        ({"unassigned": Listener((PodNotification(POD),))}, "handler of unassigned pods", ("delete p1#1",)),
        ({"unassigned": Listener((PodNotification(None, POD),))}, "handler of unassigned pods", ("add p1#1",)),
        ({"node_calls": (move_all(WILD_CARD_EVENT),)}, "handler of nodes",
         ("queue.move_all_to_active_or_backoff_queue(WildCardEvent, None)",)),
        ({"queue": Queue(active=(QueuedPodInfo(POD, 5, 2, frozenset({"B", "A"}), frozenset({"C"})),))},
         "queue: activeQ", ("p1#1 (2 attempts, rejected by A B, waits for C)",)),
        ({"cache": Cache(pod_states=(PodState("p1#1", BOUND, assumed=True, deadline=7),))}, "cache: p1#1",
         ("assumed", "on n1", "annotation gpu=0", "with a deadline")),
        ({"cache": Cache(pod_states=(PodState("p1#2", POD),))}, "cache: p1#2", ("confirmed", "UID p1#1")),
        ({"cache": Cache(nodes=(NodeInfo("n1", None, (POD,), 1000),))}, "cache: nodes",
         ("n1 (no Node object, counts p1#1)",)),
        ({"cache": Cache(nodes=(NodeInfo("n1", None, (), 1000),))}, "cache: nodes",
         ("n1 (no Node object, counts 1000m CPU)",)),
        ({"bindings": (Goroutine(("bind",), QueuedPodInfo(BOUND), node="n1"),)}, "binding goroutine: p1",
         ("has p1#1", "on n1", "annotation gpu=0", "next bind")),
        ({"bindings": (Goroutine(("bind",), QueuedPodInfo(POD)), Goroutine(("bind_failed",), QueuedPodInfo(BOUND)))},
         "binding goroutine: p1 (2)", ("has p1#1", "on n1", "annotation gpu=0", "next bind failed")),
        ({"cycle": Goroutine((), QueuedPodInfo(POD), candidates=("n1", "n2"))}, "scheduling cycle: p1",
         ("has p1#1", "fits n1 n2", "next nothing")),
        ({"crashed": "podFitsOnNode: nil pointer"}, "scheduler", "its process has ended: podFitsOnNode: nil pointer"),
    ],
)  # fmt: skip
def test_a_fact_is_told_by_what_is_not_as_usual(state: dict[str, Any], subject: str, fact: Fact) -> None:
    machine = SCHEDULING.machine(SCHEDULING.scope, rules_for(SCHEDULING.rules_class, parse_release("1.31")))
    (initial,) = machine.initial_states()
    assert facts(evolve(initial, **state))[subject] == fact


def test_changes_are_what_came_and_what_went() -> None:
    old: Facts = {"pod": ("pending",), "queue": ("p1#1",), "list": "[a]", "same": (), "cycle": ("next bind",)}
    new: Facts = {
        "pod": ("on n1", "terminating"),
        "queue": ("p1#1 (on n1)",),
        "list": "[b]",
        "same": (),
        "node": "n",
    }
    assert [(change.subject, change.text) for change in changes(old, new)] == [
        ("pod", "- pending, + on n1, + terminating"),
        ("queue", "p1#1: + on n1"),
        ("list", "[a] -> [b]"),
        ("node", "n"),
        ("cycle", "gone"),
    ]


def test_a_list_in_another_order_is_told_as_a_whole() -> None:
    assert list(changes({"zones": ("z1", "z2")}, {"zones": ("z2", "z1")})) == [Change("zones", "z1, z2 -> z2, z1")]


RELEASE = parse_release("1.17.10")


def test_a_run_says_what_broke_how_strongly_each_action_the_property_and_the_command() -> None:
    _, result = check_system(
        "node-listing", "1.17.10", scope="0,nodes=3,zones=2", properties=["listed-exactly-once"]
    ).results
    lines = trace_text(NODE_LISTING, RELEASE, None, result).splitlines()
    assert lines[0].startswith("listed-exactly-once is violated: n2 missing from the scheduler's node list")
    assert lines[2:4] == [
        "  Kubernetes 1.17.10, after 5 actions, found by the explicit engine: no shorter run in the scope",
        "  only nodes=3,zones=2 does this",
    ]
    assert lines[5:10] == [
        "   1  Node n1 joins in zone z1.  cache.go AddNode -> node_tree.go addNode",
        "        nodeTree: zones            + z1",
        "        nodeTree: nodes of z1      n1",
        "        nodeTree: lastIndex of z1  0",
        "        nodeTree: numNodes         0 -> 1",
    ]
    (last,) = [number for number, line in enumerate(lines) if line.startswith("   5")]
    assert lines[last] == "   5  A scheduling cycle begins: its node list has 3 entries, none of them n2."
    assert any(line.startswith("      ! listed-exactly-once: n2 missing from") for line in lines[last:])
    ending = lines.index(
        "  must hold: After a snapshot each node of the tree stands in the scheduler's node list exactly"
    )
    assert lines[ending + 2] == "  at the end:"
    assert "        snapshot: nodeInfoList     [n3, n1, n3]" in lines[ending:]
    assert lines[-1] == (
        "  again: kubeproof check node-listing --release 1.17.10 --scope 'only nodes=3,zones=2' "
        "--property listed-exactly-once"
    )


def test_the_command_has_the_fix_the_rules_and_the_engine() -> None:
    fix = Fix("my fix.py, remove_node=x", {}, Path("my fix.py"), choices=("remove_node=x",))
    result = Result(
        property="listed-exactly-once",
        engine="z3",
        outcome=Outcome.VIOLATED,
        trace=Trace((Step(None, NodeListing()),)),
        scope=NODE_LISTING.scope,
    )
    assert trace_text(NODE_LISTING, RELEASE, fix, result).splitlines()[-1] == (
        "  again: kubeproof check node-listing --release 1.17.10 --scope 'only nodes=3,zones=2,moves=1' "
        "--property listed-exactly-once --fix 'my fix.py' --rule remove_node=x --engine z3"
    )


def test_of_a_lasso_it_says_what_goes_round() -> None:
    step = Step(Action.of("tick"), 1)
    assert loop_text(Trace((Step(None, 0), step))) == ""
    assert loop_text(Trace((Step(None, 0), step), loop=1)) == "Nothing more happens, for ever."
    assert loop_text(Trace((Step(None, 1), step), loop=0)).startswith("Action 1 repeats for ever")
    assert loop_text(Trace((Step(None, 0), step, step, step), loop=1)).startswith("Actions 2 to 3 repeat for ever")


# --- scopes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_the_text_of_a_scope_names_the_same_scope_whatever_the_default_is(system: System) -> None:
    other = evolve(system, scopes=evolve(system.scopes, default=system.scopes.large))
    for scope in (system.scope, system.scopes.fix, *system.scopes.fix_narrow, system.scopes.large):
        for text in (scope_text(scope), kept_scope_text(scope)):
            assert "=0" not in text
            assert system.parse_scope(text) == other.parse_scope(text) == scope


def test_people_read_a_scope_otherwise_than_files_have_it() -> None:
    scope = NodeListingScope(nodes=2, zones=1, moves=0)
    assert scope_text(scope) == shown_scope(kept_scope_text(scope)) == "only nodes=2,zones=1"
    assert kept_scope_text(scope) == "0,nodes=2,zones=1"
    assert bounds_text(scope) == "nodes=2, zones=1"
    assert shown_scope("nodes=2,zones=1") == "nodes=2,zones=1"


def test_what_is_not_named_keeps_its_default_unless_the_text_begins_with_only_or_0() -> None:
    assert NODE_LISTING.parse_scope("nodes=2") == NodeListingScope(nodes=2, zones=2, moves=1)
    for text in ("only nodes=2,zones=1", " only  nodes=2, zones=1", "only, nodes=2,zones=1", "0, nodes=2, zones=1"):
        assert NODE_LISTING.parse_scope(text) == NodeListingScope(nodes=2, zones=1, moves=0)


REFUSED = [
    *("0", "0,zones=2", "nodes=2,0", "00,nodes=2,zones=2", "0=1,nodes=2"),
    *("only", "only zones=2", "nodes=2,only zones=2", "onlynodes=2,zones=2", "only 0,nodes=2,zones=2"),
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_scope_without_a_bound_that_must_be_named_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"^--scope {text}: "):
        NODE_LISTING.parse_scope(text)


# --- actions that are not there --------------------------------------------------------------------------------------

# Some powers do not go together.
EVERY_POWER = SchedulingScope(
    pods=2, room=2, **dict.fromkeys({*powers_in(SchedulingScope)} - {"fine", "late_nodes", "second"}, 1)
)


@pytest.mark.parametrize("release", ["1.13.0", "1.17.10", "1.22.3", "1.31.0", "1.36.2"])
@pytest.mark.parametrize(
    "scope",
    [
        SchedulingScope(pods=1),
        SchedulingScope(pods=2, deletes=1),
        SchedulingScope(pods=1, nodes=1, extender=1, preemption=1, bind_errors=1),
        SchedulingScope(pods=1, nodes=1, extender=1, preemption=1, fine=1),
        SchedulingScope(pods=2, high=1, nodes=1, preemption=1, graceful=1),
        SchedulingScope(pods=1, clock=1, late_nodes=1),
        SchedulingScope(pods=2, high=1, nodes=1, preemption=1, controllers=1, second=2),
        EVERY_POWER,
    ],
    ids=scope_text,
)  # fmt: skip
def test_what_is_said_never_to_be_offered_is_never_taken(scope: SchedulingScope, release: str) -> None:
    rules = rules_for(SCHEDULING.rules_class, parse_release(release, SCHEDULING.minors))
    run = explore(SCHEDULING.machine(scope, rules), symmetry=True, limits=Limits(states=2_000))
    taken = {name for name, count in run.counts.fired.items() if count}
    assert taken
    assert not taken & ACTORS.never_offered(scope, rules)


def test_in_a_scope_with_every_power_only_what_the_release_or_the_grain_lacks_is_left_out() -> None:
    rules = rules_for(SCHEDULING.rules_class, parse_release("1.17.10"))
    absent = ACTORS.never_offered(evolve(EVERY_POWER, fine=1, bound_at_start=0), rules)
    assert absent == NAMES_OF_SECOND | {
        "choose", "post_filter", "requeue", "add_nominated_pod", "patch_failure", "done_after_failure",
        "move_after_forget", "go_on_moving", "handle_pod",
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


def test_a_retry_has_missed_a_move_only_if_a_move_came_since_its_cycle() -> None:
    """Numbers are counted back from the present cycle where a rule from outside may read them."""
    rules = rules_for(SCHEDULING.rules_class, parse_release("1.17.10"))
    state = SCHEDULING.machine(SchedulingScope(), rules).initial_states()[0]
    retry = Goroutine(("get_pod",), QueuedPodInfo(POD), cycle=-2)
    for moved, said in ((-3, False), (-2, True), (0, True)):
        found = facts(evolve(state, retries=(retry,), queue=Queue(move_request_cycle=moved)))
        assert ("a move request came" in found["error func's goroutine: p1"]) is said
