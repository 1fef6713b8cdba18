"""scheduling in Z3 for any number of pods: the relation against every step of the machine, proofs, counterexamples."""

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from attrs import evolve, fields

from examples.fixes.nominate_listed_uid import nominator_add, nominator_add_smt
from kubeproof.engines import explicit, smt
from kubeproof.engines.explicit import exploration
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.releases import EVERY_MINOR, ROWS, parse_release, rules_for
from model.scheduler import cycle, skip
from model.scheduler.queue import nominator
from model.systems.scheduling import Scheduling, SchedulingMachine, SchedulingRules, SchedulingScope
from properties.property import Property
from properties.scheduling import nominations as scheduling_nominations, pods as scheduling_pods
from properties.smt.form import SmtForm
from properties.smt.scheduling import pod_steps
from properties.smt.scheduling.observed import Observed, observe
from properties.smt.scheduling.pod_steps import FOREIGN, FORGOTTEN, REFUSES, Environment, PodStep, Refuses
from properties.smt.scheduling.proof import ADD_STEPS, _bound_again, _settled, proofs_for
from properties.smt.scheduling.replay import DisagreementError
from properties.smt.scheduling.system import encode

PENDING = scheduling_nominations.NOMINATED_IS_PENDING
ONCE, DECIDED, SKIPPED = (
    scheduling_pods.BINDS_ONCE,
    scheduling_pods.BINDS_DECIDED,
    scheduling_pods.ASSUMED_NOT_SCHEDULED,
)
FOUR = (PENDING.name, ONCE.name, DECIDED.name, SKIPPED.name)
ALONE = SchedulingScope(pods=1)
# One state, as each of its pods sees it.
Views = tuple[Observed, ...]


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release, EVERY_MINOR))


# Releases of every kind of nominator; together the scopes have every power that a step of the relation depends on.
SCOPES = [
    ("1.14.10", SchedulingScope(pods=1, nodes=1, extender=1, preemption=1, bind_errors=1)),
    ("1.17.10", SchedulingScope(pods=2, nodes=1, high=1, preemption=1, deletes=1, resyncs=1)),
    ("1.21.4", SchedulingScope(pods=1, nodes=2, extender=1, preemption=1)),
    ("1.21.4", SchedulingScope(pods=1, nodes=1, deletes=1, relists=1)),
    ("1.22.3", SchedulingScope(pods=1, nodes=1, deletes=1, recreates=1, other_binders=1, graceful=1)),
    ("1.22.3", SchedulingScope(pods=2, nodes=1, high=1, preemption=1, deletes=1)),
    ("1.23.3", SchedulingScope(pods=1, nodes=1, preemption=1, clock=1, expiry=1, lost_replies=1)),
    ("1.24.0", SchedulingScope(pods=1, nodes=1, preemption=1, deletes=1, recreates=1)),
    ("1.24.0", SchedulingScope(pods=1, nodes=1, labels=2, anti_affinity=1, finalizers=1, deletes=1, blocked_deletes=1)),
    ("1.26.0", SchedulingScope(pods=2, nodes=1, high=1, top=1, big=1, shrinks=1, node_grows=1, preemption=1)),
    ("1.30.0", SchedulingScope(pods=1, nodes=2, node_zones=2, cordons=2, node_shrinks=1, deletes=1)),
    ("1.31.13", SchedulingScope(pods=1, nodes=1, other_binders=1, bind_errors=1, relists=1, deletes=1, node_deletes=1)),
    # From here on pods are in flight.
    ("1.32.0", SchedulingScope(pods=1, nodes=1, labels=2, anti_affinity=1, finalizers=1, deletes=1, blocked_deletes=1)),
    ("1.33.0", SchedulingScope(pods=1, nodes=1, deletes=1, recreates=1, other_binders=1, graceful=1)),
    ("1.33.0", SchedulingScope(pods=1, nodes=1, preemption=1, clock=1, expiry=1, lost_replies=1)),
    ("1.34.0", SchedulingScope(pods=1, nodes=1, other_binders=1, bind_errors=1, relists=1, deletes=1, node_deletes=1)),
    ("1.34.8", SchedulingScope(pods=2, nodes=1, high=1, preemption=1, deletes=1)),
    # From here on pods have one handler, which forgets an assumed pod that is deleted.
    ("1.35.0", SchedulingScope(pods=1, nodes=1, deletes=1, recreates=1, other_binders=1, graceful=1)),
    ("1.35.0", SchedulingScope(pods=1, nodes=1, preemption=1, clock=1, expiry=1, lost_replies=1)),
    ("1.36.0", SchedulingScope(pods=1, nodes=1, finalizers=1, deletes=1, blocked_deletes=1, bind_errors=1)),
    ("1.36.0", SchedulingScope(pods=1, nodes=1, other_binders=1, bind_errors=1, relists=1, deletes=1, node_deletes=1)),
    ("1.36.0", SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, resyncs=1)),
    ("1.36.0", SchedulingScope(pods=2, nodes=1, high=1, big=1, shrinks=1, preemption=1, graceful=1, cordons=1)),
]


# Steps that take long runs, and show in no bit when what they change is so already.
RARE = {FOREIGN, "a goroutine queues it again", "it is deleted once more"}


def steps_of(machine: SchedulingMachine, states: int) -> Iterator[tuple[Scheduling, Action, Scheduling]]:
    """Every step from the first so many states, nearest first; without those that end the scheduler's process.

    A state is the same object each time, until the last step was given.
    """
    run, found = exploration(machine), list(machine.initial_states())
    for state in found:
        run.intern(run.memory.values.row(state))
    for number, state in enumerate(found):
        if len(found) >= states:
            return
        if state.crashed:
            continue
        for action, to in run.successors(number):
            if to == len(found):
                found.append(run.state(to))
            if not found[to].crashed:
                yield state, action, found[to]


def compare(release: str, scope: SchedulingScope, states: int, refuses: Refuses | None = None) -> tuple[int, set[str]]:
    """How many different steps of one pod the machine takes, and the names of steps in the relation that allow them.

    Raises AssertionError at the first that the relation has not. Each hold of a lock is a step.
    """
    scope, rules = evolve(scope, fine=1, listeners=1), rules_of(release)
    machine = SchedulingMachine(scope, rules)
    environment = Environment(refuses or REFUSES.of(rules), rules, scope)
    pods = [(f"p{i + 1}", k + 1) for i in range(scope.pods) for k in range(1 + scope.recreates)]
    views: dict[int, Views] = {}
    met: set[tuple[str, Observed, Observed]] = set()
    used: set[str] = set()

    def observed(state: Scheduling) -> Views:
        view = views.get(id(state))
        if view is None:
            view = views[id(state)] = tuple(observe(state, *pod) for pod in pods)
            # Where the property is broken in Python, what the proofs exclude is true of one of the pods.
            assert PENDING.holds(state) or any(_settled(each) is True for each in view)
        return view

    for state, action, after in steps_of(machine, states):
        before, then = observed(state), observed(after)
        if before != then:
            for one, other in zip(before, then, strict=True):
                if one != other and (action.name, one, other) not in met:
                    met.add((action.name, one, other))
                    names = {s.name for s in environment.steps(one) if allows(s, action, one, other)}
                    assert names, f"{release}: no step for {action} from {one} to {other}"
                    used |= names
        speaks_of_the_same(state, action, after, before, then)
    return len(met), used


def allows(step: PodStep, action: Action, before: Observed, after: Observed) -> bool:
    return action.name in step.actions and step.leads(before, after) is True


def speaks_of_the_same(state: Scheduling, action: Action, after: Scheduling, before: Views, then: Views) -> None:
    """Where a step breaks a property in Python, what the proofs exclude is true of one of the pods."""
    if action.name == "bind" and not ONCE.holds(state, action, after):
        assert any(_bound_again(one) is True for one in before)
    if action.name == "schedule" and not SKIPPED.holds(state, action, after):
        assert any(one.assumed and other.placing for one, other in zip(before, then, strict=True))


@pytest.mark.slow
def test_the_relation_has_every_step_of_the_machine() -> None:
    """As one pod sees it, with other pods and other incarnations of its name around; and few that it never takes."""
    compared, used, named = 0, set[str](), set[str]()
    for release, scope in SCOPES:
        different, names = compare(release, scope, 1_000)
        compared, used = compared + different, used | names
        rules = rules_of(release)
        named |= {s.name for s in Environment(REFUSES.of(rules), rules, scope).steps(Observed.fresh())}
    assert compared > 500
    assert named - used <= RARE


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SCOPES)
def test_the_relation_has_every_step_of_many_states(release: str, scope: SchedulingScope) -> None:
    compared, used = compare(release, scope, 20_000)
    assert compared > 30
    assert len(used) > 8


def test_a_proof_names_the_powers_that_it_allows() -> None:
    never = "expiry blocked_deletes bound_at_start second controllers"

    def powers(scope: SchedulingScope, of: str) -> set[str]:
        """Of the proof that a pod is bound once (`of` is "once"), or of all other proofs."""
        proofs = proofs_for(scope, rules_of("1.24.0"))
        return {proof.details["powers"] for proof in proofs if (proof.name == "bound once") == (of == "once")}

    one_more = evolve(ALONE, lost_replies=1, cordons=1)
    assert powers(ALONE, "others") == {f"all but recreates relists lost_replies bind_errors other_binders {never}"}
    assert powers(one_more, "others") == {f"all but recreates relists bind_errors other_binders {never}"}
    # What another scheduler binds ends what the property says.
    assert powers(ALONE, "once") == {f"all but recreates relists lost_replies bind_errors {never}"}
    assert powers(one_more, "once") == {f"all but recreates relists bind_errors {never}"}
    read = inspect.getsource(pod_steps)
    assert {field.name for field in fields(SchedulingScope) if f"scope.{field.name}" in read} - {"clock"} == set(
        ADD_STEPS
    )


@pytest.mark.parametrize("release", ["1.24.0", "1.36.0"])
def test_a_relation_that_says_less_is_found_out(release: str) -> None:
    with pytest.raises(AssertionError, match="no step for"):
        compare(release, SchedulingScope(pods=1, nodes=1, preemption=1, deletes=1), 1_500, refuses=lambda pod: True)


def test_a_relation_without_the_forgetting_of_deleted_pods_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of 1.34 say less than the machine of 1.35 does."""
    steps = Environment.steps
    monkeypatch.setattr(Environment, "steps", lambda e, pod: (s for s in steps(e, pod) if s.name != FORGOTTEN))
    with pytest.raises(AssertionError, match="no step for handle_pod"):
        compare("1.35.0", SchedulingScope(pods=1, nodes=1, deletes=1, finalizers=1, blocked_deletes=1), 1_500)


# --- proofs


@cache
def answers(release: str, scope: SchedulingScope = ALONE) -> dict[str, list[smt.ObligationResult]]:
    return asked(rules_of(release), scope)


def asked(
    rules: SchedulingRules, scope: SchedulingScope = ALONE, of: tuple[str, ...] = FOUR
) -> dict[str, list[smt.ObligationResult]]:
    """By property, the answers to its proof, for those in `of`."""
    found: dict[str, list[smt.ObligationResult]] = {}
    for proof in proofs_for(scope, rules):
        names = set(of) & set(proof.applies)
        if names:
            found |= dict.fromkeys(names, smt.prove(proof))
    return found


def proved(found: dict[str, list[smt.ObligationResult]]) -> set[str]:
    return {name for name, results in found.items() if all(r.outcome is Outcome.HOLDS for r in results)}


def refutation(results: list[smt.ObligationResult]) -> str:
    """The counterexamples to induction, which the Python machine has taken (else it raises)."""
    assert all(r.outcome is not Outcome.INCONCLUSIVE for r in results)
    return " | ".join(str(r.model) for r in results if r.outcome is Outcome.VIOLATED)


RECREATES = SchedulingScope(pods=1, deletes=1, recreates=1)
EXPIRY = SchedulingScope(pods=1, clock=1, expiry=1)
LOST = SchedulingScope(pods=1, lost_replies=1)
BLOCKED = SchedulingScope(pods=1, deletes=1, finalizers=1, blocked_deletes=1)
WHERE_PROVED = [
    ("1.17.10", ALONE, {ONCE.name, DECIDED.name}),
    ("1.22.3", ALONE, {ONCE.name, DECIDED.name, SKIPPED.name}),
    ("1.22.9", RECREATES, {SKIPPED.name}),
    ("1.24.0", ALONE, set(FOUR)),
    ("1.24.0", RECREATES, {ONCE.name, DECIDED.name, SKIPPED.name}),
    ("1.24.0", LOST, set(FOUR) - {ONCE.name}),
    ("1.32.0", ALONE, set(FOUR)),
    ("1.34.0", ALONE, set(FOUR)),
    ("1.36.0", ALONE, set(FOUR)),
    ("1.36.0", BLOCKED, set(FOUR)),
    ("1.36.0", LOST, set(FOUR) - {ONCE.name}),
]
ELSEWHERE = [
    ("1.24.0", EXPIRY, set(FOUR) - {ONCE.name}),
    ("1.14.10", ALONE, {ONCE.name, DECIDED.name}),
    ("1.18.4", ALONE, {ONCE.name, DECIDED.name}),
    ("1.22.9", ALONE, set(FOUR)),
    ("1.23.3", ALONE, {ONCE.name, DECIDED.name, SKIPPED.name}),
    ("1.24.0", SchedulingScope(pods=1, relists=1, deletes=1), set(FOUR)),
    # After the first bind of another scheduler bound-once says nothing.
    ("1.24.0", SchedulingScope(pods=1, other_binders=1), set(FOUR)),
    ("1.31.13", ALONE, set(FOUR)),
    ("1.31.13", RECREATES, set(FOUR) - {PENDING.name}),
    # No assumed pod expires from 1.25 on.
    ("1.31.13", EXPIRY, set(FOUR)),
    ("1.33.0", ALONE, set(FOUR)),
    ("1.34.8", BLOCKED, set(FOUR)),
    ("1.35.0", ALONE, set(FOUR)),
    ("1.35.0", EXPIRY, set(FOUR)),
    ("1.35.0", SchedulingScope(pods=1, other_binders=1, bind_errors=1), set(FOUR)),
    ("1.36.0", SchedulingScope(pods=1, relists=1, deletes=1), set(FOUR)),
    ("1.36.0", RECREATES, set(FOUR) - {PENDING.name}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope", "names"), [*WHERE_PROVED, *ELSEWHERE])
def test_what_is_inductive_in_which_release(release: str, scope: SchedulingScope, names: set[str]) -> None:
    found = answers(release, scope)
    assert set(found) == set(FOUR)
    assert proved(found) == names


@pytest.mark.parametrize(
    ("release", "scope", "of", "said"),
    [
        ("1.17.10", ALONE, PENDING, "a pod that is bound, listed bound; "),
        ("1.22.3", ALONE, PENDING, "a pod that is bound, listed bound; "),
        ("1.24.0", RECREATES, PENDING, "namesake pending; "),
        ("1.17.10", ALONE, SKIPPED, "assumed; schedule("),
        ("1.22.9", RECREATES, DECIDED, FOREIGN),
        ("1.24.0", LOST, ONCE, "the answer is lost; then it is bound"),
        pytest.param("1.24.0", EXPIRY, ONCE, "cleanup_assumed_pods()", marks=pytest.mark.slow),
        ("1.32.0", LOST, ONCE, "the answer is lost; then it is bound"),
        ("1.36.0", RECREATES, PENDING, "namesake pending; "),
        ("1.36.0", LOST, ONCE, "the answer is lost; then it is bound"),
    ],
)
def test_what_is_not_has_a_counterexample_to_induction(release: str, scope: SchedulingScope, of, said: str) -> None:
    assert said in refutation(answers(release, scope)[of.name])


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.32.0", "1.36.0"])
@pytest.mark.parametrize(
    ("scope", "wrong", "of", "said"),
    [
        (ALONE, {"nominator_add": nominator.add_unchecked}, PENDING, "listed bound; "),
        (ALONE, {"nominator_add": nominator.add_if_listed}, PENDING, "listed bound; "),
        (ALONE, {"nominator_add": nominator.add_overriding}, PENDING, "listed bound; "),
        (ALONE, {"skip_pod_schedule": skip.skip_terminating_pod}, SKIPPED, "assumed; schedule("),
        (ALONE, {"skip_pod_update": skip.skip_pod_update_if_benign}, SKIPPED, "assumed; schedule("),
        (RECREATES, {"binding_honours_uid": cycle.never_by_uid}, DECIDED, FOREIGN),
    ],
    ids=lambda value: "-".join(rule.__name__ for rule in value.values()) if isinstance(value, dict) else "",
)
def test_a_wrong_rule_is_refused_where_pods_are_in_flight(
    release: str, scope: SchedulingScope, wrong: dict[str, Any], of: Property, said: str
) -> None:
    """The machine takes the step of each counterexample to induction."""
    assert of.name in proved(asked(rules_of(release), scope, of=(of.name,)))
    assert said in refutation(asked(evolve(rules_of(release), **wrong), scope, of=(of.name,))[of.name])


def test_a_wrong_rule_is_found_by_search_too() -> None:
    """What Z3 refuses to prove of 1.36 is broken in runs of small scopes."""
    unchecked = evolve(rules_of("1.36.0"), nominator_add=nominator.add_unchecked)
    by_name = evolve(rules_of("1.36.0"), binding_honours_uid=cycle.never_by_uid)
    victims = SchedulingScope(pods=2, high=1, nodes=1, preemption=1, deletes=1, goroutines=1)
    again = SchedulingScope(pods=1, nodes=1, deletes=1, recreates=1, goroutines=1)
    for scope, rules, of in ((victims, unchecked, PENDING), (again, by_name, DECIDED)):
        (found,) = explicit.check(SchedulingMachine(scope, rules), [of])
        assert found.outcome is Outcome.VIOLATED


@pytest.mark.slow
def test_which_of_the_fixes_is_enough() -> None:
    """Refusing bound pods is, in the rules of 1.17 already; skipPodSchedule is not, and adds nothing."""
    old = rules_of("1.17.10")
    skips = evolve(old, skip_pod_schedule=skip.skip_terminating_or_assumed_pod)
    assert PENDING.name not in proved(asked(skips, of=(PENDING.name,)))
    refuses = evolve(old, nominator_add=nominator.add_if_listed_unbound)
    assert proved(asked(refuses, of=(PENDING.name, SKIPPED.name))) == {PENDING.name}
    listed = evolve(skips, nominator_add=nominator.add_if_listed)
    assert PENDING.name not in proved(asked(listed, of=(PENDING.name,)))


def test_a_nominator_that_compares_uids_is_enough_where_names_come_again() -> None:
    rules = evolve(rules_of("1.24.0"), nominator_add=nominator_add)
    form = encode(RECREATES, rules, {"nominator_add": nominator_add_smt})
    assert isinstance(form, SmtForm)
    assert form.from_outside == ("nominator_add",)
    (result,) = smt.check_inductive(form, [PENDING])
    assert result.outcome is Outcome.HOLDS
    assert result.claim is not None
    assert "fix" in result.claim.details["form"]


def test_a_formula_that_says_something_else_is_found_when_it_accuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the formula nobody is refused, in the machine a bound pod is."""
    monkeypatch.setitem(REFUSES.by_rule, nominator.add_overriding_unless_bound, pod_steps.refuses_nobody)
    with pytest.raises(DisagreementError):
        asked(rules_of("1.24.0"), of=(PENDING.name,))


@pytest.mark.slow
def test_every_release_from_1_14_has_a_form() -> None:
    for row in ROWS:
        if row.field == "nominator_add" and row.rule is not nominator.add_by_status:
            assert row.rule in REFUSES.by_rule
    for minor in EVERY_MINOR[1:]:
        assert len(proofs_for(ALONE, rules_of(f"1.{minor}.0"))) == len(FOUR)


@pytest.mark.parametrize("minor", [minor for minor in EVERY_MINOR if minor > 31])
def test_from_1_32_on_the_verdict_says_what_keeps_it_from_formulas_for_runs(minor: int) -> None:
    form = encode(evolve(ALONE, nodes=2), rules_of(f"1.{minor}"))
    assert isinstance(form, SmtForm)
    assert not form.violations
    (reason,) = set(form.unsupported.values())
    assert "pods in flight" in reason
    assert "hints_stay_on=gate_stays_on" in reason


@pytest.mark.parametrize(
    ("scope", "rules", "said"),
    [
        (ALONE, rules_of("1.13.0"), "by status"),
        (evolve(RECREATES, relists=1), rules_of("1.24.0"), "relists"),
        (ALONE, evolve(rules_of("1.24.0"), nominator_add=nominator_add), "nominator_add=nominator_add"),
        (ALONE, evolve(rules_of("1.24.0"), nominate_waiting=lambda pod: None), "nominate_waiting"),
    ],
)
def test_where_there_is_no_form_the_reason_is_said(scope: SchedulingScope, rules: SchedulingRules, said: str) -> None:
    reason = encode(scope, rules)
    assert isinstance(reason, str)
    assert said in reason


def test_the_bits_of_a_pod_that_does_not_exist() -> None:
    (state,) = SchedulingMachine(ALONE, rules_of("1.24.0")).initial_states()
    pod = observe(state, "p1", 1)
    assert not any(getattr(pod, field.name) for field in fields(Observed))
