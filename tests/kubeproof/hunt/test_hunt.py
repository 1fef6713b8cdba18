"""A hunt: what it finds in a release, which rules it blames, which kept bug it names, and how it goes on later."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time

import pytest
from attrs import evolve

from kubeproof.cli import app, run
from kubeproof.engines import explicit
from kubeproof.fix.fix import chosen_fix
from kubeproof.hunt.blame import Cure, Swap, Violation, blamed_for, rules_with, to_go_on, to_keep
from kubeproof.hunt.found import Asked, same_bug
from kubeproof.hunt.hunt import Hunt, hunt, joined, unused, with_explored
from kubeproof.hunt.kept import Kept, read_kept, write_kept
from kubeproof.hunt.known import known_by_rule, known_ids
from kubeproof.hunt.one_scope import Task, _earlier, explore_scope
from kubeproof.report.hunt import hunt_text
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.registry import system_named
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import scope_text
from model.releases import known_release, parse_release, rules_for
from model.systems.node_listing import NodeListingRules, NodeListingScope
from tests.conftest import ROOT

SMALL, NONE = "0,nodes=3,zones=2,moves=0", "0,nodes=2,zones=1,moves=0"


def about(system: str, release: str, fix: Path | None = None, rules: Sequence[str] = ()) -> Asked:
    named = system_named(system)
    return Asked(named, known_release(release), chosen_fix(fix, rules, [named]))


LISTING = about("node-listing", "1.18.4")


def hunted(asked: Asked, *scopes: str, seconds: float = 60.0, kept: Path | None = None) -> Hunt:
    return hunt(asked, seconds, kept, workers=1, scopes=[asked.system.parse_scope(scope) for scope in scopes])


def in_small(asked: Asked, *scopes: str, kept: Path | None = None) -> Hunt:
    return hunted(asked, *(scopes or (NONE, SMALL)), kept=kept)


def task(asked: Asked, scope: str, seconds: float = 60.0, cures: Mapping[str, str] | None = None) -> Task:
    return Task(asked, asked.system.parse_scope(scope), dict(cures or {}), (), time() + seconds)


@pytest.mark.slow
def test_the_cursor_bug_is_found_blamed_and_named() -> None:
    found = in_small(LISTING)
    (bug,) = found.bugs
    assert (bug.property, scope_text(bug.scope), len(bug.actions)) == ("listed-exactly-once", "only nodes=3,zones=2", 5)
    assert bug.known == ("NODETREE-CURSOR",)
    assert "offered-again-when-quiet" in bug.also
    (cure,) = bug.cures
    (swap,) = cure.swaps
    assert (cure.strength, swap.field, swap.rule) == ("scope", "list_nodes", "list_from_resuming_cursors")
    assert (swap.cured_by, swap.cured_since) == ("list_from_reset_cursors", "1.18.7")
    assert "#93387" in swap.cured_change
    assert bug.own
    assert (found.scopes, found.cut, found.not_met) == (2, (), ())


def test_a_release_without_the_bug_is_clean_and_a_scope_not_looked_in_names_what_was_not_met() -> None:
    assert in_small(about("node-listing", "1.31.14")).bugs == ()
    assert in_small(LISTING, NONE).not_met == ("NODETREE-CURSOR",)


@pytest.mark.slow
def test_the_rule_of_a_fix_is_to_blame_and_a_good_fix_is_clean(tmp_path: Path) -> None:
    path = ROOT / "examples" / "fixes" / "reset_cursors.py"
    assert in_small(about("node-listing", "1.18.4", path)).bugs == ()
    mutant = next(iter(NODE_LISTING.mutants["list_nodes"])).__name__
    (bug, *_) = in_small(about("node-listing", "1.31.14", rules=(f"list_nodes={mutant}",))).bugs
    assert {swap.rule for cure in bug.cures for swap in cure.swaps} == {mutant}
    assert {swap.since for cure in bug.cures for swap in cure.swaps} == {""}


@pytest.mark.slow
def test_a_second_bug_behind_the_same_property_shows_when_the_first_is_cured() -> None:
    scope = "0,pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1,relists=1"
    found = explore_scope(task(about("scheduling", "1.22.3"), scope, 300))
    same = [bug for bug in found.bugs if bug.property == "cache-says-what-api-server-says"]
    assert [bug.known for bug in same] == [("CACHE-MISSED-DELETE",), ("CACHE-RECREATE-LEAK",)]
    assert all(bug.own for bug in same)
    # The second shows although both rules to blame for the first are cured.
    blamed = to_go_on(same[0].cures)
    assert set(blamed) == {"final_state_unknown", "remove_known_pod"}
    assert set(blamed.items()) <= set(same[1].under)


def test_two_rules_of_one_release_are_blamed_together() -> None:
    # Each of two changes of 1.22.5 alone leaves the pod in the cache.
    asked = about("scheduling", "1.22.3")
    found = explore_scope(task(asked, "0,pods=1,nodes=1,room=1,goroutines=1,deletes=1,relists=1"))
    (bug,) = (bug for bug in found.bugs if bug.known == ("CACHE-MISSED-DELETE",))
    (cure,) = bug.cures
    assert {swap.field for swap in cure.swaps} == {"final_state_unknown", "remove_known_pod"}
    assert {swap.cured_since for swap in cure.swaps} == {"1.22.5"}
    assert found.ended


@pytest.mark.slow
def test_a_bug_is_shown_by_a_run_of_the_release_although_a_cure_in_force_changes_the_run() -> None:
    # Under the rule of 1.20 a failed pod is not asked for, so the run of 1.18.4 has an action more.
    scope, cures = "0,pods=1,nodes=1,room=1,goroutines=1,bind_errors=1", {"error_func": "error_func_with_lister"}
    found = explore_scope(task(about("scheduling", "1.18.4"), scope, cures=cures))
    (bug,) = (bug for bug in found.bugs if "QUEUE-ERROR-STUCK" in bug.known)
    assert bug.own
    assert bug.under == ()
    assert any(action.name == "get_pod" for action in bug.actions)


def test_an_older_rule_is_blamed_but_not_gone_on_with() -> None:
    system, release = NODE_LISTING, parse_release("1.31.14")
    rules = rules_with(system, rules_for(NodeListingRules, release), {"list_nodes": "list_from_resuming_cursors"})
    scope = NodeListingScope(nodes=3, zones=2, moves=0)
    property = system.property_named("listed-exactly-once")
    (result,) = explicit.check(system.machine(scope, rules), [property])
    assert result.trace is not None
    blamed = blamed_for(Violation(system, release, scope, rules, property, result.trace, time() + 60))
    assert all(swap.older for cure in blamed.cures for swap in cure.swaps)
    assert blamed.cures
    assert to_go_on(blamed.cures) == {}
    spared = blamed_for(
        Violation(system, release, scope, rules, property, result.trace, time() + 60, frozenset({"list_nodes"}))
    )
    assert spared.cures == ()


def test_a_kept_bug_is_named_only_where_its_releases_end_at_the_rule() -> None:
    release = parse_release("1.18.4")
    listing = Swap("list_nodes", "list_from_resuming_cursors", "1.13.0", "", "x", "1.18.7", "")
    other = evolve(listing, field="update_snapshot")

    def known(swap: Swap, at: str = "1.18.4", name: str = "listed-exactly-once") -> tuple[str, ...]:
        return known_ids(NODE_LISTING, parse_release(at), {name}, (), [Cure((swap,), "scope")])

    assert known(listing) == ("NODETREE-CURSOR",)
    assert known(other) == known(listing, at="1.31.14") == known(listing, name="no-needless-error") == ()
    assert known_ids(NODE_LISTING, release, {"listed-exactly-once"}, (), ()) == ()
    # A bug that no release cures goes with a violation without a cure, if the run has the bug's powers.
    stuck = parse_release("1.22.3")
    assert known_ids(SCHEDULING, stuck, {"pod-in-one-place"}, {"updates"}, ()) == ("QUEUE-INFLIGHT-DUP",)
    assert known_ids(SCHEDULING, stuck, {"pod-in-one-place"}, (), ()) == ()


def test_a_pod_that_met_an_error_is_named_with_the_gate_on_too() -> None:
    stuck = Swap("hint_for_in_flight_pod", "hint_by_event_since_pop", "1.28.2", "", "x", "1.29.0-alpha.1", "")
    release, violated = parse_release("1.28.3", QUEUEING_HINTS.minors), {"failed-by-error-is-tried-again"}
    assert known_ids(QUEUEING_HINTS, release, violated, {"errors"}, [Cure((stuck,), "scope")]) == ("QH-ERROR-STUCK",)
    assert known_ids(QUEUEING_HINTS, release, violated, (), [Cure((stuck,), "scope")]) == ()


@pytest.mark.slow
def test_a_repair_and_the_cure_of_another_bug_may_be_of_one_rule() -> None:
    # Both are in Update: a pod in flight is queued again, and a pod that backs off is put into activeQ.
    scope = "0,pods=1,nodes=1,room=1,goroutines=1,late_nodes=1,clock=1"
    found = hunted(about("scheduling", "1.18.4"), scope)
    named = ["QUEUE-STATUS-SELF-RETRY", "QUEUE-UPDATE-ENDS-BACKOFF", "QUEUE-INFLIGHT-DUP"]
    assert [bug.known for bug in found.bugs] == [(name,) for name in named]
    swaps = [swap for bug in found.bugs for swap in bug.cures[0].swaps if swap.field == "queue_update"]
    assert [(swap.cured_since, swap.repairs) for swap in swaps] == [("1.21.0-rc.0", ""), ("", "QUEUE-INFLIGHT-DUP")]


@pytest.mark.slow
def test_a_bug_is_listed_once_with_its_shorter_run() -> None:
    (bug,) = in_small(LISTING).bugs
    longer = evolve(bug, property="offered-again-when-quiet", also=(), actions=(*bug.actions, bug.actions[-1]))
    assert same_bug(bug, longer)
    assert joined(longer, bug).actions == bug.actions
    assert joined(bug, longer).property == bug.property
    uncured = evolve(bug, cures=(), powers=("updates",), known=())
    assert not same_bug(bug, uncured)
    assert same_bug(uncured, evolve(longer, property=bug.property, cures=(), powers=("deletes",), known=()))
    assert not same_bug(uncured, evolve(uncured, property="no-needless-error"))
    assert not same_bug(uncured, bug)
    # Two runs of which none contains the other are two bugs, whatever older rule cures both.
    (cure,) = bug.cures
    older = evolve(bug, cures=(evolve(cure, swaps=(evolve(cure.swaps[0], older=True),)),), known=())
    apart = evolve(older, without_powers=("remove_node", "update_snapshot"))
    assert same_bug(older, older)
    assert same_bug(older, uncured)
    assert not same_bug(evolve(older, without_powers=("update_node",)), apart)
    # What is known and has no cure goes by the page.
    known = evolve(apart, known=("NODETREE-CURSOR",))
    assert same_bug(known, evolve(known, property="no-needless-error"))
    assert not same_bug(known, evolve(known, known=()))


@pytest.mark.slow
def test_a_bug_of_another_system_is_named_by_the_rule_that_both_systems_have() -> None:
    release = parse_release("1.18.4")
    listing = Swap("list_nodes", "list_from_resuming_cursors", "1.13.0", "", "list_from_reset_cursors", "1.18.7", "")
    assert known_by_rule(SCHEDULING, release, [Cure((listing,), "scope")]) == ("NODETREE-CURSOR",)
    # The rule changes where QUEUE-RESYNC-DUP ends, and has nothing to do with that bug.
    assert known_by_rule(NODE_LISTING, release, [Cure((listing,), "scope")]) == ("NODETREE-CURSOR",)
    # Here the page of CACHE-RECREATE-LEAK says no: in 1.18.4 fewer powers violate the property, by another bug.
    powers = {"deletes", "recreates", "relists"}
    assert known_ids(SCHEDULING, release, {"cache-says-what-api-server-says"}, powers, ()) == ("CACHE-RECREATE-LEAK",)
    assert known_ids(SCHEDULING, release, {"cache-says-what-api-server-says"}, {"deletes", "relists"}, ()) == ()


@pytest.mark.slow
def test_a_bug_without_an_end_is_one_line_whatever_sets_it_off(tmp_path: Path) -> None:
    scope = "0,pods=1,nodes=1,room=1,goroutines=1"
    asked = about("scheduling", "1.31.14")
    found = hunted(asked, *(f"{scope},{power}=1" for power in ("updates", "labels", "extender")))
    (bug,) = found.bugs
    assert bug.known == ("QUEUE-INFLIGHT-DUP",)
    assert {way.powers for way in bug.ways if way.property == "pod-in-one-place"} == {
        ("updates",),
        ("labels",),
        ("extender",),
    }
    text = hunt_text(found)
    assert "update_noting_in_flight, a repair of QUEUE-INFLIGHT-DUP that no release has, cures the scope" in text
    assert "pod-in-one-place with extender, 5 actions" in text
    # A repair is in force in no other scope: it would hide bugs that a newer release cures.
    assert to_keep(bug.cures) == {}
    assert to_go_on(bug.cures) == {"queue_update": "update_noting_in_flight"}


@pytest.mark.slow
def test_a_repair_hides_no_bug_that_a_newer_release_cures() -> None:
    # The repair of QUEUE-INFLIGHT-DUP would take this violation away too.
    scope = "0,pods=1,nodes=1,room=1,goroutines=1,resyncs=1,labels=1"
    found = hunted(about("scheduling", "1.18.4"), scope)
    known = {name for bug in found.bugs for name in bug.known}
    assert {"QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP", "CYCLE-EXTRA-ATTEMPT-LABELS"} <= known


@pytest.mark.slow
def test_a_hunt_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json"
    first = in_small(LISTING, SMALL, kept=path)
    assert read_kept(path, LISTING).bugs == first.bugs
    looked: list[object] = []

    def noting(task: Task) -> object:
        looked.append(task.scope)
        return explore_scope(task)

    monkeypatch.setattr("kubeproof.hunt.hunt.explore_scope", noting)
    again = in_small(LISTING, SMALL, NONE, kept=path)
    assert looked == [NODE_LISTING.parse_scope(NONE)]
    assert (again.bugs, again.scopes) == (first.bugs, 2)


@pytest.mark.slow
def test_a_later_hunt_names_what_was_found_by_the_pages_of_today(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    in_small(LISTING, SMALL, kept=path)
    before = read_kept(path, LISTING)
    (bug,) = before.bugs
    longer = evolve(bug, known=(), actions=(*bug.actions, bug.actions[-1]))
    write_kept(path, evolve(before, bugs=(evolve(bug, known=()), longer)))
    assert in_small(LISTING, SMALL, kept=path).bugs == (bug,)


def test_a_scope_that_the_time_cuts_off_is_looked_in_again() -> None:
    explored = explore_scope(task(LISTING, SMALL, -1))
    assert not explored.ended
    assert with_explored(Kept(LISTING), explored).scopes == ()


def kubeproof(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["hunt", *args], standalone_mode=False))
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubeproof.processes.pool.processors", lambda: 1)
    args = ("node-listing", "-r", "1.18.4", "--scope", SMALL, "--time", "60s")
    status, out, _ = kubeproof(capsys, *args)
    assert status == 1
    assert "NODETREE-CURSOR" in out
    assert "to blame: list_nodes = list_from_resuming_cursors, since 1.13.0" in out
    status, out, _ = kubeproof(capsys, *args, "--json")
    document = json.loads(out)
    assert (status, document["system"], len(document["bugs"])) == (1, "node-listing", 1)
    assert document["bugs"][0]["cures"][0]["swaps"][0]["cured_since"] == "1.18.7"
    status, out, _ = kubeproof(capsys, "node-listing", "-r", "1.31", "--scope", SMALL)
    assert (status, "0 bugs in 1 scopes" in out) == (0, True)
    # No time: nothing was looked at, so nothing is known.
    assert kubeproof(capsys, "node-listing", "--scope", SMALL, "--time", "0s")[0] == 3


def test_wrong_input_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    damaged, other = tmp_path / "damaged.json", tmp_path / "other.json"
    damaged.write_text('{"asked": 1}')
    write_kept(other, Kept(about("node-listing", "1.19.0")))
    for args, what in (
        (("node-listing", "--time", "10"), "--time: '10' is not a duration"),
        (("node-listing", "-r", "1.12"), "--release: "),
        (("node-listing", "--kept", str(damaged)), "not what a hunt found"),
        (("node-listing", "--kept", str(other), "-r", "1.18.4"), "found by a hunt of node-listing 1.19.0"),
        (("node-listing", "--rule", "list_nodes=x"), "not a built-in rule"),
    ):
        status, out, err = kubeproof(capsys, *args)
        assert (status, out) == (2, "")
        assert what in err
        assert err.count("\n") == 1


def test_a_fix_with_another_text_is_another_hunt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fix, kept = tmp_path / "fix.py", tmp_path / "kept.json"
    fix.write_text("from model.scheduler.cache.node_tree import list_from_reset_cursors as list_nodes\n")
    args = ("node-listing", "-r", "1.18.4", "--fix", str(fix), "--kept", str(kept), "--scope", NONE, "--time", "0s")
    write_kept(kept, Kept(about("node-listing", "1.18.4", fix)))
    fix.write_text("from model.scheduler.cache.node_tree import list_stateless as list_nodes\n")
    status, out, err = kubeproof(capsys, *args)
    assert (status, out) == (2, "")
    assert "--fix with the same text" in err


@pytest.mark.slow
def test_what_the_run_of_an_unknown_bug_violates_before_its_end_is_said() -> None:
    # A failed binding hands the pod back, which an update has put into activeQ: QH-UPDATE-AFTER-DONE.
    scope = "0,pods=1,nodes=1,room=1,goroutines=2,updates=1,bind_errors=1"
    found = hunted(about("scheduling", "1.34.1"), scope, seconds=300.0)
    (bug,) = (bug for bug in found.bugs if bug.property == "one-attempt-at-a-time")
    assert dict(bug.earlier)["pod-in-one-place"] < len(bug.actions)
    assert "may follow from what the run violates before: pod-in-one-place after 13 actions" in hunt_text(found)
    # The page of a kept bug says what else its run violates.
    known = evolve(found, bugs=(evolve(bug, known=("QH-UPDATE-AFTER-DONE",)),))
    assert "may follow" not in hunt_text(known)


@pytest.mark.parametrize("property", ["listed-exactly-once", "offered-again-when-quiet"])
def test_the_run_of_an_unknown_bug_is_told_and_of_a_known_one_the_page_is_named(property: str) -> None:
    found = hunted(LISTING, SMALL)
    (bug,) = found.bugs
    text = hunt_text(found)
    assert "   NODETREE-CURSOR: A node is missing from the scheduler's node list" in text
    assert "; `kubeproof show NODETREE-CURSOR` tells it" in text
    assert "Node n1 joins" not in text
    rules = rules_for(NodeListingRules, LISTING.release)
    machine = NODE_LISTING.machine(NODE_LISTING.parse_scope(SMALL), rules)
    (result,) = explicit.check(machine, [NODE_LISTING.property_named(property)])
    assert result.trace is not None
    unknown = evolve(bug, known=(), property=property, actions=result.trace.actions, explanation=result.explanation)
    lines = hunt_text(evolve(found, bugs=(unknown,))).splitlines()
    told = r" {3}1  Node n\d joins in zone z\d\.  cache\.go AddNode -> node_tree\.go addNode"
    assert any(re.fullmatch(told, line) for line in lines)
    assert any(line.startswith(f"{property} is violated: ") for line in lines)
    # A lasso is told with what goes on for ever.
    assert any("for ever" in line and "Nothing else has to happen" in line for line in lines) == (
        result.trace.loop is not None
    )
    scope = scope_text(unknown.scope)
    again = f"  again: kubeproof check node-listing --release 1.18.4 --scope '{scope}' --property {property}"
    assert [line for line in lines if line.startswith("  again: ")] == [again]


def test_a_run_that_cannot_be_taken_again_is_listed_as_it_was_found() -> None:
    found = in_small(LISTING)
    (bug,) = found.bugs
    gone = evolve(bug, known=(), under=(("list_nodes", "list_stateless"),), own=False)
    text = hunt_text(evolve(found, bugs=(gone,)))
    assert f"     1. {bug.actions[0]}" in text
    assert "is violated:" not in text


def test_what_the_last_action_violates_comes_before_what_then_never_happens() -> None:
    """The scheduler's process ends in the last action, and so the pod is never bound."""
    system = SCHEDULING
    scope = system.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1,relists=1,other_binders=1")
    machine = system.machine(scope, rules_for(system.rules_class, known_release("1.36.2")))
    (found,) = explicit.check(machine, [system.property_named("fitting-pod-is-bound")])
    assert found.trace is not None
    assert dict(_earlier(machine, system, found.property, found.trace)) == {
        "scheduler-keeps-running": found.trace.length
    }


@pytest.mark.slow
def test_a_run_that_needs_the_cures_of_other_bugs_stands_apart() -> None:
    found = in_small(LISTING)
    (bug,) = found.bugs
    mixed = evolve(bug, own=False, under=(("update_snapshot", "update_snapshot_on_node_change"),), known=())
    text = hunt_text(evolve(found, bugs=(mixed,)))
    assert text.startswith("node-listing 1.18.4: 0 bugs in 2 scopes")
    assert "runs that 1.18.4 does not take" in text
    assert "--rule update_snapshot=update_snapshot_on_node_change" in text
    # What only a mixture of rules does is not put in force elsewhere.
    explored = explore_scope(task(LISTING, SMALL))
    (own,) = explored.bugs
    assert with_explored(Kept(LISTING), explored).cures == {"list_nodes": "list_from_reset_cursors"}
    assert with_explored(Kept(LISTING), evolve(explored, bugs=(evolve(own, own=False),))).cures == {}


@pytest.mark.slow
def test_a_run_of_the_release_is_what_a_cure_in_force_cures_though_others_bring_it_back() -> None:
    """A pod whose update comes while it is bound is queued anew in 1.28.3, and again with the Done of 1.32."""
    cured = {
        "done_in_binding": "done_after_pre_bind",
        "done_when_skipped": "done_with_skipped",
        "event_of_interest": "is_event_of_interest",
        "update_with_hints": "update_keeping_event",
    }
    asked = about("queueing-hints", "1.28.3")
    explored = explore_scope(task(asked, "0,pods=1,goroutines=2,gate=1,deletes=1,graceful=1", 600, cured))
    found = {bug.property: bug for bug in explored.bugs if bug.own}
    assert found.keys() == {"pod-in-one-place", "scheduled-while-in-flight"}
    for bug in found.values():
        assert {("update_with_hints", "update_keeping_event")} in [
            {(swap.field, swap.cured_by) for swap in cure.swaps} for cure in bug.cures
        ]
        assert bug.known


def test_what_is_kept_unasked_takes_the_place_of_no_file(tmp_path: Path) -> None:
    path = tmp_path / "node-listing-1.18.4.json"
    for name in ("node-listing-1.18.4.json", "node-listing-1.18.4-2.json", "node-listing-1.18.4-3.json"):
        assert unused(path).name == name
        unused(path).touch()
