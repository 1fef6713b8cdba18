"""The kept runs of a bug: read, played under any rules, and written in the form that is read."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs import runs
from kubeproof.bugs.catalogue import BUGS, Bug, bug_named
from kubeproof.bugs.kept import kept_document
from kubeproof.bugs.runs import FURTHER_RUNS, first_violations, further_runs_text, kept_runs
from kubeproof.errors import InputError
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.itf import actions_of
from kubeproof.verdict.trace import Trace, replay
from model.releases import known_release, rules_for
from tests.conftest import ROOT

CURSOR = bug_named("NODETREE-CURSOR")
ONCE, QUIET = (NODE_LISTING.property_named(name) for name in ("listed-exactly-once", "offered-again-when-quiet"))
WITH_FURTHER = [bug for bug in BUGS if (ROOT / "counterexamples" / bug.folder / FURTHER_RUNS).is_file()]


def machine(release: str, scope: Any) -> Any:
    return NODE_LISTING.machine(scope, rules_for(NODE_LISTING.rules_class, known_release(release)))


def test_the_run_of_the_page_comes_first_then_those_of_the_questions() -> None:
    for bug in BUGS:
        found, pages = kept_runs(bug.id), 1 + len(bug.questions)
        assert found[0].actions == actions_of(kept_document(bug))
        assert {run.release for run in found[:pages]} == {bug.release}
        assert (len(found) > pages) == (bug in WITH_FURTHER)
    assert any(bug.questions for bug in BUGS)


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


@pytest.mark.parametrize("bug", WITH_FURTHER, ids=lambda bug: bug.id)
def test_further_runs_are_written_as_they_are_read(bug: Bug) -> None:
    text = (ROOT / "counterexamples" / bug.folder / FURTHER_RUNS).read_text("utf-8")
    assert further_runs_text(bug, kept_runs(bug.id)[1 + len(bug.questions) :]) == text


RUN = '{"bug": "NODETREE-CURSOR", "runs": [{"release": "1.18.4", "scope": "nodes=2", "loop": null, "actions": []}]}'


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (RUN, "{", "JSONDecodeError"),
        (RUN, "[]", "expected"),
        (RUN, "[" * 100_000, "RecursionError"),
        ('"loop": null, ', "", "runs[0].loop: missing"),
        ("null", "1", "loop 1: expected the number of a state, 0 to 0"),
        ("null", "-1", "loop -1: expected the number of a state, 0 to 0"),
        ("nodes=2", "pods=2", "'pods' is not a bound of node-listing"),
        ("1.18.4", "1.99.0", "1.99.0"),
        ('"actions": []', '"actions": [["add_node"]]', "ValueError"),
        ('"actions": []', '"actions": [["add_node", "n1"]]', "AttributeError"),
    ],
)
def test_damaged_further_runs_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, says: str
) -> None:
    (tmp_path / CURSOR.folder).mkdir()
    file = tmp_path / CURSOR.folder / FURTHER_RUNS
    monkeypatch.setattr(runs, "files", lambda package: tmp_path)
    file.write_text(RUN, "utf-8")
    assert len(kept_runs.__wrapped__(CURSOR.id)) == 2
    file.write_text(RUN.replace(old, new), "utf-8")
    with pytest.raises(InputError) as refused:
        kept_runs.__wrapped__(CURSOR.id)
    text = str(refused.value)
    assert text.startswith(f"counterexamples/{CURSOR.folder}/{FURTHER_RUNS}: damaged, ")
    assert text.endswith(": expected runs; `make counterexamples` writes them")
    assert says in text
    assert "\n" not in text


@pytest.mark.parametrize(
    "change", [{"#meta": {}}, {"#meta": {"scope": "pods=1"}}, {"states": None}, {"loop": 99}, {"loop": "x"}]
)
def test_a_damaged_run_of_a_page_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    document = kept_document(CURSOR)
    monkeypatch.setattr(runs, "kept_document", lambda bug, which="": document | change)
    with pytest.raises(InputError, match="counterexamples/nodetree-cursor: not a trace of node-listing: ") as refused:
        kept_runs.__wrapped__(CURSOR.id)
    assert "\n" not in str(refused.value)
