"""Which proofs for any number of pods and a list of any length speak of queueing-hints, and the lemmas they need.

Every step of `relation` must keep every lemma, from any timeline that satisfies the lemmas, reachable or not. Each
question is asked twice: with so many places and pods, where Z3 finds a counterexample to induction quickly, and then
for any number, where no answer but "none" proves anything.

What it takes: from 1.32 on Pop discards a pod that is in flight, and the list is right in every environment. Up to 1.31
that takes that no pod in flight is queued: up to 1.30 no pod may change while it waits or is scheduled; 1.31 keeps such
an update as an event, and only the race between Update and Pop (`fine`) breaks the lemma.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import evolve, fields
from z3 import BoolRef, Not, Or, Solver, sat

from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from properties.forms import without_form
from properties.queueing_hints import in_flight as props
from properties.smt.bits import Bit, any_of, formula
from properties.smt.form import Obligation, Proof, allowed_powers
from properties.smt.queueing_hints import lemmas as say
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.relation import (
    CALLED,
    DISCARDS,
    KEEPS_UPDATE,
    LIST,
    NAMESAKE,
    ONLY_AWAITED,
    SKIP,
    UPDATES,
    Environment,
    Step,
)  # fmt: skip
from properties.smt.queueing_hints.timeline import OF_PLACES, OF_PODS, AnyNumber, SoMany, Timeline, of_bits
from properties.smt.queueing_hints.violations import FORBIDDEN

# The powers on which steps depend. Under all others the steps are the same.
ADD_STEPS = (*UPDATES, "deletes", "recreates", "unknown_profiles", "fine")
# How many places and pods the search for counterexamples to induction has.
PLACES, PODS = 3, 2


# The bounds of a scope that the steps know.
KNOWN = (
    "pods", "plugins", "goroutines", "gate", "pop_from_backoff", "changes", "events", "uninteresting", "updates",
    "deletes", "recreates", "resyncs", "relists", "errors", "unknown_profiles", "permits", "gates", "claims", "pending",
    "activations", "bind_errors", "lost_replies", "graceful", "clock", "flush", "listeners", "fine",
)  # fmt: skip


def why_none(scope: QueueingHintsScope, rules: QueueingHintsRules) -> str | None:
    """Why there is no proof to try, or None."""
    for each in fields(QueueingHintsScope):
        if each.name not in KNOWN and getattr(scope, each.name):
            return f"the steps of the proofs have no {each.name}: give --scope {each.name}=0"
    unknown = without_form(rules, (*LIST, NAMESAKE, DISCARDS, KEEPS_UPDATE, ONLY_AWAITED), CALLED)
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


def proofs_for(scope: QueueingHintsScope, rules: QueueingHintsRules) -> tuple[Proof, ...]:
    """The proofs to try under `rules` with the powers of `scope`, whose numbers of pods and events do not matter."""
    if why_none(scope, rules) is not None:
        return ()
    return tuple(_Proofs(Environment(rules, scope)).every())


class _Asked:
    """The formulas of one reading, made once for all obligations."""

    def __init__(self, environment: Environment, reading: Any) -> None:
        self.environment, self.reading = environment, reading
        self.before, self.after = self.reading.state(""), self.reading.state("'")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(s for s in self.environment.steps(self.reading, self.before) if s.guard is not False)

    @cached_property
    def taken(self) -> Mapping[str, BoolRef]:
        """By the name of a step: the step leads from `before` to `after`."""
        found: dict[str, list[Bit]] = {}
        for step in self.steps:
            found.setdefault(step.name, []).append(step.leads(self.reading, self.before, self.after))
        return {name: formula(any_of(*ways)) for name, ways in found.items()}

    @cached_property
    def leads(self) -> BoolRef:
        """Some step leads from `before` to `after`."""
        return Or(*self.taken.values())

    def holds(self, lemma: Lemma, state: Timeline) -> BoolRef:
        return formula(lemma(self.reading, state))

    def inside(self, lemmas: Iterable[Lemma]) -> list[BoolRef]:
        """Any timeline that satisfies the lemmas."""
        return [*self.reading.axioms(), *(self.holds(lemma, self.before) for lemma in lemmas)]


class _Proofs:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        readings = (SoMany.any(PLACES, PODS), AnyNumber(), SoMany.any(2, 1))
        self.asked = tuple(_Asked(environment, reading) for reading in readings)

    def every(self) -> Iterable[Proof]:
        rules = self.environment.rules
        the_list: tuple[Lemma, ...] = (
            say.was, say.in_the_map_once, say.listed_is_in_flight, say.begins_with_pod,
        )  # fmt: skip
        if not DISCARDS.of(rules):
            the_list = (*the_list, say.queued_is_not_in_flight)
        settled = say.done_is_settled if rules.done_in_binding() == "Bind" else say.done_is_settled_or_binds
        both = (*the_list, settled, say.running_is_in_flight)
        ends: tuple[Lemma, ...] = (*the_list, say.in_flight_is_running)
        if not rules.done_when_skipped():
            ends = (*both, say.in_flight_is_running, say.queued_is_not_assumed, say.assumed_when_it_binds)
        yield self.proof(
            "each pod in flight once",
            the_list,
            {
                props.ONE_ELEMENT.name: "the map means one element for each pod, and the list has no other of pods",
                props.NOTHING_RETAINED.name: "the list begins with a pod, which is in flight, or is empty",
                props.BEGINS_WITH_POD.name: "the list begins with a pod, which is in flight",
            },
        )
        yield self.proof("in flight while scheduled", ends, {props.ENDS_WITH_CYCLE.name: FOLLOWS_ENDS})
        yield self.proof("scheduled while in flight", both, {props.SINCE_POP.name: FOLLOWS_SINCE})
        yield self.proof("one Done for each Pop", (say.was, settled), {props.ONE_DONE.name: FOLLOWS_ONE})
        yield self.proof("kept for a running cycle", (*ends, say.kept_is_awaited), {props.RETAINED.name: FOLLOWS_BOUND})

    def proof(self, name: str, lemmas: tuple[Lemma, ...], applies: Mapping[str, str]) -> Proof:
        off = [power for power in ADD_STEPS if not getattr(self.environment.scope, power)]
        details = {
            "pods": "any number",
            "events": "any number, and a list of any length",
            "states": "any that satisfies the lemmas, reachable or not",
            "powers": allowed_powers(off),
            "lemmas": " ".join(sentence(lemma) for lemma in lemmas),
        }
        besides = {power: partial(self._with_power, power, name) for power in off}
        return Proof(name, applies, tuple(self._obligations(lemmas, applies)), details, besides)

    def _with_power(self, power: str, name: str) -> Proof:
        """The proof `name` with `power` on besides."""
        environment = self.environment
        wider = evolve(environment, scope=evolve(environment.scope, **{power: 1}))
        return next(proof for proof in _Proofs(wider).every() if proof.name == name)

    def _obligations(self, lemmas: tuple[Lemma, ...], applies: Iterable[str]) -> Iterable[Obligation]:
        """First of all lemmas together, with so many places and pods; then each by itself, for any number."""
        bounded, any_number, least = self.asked
        size = f"with {PLACES} places and {PODS} pods"
        kept = partial(_broken, bounded, lemmas, lemmas)
        yield Obligation(f"{size} every step keeps every lemma", kept, "unsat", partial(_show, bounded, lemmas, kept))
        for name in applies:
            never = partial(_violated, bounded, lemmas, name)
            yield Obligation(f"{size} never violated: {name}", never, "unsat", partial(_show, bounded, (), never))
        beyond = f"it takes more than {PLACES} places or {PODS} pods"
        start = partial(_start, any_number, lemmas)
        yield Obligation("at the start all lemmas hold", start, "unsat", lambda _: "nothing has come")
        for lemma in lemmas:
            kept = partial(_broken, any_number, lemmas, (lemma,))
            yield Obligation(f"every step keeps: {sentence(lemma)}", kept, "unsat", lambda _: beyond)
        for name in applies:
            never = partial(_violated, any_number, lemmas, name)
            yield Obligation(f"never violated: {name}", never, "unsat", lambda _: beyond)
        for name in least.taken:
            # Where no pod terminates, only assumed pods are skipped, of which a lemma says that nobody pops them.
            if name == SKIP and say.queued_is_not_assumed in lemmas and not self.environment.scope.graceful:
                continue
            may = partial(_possible, least, lemmas, name)
            yield Obligation(f"possible: {name}", may, "sat", lambda _: "a step")


def _start(asked: _Asked, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    """Nothing has come, and every pod is new."""
    nothing = Timeline(**dict.fromkeys((*OF_PLACES, *OF_PODS), lambda _: False))
    fresh = evolve(nothing, fresh=lambda _: True)
    return [*asked.reading.axioms(), Or(*(Not(asked.holds(lemma, fresh)) for lemma in lemmas))]


def _broken(asked: _Asked, lemmas: tuple[Lemma, ...], some: tuple[Lemma, ...]) -> list[BoolRef]:
    return [*asked.inside(lemmas), asked.leads, Or(*(Not(asked.holds(lemma, asked.after)) for lemma in some))]


def _violated(asked: _Asked, lemmas: tuple[Lemma, ...], name: str) -> list[BoolRef]:
    return [*asked.inside(lemmas), formula(FORBIDDEN[name](asked.reading, asked.before))]


def _possible(asked: _Asked, lemmas: tuple[Lemma, ...], name: str) -> list[BoolRef]:
    return [*asked.inside(lemmas), asked.taken[name]]


def _smallest(asked: _Asked, formulas: list[BoolRef], model: Any) -> Any:
    """A model of the formulas in which as little has come as can be."""
    for number in range(PLACES):
        solver = Solver()
        solver.add(*formulas, *(Not(formula(asked.after.past(place))) for place in range(number, PLACES)))
        if solver.check() == sat:
            return solver.model()
    return model


def _show(asked: _Asked, lemmas: tuple[Lemma, ...], build: Callable[[], list[BoolRef]], model: Any) -> str:
    """The counterexample to induction in words: the timeline, the step, the timeline after, the lemma that breaks."""
    model = _smallest(asked, build(), model)

    def value(bit: Bit) -> bool:
        return bit if isinstance(bit, bool) else bool(model.eval(bit, model_completion=True))

    open_ = asked.reading
    facts = SoMany(
        popped_at=tuple(map(value, open_.popped_at)),
        awaited_at=tuple(map(value, open_.awaited_at)),
        pod_at=tuple(tuple(map(value, row)) for row in open_.pod_at),
        pods=PODS,
    )
    before, after = (_constant(state, value) for state in (asked.before, asked.after))
    taken = [s.name for s in asked.environment.steps(facts, before) if s.leads(facts, before, after) is True]
    if not taken:
        return words(facts, before)
    broken = next((lemma for lemma in lemmas if lemma(facts, after) is False), None)
    why = "" if broken is None else f", against the lemma: {sentence(broken)}"
    return f"{words(facts, before)}; {taken[0]}; then {words(facts, after)}{why}"


def _constant(state: Timeline, value: Callable[[Bit], bool]) -> Timeline:
    places = {name: tuple(value(getattr(state, name)(i)) for i in range(PLACES)) for name in OF_PLACES}
    return of_bits({**places, **{name: tuple(value(getattr(state, name)(k)) for k in range(PODS)) for name in OF_PODS}})


def words(facts: SoMany, now: Timeline) -> str:
    """A timeline in words: the list, the map, the attempts, the sub-queues."""
    places, pods = range(len(facts.popped_at)), range(facts.pods)

    def element(place: int) -> str:
        if not facts.popped(place):
            return "event" if facts.awaited(place) else "event that nobody waits for"
        return next(f"p{pod + 1}" for pod in pods if facts.of(place, pod))

    def attempt(place: int) -> str:
        flags = [f"({name})" for name in ("binds", "done", "settled") if getattr(now, name)(place)]
        return " ".join((element(place), *flags))

    listed = ", ".join(element(place) for place in places if now.listed(place))
    known = ", ".join(element(place) for place in places if now.entry(place))
    going = ", ".join(attempt(place) for place in places if now.under_way(place))
    said = [f"the list is [{listed}]", f"in flight: {known or 'nobody'}", f"attempts: {going or 'none'}"]
    for name in ("queued", "assumed"):
        named = ", ".join(f"p{pod + 1}" for pod in pods if getattr(now, name)(pod))
        if named:
            said.append(f"{name}: {named}")
    return ", ".join(said)


def sentence(lemma: Lemma) -> str:
    """The lemma in words."""
    return " ".join((lemma.__doc__ or "").split())


FOLLOWS_ENDS = "the attempt of a pod in flight goes on and is still to call Done"
FOLLOWS_SINCE = "the pod of an attempt that is still to call Done is in flight since its Pop"
FOLLOWS_ONE = "an attempt that has called Done is past its failure handler, or does not fail any more"
FOLLOWS_BOUND = (
    "the list begins with a pod whose attempt runs, and every event behind it came since the Pop of this attempt and "
    "is of interest: if a cycle lives through c such events at most, no more than c are kept, however long the run"
)
