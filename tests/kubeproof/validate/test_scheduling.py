"""Fixes of the scheduler as examples/fixes has them: what each cures, what it leaves open, what it breaks."""

from pathlib import Path
from typing import Any, get_args

import pytest
from attrs import evolve

from kubeproof.bugs.beside import KeptViolation
from kubeproof.bugs.catalogue import BUGS
from kubeproof.check.check import check_system
from kubeproof.fix.fix import opened_fix
from kubeproof.report.validation import validation_text
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.validate import one_system
from kubeproof.validate.one_system import _is_of_its_bug, _with_premises
from kubeproof.validate.validate import bugs_of, validate, validation_json
from kubeproof.validate.verdict import KnownRun, Part, Row, Validation
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import Step, Trace
from model.releases import parse_release
from model.scheduler.cycle import Undoing
from model.systems.scheduling import binding_steps
from model.systems.scheduling.step import BINDING
from model.world.moves import GO_ON
from tests.conftest import ROOT, by_engines
from tests.kubeproof.validate.verdicts import only

FIXES = ROOT / "examples" / "fixes"
REPORTED = "pods=1,nodes=2,extender=1,preemption=1"
UPDATED = "pods=1,nodes=1,updates=1,extender=0,preemption=0"
PREEMPTION = "pods=2,high=1,nodes=1,extender=0,preemption=1,goroutines=1"


def judge(name: str, release: str, scope: str | None) -> Validation:
    return validate(FIXES / f"{name}.py", release, scope=scope, engines=["explicit"])


def lengths(verdict: Validation) -> dict[str, tuple[str, int | None, int | None]]:
    """Of each property that is violated before or after: what became of it, the shortest trace before and after."""

    def length(result: Result) -> int | None:
        return result.trace.length if result.trace else None

    rows = {row.after.property: (row.change, length(row.before), length(row.after)) for row in only(verdict).rows}
    return {name: row for name, row in rows.items() if row[1:] != (None, None)}


@pytest.mark.slow
def test_skipping_assumed_pods_ends_the_second_attempt_and_its_nomination() -> None:
    verdict = judge("skip_scheduled_pods", "1.17.10", REPORTED)
    assert verdict.reasons == []
    found = lengths(verdict)
    assert found["assumed-pod-not-scheduled-again"][0] == "cured"
    # Nobody is nominated any more, so in this scope alone nothing can be said of nominations.
    assert found["nominated-pod-is-pending"] == ("undecided", 17, None)
    # Popped while assumed, scheduled once the bind is confirmed: not assumed any more.
    assert found["no-failure-of-bound-pod"][0] == "still violated"
    (effect,) = only(verdict).effects
    assert (effect.subject, effect.of) == ("what the scheduler does next", "steps")
    assert effect.example is not None
    assert effect.example.endswith("-> no cycle, 1 bindings, 0 retries")


@pytest.mark.slow
def test_a_fix_that_passes_over_missing_victims_keeps_the_room() -> None:
    scope = "0,pods=3,high=1,nodes=1,room=1,goroutines=1,preemption=1"
    for path, outcome in ((None, Outcome.VIOLATED), (FIXES / "pass_over_missing_victims.py", Outcome.HOLDS)):
        report = check_system(
            "scheduling", "1.31.13", fix=path, scope=scope, engines=["explicit"], properties=["preempted-room-is-kept"]
        )
        assert [each.outcome for each in by_engines(report.results)] == [outcome]


@pytest.mark.slow
def test_an_extender_that_answers_with_an_error_keeps_the_scheduler_from_preempting() -> None:
    verdict = judge("extender_answers_with_error", "1.17.10", REPORTED)
    assert verdict.reasons == []
    found = lengths(verdict)
    # Nobody is nominated any more, so in this scope alone nothing can be said of nominations.
    assert found["nominated-pod-is-pending"] == ("undecided", 17, None)
    assert found["no-failure-of-bound-pod"] == ("still violated", 10, 10)
    assert [effect.subject for effect in only(verdict).effects] == [
        "what the scheduler does next",
        "a new error of Filter",
    ]


@pytest.mark.slow
def test_a_nominator_that_refuses_bound_pods_is_accepted() -> None:
    verdict = judge("nominator_refuses_bound", "1.22.3", PREEMPTION)
    assert verdict.outcome is Outcome.HOLDS
    found = lengths(verdict)
    assert found.pop("nominated-pod-is-pending") == ("cured", 26, None)
    assert {change for change, _, _ in found.values()} == {"still violated"}
    assert {before == after for _, before, after in found.values()} == {True}
    absent = [run.bug.id for run in only(verdict).known if not run.appears_before]
    assert absent
    assert (
        f"not in 1.22.3 without the fix either: {', '.join(absent)}" in validation_text(verdict, full=True).splitlines()
    )
    assert [effect.subject for effect in only(verdict).effects] == ["who is nominated"]


@pytest.mark.slow
def test_the_built_in_rule_of_a_later_release_gets_the_verdict_of_the_file() -> None:
    rules = ["nominator_add=add_if_listed_unbound"]
    built_in = validate(None, "1.22.3", rules=rules, scope=PREEMPTION, engines=["explicit"])
    of_file = judge("nominator_refuses_bound", "1.22.3", PREEMPTION)
    assert lengths(built_in) == lengths(of_file)
    assert only(built_in).effects == only(of_file).effects


@pytest.mark.slow
def test_a_nominator_that_believes_the_status_only_is_refused_with_the_room_that_is_taken() -> None:
    verdict = judge("nominate_by_status_only", "1.22.3", f"{PREEMPTION},recreates=1")
    assert verdict.outcome is Outcome.VIOLATED
    assert validation_json(verdict)["verdict"] == "refused"
    (row,) = only(verdict).refused_by
    assert row.after.property == "preempted-room-is-kept"
    assert row.before.outcome is Outcome.HOLDS
    text = validation_text(verdict, full=True)
    assert "p2 takes the room on n1 that was made for p1, of higher priority" in text
    assert "API server: p1         UID p1#1, priority 1, pending" in text


# --- a premise that is not met any more ------------------------------------------------------------------------------


def _row(before: Outcome, after: Outcome, engine: str = "explicit", **more: Any) -> Row:
    return Row(
        Result(property="p", engine=engine, outcome=before), Result(property="p", engine=engine, outcome=after, **more)
    )


@pytest.mark.parametrize(
    ("elsewhere", "before", "engine", "change"),
    [
        (Outcome.HOLDS, Outcome.VIOLATED, "explicit", "cured"),
        (Outcome.VIOLATED, Outcome.VIOLATED, "explicit", "cured"),
        (Outcome.HOLDS, Outcome.HOLDS, "explicit", "not judged"),
        (Outcome.INCONCLUSIVE, Outcome.VIOLATED, "explicit", "undecided"),
        (Outcome.HOLDS, Outcome.VIOLATED, "z3", "undecided"),
    ],
)
def test_what_a_property_speaks_of_may_happen_in_another_scope(
    elsewhere: Outcome, before: Outcome, engine: str, change: str
) -> None:
    unmet = _row(before, Outcome.INCONCLUSIVE, engine, cause=Cause.PREMISE)
    other = _row(Outcome.HOLDS, elsewhere, engine, cause=Cause.PREMISE if elsewhere is Outcome.INCONCLUSIVE else None)
    found, _ = _with_premises([unmet, other])
    assert found.change == change
    assert found.established is (change != "undecided")


def test_a_search_that_ended_early_is_no_premise_unmet() -> None:
    early = _row(Outcome.VIOLATED, Outcome.INCONCLUSIVE, cause=Cause.LIMIT)
    assert _with_premises([early, _row(Outcome.HOLDS, Outcome.HOLDS)])[0].change == "undecided"


NO_EMPTY_KEY = """
from model.scheduler.queue.nominator import add_reference, delete_by_uid

def nominator_add(nominator, pod, node, lister):
    return add_reference(nominator, pod, node, lister) if node else delete_by_uid(nominator, pod)
"""


def test_a_fix_that_meets_the_premise_of_what_held_in_no_scope_is_not_said_to_hold(tmp_path: Path) -> None:
    """Every nomination is lost: NodeName is empty, and the status has the node."""
    path = tmp_path / "fix.py"
    path.write_text(NO_EMPTY_KEY, encoding="utf-8")
    verdict = validate(path, "1.31.0", systems=["scheduling"], scope=f"only {PREEMPTION},room=1", engines=["explicit"])
    (lost,) = only(verdict).lost_premises["nomination-can-come-true"]
    assert lost.change == "undecided"
    said = (
        "what nomination-can-come-true speaks of does not happen any more: the release meets its premise in a scope, "
        "the fix in none"
    )
    assert said in only(verdict).open
    assert f"UNDECIDED: {said}" in validation_text(verdict).splitlines()[0]
    part = only(verdict)
    (reason,) = evolve(part, rows=[lost, evolve(lost, after=lost.after.evolve(scope="another"))]).reasons
    assert reason.endswith("the release meets its premise in 2 scopes, the fix in none")


def row_of(path: Path, text: str, release: str, scope: str, property: str) -> Row:
    """What becomes of the property alone, with the fix of this `text`."""
    path.write_text(text, encoding="utf-8")
    with opened_fix(path, (), [SCHEDULING]) as fix:
        assert fix is not None
        at, bounds = parse_release(release), SCHEDULING.parse_scope(scope)
        part = one_system.judging(SCHEDULING, at, fix, bugs_of(SCHEDULING), None, ["explicit"], bounds, [property])()
    (row,) = part.rows
    return row


@pytest.mark.slow
def test_a_shorter_run_whose_last_action_the_release_lacks_violates_anew(tmp_path: Path) -> None:
    """PREEMPT-VICTIM-GONE violates the property in this scope too, in more actions."""
    scope = "only pods=3,high=1,nodes=1,room=1,goroutines=1,preemption=1"
    found = row_of(tmp_path / "fix.py", NO_EMPTY_KEY, "1.31.0", scope, "preempted-room-is-kept")
    assert (found.before.outcome, found.after.outcome) == (Outcome.VIOLATED, Outcome.VIOLATED)
    assert (found.anew, found.shorter, found.change) == (None, True, "violated anew")


FORGET_THEN_MOVE = "def after_bind_error(): return ('forget_pod', 'move_after_forget')"


def test_a_documented_run_of_a_bug_that_the_release_has_does_not_speak_against_a_fix(tmp_path: Path) -> None:
    """Upstream's cure (#103805). With a lost reply the pod is bound twice, in 1.22 when something else moves it."""
    scope = "only pods=1,nodes=1,room=1,goroutines=1,lost_replies=1"
    found = row_of(tmp_path / "fix.py", FORGET_THEN_MOVE, "1.22.3", scope, "bound-once")
    assert found.before.outcome is Outcome.HOLDS
    assert (found.change, found.known) == ("violated anew", ("BIND-TIMEOUT-BOUND",))


def test_a_run_that_the_release_only_hides_explains_itself_if_the_fix_cures_what_hides_it() -> None:
    """STATUS-PATCH-AFTER-BIND begins with 1.23: up to 1.22 QUEUE-FORGET-NO-EVENT hides it."""
    bugs = {each.id: each for each in BUGS}
    assert {name for each in BUGS for name in each.hidden_by} <= bugs.keys()
    with opened_fix(None, ["after_bind_error=forget_then_move"], [SCHEDULING]) as fix:
        assert fix is not None
    part = Part(SCHEDULING, parse_release("1.22.3"), (), fix, [], [], [], None)
    cured = evolve(part, known=[KnownRun(bugs["QUEUE-FORGET-NO-EVENT"], True, True, "")])
    left = evolve(part, known=[KnownRun(bugs["QUEUE-FORGET-NO-EVENT"], True, False, "")])

    def of(part: Part, bug: str, property: str, *, shown: bool) -> bool:
        empty = Trace((Step(None, None),))
        return _is_of_its_bug(part, KeptViolation(bugs[bug], property, None, empty, "", shown))

    assert of(cured, "STATUS-PATCH-AFTER-BIND", "no-failure-of-bound-pod", shown=False)
    assert not of(left, "STATUS-PATCH-AFTER-BIND", "no-failure-of-bound-pod", shown=False)
    assert not of(part, "STATUS-PATCH-AFTER-BIND", "no-failure-of-bound-pod", shown=False)
    newer = evolve(cured, release=parse_release("1.23.0"))
    assert not of(newer, "STATUS-PATCH-AFTER-BIND", "no-failure-of-bound-pod", shown=False)
    assert not of(cured, "STATUS-PATCH-AFTER-BIND", "bound-once", shown=False)
    assert of(part, "BIND-TIMEOUT-BOUND", "bound-once", shown=True)
    assert not of(part, "BIND-TIMEOUT-BOUND", "bound-once", shown=False)


# --- all scopes ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_a_scope_a_fix_is_judged_in_all_of_them() -> None:
    """The fixes of one release in one test: the release is explored once for all of them."""
    outcomes = {"nominator_refuses_bound": Outcome.HOLDS, "nominate_by_status_only": Outcome.VIOLATED}
    for name, outcome in outcomes.items():
        verdict = judge(name, "1.22.3", None)
        assert verdict.outcome is outcome, (name, verdict.reasons)
        assert set(only(verdict).scopes) >= {SCHEDULING.scopes.fix, *SCHEDULING.scopes.fix_narrow}
        assert bool(only(verdict).cured_rows) is (outcome is Outcome.HOLDS)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "def after_bind_error(): return ('post_filter',)",
            "after_bind_error must return a tuple of 'forget_pod' or 'move_after_forget', but returned ('post_filter'",
        ),
        (
            "def queue_for_failed_pod(queue, info, cycle): return 'podBackoffQ'",
            "queue_for_failed_pod must return 'active' or 'backoff' or 'unschedulable', but returned 'podBackoffQ'",
        ),
        (
            "from model.scheduler.calls import Call\n"
            "def delete_pod_from_scheduling_queue(pod): return (Call('cache', 'delete', (pod,)),)",
            "delete_pod_from_scheduling_queue raised ValueError: not a function of a component: cache.delete",
        ),
    ],
)
def test_a_rule_that_names_what_nobody_has_is_refused_in_one_line(tmp_path: Path, rule: str, expected: str) -> None:
    path = tmp_path / "fix.py"
    path.write_text(rule + "\n", encoding="utf-8")
    scope = "0,pods=1,nodes=1,room=1,goroutines=1,bind_errors=1,deletes=1"
    verdict = validate(path, "1.24.0", scope=scope, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    (reason,) = only(verdict).reasons
    assert reason.startswith(expected)
    assert "\n" not in reason


def test_a_failed_binding_is_undone_by_steps_of_its_goroutine() -> None:
    """What a rule may name is what the steps of the binding goroutine declare."""
    (steps, _) = get_args(Undoing)
    undoing = {step.name for step in binding_steps.STEPS if step.by_rule and step.goroutines == (BINDING,)}
    assert set(get_args(steps)) == undoing - {GO_ON}
