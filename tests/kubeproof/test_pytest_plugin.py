"""The pytest plugin in somebody else's folder: items, failure texts, skips, tables, usage errors, inertness."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve

from kubeproof.bugs.beside import beside
from kubeproof.engines import explicit, table
from kubeproof.errors import RuleError
from kubeproof.fix.fix import Fix
from kubeproof.report import items
from kubeproof.report.validation import validation_text
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import scope_text
from kubeproof.validate import one_engine, one_scope
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Part, Row
from kubeproof.verdict.result import NO_PREMISE, Cause, Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import Step, Trace
from model.releases import known_release, parse_release, rules_for
from model.scheduler.cache.node_list import update_snapshot_every_cycle
from model.scheduler.cache.node_tree import list_stateless
from model.variables import plain
from model.which_rule import itself
from tests.kubeproof.fix.strangers import DAEMON, runs

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
INSTALLED = any(e.value == "kubeproof.pytest_plugin" for e in entry_points(group="pytest11"))
LOAD = [] if INSTALLED else ["-p", "kubeproof.pytest_plugin"]
SMALL = "0,nodes=3,zones=2"
# Too small to show the bug of 1.18.4: whether a fix cures the bug, the kept run says.
TINY = "0,nodes=2,zones=2"
GOOD_FIX = "def list_nodes(tree):\n    return tree.names(), tree\n"


def items_of(*systems):
    """How many items one engine has."""
    return sum(len(SYSTEMS[name].properties) for name in systems)


def known_of(release, *systems, **rules):
    """How many properties of `systems` kept runs violate in `release` with `rules` in place."""
    at = known_release(release)
    return sum(
        len(beside(system, at, evolve(rules_for(system.rules_class, at), **rules)).violations)
        for system in map(SYSTEMS.__getitem__, systems)
    )


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
        return [result(question, property.name) for property in question.properties]

    def result(question, name):
        known = outcomes.get(name, Outcome.HOLDS)
        if isinstance(known, Exception):
            raise known
        claim = Claim(Strength.SAMPLED, {"runs": 3}) if known is Outcome.HOLDS else None
        why = None if claim else f"because | of {name}"
        return Result(
            property=name, engine=question.engine, outcome=known, claim=claim, reason=why, scope=question.scope
        )

    monkeypatch.setattr(table, "answer", answer)
    monkeypatch.setattr(one_scope, "answer", answer)
    monkeypatch.setattr(one_engine, "answer", answer)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return type("Verdicts", (), {"asked": asked, "outcomes": outcomes, "run": lambda *a: pytester.runpytest(*LOAD, *a)})


@pytest.mark.slow
def test_a_release_with_the_bug_fails_if_strict_with_the_trace_in_a_folder_without_tests(tmp_path):
    summary = tmp_path / "summary.md"
    done = run_outside(
        tmp_path, "--kubeproof-release=1.18.4", "--kubeproof-system=node-listing", "--junitxml=j.xml",
        "--kubeproof-strict", GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "listed-exactly-once is violated: n2 missing from the scheduler's node list" in done.stdout
    assert "   1  Node n1 joins in zone z1.  cache.go AddNode -> node_tree.go addNode" in done.stdout
    assert (
        "  again: kubeproof check node-listing --release 1.18.4 --scope 'only nodes=3,zones=2,moves=1' --property "
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


@pytest.mark.slow
def test_a_good_fix_passes(tmp_path):
    (tmp_path / "my_fix.py").write_text(GOOD_FIX)
    args = ["--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py", f"--kubeproof-scope={SMALL}"]
    done = run_outside(tmp_path, "-v", *args, "-k", "once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kubeproof::node-listing::listed-exactly-once[explicit] PASSED" in done.stdout
    assert "Kubernetes 1.18.4 with my_fix.py" in done.stdout


@pytest.mark.slow
def test_what_the_release_is_known_to_violate_is_an_expected_failure_and_names_the_bug(pytester):
    args = ["--kubeproof-release=1.18.4", "--kubeproof-system=node-listing", "-rx"]
    done = run_outside(pytester.path, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed, 3 xfailed" in done.stdout
    assert "known: NODETREE-CURSOR; run of 5 actions, shortest" in done.stdout
    expected = "listed-exactly-once, offered-again-when-quiet, offered-again-under-churn"
    assert f"3 known of the release, as expected: {expected}\n" in done.stdout
    assert pytester.runpytest(*LOAD, *args, "-k", "once", "--runxfail").ret == 1


def test_a_violation_that_no_page_documents_stands_out(monkeypatch, pytester):
    monkeypatch.setattr("kubeproof.report.items.known_bugs", lambda *violated: [])
    args = ["--kubeproof-release=1.18.4", "--kubeproof-system=node-listing", "-k", "exactly-once"]
    done = pytester.runpytest(*LOAD, *args)
    done.assert_outcomes(failed=1, deselected=items_of("node-listing") - 1)
    out = str(done.stdout)
    assert "1 to look at: listed-exactly-once\n" in out
    assert "no page documents it" in out
    assert out.index("1 to look at") < out.index("system        property")


WRONG = "def list_nodes(tree):\n    return tree.names()[:1] * tree.num_nodes, tree\n"
CLAIMED = "CURES = 'NODETREE-CURSOR'\n"
NO_BETTER = (
    "from model.scheduler.cache.node_tree import list_from_resuming_cursors\n"
    "def list_nodes(tree):\n    return list_from_resuming_cursors(tree)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "fix", "scope", "outcome", "said"),
    [
        # Without a scope a fix is judged in a larger one than a release.
        ("1.31.14", WRONG, None, "1 failed", "broken in only nodes=4,zones=2,moves=1: run of 3 actions"),
        ("1.18.4", CLAIMED + NO_BETTER, SMALL, "1 failed", "still violated, and the fix claims to cure it in"),
        ("1.18.4", NO_BETTER, SMALL, "1 xfailed", "known: NODETREE-CURSOR; still violated in"),
        ("1.18.4", "CURES = 'BIND-UID'\n" + NO_BETTER, SMALL, "1 xfailed", "known: NODETREE-CURSOR; still violated in"),
        ("1.31.14", "CURES = 'NODETREE-CURSOR'\n" + GOOD_FIX, SMALL, "1 failed", "NODETREE-CURSOR is not in 1.31.14"),
    ],
)  # fmt: skip
def test_a_fix_is_judged_as_validate_judges(release, fix, scope, outcome, said, pytester):
    pytester.makepyfile(my_fix=fix)
    args = [f"--kubeproof-release={release}", "--kubeproof-fix=my_fix.py", "--kubeproof-system=node-listing"]
    if scope is not None:
        args.append(f"--kubeproof-scope={scope}")
    out = str(pytester.runpytest(*LOAD, *args, "-k", "once").stdout)
    assert outcome in out
    assert said in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "fix", "accepted"),
    [
        ("1.18.4", GOOD_FIX, True),
        # It changes nothing; it claims the bug of the system, and a bug of another system that nobody judges.
        ("1.18.4", NO_BETTER, True),
        ("1.18.4", CLAIMED + NO_BETTER, False),
        ("1.18.4", "CURES = 'BIND-UID'\n" + NO_BETTER, False),
        ("1.18.4", WRONG, False),
        ("1.31.14", "CURES = 'NODETREE-CURSOR'\n" + GOOD_FIX, False),
    ],
)
def test_the_run_fails_if_and_only_if_validate_does_not_accept_the_fix(release, fix, accepted, pytester):
    path = pytester.makepyfile(my_fix=fix)
    scope = TINY
    verdict = validate(path, release, systems=["node-listing"], engines=["explicit"], scope=scope)
    args = [f"--kubeproof-release={release}", "--kubeproof-fix=my_fix.py", "--kubeproof-system=node-listing"]
    done = pytester.runpytest(*LOAD, *args, f"--kubeproof-scope={scope}")
    assert (verdict.outcome is Outcome.HOLDS, done.ret == 0) == (accepted, accepted)


@pytest.mark.slow
@pytest.mark.slow
def test_what_a_fix_has_started_ends_with_the_run(tmp_path):
    (tmp_path / "my_fix.py").write_text(DAEMON + GOOD_FIX)
    args = ["--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py", f"--kubeproof-scope={TINY}"]
    done = run_outside(tmp_path, "--kubeproof-system=node-listing", *args)
    assert done.returncode == 0, done.stdout
    pids = [int(path.name) for path in (tmp_path / "daemons").iterdir()]
    assert pids
    assert not any(map(runs, pids))


@pytest.mark.parametrize("fix", [GOOD_FIX, NO_BETTER])
def test_a_claim_that_nobody_judged_leaves_the_verdict_open(fix, pytester):
    path = pytester.makepyfile(my_fix="CURES = ('NODETREE-CURSOR', 'BIND-UID')\n" + fix)
    scope = TINY
    said = "CURES names BIND-UID, a bug of scheduling, and the fix was not judged in scheduling"
    verdict = validate(path, "1.18.4", systems=["node-listing"], engines=["explicit"], scope=scope)
    assert verdict.open == [f"{said}: add --system scheduling"]
    assert verdict.outcome is (Outcome.INCONCLUSIVE if fix == GOOD_FIX else Outcome.VIOLATED)
    assert said in validation_text(verdict).splitlines()[0]
    args = ["--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py", "--kubeproof-system=node-listing"]
    done = pytester.runpytest(*LOAD, *args, f"--kubeproof-scope={scope}", "-v")
    done.stdout.fnmatch_lines(["*kubeproof::fix::cures-something?validate? FAILED*"])
    assert f"inconclusive: {said}" in str(done.stdout)


@pytest.mark.slow
def test_a_fix_that_changes_nothing_passes_the_item_of_the_whole_fix(pytester):
    pytester.makepyfile(
        my_fix="from model.cpu.policy import validate\n"
        "def validate_state(policy, state):\n    return validate.validate_state(policy, state)\n"
    )
    args = ["--kubeproof-release=1.31.14", "--kubeproof-fix=my_fix.py", "--kubeproof-system=cpu-manager"]
    scope = "0,cores=2,threads=1,reserved=1,pods=1,containers=1,size=1,restarts=1"
    done = pytester.runpytest(*LOAD, *args, f"--kubeproof-scope={scope}", "-v")
    done.stdout.fnmatch_lines(["*kubeproof::fix::cures-something?validate? PASSED*"])
    assert "changes nothing: every answer was the release's in the scope" in str(done.stdout)
    assert "failed" not in done.parseoutcomes()


@pytest.mark.slow
def test_a_fix_that_changes_something_and_cures_nothing_fails_the_item_of_the_whole_fix(pytester):
    # Scheduling has several bugs, so without CURES a fix claims nothing there.
    rule, scope = "list_nodes=list_stateless", "nodes=2"
    args = ["--kubeproof-release=1.18.4", f"--kubeproof-rule={rule}", "--kubeproof-system=scheduling"]
    done = pytester.runpytest(*LOAD, *args, f"--kubeproof-scope={scope}", "-v")
    done.stdout.fnmatch_lines(["*kubeproof::fix::cures-something?validate? FAILED*"])
    assert "it cures no counterexample that 1.18.4 is known to have" in str(done.stdout)
    assert done.parseoutcomes()["failed"] == 1


@pytest.mark.slow
def test_a_claim_that_is_not_met_is_nothing_that_the_whole_fix_cures(pytester):
    pytester.makepyfile(my_fix="CURES = 'NODETREE-CURSOR'\n" + NO_BETTER)
    args = ["--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py", "--kubeproof-system=node-listing"]
    done = pytester.runpytest(*LOAD, *args, f"--kubeproof-scope={TINY}", "-v")
    done.stdout.fnmatch_lines(["*kubeproof::fix::cures-something?validate? SKIPPED*"])
    assert done.ret == 1


def test_an_uncovered_violation_is_red_and_leaves_the_verdict_open_unless_a_page_explains_it():
    before = Result(property="p", engine="explicit", outcome=Outcome.HOLDS)
    after = before.evolve(outcome=Outcome.VIOLATED)
    row = Row(before, after, anew=False)
    fix, release = Fix("a fix", {}), parse_release("1.18.4")
    part = Part(NODE_LISTING, release, (NODE_LISTING.scope,), fix, [row], [], [], claims=())
    assert row.change == "uncovered"
    assert part.outcome is Outcome.INCONCLUSIVE
    assert part.open == ["p is uncovered (explicit), and no documented bug of 1.18.4 explains it"]
    trace = Trace((Step(None, None),))
    shown = evolve(row, after=after.evolve(trace=trace))
    explained = evolve(part, rows=[evolve(shown, known=("NODETREE-CURSOR",))])
    assert (explained.outcome, explained.open) == (Outcome.HOLDS, [])


def test_what_is_violated_anew_names_its_page_or_is_red():
    before = Result(property="listed-exactly-once", engine="explicit", outcome=Outcome.VIOLATED)
    row = Row(before, before.evolve(trace=Trace((Step(None, None),))), anew=True)
    release = parse_release("1.18.4")
    part = Part(NODE_LISTING, release, (NODE_LISTING.scope,), Fix("a fix", {}), [row], [], [], claims=())
    explained = evolve(part, rows=[evolve(row, known=("NODETREE-CURSOR",))])
    assert row.change == "violated anew"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("trace_text", "fix_run_text"):
            patch.setattr(items, name, lambda *_: "")
        said = [items.of_fix(each, "listed-exactly-once", "explicit") for each in (part, explained)]
    assert [each.kind for each in said] == ["failed", "known"]
    assert said[1].established.startswith("known: NODETREE-CURSOR; violated anew")
    assert part.outcome is Outcome.INCONCLUSIVE
    assert explained.outcome is Outcome.HOLDS


def test_a_premise_that_no_state_meets_is_skipped_unless_strict(verdicts, monkeypatch):
    monkeypatch.setattr(table, "answer", lambda asked: [nothing_met(asked)])
    args = ["--kubeproof-system=node-listing", "-k", "once"]
    verdicts.run(*args).assert_outcomes(skipped=1, deselected=items_of("node-listing") - 1)
    verdicts.run(*args, "--kubeproof-strict").assert_outcomes(failed=1, deselected=items_of("node-listing") - 1)


def nothing_met(asked):
    (asked_of,) = asked.properties
    return Result(
        property=asked_of.name,
        engine="explicit",
        outcome=Outcome.INCONCLUSIVE,
        reason=NO_PREMISE,
        cause=Cause.PREMISE,
    )


def test_a_proof_says_below_the_table_what_it_allows_and_what_one_power_more_does(verdicts, monkeypatch):
    details = {"pods": "any number", "powers": "all but relists", "obligations": 3, "besides": "broken by relists"}

    def proved(asked):
        (p,) = asked.properties
        assert asked.besides
        claim = Claim(Strength.INDUCTIVE, details)
        return [Result(property=p.name, engine="z3", outcome=Outcome.HOLDS, claim=claim, scope=asked.scope)]

    monkeypatch.setattr(table, "answer", proved)
    args = ["--kubeproof-system=scheduling", "--kubeproof-scope=pods=1", "--kubeproof-engine=z3"]
    # No kept run of scheduling violates this property in the newest release.
    name = "binds-what-was-decided"
    lines = verdicts.run(*args, "-k", name).outlines
    assert [line.split()[4:6] for line in lines if line.startswith(f"scheduling  {name}")] == [["inductive", "[1]"]]
    about = "pods any number; environment actions all but relists; one environment action more: broken by relists"
    assert f"[1] for any size: {about}" in lines
    assert any(line.startswith("scheduling: left out, so that no verdict speaks of it") for line in lines)


def test_what_a_kept_run_violates_is_known_whatever_the_engine_says_and_fails_if_strict(verdicts):
    args = ["--kubeproof-system=node-listing", "--kubeproof-release=1.18.4", "-k", "exactly-once"]
    assert verdicts.outcomes.get("listed-exactly-once", Outcome.HOLDS) is Outcome.HOLDS
    result = verdicts.run(*args, "-rx")
    result.assert_outcomes(xfailed=1, deselected=items_of("node-listing") - 1)
    expected = (
        "known: NODETREE-CURSOR, in only nodes=3,zones=2: n2 missing from the scheduler's node list*; here holds, *"
    )
    result.stdout.fnmatch_lines([f"*{expected}"])
    strict = verdicts.run(*args, "--kubeproof-strict")
    strict.assert_outcomes(failed=1, deselected=items_of("node-listing") - 1)
    strict.stdout.fnmatch_lines(["violated by NODETREE-CURSOR, in only nodes=3,zones=2: n2 missing *"])
    # A release in which the run violates nothing.
    verdicts.run(*(each.replace("1.18.4", "1.18.7") for each in args)).assert_outcomes(
        passed=1, deselected=items_of("node-listing") - 1
    )


@pytest.mark.slow
def test_a_sample_of_a_wider_scope_is_shown_in_the_smallest_one_if_explicit_is_asked_too(verdicts, monkeypatch):
    system = SYSTEMS["scheduling"]
    wide = system.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1,updates=1")

    def answer(asked):
        scope = wide if asked.engine == "hypothesis" else asked.scope
        (result,) = explicit.check(asked.in_scope(scope).machine(), asked.properties)
        return [result.evolve(engine=asked.engine, scope=scope)]

    monkeypatch.setattr(table, "answer", answer)
    args = ["--kubeproof-system=scheduling", "--kubeproof-release=1.17.10", "-k", "bound-once"]
    sampled = "--kubeproof-engine=hypothesis"
    said = (
        "the smallest scope in which explicit finds it: only pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1 "
    )
    both = verdicts.run(*args, sampled, "--kubeproof-engine=explicit").stdout.str()
    assert said in both
    assert "the smallest scope" not in verdicts.run(*args, sampled).stdout.str()
    named = [*args, sampled, "--kubeproof-engine=explicit", f"--kubeproof-scope={scope_text(wide)}"]
    assert "the smallest scope" not in verdicts.run(*named).stdout.str()


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_one_item_for_each_property_and_engine_run_alone(verdicts):
    result = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-engine=explicit", "--kubeproof-engine=hypothesis")
    count = len(verdicts.asked)
    known = 2 * known_of("1.18.4", *{asked.system.name for asked in verdicts.asked})
    assert known
    result.assert_outcomes(passed=count - known, xfailed=known)
    result.stdout.fnmatch_lines([f"collected {count} items"])
    assert len({(asked.system.name, asked.properties[0].name, asked.engine) for asked in verdicts.asked}) == count
    assert {asked.engine for asked in verdicts.asked} == {"explicit", "hypothesis"}


@pytest.mark.slow
def test_the_options_arrive(verdicts, pytester):
    pytester.makepyfile(my_fix=GOOD_FIX)
    args = ["--kubeproof-release=v1.18", "--kubeproof-fix=my_fix.py", "--kubeproof-scope=nodes=3,zones=1"]
    rule = "update_snapshot=update_snapshot_every_cycle"
    verdicts.run(*args, f"--kubeproof-rule={rule}", "-k", "once").assert_outcomes(
        passed=1, deselected=len(NODE_LISTING.properties)
    )
    (before, asked) = verdicts.asked
    # The engine was given rules that note who looks them up.
    assert plain(before.rules) == asked.without_fix().rules
    # The search with the fix may end early once something is broken.
    assert asked.budget.decisive == {"listed-exactly-once"}
    assert evolve(before, rules=asked.without_fix().rules, budget=asked.budget) == asked.without_fix()
    assert (asked.system.name, asked.release.text, asked.engine) == ("node-listing", "v1.18", "explicit")
    assert asked.fix.path == pytester.path / "my_fix.py"
    assert sorted(asked.fix.rules) == ["list_nodes", "update_snapshot"]
    assert itself(asked.rules.update_snapshot) is update_snapshot_every_cycle
    assert asked.scope == evolve(NODE_LISTING.scope, nodes=3, zones=1)
    assert [p.name for p in asked.properties] == ["listed-exactly-once"]


@pytest.mark.slow
def test_a_fix_is_checked_in_every_system_with_all_its_rules_and_executed_elsewhere(verdicts, pytester):
    count = "import os\nwith open('count', 'a') as file: file.write(f'{os.getpid()} ')\n"
    pytester.makepyfile(my_fix=GOOD_FIX + count)
    done = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py")
    systems = ("node-listing", "scheduling")
    known = known_of("1.18.4", *systems, list_nodes=list_stateless)
    done.assert_outcomes(passed=items_of(*systems) + 1 - known, xfailed=known)
    assert {asked.system.name for asked in verdicts.asked} == {"node-listing", "scheduling"}
    executed = (pytester.path / "count").read_text().split()
    # Two, and others that are asked again.
    assert len(executed) == len(set(executed)) > 2
    assert str(os.getpid()) not in executed


@pytest.mark.slow
def test_a_fix_is_not_checked_in_a_system_that_has_some_of_its_rules_only(verdicts, pytester):
    pytester.makepyfile(my_fix=GOOD_FIX + "def skip_pod_schedule(pod):\n    return ()\n")
    done = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-fix=my_fix.py")
    known = known_of("1.18.4", "scheduling", list_nodes=list_stateless, skip_pod_schedule=lambda pod: ())
    # A pod that is never skipped is forgotten in a kept run that ends well without the fix: that is not known.
    done.assert_outcomes(passed=items_of("scheduling") + 1 - known, xfailed=known - 1, failed=1)
    done.stdout.fnmatch_lines(["FAILED kubeproof::scheduling::pending-pod-not-forgotten*"])
    assert {asked.system.name for asked in verdicts.asked} == {"scheduling"}


def test_a_system_without_the_bounds_that_were_named_is_said_not_to_be_checked(verdicts):
    result = verdicts.run("--kubeproof-release=1.18.4", "--kubeproof-scope=nodes=3,zones=1")
    assert {asked.system.name for asked in verdicts.asked} == {"node-listing"}
    result.stdout.fnmatch_lines(["kubeproof: note: not checked in scheduling: --scope nodes=3,zones=1: 'zones' is *"])


def test_inconclusive_fails_and_not_applicable_is_skipped_with_the_reason(verdicts, pytester, monkeypatch):
    verdicts.outcomes["listed-exactly-once"] = Outcome.INCONCLUSIVE
    verdicts.outcomes["relisting-permutes"] = Outcome.NOT_APPLICABLE
    verdicts.outcomes["list-as-long-as-tree"] = RuleError("list_nodes did not return")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    # No kept run of node-listing violates anything in this release.
    result = verdicts.run("--kubeproof-system=node-listing", "--kubeproof-release=1.18.7", "-rs")
    result.assert_outcomes(failed=2, skipped=1, passed=items_of("node-listing") - 3)
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


@pytest.mark.slow
def test_the_users_own_tests_run_beside_ours(verdicts, pytester):
    pytester.makepyfile("def test_theirs(): pass")
    result = verdicts.run("--kubeproof-rule=list_nodes=list_stateless")
    systems = ("node-listing", "scheduling")
    known = known_of("1.36.3", *systems, list_nodes=list_stateless)
    # Theirs, and what is said of the fix as a whole: it changes nothing.
    result.assert_outcomes(passed=2 + items_of(*systems) - known, xfailed=known)
    assert verdicts.asked


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("release=1.12", "outside the modelled range"),
        ("release=latest", "is not a Kubernetes release"),
        ("system=schedulig", "'schedulig' is not a system"),
        ("rule=list_nodez=x", "'list_nodez' is not a rule"),
        ("scope=nodes=many", "nodes: 'many' is not a number"),
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
