"""The interface of the explorer says what the model does, in JSON, and needs nothing that a browser lacks."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.runs import kept_run
from kubeproof.explore.explorer import Explorer
from kubeproof.report.drawn import action_text
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import scope_text
from model.releases import known_release
from tests.conftest import ROOT

# Of each kind of property one.
SOME = ("NODETREE-CURSOR", "CPU-LAST-POD-NOT-RECLAIMED", "NOM-STATUS-KEYED", "API-LATE-PATCH")
EVERY = [pytest.param(bug, id=bug.id, marks=() if bug.id in SOME else pytest.mark.slow) for bug in BUGS]


def of(bug: Bug | str, **others: Any) -> dict[str, Any]:
    """The kept run of a bug, as the page names it."""
    run = kept_run(bug_named(bug) if isinstance(bug, str) else bug)
    actions = [action_text(action) for action in run.actions]
    scope, release = scope_text(run.scope), str(known_release(run.release))
    asked = {"system": run.bug.system, "release": release, "fix": False, "scope": scope, "actions": actions}
    return {**asked, "against": None, **others}


def said(question: str, **asked: Any) -> dict[str, Any]:
    """What the explorer answers; it goes through JSON."""
    answer: dict[str, Any] = json.loads(json.dumps(Explorer().answer(question, json.loads(json.dumps(asked)))))
    return answer


@pytest.mark.parametrize("bug", EVERY)
def test_a_kept_run_taken_action_by_action_ends_in_its_violation(bug: Bug) -> None:
    run = of(bug)
    actions = run["actions"]
    found = said("start", run=run)
    assert (found["run"]["actions"], found["at"]) == ([], 0)
    for text in actions:
        (taken,) = [each for each in found["enabled"] if each["text"] == text]
        found = said("take", run=found["run"], at=found["at"], action=text)
        last = found["told"][-1]
        # What was said before the action is what is so after it.
        assert {**taken, "text": text} == last
    assert found["run"] == run
    assert bug.violates in found["violated"]
    assert found == said("look", run=run)
    assert said("undo", run=run)["run"]["actions"] == actions[:-1]


def test_what_would_be_violated_is_what_is_violated_then() -> None:
    run = of("NODETREE-CURSOR")
    before = said("look", run=run, at=4)
    (last,) = [each for each in before["enabled"] if each["text"] == "update_snapshot"]
    assert [name for name, _ in last["broken"]] == ["listed-exactly-once"]
    assert before["violated"] == {}
    assert list(said("look", run=run)["violated"]) == ["listed-exactly-once"]


def test_another_action_in_an_earlier_state_begins_a_branch() -> None:
    found = said("take", run=of("NODETREE-CURSOR"), at=2, action="remove_node n1")
    assert found["run"]["actions"] == ["add_node n1 z1", "add_node n2 z1", "remove_node n1"]


@pytest.mark.parametrize("bug", [pytest.param(bug_named(name), id=name) for name in SOME])
def test_from_each_state_of_a_shortest_run_the_rest_of_it_is_shortest(bug: Bug) -> None:
    run = of(bug)
    length = len(run["actions"])
    # A lasso goes round states that come after the one from which it is looked for.
    for at in (0, length) if kept_run(bug).loop else range(0, length + 1, 1 if length < 10 else 6):
        found = said("search", run=run, at=at, goal={"property": bug.violates, "fact": "", "value": "", "seconds": 60})
        assert found["run"]["actions"][:at] == run["actions"][:at]
        assert len(found["run"]["actions"]) == length, found["said"]
        assert bug.violates in found["violated"]


def test_a_search_for_a_fact() -> None:
    goal = {"property": "", "fact": "nodeTree: zones", "value": "z2", "seconds": 20}
    run = of("NODETREE-CURSOR")
    # It is one item of a list, or the whole text.
    found = said("search", run=run, at=0, goal=goal)
    assert found["run"]["actions"] == ["add_node n1 z2"]
    both = said("search", run=run, at=0, goal={**goal, "value": "z1, z2"})
    assert len(both["run"]["actions"]) == 2
    whole = said("search", run=run, at=0, goal={**goal, "fact": "snapshot: nodeInfoList", "value": "[n3, n1, n3]"})
    assert whole["run"]["actions"][-1] == "update_snapshot"
    assert len(whole["run"]["actions"]) == 5
    nowhere = said("search", run=run, at=0, goal={**goal, "value": "n9"})
    assert nowhere.keys() == {"said"}
    assert nowhere["said"].startswith("No run in this scope leads from here to ")
    assert "is not a fact" in said("search", run=run, at=0, goal={**goal, "fact": "no such", "value": ""})["error"]


def test_two_releases_beside_each_other_until_they_differ() -> None:
    run = of("NODETREE-CURSOR", against={"release": "1.18.7", "fix": False})
    found = said("look", run=run, at=4)["against"]
    assert found["violated"] == {}
    assert found["differs"]["at"] == next(at for at, facts in enumerate(found["facts"]) if facts)
    same = said("look", run=of("NODETREE-CURSOR", against={"release": "1.18.3", "fix": False}))["against"]
    assert same["differs"] is None
    assert not any(same["facts"])
    assert "listed-exactly-once" in same["violated"]


def test_an_action_that_the_other_release_has_not() -> None:
    run = of("NOM-STATUS-KEYED", against={"release": "", "fix": False})
    answers = [said("look", run=run, at=at) for at in range(len(run["actions"]))]
    there = {each["there"] for answer in answers for each in answer["enabled"]}
    assert there - {""}
    other = answers[-1]["against"]
    assert other["differs"]["at"] <= len(run["actions"])


def test_a_fix_is_refused_where_there_is_none() -> None:
    assert "started without one" in said("start", run=of("NODETREE-CURSOR", fix=True))["error"]


@pytest.mark.parametrize(
    ("question", "asked", "why"),
    [
        ("look", {"run": {}}, "missing"),
        ("look", {}, "run: "),
        ("look", {"run": of("NODETREE-CURSOR", scope="nodes=x")}, "nodes: 'x' is not a number"),
        ("look", {"run": of("NODETREE-CURSOR", release="1.99999")}, "1.99999"),
        ("look", {"run": of("NODETREE-CURSOR", release="x")}, "'x'"),
        ("look", {"run": of("NODETREE-CURSOR", system="node")}, "'node' is not a system"),
        ("look", {"run": of("NODETREE-CURSOR", actions=["fly n1"])}, "action 1: 'fly n1' is not enabled"),
        ("look", {"run": of("NODETREE-CURSOR", actions=["x"] * 501)}, "501 actions"),
        ("look", {"run": of("NODETREE-CURSOR"), "at": -1}, "at: -1 is not the number of a state"),
        ("look", {"run": of("NODETREE-CURSOR"), "at": "2"}, "at: '2' is not the number of a state"),
        ("take", {"run": of("NODETREE-CURSOR")}, "take: action"),
        ("search", {"run": of("NODETREE-CURSOR")}, "goal: "),
        ("save", {"run": of("NODETREE-CURSOR"), "as": "pdf"}, "'pdf' is not a form"),
        ("save", {"run": of("NODETREE-CURSOR"), "at": 1, "as": "pytest"}, "nothing is violated"),
        ("fly", {}, "'fly' is not a question"),
    ],
)
def test_wrong_input_is_one_line(question: str, asked: dict[str, Any], why: str) -> None:
    answer = said(question, **asked)
    assert answer.keys() == {"error"}
    assert why in answer["error"]
    assert "\n" not in answer["error"]


@pytest.mark.parametrize("bug", EVERY)
def test_a_saved_run_is_the_run(bug: Bug) -> None:
    run, system = of(bug), SYSTEMS[bug.system]
    itf = json.loads(said("save", run=run, **{"as": "itf"})["text"])
    assert len(itf["states"]) == len(run["actions"]) + 1
    assert itf.get("loop") == kept_run(bug).loop or kept_run(bug).loop is None
    test = said("save", run=run, **{"as": "pytest"})
    names: dict[str, Any] = {}
    exec(compile(test["text"], test["name"], "exec"), names)
    (check,) = [each for name, each in names.items() if name.startswith("test_")]
    check()
    assert system.name in itf["#meta"]["system"]


def test_each_text_of_an_enabled_action_is_its_own() -> None:
    for name in SYSTEMS:
        asked = {"system": name, "release": "", "fix": False, "scope": "", "actions": [], "against": None}
        found = said("start", run=asked)
        texts = [each["text"] for each in found["enabled"]]
        assert texts
        assert len(set(texts)) == len(texts)


ABSENT = ("psutil", "z3", "hypothesis", "multiprocessing", "fcntl", "resource", "rich", "typer", "jinja2", "starlette")
IN_A_BROWSER = f"""
import sys
for name in {ABSENT}:
    sys.modules[name] = None
from kubeproof.explore.explorer import Explorer
run = {{"system": "node-listing", "release": "1.18.4", "fix": False, "scope": "", "actions": [], "against": None}}
goal = {{"property": "listed-exactly-once", "fact": "", "value": "", "seconds": 9}}
print(Explorer().answer("search", {{"run": run, "goal": goal}})["said"])
"""


def test_nothing_is_needed_that_a_browser_lacks() -> None:
    done = subprocess.run([sys.executable, "-c", IN_A_BROWSER], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("A shortest run from here takes 5 actions"), done.stderr


def test_what_the_docs_show_to_programs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/explorer.md").read_text("utf-8"), re.DOTALL)
    exec(shown, {})
    assert "add_node n2 z1" in capsys.readouterr().out
