"""Which proofs for any number of pods and nodes speak of scheduling, under which rules, and the lemmas they need.

Each lemma is a sentence about one pod, any one; every step of `pod_steps` must keep every lemma, from any
state that satisfies the lemmas, reachable or not. A lemma that a step breaks is a counterexample to induction: a pod
and a step, which the Python machine then takes (`replay`).

Which rules it takes, for `nominated-pod-is-pending`: a nominator that refuses pods that the store shows bound (1.24;
1.21.12, 1.22.9, 1.23.6) is enough where no name is used twice. `skipPodSchedule` (1.18) is neither enough nor needed.
Where deleted pods are created again under their names, it takes a nominator that compares UIDs, which no release has.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import evolve, fields, frozen
from z3 import And, BoolRef, Int, Not, Or

from model.scheduler.queue import nominator
from model.systems.scheduling import SchedulingRules, SchedulingScope
from properties.forms import Forms, rule_name, without_form
from properties.scheduling import nominations as scheduling_nominations, pods as scheduling_pods
from properties.smt.bits import Bit, all_of, any_of, formula, negate
from properties.smt.form import FormError, Obligation, Proof, allowed_powers
from properties.smt.scheduling.forms import SKIP_POD_SCHEDULE, SKIP_POD_UPDATE
from properties.smt.scheduling.lemmas import (
    BINDINGS,
    NOMINATIONS,
    Lemma,
    in_one_phase,
    no_namesake,
    object_of_a_created_pod,
    store_follows,
)
from properties.smt.scheduling.observed import Observed
from properties.smt.scheduling.pod_steps import FOREIGN, REFUSES, Environment, PodStep, Refuses
from properties.smt.scheduling.replay import DisagreementError, show, words

# Rules that decide what the steps leave open in any case. Any other from outside might do what no step says.
OPEN = (
    "extender_filter", "extender_plugins", "prefer", "preempts_with", "preempts_again", "preempts_first",
    "terminating_pod_counts", "status_of_victim", "missing_victim_is_an_error", "fits_node",
)  # fmt: skip

# The powers that bring steps of their own: without them the steps allow all powers of the environment but these.
ADD_STEPS = ("recreates", "relists", "lost_replies", "bind_errors", "other_binders", "expiry", "blocked_deletes")

# Powers of which no step of one pod under one scheduler knows.
OF_OTHERS = ("bound_at_start", "second", "controllers")

# What holds because a power of the environment is off: an assumption about the environment, and no lemma for a reader.
ASSUMED = (no_namesake,)

# Whether nominations are found by UID.
DELETES_BY_UID = Forms("nominator_delete", {nominator.delete_by_uid: True, nominator.delete_by_status: False})

WHICH = Int("which")


def proofs_for(scope: SchedulingScope, rules: SchedulingRules, refuses: Refuses | None = None) -> tuple[Proof, ...]:
    """The proofs to try under `rules` with the powers of `scope`; its numbers of pods and nodes do not matter.

    `refuses`: the form of a `nominator_add` from outside. None where `why_none` says why.
    """
    if why_none(scope, rules, refuses) is not None:
        return ()
    environment = Environment(refuses or REFUSES.of(rules), rules, scope)
    return tuple(_Proofs(environment, from_outside=refuses is not None).every())


def why_none(scope: SchedulingScope, rules: SchedulingRules, refuses: Refuses | None = None) -> str | None:
    """Why there is no proof to try, or None.

    A relist may turn one incarnation of a name into the next, which the steps of one incarnation do not know.
    """
    if scope.bound_at_start:
        return "the steps of one pod begin before the pod is created: give --scope bound_at_start=0"
    if scope.second or scope.controllers:
        return "the steps know one scheduler and no controller: give --scope second=0,controllers=0"
    if scope.recreates and scope.relists:
        return "the steps of one pod do not know relists together with recreates: give --scope relists=0 or recreates=0"
    if DELETES_BY_UID.has(rules) and not DELETES_BY_UID.of(rules):
        return f"nominations found by status (nominator_delete={rule_name(rules.nominator_delete)}) have no Z3 form"
    given = OPEN if refuses is None else ("nominator_add", *OPEN)
    tables = (DELETES_BY_UID, REFUSES, SKIP_POD_SCHEDULE, SKIP_POD_UPDATE)
    unknown = without_form(rules, tables, given)
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


@frozen
class Never:
    """What a property forbids: a state, or an action in a state."""

    # The name of the property.
    name: str
    state: Lemma
    # The action, or None.
    action: str | None = None
    # The step that takes the action; "": any step.
    step: str = ""


# Whether a step refutes a proof, from the one state to the other.
Refutes = Callable[[Observed, Observed], bool]


def _breaks(lemmas: tuple[Lemma, ...], lemma: Lemma, before: Observed, after: Observed) -> bool:
    return all(each(before) is True for each in lemmas) and lemma(after) is False


def _does(lemmas: tuple[Lemma, ...], never: Never, before: Observed, after: Observed) -> bool:
    return all(each(before) is True for each in lemmas) and never.state(before) is True


def _settled(pod: Observed) -> Bit:
    """The pod is nominated, the store has it bound or gone, and no handler has still to hear of this."""
    return all_of(pod.nominated, negate(any_of(pod.listed_pending, pod.leaving)))


def _bound_again(pod: Observed) -> Bit:
    return all_of(pod.binds, pod.bound)


class _Proofs:
    """`from_outside`: whom the nominator refuses is said by a formula that a fix brings."""

    def __init__(self, environment: Environment, *, from_outside: bool) -> None:
        self.environment, self.from_outside = environment, from_outside
        self.before, self.after = Observed.fresh(), Observed.fresh("'")

    @cached_property
    def steps(self) -> tuple[PodStep, ...]:
        return tuple(self.environment.steps(self.before))

    def every(self) -> Iterable[Proof]:
        recreates = bool(self.environment.scope.recreates)
        names: tuple[Lemma, ...] = () if recreates else (no_namesake,)
        yield self.proof(
            "nominated pods are pending",
            (*NOMINATIONS, *names),
            {scheduling_nominations.NOMINATED_IS_PENDING.name: FOLLOWS_NOMINATED},
            Never("a nomination stays that nothing will delete", _settled),
        )
        yield self._without(scheduling_pods.ALONE_WITHOUT).proof(
            "bound once",
            (*BINDINGS, *names),
            {scheduling_pods.BINDS_ONCE.name: FOLLOWS_ONCE},
            Never("a Binding of a bound pod is posted", _bound_again, "bind"),
            silent=scheduling_pods.ALONE_WITHOUT,
        )
        yield self.proof(
            "what was decided is bound",
            (in_one_phase, store_follows, *names),
            {scheduling_pods.BINDS_DECIDED.name: FOLLOWS_DECIDED},
            Never("a Binding of another incarnation binds the pod", lambda _: True, "bind", FOREIGN),
        )
        yield self.proof(
            "assumed pods are skipped",
            (in_one_phase, store_follows, object_of_a_created_pod),
            {scheduling_pods.ASSUMED_NOT_SCHEDULED.name: FOLLOWS_ASSUMED},
            Never("an assumed pod is scheduled", lambda pod: pod.assumed, "schedule"),
        )

    def _without(self, power: str) -> "_Proofs":
        """The proofs of what holds as long as `power` is not used."""
        without = evolve(self.environment, scope=evolve(self.environment.scope, **{power: 0}))
        return _Proofs(without, from_outside=self.from_outside)

    def _with_power(self, power: str, name: str) -> Proof | str:
        """The proof `name` with `power` on besides, or why there is none."""
        wider = evolve(self.environment, scope=evolve(self.environment.scope, **{power: 1}))
        reason = why_none(wider.scope, wider.rules, wider.refuses if self.from_outside else None)
        every = _Proofs(wider, from_outside=self.from_outside).every() if reason is None else ()
        return reason or next(proof for proof in every if proof.name == name)

    def proof(
        self, name: str, lemmas: tuple[Lemma, ...], applies: Mapping[str, str], never: Never, silent: str = ""
    ) -> Proof:
        """`silent`: the power after whose first use the property says nothing. So no step with it is asked for."""
        # Powers of users, API server and clock. On all others no step depends.
        off = [power for power in ADD_STEPS if power != silent and not getattr(self.environment.scope, power)]
        details = {
            "pods": "any number",
            "nodes": "any number",
            "states": "any that satisfies the lemmas, reachable or not",
            "powers": allowed_powers([*off, *OF_OTHERS]),
            "lemmas": " ".join(_sentence(lemma) for lemma in lemmas if lemma not in ASSUMED),
        }
        assumed = [_sentence(lemma) for lemma in lemmas if lemma in ASSUMED]
        if silent:
            assumed.append(f"The environment action {silent} did not happen yet: after it the property says nothing.")
        if assumed:
            details["assumes"] = " ".join(assumed)
        if self.from_outside:
            details["form"] = "judged is the formula that the fix brings for nominator_add"
        besides = {power: partial(self._with_power, power, name) for power in off}
        return Proof(name, applies, tuple(self._obligations(lemmas, never)), details, besides)

    def _obligations(self, lemmas: tuple[Lemma, ...], never: Never) -> Iterable[Obligation]:
        inside = formula(all_of(*(lemma(self.before) for lemma in lemmas)))
        nothing = Observed(**dict.fromkeys((field.name for field in fields(Observed)), False))
        start = Not(formula(all_of(*(lemma(nothing) for lemma in lemmas))))
        yield Obligation("before a pod is created all lemmas hold of it", lambda: [start], "unsat", lambda _: "no pod")
        for lemma in lemmas:
            broken = Not(formula(lemma(self.after)))
            name, kept = f"every step keeps: {_sentence(lemma)}", partial(_breaks, lemmas, lemma)
            yield self._unless(name, [inside, broken], range(len(self.steps)), kept)
        premises = [inside, formula(never.state(self.before))]
        if never.action is None:
            yield Obligation(f"never: {never.name}", lambda: premises, "unsat", self._show_state)
        else:
            taken = [i for i, s in enumerate(self.steps) if never.action in s.actions and never.step in ("", s.name)]
            yield self._unless(f"never: {never.name}", premises, taken, partial(_does, lemmas, never))
        for name in dict.fromkeys(step.name for step in self.steps):
            if name != FOREIGN:
                named = [i for i, step in enumerate(self.steps) if step.name == name]
                yield Obligation(f"possible: {name}", self._taking([inside], named), "sat", self._show_state)

    def _unless(self, name: str, premises: list[BoolRef], steps: Iterable[int], refutes: Refutes) -> Obligation:
        return Obligation(name, self._taking(premises, steps), "unsat", partial(self._show, refutes))

    def _taking(self, premises: list[BoolRef], steps: Iterable[int]) -> Callable[[], list[BoolRef]]:
        """`WHICH` of the steps is taken."""
        return lambda: [*premises, Or(*(self._taken[i] for i in steps))]

    @cached_property
    def _taken(self) -> tuple[BoolRef, ...]:
        """By step: it is `WHICH`, and is taken."""
        numbers = range(len(self.steps))
        return tuple(And(i == WHICH, formula(self.steps[i].leads(self.before, self.after))) for i in numbers)

    def _show(self, refutes: Refutes, model: Any) -> str:
        """The counterexample to induction, without what does not belong to it, as the Python machine takes it."""
        which = int(model.eval(WHICH, model_completion=True).as_long())
        before = self.before.of(model)
        while (less := self._smaller(refutes, which, before)) is not None:
            before = less
        step = self._step(which, before)
        try:
            return show(self.environment, step, before, step.after(before))
        except DisagreementError as error:
            if self.from_outside:
                raise FormError(f"nominator_add_smt and the Python rule must say the same: {error}") from error
            raise

    def _step(self, which: int, before: Observed) -> PodStep:
        return list(self.environment.steps(before))[which]

    def _smaller(self, refutes: Refutes, which: int, before: Observed) -> Observed | None:
        """A state with one bit less, or of a pod that is bound and not gone, that the step refutes the proof from."""
        bits = [field.name for field in fields(Observed) if getattr(before, field.name)]
        smaller = [evolve(before, **{bit: False}) for bit in reversed(bits)]
        if before.gone:
            alive = evolve(before, gone=False, bound=True)
            smaller += [alive, evolve(alive, listed_gone=False, listed_bound=True)]
        for less in smaller:
            step = self._step(which, less)
            if step.guard is True and refutes(less, step.after(less)):
                return less
        return None

    def _show_state(self, model: Any) -> str:
        return words(self.before.of(model))


def _sentence(lemma: Lemma) -> str:
    return " ".join((lemma.__doc__ or "").split())


FOLLOWS_NOMINATED = (
    "a pod that the store shows bound or gone is not nominated, and loses its nomination as it gets there"
)
FOLLOWS_ONCE = "a pod is assumed before it is bound, and stays in the cache until it is gone; nobody assumes it there"
FOLLOWS_DECIDED = "the API server refuses a Binding of another UID, or a name has one incarnation"
FOLLOWS_ASSUMED = "an assumed pod is skipped before its cycle, whatever changed of it"
