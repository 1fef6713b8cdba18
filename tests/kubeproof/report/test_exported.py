"""`kubeproof show BUG --itf` and `--pytest`: what is made of a kept run when somebody asks for it."""

import json

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS, any_bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.runs import kept_run
from kubeproof.cli import app, run
from kubeproof.report.exported import itf_text, pytest_text
from kubeproof.systems.system import kept_scope_text
from kubeproof.verdict.itf import NOTHING

Captured = pytest.CaptureFixture[str]
# Of each kind of property one, one that no release cures, and what components show.
SOME = ("NODETREE-CURSOR", "CPU-INIT-OVERLAP", "CPU-LAST-POD-NOT-RECLAIMED", "NOM-STATUS-KEYED", "CPU-HINTS")
EVERY = [
    pytest.param(bug, id=bug.id, marks=() if bug.id in SOME else pytest.mark.slow) for bug in (*BUGS, *COMPONENT_BUGS)
]


def show(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["show", *args], prog_name="kubeproof", standalone_mode=False))
    return status, *capsys.readouterr()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_the_trace_of_a_bug_is_its_kept_run_with_each_state(bug: Bug) -> None:
    document, kept = json.loads(itf_text(bug)), kept_run(bug)
    meta, (first, *after) = document["#meta"], document["states"]
    assert meta["description"].startswith(f"{bug.id}: ")
    assert (meta["format"], meta["system"], meta["property"]) == ("ITF", bug.system, bug.violates)
    assert (meta["release"], meta["scope"]) == (bug.release, kept_scope_text(kept.scope))
    assert document.get("loop") == kept.loop
    assert first["mbt::actionTaken"] == "init"
    taken = [(state["mbt::actionTaken"], dict(state["mbt::nondetPicks"]["#map"])) for state in after]
    assert taken == [(action.name, dict(action.args)) for action in kept.actions]
    # Each variable has a value in each state, and JSON's null is none.
    assert all(set(state) == {"#meta", *document["vars"]} for state in document["states"])
    assert "null" not in json.dumps(document)


def test_what_is_absent_in_a_state_is_written_as_apalache_writes_it() -> None:
    bug = any_bug_named("CPU-POLICY-NAME")
    assert any(state["file"] == NOTHING for state in json.loads(itf_text(bug))["states"])


@pytest.mark.parametrize("bug", EVERY)
def test_the_printed_test_passes(bug: Bug | ComponentBug) -> None:
    text = pytest_text(bug)
    assert f"`kubeproof show {bug.id} --pytest`" in text
    names: dict[str, object] = {}
    exec(compile(text, f"{bug.id}.py", "exec"), names)
    tests = [test for name, test in names.items() if name.startswith("test_") and callable(test)]
    assert tests
    for test in tests:
        for args in [()] if isinstance(bug, Bug) else [(release,) for release in names["SHOWN"]]:  # type: ignore[attr-defined]
            test(*args)


def test_a_printed_test_knows_a_release_that_cures_the_bug() -> None:
    assert 'def test_nodetree_cursor_is_cured_in_1_18_7() -> None:\n    assert run("1.18.7")\n' in pytest_text(
        any_bug_named("NODETREE-CURSOR")
    )
    # No release that is known from its source has the run without the bug.
    assert pytest_text(any_bug_named("NOM-STATUS-KEYED")).count("def test_") == 1


@pytest.mark.parametrize(("option", "made"), [("--itf", itf_text), ("--pytest", pytest_text)])
def test_the_command_prints_the_text_and_nothing_else(capsys: Captured, option: str, made: object) -> None:
    assert show(capsys, "nodetree-cursor", option) == (0, made(any_bug_named("NODETREE-CURSOR")), "")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("CPU-HINTS", "--itf"), "--itf: CPU-HINTS is shown by no run of a system: expected a bug that one shows"),
        (
            (UNSHOWN_BUGS[0].id, "--pytest"),
            f"--pytest: {UNSHOWN_BUGS[0].id} is shown by nothing: expected a bug that a run or components show",
        ),
        (("NODETREE-CURSOR", "--itf", "--pytest"), "--itf: --pytest is there too: expected one of the two"),
        (("NODETREE-CURSOR", "--json", "--pytest"), "--pytest: --json is there too: expected one of the two"),
    ],
)
def test_what_cannot_be_printed_is_refused_in_one_line(capsys: Captured, args: tuple[str, ...], said: str) -> None:
    assert show(capsys, *args) == (2, "", f"kubeproof: {said}\n")


def test_help_names_both(capsys: Captured) -> None:
    status, out, _ = show(capsys, "--help")
    assert status == 0
    assert "--itf" in out
    assert "--pytest" in out
