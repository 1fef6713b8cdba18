"""Which documented bugs explain a violation that only a fix lets show: those whose cure takes the violation away."""

from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs import known
from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.known import cures, known_beside, known_bugs, left_of
from kubeproof.engines import explicit
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.verdict.result import Result
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.scheduler.queue.hints import hint_after_error
from model.scheduler.queue.state import Queue, find

LISTING, SCHEDULING, HINTS = SYSTEMS["node-listing"], SYSTEMS["scheduling"], SYSTEMS["queueing-hints"]
AT, SMALL, NAME = parse_release("1.18.4"), "0,nodes=3,zones=2", "listed-exactly-once"


def violated(system: System, scope: str, rules: Any, name: str) -> Result:
    bounds = system.parse_scope(scope)
    (result,) = explicit.check(system.machine(bounds, rules), [system.property_named(name)])
    assert result.trace is not None
    return evolve(result, scope=bounds)


def test_a_bug_that_the_rule_of_a_later_release_takes_away_explains_the_violation() -> None:
    rules = rules_for(LISTING.rules_class, AT)
    found = violated(LISTING, SMALL, rules, NAME)
    assert known_beside(LISTING, AT, rules, {"add_node"}, found) == [bug_named("NODETREE-CURSOR")]
    # Nothing is known of a rule of the fix itself.
    assert known_beside(LISTING, AT, rules, {"list_nodes"}, found) == []


def test_a_second_fault_of_the_same_property_is_explained_by_no_page() -> None:
    rules = rules_for(LISTING.rules_class, AT)

    def twice(tree: NodeTree, node: str, zone: str) -> NodeTree:
        added = rules.add_node(tree, node, zone)
        if tree.num_nodes != 1 or (node, zone) != ("n2", "z1"):
            return added
        return evolve(added, tree=(*added.tree[:-1], NodeArray((*added.tree[-1].nodes, node))))

    with_fault = evolve(rules, add_node=twice)
    found = violated(LISTING, SMALL, with_fault, NAME)
    assert known_bugs(LISTING, AT, found) == [bug_named("NODETREE-CURSOR")]
    assert known_beside(LISTING, AT, with_fault, {"add_node"}, found) == []


def test_a_repair_takes_the_place_of_a_later_release() -> None:
    """No modelled release cures this bug: 1.37 will."""
    release, scope = parse_release("1.31.14"), "0,pods=2,nodes=1,room=1,goroutines=1,preemption=1"
    rules = rules_for(SCHEDULING.rules_class, release)
    found = violated(SCHEDULING, scope, rules, "nominated-node-has-a-name")
    assert known_beside(SCHEDULING, release, rules, {"skip_pod_schedule"}, found) == [bug_named("NOM-EMPTY-KEY")]
    assert known_beside(evolve(SCHEDULING, repairs=()), release, rules, set(), found) == []


def test_a_bug_that_shows_on_the_way_explains_what_its_page_names() -> None:
    """A pod that met an error backs off. It is queued twice, bound, and skipped without Done: no power of the page."""
    release, scope = parse_release("1.28.3"), "0,pods=1,goroutines=1,gate=1,errors=1"
    rules = evolve(rules_for(HINTS.rules_class, release), hint_for_in_flight_pod=hint_after_error)
    found = violated(HINTS, scope, rules, "events-are-released")
    asked = HINTS, release, rules, {"hint_for_in_flight_pod"}, found
    assert known_bugs(HINTS, release, found) == []
    assert known_beside(*asked) == known_beside(*asked, whatever_page=True) == [bug_named("QH-DONE-SKIP")]


def test_what_shows_on_the_way_with_the_cure_too_is_another_fault() -> None:
    """Here Done leaves the pod in flight before the pod is skipped. The cure calls Done of the skipped pod."""
    release, scope = parse_release("1.28.3"), "0,pods=1,goroutines=1,gate=1,errors=1"
    old = rules_for(HINTS.rules_class, release)

    def forget_done(queue: Queue, uid: str) -> Queue:
        return queue if find(queue.active, "p1") is not None else old.forget_done(queue, uid)

    rules = evolve(old, hint_for_in_flight_pod=hint_after_error, forget_done=forget_done)
    found = violated(HINTS, scope, rules, "events-are-released")
    fixed = {"hint_for_in_flight_pod", "forget_done"}
    assert known_beside(HINTS, release, rules, fixed, found, whatever_page=True) == []


def test_an_exploration_that_ends_early_explains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    release, scope = parse_release("1.31.14"), "0,pods=1,nodes=1,room=1,goroutines=1,extender=1"
    rules = rules_for(SCHEDULING.rules_class, release)
    found = violated(SCHEDULING, scope, rules, "pod-in-one-place")
    asked: list[explicit.Limits] = []

    def check(machine: Any, properties: Any, limits: explicit.Limits = explicit.Limits()) -> Any:  # noqa: B008
        asked.append(limits)
        return explicit.check(machine, properties, limits=evolve(limits, states=2))

    assert known_bugs(SCHEDULING, release, found) == [bug_named("QUEUE-INFLIGHT-DUP")]
    monkeypatch.setattr(known, "explicit", type("Explicit", (), {"check": staticmethod(check)}))
    assert known_bugs(SCHEDULING, release, found) == []
    assert asked
    assert all(limits.seconds <= 30 and limits.states <= 100_000 for limits in asked)


@pytest.mark.parametrize(("more", "left"), [("", ["QUEUE-ERROR-STUCK"]), (",deletes=1,recreates=1", [])])
def test_a_cure_of_two_bugs_does_not_say_that_the_claimed_one_is_left(more: str, left: list[str]) -> None:
    """#103805 ends QUEUE-FORGET-NO-EVENT too: with a delete a namesake waits for what was forgotten."""
    release, scope = parse_release("1.22.3"), f"only pods=1,nodes=1,room=1,goroutines=2,bind_errors=1{more}"
    rules = rules_for(SCHEDULING.rules_class, release)

    def backs_off(queue: Queue, info: Any, cycle: int) -> str:
        return "unschedulable" if info.unschedulable_plugins else "backoff"

    of = evolve(rules, queue_for_failed_pod=backs_off) if more else rules
    found = violated(SCHEDULING, scope, of, "no-event-lost")
    assert [bug.id for bug in left_of(SCHEDULING, release, [bug_named("QUEUE-ERROR-STUCK")], found)] == left


def test_a_rule_that_needs_others_of_its_release_is_no_cure_alone() -> None:
    """1.28.1 keeps a list of events: its Done finds no element where another rule still keeps markers."""
    release, bug = parse_release("1.28.0"), bug_named("QH-MARKER-REMOVED")
    found = list(cures(HINTS, release, rules_for(HINTS.rules_class, release), bug))
    assert [set(cure) for cure in found] == [{"note_popped"}]
