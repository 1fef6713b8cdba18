"""The bugs of nominations: what the report asks is answered by runs that replay, and tables say what releases do."""

import pytest
from attrs import evolve

from kubeproof.bugs.bug import Bug, Question
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.component import Under
from kubeproof.bugs.counterexample import Counterexample, minimal_counterexample, release_rows_of
from kubeproof.bugs.demonstrations.locks import shared_record_race
from kubeproof.bugs.runs import kept_run, kept_runs
from kubeproof.report.markdown import answered, asked_alone
from kubeproof.systems.registry import system_named
from kubeproof.verdict.itf import state_digest
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.machine import Action
from model.releases import parse_release
from properties.scheduling.progress import stuck

LEAK = bug_named("NOM-EXT-LEAK")
QUESTIONS = list(enumerate(LEAK.questions, start=1))


def run_of(number: int, release: str) -> tuple:
    """The machine of `release` and the run that answers the question, replayed on it. Raises ReplayError."""
    run = kept_runs(LEAK.id)[number]
    machine = run.machine(parse_release(release))
    return machine, replay(machine, run.actions)


@pytest.mark.parametrize(("number", "question"), QUESTIONS)
def test_each_question_is_answered_by_a_run(number: int, question: Question) -> None:
    machine, trace = run_of(number, LEAK.release)
    wanted = system_named(LEAK.system).property_named(question.violates)
    assert kept_runs(LEAK.id)[number].states == tuple(state_digest(step.state) for step in trace.steps)
    assert violation(machine, wanted, trace) is not None
    assert violation(machine, wanted, Trace(trace.steps[:-1])) is None


# The answer to the third takes longer; the test of the report makes all answers.
@pytest.mark.parametrize(("number", "question"), [(n, q) for n, q in QUESTIONS if n != 3])
def test_what_is_kept_of_the_answers_is_up_to_date(number: int, question: Question) -> None:
    run, example = kept_runs(LEAK.id)[number], answered(LEAK, question)
    assert (run.property, run.release) == (question.violates, LEAK.release)
    assert example.result.trace is not None
    assert (run.scope, run.actions) == (example.scope, example.result.trace.actions)


def test_in_the_third_answer_room_was_kept_for_a_pod_that_is_bound_elsewhere() -> None:
    trace = run_of(3, LEAK.release)[1]
    (waiting,) = trace.last.queue.unschedulable
    (bound,) = (pod for pod in trace.last.pods if pod.uid != waiting.pod.uid)
    failed = next(i for i, step in enumerate(trace.steps) if step.action == Action.of("schedule", pod=waiting.pod.name))
    ((node, (nominated,)),) = trace.steps[failed].state.queue.nominator.nominated_pods
    assert nominated.uid == bound.uid
    assert bound.node_name not in ("", node)
    assert trace.last.queue.nominator.nominated_pods == ()


def test_after_the_leak_another_pod_waits_and_no_flush_helps() -> None:
    """The kept run, and then a second pod: room is kept for the first for ever."""
    run = kept_run(LEAK)
    machine = evolve(run, scope=evolve(run.scope, pods=2)).machine()
    reached = {replay(machine, run.actions).last}
    lost = set[str]()
    while reached and not lost:
        reached = {machine.step(state, action) for state in reached for action in machine.actions(state)}
        lost = {text for state in reached for text in stuck(state).values()}
    assert lost == {
        "nothing is under way, and p2 waits in unschedulableQ, though it fits on n2: "
        "the room there is kept for p1, which is bound or gone, and no flush helps"
    }


def test_skip_pod_schedule_ends_the_second_run_and_not_the_first() -> None:
    """1.18 still pops the pod a second time; while it is assumed the cycle ends there."""
    machine, trace = run_of(1, "1.18.0")
    one_attempt = system_named(LEAK.system).property_named("one-attempt-at-a-time")
    assert violation(machine, one_attempt, trace) is not None
    with pytest.raises(ReplayError):
        run_of(2, "1.18.0")


def test_a_question_asks_for_a_bug_of_its_own() -> None:
    question = LEAK.questions[0]
    alone = asked_alone(LEAK, question)
    assert (alone.violates, alone.given, alone.release) == (question.violates, question.given, LEAK.release)
    assert alone.questions == ()


RACES = ("1.19.0", "1.24.0", "1.24.10", "1.25.6", "1.26.1", "1.31.13")


@pytest.mark.parametrize("release", [*RACES, "1.18.20", "1.24.12", "1.25.8", "1.26.3", "1.27.0", "1.30.14"])
def test_nominator_and_queue_share_a_record_and_not_always_a_lock(release: str) -> None:
    found = shared_record_race(Under(parse_release(release)))
    assert found.appears == (release in RACES)
    if found.appears:
        assert any("Update on" in line and "AddNominatedPod" in line for line in found.lines)
        assert any("NominatedPodsForNode" in line for line in found.lines) == (release != "1.31.13")


def example_of(bug: Bug) -> Counterexample:
    found = minimal_counterexample(bug)
    assert found is not None
    return found


# Bug, a release that shows it, one that does not.
FROM_TO = (
    ("QUEUE-RESYNC-DUP", "1.19.0", "1.20.0"),
    ("CYCLE-EXTRA-ATTEMPT-STATUS", "1.18.3", "1.18.4"),
    ("CYCLE-EXTRA-ATTEMPT-STATUS", "1.17.0", "1.17.7"),
    ("CYCLE-EXTRA-ATTEMPT-STATUS", "1.13.0", "1.16.11"),
    ("BIND-UID", "1.22.0", "1.23.0"),
    ("BIND-UID", "1.25.0", "1.27.0"),
    ("NOM-PHANTOM-DELETED", "1.19.0", "1.19.12"),
    ("NOM-PHANTOM-DELETED", "1.20.0", "1.20.8"),
    ("NOM-STALE-RETRY", "1.18.0", "1.22.0"),
    ("NOM-EMPTY-KEY", "1.23.2", "1.23.0"),
    ("NOM-STATUS-KEYED", "1.13.0", "1.13.2"),
    ("NOM-EXT-LEAK", "1.17.0", "1.18.0"),
    ("NOM-THREE-ATTEMPTS", "1.22.0", "1.22.9"),
)


@pytest.mark.parametrize(("name", "shows", "does_not"), FROM_TO)
def test_releases(name: str, shows: str, does_not: str) -> None:
    example = example_of(bug_named(name))
    rows = {row.first: row for row in release_rows_of(example, frozenset({shows, does_not}))}
    assert rows[shows].shows_bug
    assert not rows[does_not].shows_bug


def test_the_bug_of_another_release_is_told_apart() -> None:
    """From 1.19 on a deleted pod is nominated without any binding refused: that is NOM-PHANTOM-DELETED."""
    rows = release_rows_of(example_of(bug_named("NOM-STALE-RETRY")), frozenset({"1.19.0"}))
    assert rows[0].violated
    assert rows[0].without == ("bind_errors",)


def test_every_bug_breaks_what_it_says_it_breaks() -> None:
    """In the scope of its counterexample, or of a question: else no fix could be asked to cure it."""
    for bug in BUGS:
        asked = {question.violates for question in bug.questions}
        assert bug.violates in bug.properties
        assert set(bug.properties) <= {p.name for p in system_named(bug.system).properties}
        assert bug.questions == () or set(bug.properties) & asked
