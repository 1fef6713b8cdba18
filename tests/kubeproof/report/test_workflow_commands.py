"""The verdict on a fix in GitHub Actions: marks that the runner reads back, the summary, and the example workflow."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from kubeproof.report.workflow_commands import github_lines, in_repository, line_of
from kubeproof.validate.validate import validate
from tests.conftest import ROOT
from tests.kubeproof.report.test_verdict_lines import RESUMING, judged
from tests.kubeproof.report.test_verdict_page import WILD, WORDS, of_file
from tests.kubeproof.test_cli import Captured, kubeproof

WORKFLOW = ROOT / "examples/github-actions/kubeproof.yml"
WRONG = "# A helper stands first.\ndef helper(): ...\n\n\ndef list_nodes(tree):\n    return tree.names()[1:], tree\n"


def read_back(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it: name, properties, message.

    The rules are those of github.com/actions/runner, src/Runner.Common/ActionCommand.cs.
    """
    found = re.fullmatch(r"::(\w[\w-]*)(?: ([^:]*(?:(?!::).)*?))?::(.*)", line)
    assert found, line
    properties = dict(each.split("=", 1) for each in (found[2] or "").split(",") if each)
    for signs in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        properties = {name: value.replace(*signs) for name, value in properties.items()}
    message = found[3]
    for signs in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        message = message.replace(*signs)
    return found[1], properties, message


def obeyed(lines: list[str]) -> list[str]:
    """The lines that the runner takes for commands: none between stop-commands and its token."""
    found, token = [], None
    for line in "\n".join(lines).split("\n"):
        if token is not None:
            token = None if line.strip() == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    assert token is None
    return found


def test_a_refused_fix_has_a_mark_at_its_function(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "fixes, 100%: new"
    folder.mkdir()
    (mark,) = obeyed(github_lines(of_file(folder, WRONG), "text"))
    name, properties, message = read_back(mark)
    assert name == "error"
    assert properties == {
        "title": "kubeproof: my_fix.py on node-listing 1.18.8",
        "file": "fixes, 100%: new/my_fix.py",
        "line": "5",
    }
    first, *more = message.split("\n")
    assert first.startswith("REFUSED: it breaks listed-exactly-once")
    assert any(line.startswith("it breaks listed-exactly-once after ") for line in more)


@pytest.mark.slow
def test_what_a_fix_says_is_no_command(tmp_path: Path) -> None:
    wild = f"{WILD} ##[add-mask]x"
    text = f"\n::warning::{wild}\n"
    lines = github_lines(of_file(tmp_path, f"def list_nodes(tree):\n    raise ValueError({wild!r})\n"), text)
    (mark,) = obeyed(lines)
    assert read_back(mark)[0] == "error"
    assert "::error::no" in read_back(mark)[2]
    assert lines[0] != github_lines(judged(RESUMING, "1.18.8"), text)[0]


@pytest.mark.slow
def test_each_system_in_which_something_speaks_against_the_fix_has_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(WRONG)
    verdict = validate(
        path, "1.31.14", systems=["node-listing", "scheduling"], scope="nodes=2", engines=["explicit"], further=None
    )
    marks = [read_back(line) for line in obeyed(github_lines(verdict, ""))]
    loud = [part.system.name for part in verdict.parts if part.reasons or part.open]
    assert "node-listing" in loud
    titles = {properties["title"] for _, properties, _ in marks}
    assert titles >= {f"kubeproof: my_fix.py on {name} 1.31.14" for name in loud}
    assert all(properties["line"] == "5" for _, properties, _ in marks)


def test_an_accepted_fix_is_noticed() -> None:
    (mark,) = obeyed(github_lines(judged("list_nodes=list_stateless", "1.31"), ""))
    name, properties, message = read_back(mark)
    assert (name, set(properties)) == ("notice", {"title"})
    assert message.startswith("CHANGES NOTHING")


@pytest.mark.slow
def test_the_line_is_that_of_the_rule_that_fails(tmp_path: Path) -> None:
    text = (
        "from model.scheduler.cache import node_tree\ndef add_node(tree, node, zone):\n"
        "    return node_tree.add_node(tree, node, zone)\ndef list_nodes(tree): return 1 / 0\n"
    )
    verdict = of_file(tmp_path, text)
    (part,) = verdict.parts
    assert part.failure is not None
    assert part.failure.startswith("list_nodes raised")
    assert line_of(verdict.fix, part) == {"line": "4"}
    # A function of another file has no line in this one.
    verdict = of_file(tmp_path, "from operator import truth as list_nodes\n")
    assert line_of(verdict.fix, verdict.parts[0]) == {}


def test_a_file_is_named_from_the_folder_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert in_repository(Path("my_fix.py")) == "my_fix.py"
    assert in_repository(Path("../my_fix.py")) == "../my_fix.py"
    (tmp_path / ".git").write_text("gitdir: elsewhere")  # as in a worktree
    assert in_repository(Path("my_fix.py")) == "sub/my_fix.py"
    assert in_repository(Path("../my_fix.py")) == "my_fix.py"


@pytest.mark.slow
def test_the_summary_is_added_to_the_file_of_the_step(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    status, out, _ = kubeproof(capsys, "validate", "--rule", RESUMING, *WORDS, "--format", "github")
    assert status == 1
    assert len(obeyed(out.splitlines())) == 1
    assert summary.read_text().startswith("before\n## ")
    assert "```mermaid" in summary.read_text()
    kubeproof(capsys, "validate", "--rule", RESUMING, *WORDS, "--format", "markdown")
    assert summary.read_text().count("```mermaid") == 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "summary.md"))
    status, _, err = kubeproof(capsys, "validate", "--rule", RESUMING, *WORDS, "--format", "github")
    assert status == 2
    assert len([line for line in err.splitlines() if line.startswith("kubeproof: ")]) == 1


@pytest.mark.parametrize(
    ("text", "line"), [("x = 1\ndef list_nodes(:\n", "2"), ("import no_such_module\n", "1"), ("x = 1\n", None)]
)
def test_a_file_that_is_no_fix_has_a_mark_too(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, line: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_fix.py").write_text(text)
    status, out, err = kubeproof(capsys, "validate", "my_fix.py", "--format", "github")
    assert status == 2
    name, properties, message = read_back(out.rstrip("\n"))
    assert (name, properties["file"], properties.get("line")) == ("error", "my_fix.py", line)
    assert err == f"kubeproof: {message}\n"


# --- the example workflow


def steps() -> list[dict[str, Any]]:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    return [{"env": workflow["env"], **step} for step in job["steps"]]


def run_step(step: dict[str, Any], folder: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    """The command of a step, as the runner runs it on Linux; `kubeproof` and `pytest` are those of this checkout."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("kubeproof", "pytest"):
        program = programs / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m {name} "$@"\n')
        program.chmod(0o755)
    environment = {**os.environ, **step["env"], **env, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_workflow_says_what_it_needs() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    # YAML 1.1 reads "on" as true.
    assert list(workflow[True]) == ["pull_request"]
    assert [step["name"] for step in steps() if "run" in step] == ["Install", "Judge", "JUnit"]
    # All that the steps ask for is there, or is set by the runner.
    named = {name for step in steps() for name in re.findall(r"\$(\w+)", step.get("run", ""))}
    assert named == set(workflow["env"])


RIGHT = "from model.scheduler.cache.node_tree import list_stateless as list_nodes\n"


@pytest.mark.slow
@pytest.mark.parametrize(("text", "status"), [(WRONG, 1), (RIGHT, 0)])
def test_the_steps_of_the_workflow_run(tmp_path: Path, text: str, status: int) -> None:
    """What a runner does between checkout and upload, in a small scope: the commands, the summary, the report."""
    judge, junit = (step for step in steps() if step.get("name") in ("Judge", "JUnit"))
    (tmp_path / ".git").mkdir()
    (tmp_path / "fixes").mkdir()
    (tmp_path / "fixes/my_fix.py").write_text(text)
    summary = tmp_path / "summary.md"
    env = {
        "GITHUB_STEP_SUMMARY": str(summary),
        "RELEASE": "1.31.14",
        "VALIDATE_OPTIONS": "--engine explicit --system node-listing --scope nodes=3,zones=2",
        "PYTEST_OPTIONS": "-p no:cacheprovider --kubeproof-system node-listing --kubeproof-scope nodes=3,zones=2",
    }
    done = run_step(judge, tmp_path, **env)
    assert done.returncode == status, done.stderr
    (mark,) = obeyed(done.stdout.splitlines())
    name, properties, _ = read_back(mark)
    assert (name, properties["file"]) == ("error" if status else "notice", "fixes/my_fix.py")
    assert summary.read_text().startswith("## my_fix.py on node-listing 1.31.14\n")
    assert ("```mermaid" in summary.read_text()) is bool(status)
    done = run_step(junit, tmp_path, **env)
    assert done.returncode == status, done.stdout
    cases = ElementTree.parse(tmp_path / "kubeproof.xml").findall(".//testcase")
    assert any(case.find("failure") is not None for case in cases) is bool(status)
