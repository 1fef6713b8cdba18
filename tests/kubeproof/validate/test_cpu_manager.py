"""Fixes of the CPU manager: how a bad result of a rule is named, what the examples get, what a verdict rests on."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.errors import InputError, RuleError
from kubeproof.fix.guarded import guarded
from kubeproof.fix.rule_results import returned_by
from kubeproof.report.validation import validation_text
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.validate.side_by_side import compare
from kubeproof.validate.validate import validate, validation_json
from kubeproof.validate.verdict import Row, Validation
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import Step, Trace
from model.cpu.cpuset import parse
from model.cpu.manager import Effect, Manager, manager_allocate_pending
from model.cpu.policy import allocate as policy_allocate, remove as policy_remove, validate as policy_validate
from model.cpu.policy.types import Change
from model.cpu.state.state import CPUManagerState
from model.go.errors import GoError
from model.releases import parse_release, rules_for
from tests.conftest import ROOT
from tests.kubeproof.validate.verdicts import only

FIXES = ROOT / "examples" / "fixes"
STATE = CPUManagerState(frozenset({0, 1}), ((("p", "c"), frozenset({2})),))
NO_POWERS = "exits=0,removals=0,restarts=0,crashes=0,hotplug=0"
ONE_POD = f"cores=2,pods=1,containers=1,size=1,init=0,{NO_POWERS}"
ONE_INIT = f"cores=2,pods=1,containers=2,init=1,{NO_POWERS}"
INIT = f"cores=3,pods=1,containers=2,size=1,init=1,{NO_POWERS},removals=1"


def judge(name: str, release: str, scope: str | None) -> Validation:
    return validate(FIXES / f"{name}.py", release, scope=scope, engines=["explicit"])


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my_fix.py"
    path.write_text(text, encoding="utf-8")
    return path


def changes(verdict: Validation) -> dict[str, str]:
    return {row.after.property: row.change for row in only(verdict).rows}


# --- what a rule returns ---------------------------------------------------------------------------------------------

OTHER = evolve(STATE, default=frozenset())
LIST_IN_STATE: Any = CPUManagerState([0, 1])  # type: ignore[arg-type]
UNSORTED = evolve(STATE, assignments=((("q", "c"), frozenset({1})), (("p", "c"), frozenset({2}))))


@pytest.mark.parametrize(
    ("original", "result", "expected"),
    [
        (policy_remove.remove_container, None, "f must return a Change, but returned None"),
        (policy_remove.remove_container, STATE, "f must return a Change, but returned CPUManagerState"),
        (
            policy_remove.remove_container,
            Change(LIST_IN_STATE),
            r"a Change whose state\.default is a frozenset of int, but it is \[0, 1\]",
        ),
        (policy_remove.remove_container, Change(STATE, stores=[STATE]), "whose stores is a tuple of CPUManagerState"),
        (policy_remove.remove_container, Change(STATE, error="no"), "whose error is a GoError or a Hang or None"),
        (policy_remove.remove_container, Change(OTHER), "stores what it changes"),
        (policy_remove.remove_container, Change(UNSORTED, stores=(UNSORTED,)), "have their assignments in order"),
        (manager_allocate_pending, Change(STATE), "f must return an Effect, but returned Change"),
        (manager_allocate_pending, Effect(Manager(), STATE, updates=(("id", 1),)), "whose updates is a tuple of"),
        (policy_allocate.allocatable_cpus, {0, 1}, r"f must return a frozenset of int, but returned \{0, 1\}"),
        (policy_allocate.smt_alignment_error, "no", "f must return a GoError or None, but returned 'no'"),
        (parse, "0-1", "f must return a frozenset of int or a GoError"),
    ],
)  # fmt: skip
def test_what_a_rule_must_return_is_named(original: Any, result: Any, expected: str) -> None:
    with pytest.raises(RuleError, match=expected) as raised:
        guarded("f", lambda state: result, returns=returned_by(original))(STATE)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("original", "result"),
    [
        (policy_remove.remove_container, Change(STATE)),
        (policy_remove.remove_container, Change(OTHER, stores=(STATE, OTHER))),
        (policy_validate.validate_state, Change(STATE, error=GoError("no"))),
        (manager_allocate_pending, Effect(Manager(), STATE, updates=(("id", frozenset({1})),))),
        (policy_allocate.smt_alignment_error, None),
        (parse, frozenset({0, 1})),
    ],
)  # fmt: skip
def test_what_a_rule_may_return_passes(original: Any, result: Any) -> None:
    assert guarded("f", lambda state: result, returns=returned_by(original))(STATE) == result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("1 // 0", "validate_state raised ZeroDivisionError"),
        ("None", "validate_state must return a Change, but returned None"),
    ],
)
def test_a_fix_that_fails_at_the_first_start_is_refused_for_one_reason(
    tmp_path: Path, body: str, expected: str
) -> None:
    path = written(tmp_path, f"def validate_state(policy, state):\n    return {body}\n")
    verdict = validate(path, "1.31.13", scope=ONE_POD, engines=["explicit", "hypothesis"])
    assert verdict.outcome is Outcome.VIOLATED
    assert len(verdict.reasons) == 1
    assert verdict.reasons[0].startswith(expected)
    assert validation_json(verdict)["parts"][0]["failure"] == verdict.reasons[0]


@pytest.mark.slow
def test_a_fix_that_fails_later_is_refused_for_one_reason_and_shows_the_way_there(tmp_path: Path) -> None:
    path = written(tmp_path, "def remove_container(policy, state, memory, pod, container):\n    return memory\n")
    verdict = validate(path, "1.23.0", scope=ONE_POD.replace("pods=1", "pods=2"), engines=["explicit"])
    (reason,) = verdict.reasons
    assert json.loads(json.dumps(validation_json(verdict)))["reasons"] == [reason]
    assert reason.startswith("remove_container must return a Change, but returned PolicyMemory")
    (row,) = only(verdict).refused_by
    assert row.after.trace is not None
    # A rule from outside may compare names, so p1 is not shown in the place of any pod.
    assert re.search(r"allocate\(pod='p[12]', container='a0'\)", validation_text(verdict))


# --- what a file claims ----------------------------------------------------------------------------------------------

AS_IT_IS = "from model.cpu.policy.validate import validate_state as base\ndef validate_state(p, s): return base(p, s)\n"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("'CPU-NONE'", "'CPU-NONE' is not a bug of cpu-manager: `kubeproof bugs` lists all"),
        ("3", "expected the id of a bug"),
        ("()", "a tuple of ids"),
    ],
)  # fmt: skip
def test_a_claim_that_names_no_bug_gets_one_line(tmp_path: Path, claim: str, expected: str) -> None:
    path = written(tmp_path, f"{AS_IT_IS}CURES = {claim}\n")
    with pytest.raises(InputError, match=expected):
        validate(path, "1.31.13", scope=ONE_POD, engines=["explicit"])


@pytest.mark.slow
def test_a_claim_of_a_bug_that_the_release_does_not_have_shows_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, f"{AS_IT_IS}CURES = 'CPU-INIT-REMOVE-FREES-SIBLING'\n")
    verdict = validate(path, "1.31.13", scope=ONE_POD, engines=["explicit"])
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "is not in 1.31.13 without the fix" in validation_text(verdict)


@pytest.mark.slow
def test_a_fix_that_changes_nothing_is_said_to_change_nothing(tmp_path: Path) -> None:
    verdict = validate(written(tmp_path, AS_IT_IS), "1.31.13", scope=ONE_POD, engines=["explicit"])
    assert only(verdict).claims is None
    assert (verdict.reasons, verdict.changes_nothing) == ([], True)
    assert only(verdict).effects == []


def test_a_fix_in_a_file_is_not_blamed_for_what_no_process_can_be_given(tmp_path: Path) -> None:
    """It was refused, since what chooses CPUs with this bound did not reach the process of the file."""
    path = written(tmp_path, AS_IT_IS)
    with pytest.raises(InputError, match="--scope numbering=1: not with a fix in a file"):
        validate(path, "1.31.13", scope=f"{ONE_POD},numbering=1", engines=["explicit"])
    rules = ["remove_container=remove_container"]
    verdict = validate(None, "1.23.0", rules=rules, scope=f"{ONE_POD},numbering=1", engines=["explicit"])
    assert only(verdict).failure is None


@pytest.mark.slow
def test_what_changes_where_no_scope_leads_is_named(tmp_path: Path) -> None:
    """No machine of the system has two NUMA nodes, so no run shows what hints say of them."""
    hintless = "def generate_cpu_topology_hints(policy, available, reusable, request):\n    return ()\n"
    verdict = validate(written(tmp_path, hintless), "1.31.13", scope=ONE_POD, engines=["explicit"])
    (effect,) = only(verdict).effects
    assert effect.subject == "hints to the topology manager"
    lines = validation_text(verdict, full=True).splitlines()
    assert lines[lines.index("what else it changes, where no scope leads:") + 1].startswith(f"  {effect.subject}: ")


def test_what_fails_where_no_scope_leads_is_refused(tmp_path: Path) -> None:
    """The error was an effect among others, and the fix was refused only for curing nothing."""
    fix = (
        "from model.cpu.assignment.packed import take_by_topology_numa_packed\n"
        "def take_by_topology(topo, available, num_cpus, strategy='packed'):\n"
        "    if topo.num_sockets > 1:\n        raise ValueError('two sockets')\n"
        "    return take_by_topology_numa_packed(topo, available, num_cpus, strategy)\n"
    )
    verdict = validate(written(tmp_path, fix), "1.31.13", scope=ONE_POD, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    raised = "take_by_topology raised ValueError: two sockets (my_fix.py, line 4: raise ValueError('two sockets'))"
    assert verdict.reasons == [raised]


# --- the examples ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "release", "scope", "cured"),
    [
        ("adopt_added_cpus", "1.31.13", f"{ONE_POD},restarts=1,hotplug=1", "CPU-STATE-TOPOLOGY"),
        ("keep_siblings_cpus", "1.23.0", f"{INIT},restarts=0", "CPU-INIT-REMOVE-FREES-SIBLING"),
        ("prefer_reusable_cpus", "1.31.13", f"{ONE_INIT},restarts=0,threads=2,size=2", "CPU-INIT-LEAK"),
        ("reset_pending_admission", "1.31.13", f"{ONE_POD},restarts=0", "CPU-LAST-POD-NOT-RECLAIMED"),
        ("tell_when_started", "1.31.13", f"{ONE_POD},cores=3,pods=2,exits=1,restarts=0", "CPU-STALE-LAST-UPDATE"),
    ],
)  # fmt: skip
def test_an_example_is_accepted_for_the_bug_that_it_cures(name: str, release: str, scope: str, cured: str) -> None:
    verdict = judge(name, release, scope)
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    assert cured in [run.bug.id for run in only(verdict).cured]
    assert "broken" not in changes(verdict).values()
    assert only(verdict).effects
    assert validation_text(verdict).splitlines()[0].endswith("gone; in the one scope nothing that held breaks")


@pytest.mark.slow
def test_other_bugs_of_the_release_do_not_speak_against_a_fix() -> None:
    verdict = judge("adopt_added_cpus", "1.31.13", f"{ONE_POD},restarts=1,hotplug=1")
    assert changes(verdict)["kubelet-comes-up"] == "cured"
    assert changes(verdict)["gone-pods-return-cpus"] == "still violated"
    last = next(run for run in only(verdict).known if run.bug.id == "CPU-LAST-POD-NOT-RECLAIMED")
    assert (last.appears_before, last.gone) == (True, False)
    assert "CPU-LAST-POD-NOT-RECLAIMED: still there, and not claimed" in validation_text(verdict, full=True)


@pytest.mark.slow
def test_adopting_cpus_starts_a_kubelet_that_lost_some_in_a_crash_but_with_another_state() -> None:
    verdict = judge("adopt_added_cpus", "1.31.13", f"{ONE_POD},restarts=0,crashes=1")
    assert changes(verdict)["kubelet-comes-up"] == "cured"
    assert changes(verdict)["restart-unchanged"] == "still violated"
    (row,) = [row for row in only(verdict).rows if row.after.property == "restart-unchanged"]
    assert row.anew is False
    assert row.after.explanation == "what the kubelet restored is not what it had written"
    crash = next(run for run in only(verdict).known if run.bug.id == "CPU-CRASH-BETWEEN-WRITES")
    assert not crash.gone


@pytest.mark.slow
def test_adopting_cpus_still_refuses_removed_ones() -> None:
    verdict = judge("adopt_added_cpus", "1.31.13", f"{ONE_POD},restarts=1,offline=1")
    assert changes(verdict)["kubelet-comes-up"] == "still violated"
    assert only(verdict).effects == []


@pytest.mark.slow
def test_forgetting_the_state_is_refused_with_the_container_that_loses_its_cpus() -> None:
    verdict = judge("forget_mismatch", "1.31.13", f"{ONE_POD},restarts=1,hotplug=1")
    assert verdict.outcome is Outcome.VIOLATED
    assert changes(verdict)["kubelet-comes-up"] == "cured"
    broken = {row.after.property: row for row in only(verdict).refused_by}
    assert set(broken) == {"exclusive-on-its-set", "exclusive-set-kept"}
    row = broken["exclusive-on-its-set"]
    assert row.anew
    assert row.after.trace is not None
    names = [action.name for action in row.after.trace.actions]
    assert sorted(names[:3]) == ["allocate", "create_pod", "start_container"]
    assert names[-1] == "start_kubelet"
    assert "add_core" in names
    assert "p1/a0 asked for 1 exclusive CPUs, has no entry in the state" in validation_text(verdict)


@pytest.mark.slow
def test_the_built_in_rule_gets_the_verdict_of_the_example_that_says_the_same() -> None:
    scope = f"{INIT},restarts=0"
    of_file = judge("keep_siblings_cpus", "1.23.0", scope)
    built_in = validate(None, "1.23.0", rules=["remove_container=remove_container"], scope=scope, engines=["explicit"])
    assert changes(built_in) == changes(of_file)
    assert changes(built_in)["cpus-partition-machine"] == "cured"
    assert only(built_in).effects == only(of_file).effects
    assert (only(built_in).claims, only(of_file).claims) == (None, ("CPU-INIT-REMOVE-FREES-SIBLING",))
    assert built_in.outcome is Outcome.HOLDS


# --- violated before and after ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_upstreams_cure_uncovers_too_is_explained_by_its_page() -> None:
    # No release ends CPU-INIT-LEAK, and its repair leaves this run. In place of the fix the rule of 1.24 uncovers it.
    verdict = judge("keep_siblings_cpus", "1.23.0", f"{INIT},restarts=1")
    (row,) = (row for row in only(verdict).rows if row.after.property == "holds-what-was-counted")
    assert (row.change, row.known) == ("uncovered", ("CPU-INIT-LEAK",))
    assert (verdict.outcome, verdict.reasons) == (Outcome.HOLDS, [])
    assert "uncovered: only runs in which the release goes wrong earlier" in validation_text(verdict, full=True)


@pytest.mark.slow
def test_a_repair_explains_what_no_release_ends() -> None:
    # A stale pod gives its CPU back sooner, so that the pool is as it was when the shared container was told last.
    scope = "cores=3,threads=1,reserved=1,pods=3,containers=1,size=1,exits=1"
    verdict = judge("reset_pending_admission", "1.31.13", f"0,{scope}")
    (row,) = (row for row in only(verdict).rows if row.after.property == "shared-off-exclusive")
    assert (row.change, row.known) == ("violated anew", ("CPU-STALE-LAST-UPDATE",))
    assert verdict.outcome is Outcome.HOLDS


KEEPS_CPUS_OF = """
from model.cpu.policy.types import NO_CPUS, Change
from model.cpu.state.state import delete, get_cpu_set, get_pod_assignments, set_default_cpu_set

CURES = "CPU-INIT-REMOVE-FREES-SIBLING"

def remove_container(policy, state, memory, pod_uid, container):
    cpus = get_cpu_set(state, pod_uid, container)
    if cpus is None:
        return Change(state, memory)
    in_use = NO_CPUS
    for name, of_sibling in get_pod_assignments(state, pod_uid):
        if name == container:
            {ends}
        in_use |= of_sibling
    deleted = delete(state, pod_uid, container)
    released = set_default_cpu_set(deleted, deleted.default | (cpus - in_use))
    return Change(released, memory, (deleted, released))
"""


@pytest.mark.parametrize(
    ("ends", "turned", "outcome"),
    [
        pytest.param("continue", 0, Outcome.HOLDS, marks=pytest.mark.slow),
        pytest.param("continue", 1, Outcome.HOLDS, marks=pytest.mark.slow),
        # The init container comes last, so that all others were seen.
        pytest.param("break", 0, Outcome.HOLDS, marks=pytest.mark.slow),
        ("break", 1, Outcome.VIOLATED),
    ],
)
def test_the_order_of_names_is_judged_both_ways(tmp_path: Path, ends: str, turned: int, outcome: Outcome) -> None:
    """The kept run's scope has one order. What upstream's cure takes away in the other must be gone there too."""
    path = written(tmp_path, KEEPS_CPUS_OF.replace("{ends}", ends))
    verdict = validate(path, "1.23.0", scope=f"{INIT},restarts=0,turned={turned}", engines=["explicit"])
    assert verdict.outcome is outcome
    cured = "where a known cure of CPU-INIT-REMOVE-FREES-SIBLING leaves no such run"
    left = f"cpus-partition-machine is still violated (explicit), {cured}"
    assert (left in verdict.reasons) is (outcome is Outcome.VIOLATED)


LOSES_A_CPU = """
from attrs import evolve
from model.cpu.policy import allocate as policy_allocate
from model.cpu.state.state import set_default_cpu_set

def allocate(policy, state, memory, pod, container, numa_affinity=None, container_id=""):
    change = policy_allocate.allocate(policy, state, memory, pod, container, numa_affinity, container_id)
    if len(change.state.assignments) < 2 or not change.stores:
        return change
    less = set_default_cpu_set(change.state, change.state.default - {max(change.state.default)})
    return evolve(change, state=less, stores=(*change.stores, less))
"""


@pytest.mark.slow
def test_a_new_breakage_does_not_hide_behind_an_old_one(tmp_path: Path) -> None:
    path = written(tmp_path, LOSES_A_CPU)
    scope = f"{INIT},restarts=0".replace("cores=3", "cores=4").replace("size=1", "size=2")
    verdict = validate(path, "1.23.0", scope=scope, engines=["explicit"])
    row = next(row for row in only(verdict).violated_anew if row.after.property == "cpus-partition-machine")
    assert row.before.outcome is Outcome.VIOLATED
    assert (row.anew, row.change) == (True, "violated anew")
    assert row.after.trace is not None
    assert "remove_container" not in [action.name for action in row.after.trace.actions]
    # It is the fix, and no bug of the release: this is said.
    assert row.known == ()
    assert "violated anew, and no page explains this" in validation_text(verdict, full=True)
    assert validation_json(verdict)["verdict"] == "refused"
    without = validate(path, "1.23.0", scope=scope.replace("removals=1", "removals=0"), engines=["explicit"])
    assert changes(without)["cpus-partition-machine"] == "broken"


def test_the_same_rules_violate_nothing_anew() -> None:
    rules = rules_for(CPU_MANAGER.rules_class, parse_release("1.23.0"))
    machine = CPU_MANAGER.machine(CPU_MANAGER.parse_scope(f"{INIT},restarts=0"), rules)
    found = compare(machine, machine, CPU_MANAGER.properties, frozenset({"cpus-partition-machine"}))
    assert (found.broken, found.beyond, found.complete) == ({}, set(), True)


def _result(outcome: Outcome, **more: Any) -> Result:
    return Result(property="p", engine="explicit", outcome=outcome, **more)


@pytest.mark.parametrize(
    ("before", "after", "more", "change"),
    [
        (Outcome.VIOLATED, Outcome.VIOLATED, {"anew": True}, "violated anew"),
        (Outcome.VIOLATED, Outcome.VIOLATED, {"anew": False}, "still violated"),
        (Outcome.HOLDS, Outcome.VIOLATED, {"anew": False}, "uncovered"),
        (Outcome.HOLDS, Outcome.VIOLATED, {"anew": None}, "broken"),
        (Outcome.INCONCLUSIVE, Outcome.VIOLATED, {"known_before": True}, "still violated"),
        (Outcome.HOLDS, Outcome.INCONCLUSIVE, {}, "undecided"),
        (Outcome.INCONCLUSIVE, Outcome.INCONCLUSIVE, {}, "undecided"),
    ],
)
def test_what_becomes_of_a_property(before: Outcome, after: Outcome, more: dict[str, Any], change: str) -> None:
    assert Row(_result(before), _result(after), **more).change == change


def test_only_a_search_to_the_end_or_a_proof_says_that_a_violation_is_gone() -> None:
    sampled = Row(_result(Outcome.VIOLATED), _result(Outcome.HOLDS, claim=Claim(Strength.SAMPLED)))
    searched = Row(_result(Outcome.VIOLATED), _result(Outcome.HOLDS, claim=Claim(Strength.EXHAUSTIVE)))
    assert (sampled.change, sampled.established) == ("cured", False)
    assert (searched.change, searched.established) == ("cured", True)


@pytest.mark.parametrize(
    ("before", "depth", "change"),
    [(12, 12, "holds as before"), (12, 8, "undecided"), (8, 8, "holds as before"), (None, 8, "undecided")],
)
def test_runs_that_are_not_decided_any_more_are_said_to_be_open(before: int | None, depth: int, change: str) -> None:
    """Z3 says up to which length it came. None: there was a proof for every size before."""
    strength, details = (Strength.INDUCTIVE, {}) if before is None else (Strength.BOUNDED, {"depth": before})
    left = {"undecided": f"runs of {depth + 1} actions (timeout)"} if depth < 12 else {}
    held = _result(Outcome.HOLDS, claim=Claim(strength, details))
    after = _result(Outcome.HOLDS, claim=Claim(Strength.BOUNDED, {"depth": depth} | left))
    assert Row(held, after).change == change
    violated = _result(Outcome.VIOLATED, trace=Trace((Step(None, 0),) * 10))
    assert Row(violated, after).change == ("cured" if depth == 12 else "undecided")


# --- all scopes ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_a_scope_a_fix_is_judged_in_narrow_ones_and_in_those_of_the_kept_counterexamples() -> None:
    verdict = judge("forget_mismatch", "1.31.13", None)
    kept = {run.scope for run in only(verdict).known}
    judged = {row.after.scope for row in only(verdict).rows}
    assert kept < judged
    assert verdict.outcome is Outcome.VIOLATED
    assert {"exclusive-on-its-set", "running-exclusive-apart"} <= {
        row.after.property for row in only(verdict).refused_by
    }
    assert [run.bug.id for run in only(verdict).claimed if run.gone] == ["CPU-STATE-TOPOLOGY"]
