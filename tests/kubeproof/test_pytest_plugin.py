"""The pytest plugin in somebody else's folder: items, failure texts, skips, tables, usage errors, inertness."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve

from kubeproof.engines import table
from kubeproof.errors import RuleError
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from model.scheduler.cache.node_list import update_snapshot_every_cycle

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
INSTALLED = any(e.value == "kubeproof.pytest_plugin" for e in entry_points(group="pytest11"))
LOAD = [] if INSTALLED else ["-p", "kubeproof.pytest_plugin"]
GOOD_FIX = "def list_nodes(tree):\n    return tree.names(), tree\n"


def run_outside(folder, *args, **environment):
    """pytest in a process of its own, in `folder`, without this project's settings."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **environment}
    command = [sys.executable, "-m", "pytest", *LOAD, "-p", "no:cacheprovider", f"--rootdir={folder}", *args]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def verdicts(monkeypatch, pytester):
    """Replaces the engines: outcome by property name, `holds` unless said otherwise. Records what was asked."""
    asked = []
    outcomes = {}

    def answer(question):
        asked.append(question)
        (property,) = question.properties
        known = outcomes.get(property.name, Outcome.HOLDS)
        if isinstance(known, Exception):
            raise known
        claim = Claim(Strength.SAMPLED, {"runs": 3}) if known is Outcome.HOLDS else None
        why = None if claim else f"because | of {property.name}"
        return [Result(property=property.name, engine=question.engine, outcome=known, claim=claim, reason=why)]

    monkeypatch.setattr(table, "answer", answer)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return type("Verdicts", (), {"asked": asked, "outcomes": outcomes, "run": lambda *a: pytester.runpytest(*LOAD, *a)})


def test_a_release_with_the_bug_fails_with_the_trace_in_a_folder_without_tests(tmp_path):
    summary = tmp_path / "summary.md"
    done = run_outside(
        tmp_path, "--kubeproof-release=1.18.4", "--kubeproof-system=node-listing", "--junitxml=j.xml",
        GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "listed-exactly-once is violated: n2 missing from the scheduler's node list" in done.stdout
    assert "   1  Node n1 joins in zone z1.  cache.go AddNode -> node_tree.go addNode" in done.stdout
    assert (
        "  again: kubeproof check node-listing --release 1.18.4 --scope 0,nodes=3,zones=2,moves=1 --property "
        in done.stdout
    )
    assert "kubeproof: Kubernetes 1.18.4" in done.stdout
    cases = {case.get("name"): case for case in ElementTree.parse(tmp_path / "j.xml").iter("testcase")}
    failed = cases["listed-exactly-once[explicit]"]
    assert failed.get("classname") == "kubeproof.node-listing"
    assert "A scheduling cycle begins: its node list has 2 entries." in failed.find("failure").text
    assert cases["list-as-long-as-tree[explicit]"].find("failure") is None
    text = summary.read_text()
    assert "| node-listing | listed-exactly-once | explicit | violated |" in text
    assert "<details><summary>node-listing: listed-exactly-once [explicit]: violated</summary>" in text


def test_a_good_fix_passes(tmp_path):
    (tmp_path / "my_fix.py").write_text(GOOD_FIX)
    done = run_outside(tmp_path, "-v", "--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py", "-k", "once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kubeproof::node-listing::listed-exactly-once[explicit] PASSED" in done.stdout
    assert "Kubernetes 1.18.4 with my_fix.py" in done.stdout


def test_without_an_option_it_is_inert_and_imports_nothing_of_the_tool(tmp_path):
    (tmp_path / "test_user.py").write_text(
        "import sys\n"
        "def test_imports():\n"
        "    heavy = {'model', 'properties', 'kubeproof.check.check', 'kubeproof.errors', 'z3', 'networkx', 'attrs'}\n"
        "    assert not heavy & set(sys.modules)\n"
    )
    done = run_outside(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "kubeproof:" not in done.stdout


def test_a_folder_of_the_user_in_the_way_is_a_usage_error_only_when_asked(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "__init__.py").write_text("")
    (tmp_path / "test_user.py").write_text("def test_nothing(): pass")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    assert run_outside(tmp_path, PYTHONPATH=path).returncode == 0
    done = run_outside(tmp_path, "--kubeproof-release=1.18.4", PYTHONPATH=path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"kubeproof: the package 'model' is taken by {tmp_path / 'model'}: " in done.stderr
    assert "Traceback" not in done.stderr


def test_one_item_for_each_property_and_engine_run_alone(verdicts):
    result = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-engine=explicit", "--kubeproof-engine=hypothesis")
    count = len(verdicts.asked)
    result.assert_outcomes(passed=count)
    result.stdout.fnmatch_lines([f"collected {count} items"])
    assert len({(asked.system.name, asked.properties[0].name, asked.engine) for asked in verdicts.asked}) == count
    assert {asked.engine for asked in verdicts.asked} == {"explicit", "hypothesis"}


def test_the_options_arrive(verdicts, pytester):
    pytester.makepyfile(my_fix=GOOD_FIX)
    args = ["--kubeproof-release=v1.18", "--kubeproof-fix=my_fix.py", "--kubeproof-scope=nodes=3,zones=1"]
    rule = "update_snapshot=update_snapshot_every_cycle"
    verdicts.run(*args, f"--kubeproof-rule={rule}", "-k", "once").assert_outcomes(
        passed=1, deselected=len(NODE_LISTING.properties) - 1
    )
    (asked,) = verdicts.asked
    assert (asked.system.name, asked.release.text, asked.engine) == ("node-listing", "v1.18", "explicit")
    assert asked.fix.path == pytester.path / "my_fix.py"
    assert sorted(asked.fix.rules) == ["list_nodes", "update_snapshot"]
    assert asked.rules.update_snapshot is update_snapshot_every_cycle
    assert asked.scope == evolve(NODE_LISTING.scope, nodes=3, zones=1)
    assert [p.name for p in asked.properties] == ["listed-exactly-once"]


def test_a_fix_is_checked_in_every_system_with_all_its_rules_and_executed_elsewhere(verdicts, pytester):
    count = "import os\nwith open('count', 'a') as file: file.write(f'{os.getpid()} ')\n"
    pytester.makepyfile(my_fix=GOOD_FIX + count)
    verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py").assert_outcomes(passed=len(verdicts.asked))
    assert {asked.system.name for asked in verdicts.asked} == {"node-listing", "scheduling"}
    executed = (pytester.path / "count").read_text().split()
    assert len(executed) == len(set(executed)) == 2
    assert str(os.getpid()) not in executed


def test_a_fix_is_not_checked_in_a_system_that_has_some_of_its_rules_only(verdicts, pytester):
    pytester.makepyfile(my_fix=GOOD_FIX + "def skip_pod_schedule(pod):\n    return ()\n")
    verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py").assert_outcomes(passed=len(verdicts.asked))
    assert {asked.system.name for asked in verdicts.asked} == {"scheduling"}


def test_a_system_without_the_bounds_that_were_named_is_said_not_to_be_checked(verdicts):
    result = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-scope=nodes=3,zones=1")
    assert {asked.system.name for asked in verdicts.asked} == {"node-listing"}
    result.stdout.fnmatch_lines(["kubeproof: note: not checked in scheduling: --scope nodes=3,zones=1: 'zones=1' is *"])


def test_inconclusive_fails_and_not_applicable_is_skipped_with_the_reason(verdicts, pytester, monkeypatch):
    verdicts.outcomes["listed-exactly-once"] = Outcome.INCONCLUSIVE
    verdicts.outcomes["relisting-permutes"] = Outcome.NOT_APPLICABLE
    verdicts.outcomes["list-as-long-as-tree"] = RuleError("list_nodes did not return")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    result = verdicts.run("--kubeproof-release=1.18.4", "-rs")
    result.assert_outcomes(failed=2, skipped=1, passed=len(verdicts.asked) - 3)
    result.stdout.fnmatch_lines(
        [
            "inconclusive: because | of listed-exactly-once",
            "inconclusive: list_nodes did not return",
            "node-listing *listed-exactly-once *explicit *inconclusive *because*",
            "node-listing *relisting-permutes *explicit *not-applicable *because*",
            "SKIPPED*not applicable: because | of relisting-permutes",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    text = (pytester.path / "summary.md").read_text()
    assert "| inconclusive | because &#124; of listed-exactly-once |" in text
    assert text.count("<details>") == 2


def test_the_users_own_tests_run_beside_ours(verdicts, pytester):
    pytester.makepyfile("def test_theirs(): pass")
    result = verdicts.run("--kubeproof-rule=list_nodes=list_stateless")
    result.assert_outcomes(passed=1 + len(verdicts.asked))
    assert verdicts.asked


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("release=1.99", "outside the modelled range"),
        ("release=latest", "is not a Kubernetes release"),
        ("system=schedulig", "'schedulig' is not a system"),
        ("rule=list_nodez=x", "'list_nodez' is not a rule"),
        ("scope=nodes=many", "is not a bound of node-listing"),
        ("engine=spin", "expected one of"),
        ("fix=missing.py", "missing.py"),
        ("fix=broken.py", "broken.py"),
    ],
)
def test_a_bad_value_is_one_line_and_exit_4(option, expected, verdicts, pytester):
    pytester.makepyfile(broken="def list_nodes(tree:\n")
    result = verdicts.run(f"--kubeproof-{option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in result.errlines if line.strip()]
    assert len(errors) == 1
    assert errors[0].startswith("ERROR: kubeproof: ")
    assert expected in errors[0]
    assert not verdicts.asked
