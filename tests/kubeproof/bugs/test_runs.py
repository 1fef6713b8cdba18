"""The kept runs of a bug: read, played under any rules, and written in the form that is read."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen

from kubeproof.bugs import runs
from kubeproof.bugs.catalogue import BUGS, Bug, bug_named
from kubeproof.bugs.runs import RUNS, first_violations, further_kept, kept_run, kept_runs, runs_text
from kubeproof.errors import InputError
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.itf import state_digest
from kubeproof.verdict.trace import Trace, replay
from model.objects import SELDOM
from model.releases import known_release, rules_for
from tests.conftest import ROOT

CURSOR = bug_named("NODETREE-CURSOR")
ONCE, QUIET = (NODE_LISTING.property_named(name) for name in ("listed-exactly-once", "offered-again-when-quiet"))


def machine(release: str, scope: Any) -> Any:
    return NODE_LISTING.machine(scope, rules_for(NODE_LISTING.rules_class, known_release(release)))


def test_the_run_of_the_page_comes_first_then_those_of_the_questions() -> None:
    for bug in BUGS:
        found, pages = kept_runs(bug.id), 1 + len(bug.questions)
        assert found[0] == kept_run(bug)
        assert {run.release for run in found[:pages]} == {bug.release}
        assert [run.property for run in found[:pages]] == [bug.violates, *(each.violates for each in bug.questions)]
        assert found[pages:] == further_kept(bug)
    assert any(bug.questions for bug in BUGS)
    assert any(map(further_kept, BUGS))


def test_a_run_is_played_as_far_as_the_machine_has_it() -> None:
    first, lasso = kept_runs(CURSOR.id)
    own = machine("1.18.4", first.scope)
    assert first.played(own) == replay(own, first.actions)
    assert lasso.played(own) == replay(own, lasso.actions, loop=lasso.loop)
    # In a tree that lists each node once the lasso closes as well; where a state differs it is a run that ends.
    assert evolve(lasso, loop=1).played(own).loop is None
    # A scope of two nodes has no third one.
    small = machine("1.18.4", evolve(first.scope, nodes=2))
    assert first.played(small).length < len(first.actions)


def test_what_a_run_violates_on_its_way_is_found_with_the_run_until_there() -> None:
    first, lasso = kept_runs(CURSOR.id)
    own = machine("1.18.4", first.scope)
    trace = lasso.played(own)
    found = first_violations(own, [ONCE, QUIET], trace)
    until, wrong = found[ONCE.name]
    assert until.length < trace.length
    assert until.loop is None
    assert "missing from the scheduler's node list" in wrong
    assert found[QUIET.name][0] == trace
    # A liveness property speaks of a run that goes on for ever.
    assert set(first_violations(own, [ONCE, QUIET], Trace(trace.steps))) == {ONCE.name}
    cured = machine("1.18.7", first.scope)
    assert first_violations(cured, [ONCE, QUIET], lasso.played(cured)) == {}


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_runs_are_written_as_they_are_read(bug: Bug) -> None:
    """So each state of each kept run is as recorded."""
    text = (ROOT / "counterexamples" / bug.folder / RUNS).read_text("utf-8")
    assert runs_text(bug, kept_runs(bug.id)) == text


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_each_kept_run_violates_its_property_at_its_end(bug: Bug) -> None:
    for run in kept_runs(bug.id):
        machine = run.machine()
        trace = run.played(machine)
        assert (trace.length, trace.loop) == (len(run.actions), run.loop)
        assert run.property in bug.properties or run.property in {each.violates for each in bug.questions}
        assert not run.is_sound(machine)


@frozen
class _Before:
    nodes: tuple[str, ...] = ()


@frozen
class _After:
    nodes: tuple[str, ...] = ()
    seldom: int = field(default=0, metadata={SELDOM: True})


def test_a_new_seldom_field_moves_no_digest() -> None:
    assert state_digest(_After(("n1",))) == state_digest(_Before(("n1",)))
    assert len({state_digest(each) for each in (_After(("n1",)), _After(("n2",)), _After(("n1",), 1))}) == 3


RUN = (
    '{"bug": "NODETREE-CURSOR", "system": "node-listing", "runs": [{"property": "listed-exactly-once", "release": '
    '"1.18.4", "scope": "nodes=2", "loop": null, "initial": "0", "actions": [["update_snapshot", {}, "0"]]}]}'
)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (RUN, "{", "JSONDecodeError"),
        (RUN, "[]", "expected"),
        (RUN, "[" * 100_000, "RecursionError"),
        ('"loop": null, ', "", "runs[0].loop: missing"),
        ("null", "2", "loop 2: expected the number of a state, 0 to 1"),
        ("null", "-1", "loop -1: expected the number of a state, 0 to 1"),
        ("nodes=2", "pods=2", "'pods' is not a bound of node-listing"),
        ("1.18.4", "1.99.0", "1.99.0"),
        ('["update_snapshot", {}, "0"]', '["add_node"]', "ValueError"),
        ('["update_snapshot", {}, "0"]', '["add_node", "n1", "0"]', "AttributeError"),
        ('["update_snapshot", {}, "0"]', '["add_node", {"node": []}, "0"]', "TypeError"),
        ("listed-exactly-once", "bound-once", "'bound-once' is not a property"),
        ("node-listing", "scheduling", "1 of scheduling, not 1 or more of node-listing"),
    ],
)
def test_damaged_runs_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, says: str
) -> None:
    (tmp_path / CURSOR.folder).mkdir()
    file = tmp_path / CURSOR.folder / RUNS
    monkeypatch.setattr(runs, "files", lambda package: tmp_path)
    file.write_text(RUN, "utf-8")
    assert len(kept_runs.__wrapped__(CURSOR.id)) == 1
    file.write_text(RUN.replace(old, new), "utf-8")
    with pytest.raises(InputError) as refused:
        kept_runs.__wrapped__(CURSOR.id)
    text = str(refused.value)
    assert text.startswith(f"counterexamples/{CURSOR.folder}/{RUNS}: missing or damaged, ")
    assert text.endswith(": expected runs; `make counterexamples` writes them")
    assert says in text
    assert "\n" not in text
