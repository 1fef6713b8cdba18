"""What the report computes now: each task alone, as a worker does it."""

import json
import pickle

import pytest

from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import Reproduction, kept_releases
from kubeproof.bugs.runs import kept_run
from kubeproof.engines.question import Budget
from kubeproof.report import tasks
from kubeproof.report.tasks import CheckTask, bugs_of, cell_of, checked, replayed, stretches, table_scope, told
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import kept_scope_text
from kubeproof.verdict.result import Cause, Claim, Outcome, Result, Strength
from model.releases import known_release

ONCE = "listed-exactly-once"
OF_BUG = next((first, last) for first, last in stretches(NODE_LISTING) if last == "1.18.6" or first == "1.18.4")


def test_the_stretches_are_all_releases_in_their_order() -> None:
    for system in SYSTEMS.values():
        found = [known_release(text).version for pair in stretches(system) for text in pair]
        assert found == sorted(found)
        assert known_release(stretches(system)[0][0]).minor == system.minors[0]
        assert known_release(stretches(system)[-1][1]).minor == system.minors[-1]


@pytest.mark.slow
def test_a_check_says_of_each_property_what_the_engine_does() -> None:
    found = checked(CheckTask("node-listing", *OF_BUG, "explicit"))
    cells = {cell.property: cell for cell in found.cells}
    assert set(cells) == {p.name for p in NODE_LISTING.properties}
    lost, long = cells[ONCE], cells["list-as-long-as-tree"]
    assert (lost.outcome, lost.strength, lost.known) == ("violated", "5 steps", ("NODETREE-CURSOR",))
    # The whole of the table's scope: report.json has the figures.
    assert (long.outcome, long.strength, long.about, long.detail, long.known) == ("holds", "exhaustive", "", "", ())
    assert found.taken is not None
    assert set(found.taken) == set(NODE_LISTING.places)
    assert found.taken["add_node"] > 0
    assert pickle.loads(pickle.dumps(found)) == found
    documents = {each["property"]: each for each in json.loads(json.dumps(found.documents))}
    assert documents[ONCE]["release"] == OF_BUG[0]
    assert len(documents[ONCE]["actions"]) == 5
    assert documents["list-as-long-as-tree"]["actions"] is None
    assert not any({"trace", "fired"} & set(each) for each in found.documents)


def test_what_is_asked_is_named_by_its_system_release_and_engine() -> None:
    assert str(CheckTask("node-listing", "1.18.4", "1.18.6", "z3")) == "node-listing 1.18.4 by z3"


@pytest.mark.slow
def test_a_named_scope_and_a_small_budget_are_kept_to() -> None:
    found = checked(CheckTask("node-listing", *OF_BUG, "hypothesis", "0,nodes=1,zones=1", Budget(runs=2)))
    cells = {cell.property: cell for cell in found.cells}
    assert cells[ONCE].outcome == "holds"
    assert cells[ONCE].strength == "sampled"
    assert "nodes=1,zones=1" in cells[ONCE].about
    assert "runs 2" in cells[ONCE].detail


def test_a_cell_says_how_a_result_is_established() -> None:
    scope = table_scope(NODE_LISTING)
    holds = Result(
        property=ONCE, engine="z3", outcome=Outcome.HOLDS, scope=scope, claim=Claim(Strength.BOUNDED, {"depth": 4})
    )
    cell = cell_of(holds, scope)
    assert (cell.strength, cell.about) == ("bounded", "")
    assert "depth 4" in cell.detail
    cut = Result(property=ONCE, engine="tlc", outcome=Outcome.INCONCLUSIVE, reason="it was cut", cause=Cause.LIMIT)
    assert cell_of(cut, scope).strength == ""
    assert "it was cut" in cell_of(cut, scope).detail


def test_all_kept_runs_of_a_bug_are_played_in_each_stretch() -> None:
    bug = bug_named("NODETREE-CURSOR")
    found = replayed(bug.id)
    assert [each.first for each in found] == [first for first, _ in stretches(NODE_LISTING)]
    shown = {row.first for row in kept_releases(bug) if row.shown}
    assert shown
    for each in found:
        assert each.shown == (bug.violates in each.violated)
        assert pickle.loads(pickle.dumps(each)) == each
    scope, length = next(each.violated[ONCE] for each in found if each.shown)
    assert (scope, length) == ("0,nodes=3,zones=2", 5)
    # The further run violates what the page's does not.
    of_bug = next(each for each in found if each.first == OF_BUG[0])
    assert {"offered-again-when-quiet", "offered-again-under-churn"} <= set(of_bug.violated)


def test_the_run_of_a_bug_is_told_from_what_was_played_now(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = bug_named("NODETREE-CURSOR")
    found = told(bug.id)
    assert found.appears
    assert "missing from the scheduler's node list" in found.explanation
    assert found.run is not None
    assert len(found.run["actions"]) == len(kept_run(bug).actions)
    assert found.run["property"][0] == bug.violates
    assert pickle.loads(pickle.dumps(found)) == found
    monkeypatch.setattr(tasks, "reproduce", lambda bug: Reproduction(bug, None, False, "it does not exist"))
    gone = told(bug.id)
    assert (gone.appears, gone.explanation, gone.run) == (False, "it does not exist", None)


def test_bugs_come_system_by_system() -> None:
    assert bugs_of([NODE_LISTING]) == [bug for bug in BUGS if bug.system == "node-listing"]
    everything = bugs_of(list(SYSTEMS.values()))
    assert set(everything) == set(BUGS)
    assert list(dict.fromkeys(bug.system for bug in everything)) == [
        name for name in SYSTEMS if any(bug.system == name for bug in BUGS)
    ]


def test_the_scope_of_the_table_is_that_for_the_report_if_there_is_one() -> None:
    for system in SYSTEMS.values():
        scope = table_scope(system)
        assert scope == (system.scopes.report or system.scope)
        assert system.parse_scope(kept_scope_text(scope)) == scope
