"""Fixes of queueing hints as examples/fixes has them: what each cures, what it leaves open, what it breaks."""

import pytest
from attrs import evolve

from kubeproof.engines import table
from kubeproof.engines.question import Question
from kubeproof.report.validation import validation_text
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.validate import one_engine, one_scope
from kubeproof.validate.same_answers import SameAnswers
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from kubeproof.verdict.result import Outcome, Result
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.events import UNSCHEDULABLE_POD_UPDATE, with_events_that_came
from model.scheduler.queue.state import Queue
from model.systems.queueing_hints.scope import GATE_ON
from tests.conftest import ROOT
from tests.kubeproof.validate.test_scheduling import lengths

FIXES = ROOT / "examples" / "fixes"
DELETED = "0,pods=1,goroutines=2,gate=1,deletes=1,graceful=1"
UPDATED = "0,pods=1,plugins=1,goroutines=2,gate=1,changes=1,updates=1"
# An update of the pod, and a Pop in the midst of it.
RACE = "0,pods=1,goroutines=2,gate=1,updates=1,clock=1,fine=1"
# Two bindings fail, and Pop comes while the pod is handed back.
HANDED_BACK = "0,pods=1,goroutines=2,gate=1,bind_errors=2,fine=1"
# An event that the rejecting plugin waits for, and another behind it.
TWO_EVENTS = "0,pods=1,plugins=1,goroutines=1,gate=1,changes=1,uninteresting=1"
# The same with backoffs.
CLOCKED = f"{HANDED_BACK},clock=1"
LEAKS = ("in-flight-while-scheduled", "events-are-released")


def judge(name: str, release: str, scope: str) -> Validation:
    """The verdict on a file of examples/fixes, or on a built-in rule: `FIELD=RULE`."""
    file, rules = (None, [name]) if "=" in name else (FIXES / f"{name}.py", [])
    return validate(file, release, rules=rules, systems=["queueing-hints"], scope=scope, engines=["explicit"])


@pytest.mark.slow
def test_done_of_skipped_pods_cures_the_leak() -> None:
    verdict = judge("done_when_skipped", "1.31.13", DELETED)
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    found = lengths(verdict)
    assert {name: found[name][0] for name in LEAKS} == dict.fromkeys(LEAKS, "cured")


@pytest.mark.slow
def test_done_of_a_skipped_pod_takes_the_entry_of_another_cycle() -> None:
    """Without the other fix a pod that was popped twice is skipped the second time, while it is being bound."""
    verdict = judge("done_when_skipped", "1.31.13", RACE)
    found = lengths(verdict)
    assert found["scheduled-while-in-flight"] == ("violated anew", 16, 14)
    # The second Pop is that of another bug: where Update keeps the lock of Pop, the violation is gone.
    (part,) = verdict.parts
    anew = {row.after.property: row.known for row in part.violated_anew}
    assert anew["scheduled-while-in-flight"] == ("QH-UPDATE-POP-RACE",)
    said = "violated anew, explained by QH-UPDATE-POP-RACE: scheduled-while-in-flight (14 actions, before 16)"
    assert said in validation_text(verdict)
    # The element of the first Pop stays as before.
    assert found["events-are-released"][0] == "still violated"


@pytest.mark.slow
def test_a_pop_that_discards_leaves_the_skipped_pod_in_flight() -> None:
    found = lengths(judge("pop_discards_in_flight", "1.31.13", DELETED))
    assert {found[name][0] for name in LEAKS} == {"still violated"}


@pytest.mark.slow
def test_both_together_leak_no_more_and_forget_a_pod() -> None:
    """A Pop that discards forgets the pod that is handed back: what #127016 breaks later (QH-POP-BEFORE-DONE)."""
    found = lengths(judge("done_when_skipped_and_pop_discards", "1.31.13", HANDED_BACK))
    assert found["one-element-for-each-pod"][0] == "cured"
    assert found["pending-pod-not-forgotten"][1] is None
    assert found["accepted-pod-is-bound"][0] == "broken"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "release", "outcome"),
    [
        ("pop_discards_in_flight", "1.31.13", Outcome.VIOLATED),
        ("done_when_skipped_and_pop_discards", "1.31.13", Outcome.VIOLATED),
        ("done_before_requeue", "1.32.2", Outcome.VIOLATED),
        ("done_if_present_too", "1.32.2", Outcome.HOLDS),
    ],
)
def test_whether_a_fix_is_accepted_that_a_pop_between_two_locks_decides(
    name: str, release: str, outcome: Outcome
) -> None:
    assert judge(name, release, CLOCKED).outcome is outcome


@pytest.mark.slow
def test_an_update_that_leaves_pods_in_flight_alone_cures_the_second_element() -> None:
    """The events that come in the process of the file count like those of the release's own rules."""
    verdict = judge("update_ignores_in_flight", "1.28.3", UPDATED)
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    found = lengths(verdict)
    cured = {name for name, (change, _, _) in found.items() if change == "cured"}
    assert cured >= {"one-element-for-each-pod", "pod-in-one-place", "retains-what-a-running-cycle-needs", *LEAKS}
    assert set(found) - cured == {"done-before-bind"}


@pytest.mark.slow
def test_an_update_that_is_kept_helps_nobody_as_long_as_no_plugin_waits_for_it() -> None:
    """Before 1.31 TaintToleration waits for no update of a pod, so queueing the pod again is what helps."""
    verdict = judge("update_ignores_in_flight", "1.28.3", "0,pods=1,goroutines=1,gate=1,tolerations=1,clock=1")
    assert verdict.outcome is Outcome.VIOLATED
    assert lengths(verdict)["no-event-lost"][0] == "broken"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"), [("done_before_requeue", "still violated"), ("done_if_present_too", "cured")]
)
def test_done_before_the_pod_goes_back_is_not_enough(name: str, change: str) -> None:
    """#139450 does nothing for a pod that is in activeQ already, and that Pop discards before the deferred Done."""
    found = lengths(judge(name, "1.32.2", HANDED_BACK))
    assert found["pending-pod-not-forgotten"] == (change, 24, 25 if change == "still violated" else None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engines", "expected"),
    [
        (["explicit", "tlc"], [("explicit", False), ("explicit", True), ("tlc", True)]),
        # Nobody else says what the release does.
        (["tlc"], [("tlc", False), ("tlc", True)]),
    ],
)
def test_an_engine_that_cannot_express_a_fix_is_not_asked_about_the_release(
    engines: list[str], expected: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(question: Question) -> list[Result]:
        asked.append((question.engine, question.fix is not None))
        if question.engine == "explicit":
            return table.answer(question)
        none = Result(property="", engine="tlc", outcome=Outcome.NOT_APPLICABLE, reason="no form", scope=question.scope)
        return [none.evolve(property=each.name) for each in question.properties]

    monkeypatch.setattr(one_scope, "answer", answer)
    monkeypatch.setattr(one_engine, "answer", answer)
    file = FIXES / "cap_the_list.py"
    verdict = validate(file, "1.28.3", systems=["queueing-hints"], scope=TWO_EVENTS, engines=engines)
    assert asked == expected
    rows = [row for part in verdict.parts for row in part.rows if row.after.engine == "tlc"]
    assert {row.change for row in rows} == {"not judged"}
    # What the engine would say of the release alone is not told.
    said = {row.before.reason for row in rows}
    only_of_the_fix = "not asked of the release, since of the fix there is no answer: no form"
    assert said == ({only_of_the_fix} if len(engines) == 2 else {"no form"})


@pytest.mark.slow
def test_a_list_that_keeps_the_newest_events_only_is_refused_with_the_pod_that_is_lost() -> None:
    verdict = judge("cap_the_list", "1.28.3", TWO_EVENTS)
    assert verdict.outcome is Outcome.VIOLATED
    found = lengths(verdict)
    assert found["accepted-pod-is-bound"] == ("broken", None, 9)
    assert found["no-event-lost"][1:] == (None, 9)
    # Nor does it cure the leak: the pod's element stays.
    assert found["in-flight-while-scheduled"][0] == "still violated"
    (lost,) = (row.after for row in verdict.parts[0].rows if row.after.property == "no-event-lost")
    assert lost.trace is not None
    assert [info.pod.name for info in lost.trace.last.queue.unschedulable] == ["p1"]


@pytest.mark.slow
def test_done_after_pre_bind_alone_has_a_pod_scheduled_twice() -> None:
    rule = "done_in_binding=done_after_pre_bind"
    assert lengths(judge(rule, "1.31.13", TWO_EVENTS))["done-before-bind"] == ("cured", 7, None)
    verdict = judge(rule, "1.31.13", "0,pods=1,goroutines=2,gate=1,bind_errors=2")
    assert verdict.outcome is Outcome.VIOLATED
    found = lengths(verdict)
    assert found["pod-in-one-place"] == ("uncovered", None, 18)
    assert found["events-are-released"] == ("broken", None, 26)


@pytest.mark.slow
def test_events_of_interest_alone_leave_a_pod_that_met_an_error() -> None:
    """In 1.28 any event at all has such a pod tried again. Only 1.29 tries it again without an event."""
    rule = "event_of_interest=is_event_of_interest"
    assert lengths(judge(rule, "1.28.3", TWO_EVENTS))["retains-what-a-running-cycle-needs"] == ("cured", 4, None)
    verdict = judge(rule, "1.28.3", "0,pods=1,goroutines=1,gate=1,bind_errors=1")
    assert verdict.outcome is Outcome.VIOLATED
    found = lengths(verdict)
    assert found["accepted-pod-is-bound"] == ("broken", None, 10)


def test_side_by_side_an_event_comes_once() -> None:
    rules = rules_for(QUEUEING_HINTS.rules_class, parse_release("1.31.13", QUEUEING_HINTS.minors))
    alike = SameAnswers(rules, rules, ["update_with_hints"])
    scope = QUEUEING_HINTS.scope_class(gate=GATE_ON)
    setup = QUEUEING_HINTS.machine(scope, alike.rules).setup.queue
    pod = Pod("p1", "p1#1")
    _, state = queue.pop(setup, queue.add(setup, Queue(), pod, 0))
    changed = evolve(pod, annotations=(("note", "1"),))
    _, came = with_events_that_came(lambda: alike.rules.update_with_hints(setup, state, pod, changed, 0))
    assert came == (UNSCHEDULABLE_POD_UPDATE,)
    assert alike.so_far
