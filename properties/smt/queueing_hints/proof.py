"""Which proofs for any number of pods and a list of any length speak of queueing-hints, and the lemmas they need.

Every step of `timeline_steps` must keep every lemma, from any timeline that satisfies the lemmas, reachable or not.
Each question is asked twice: with so many places and pods, where Z3 finds a counterexample to induction quickly, and
then for any number, where no answer but "none" proves anything.

What it takes: from 1.32 on Pop discards a pod that is in flight, and the list is right in every environment. Up to 1.31
that takes that no pod in flight is queued: up to 1.30 no pod may change while it waits or is scheduled; 1.31 keeps such
an update as an event, and only the race between Update and Pop (`fine`) breaks the lemma.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attrs import evolve, fields
from z3 import BoolRef, Not, Or

from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from properties.forms import without_form
from properties.queueing_hints import in_flight as props
from properties.smt.bits import formula
from properties.smt.form import Obligation, Proof, allowed_powers
from properties.smt.queueing_hints import lemmas as say, numbers
from properties.smt.queueing_hints.counterexample import found, words
from properties.smt.queueing_hints.lemmas import Lemma, sentence
from properties.smt.queueing_hints.replay import replayed
from properties.smt.queueing_hints.timeline import OF_PLACES, OF_PODS, AnyNumber, SoMany, Timeline
from properties.smt.queueing_hints.timeline_steps import (
    CALLED,
    DISCARDS,
    KEEPS_UPDATE,
    NAMESAKE,
    ONE_LIST,
    ONLY_AWAITED,
    SKIP,
    UPDATES,
    Environment,
    StepFormulas,
    two_designs,
    who_steps,
)  # fmt: skip
from properties.smt.queueing_hints.violations import FORBIDDEN

# What holds of the list in any environment in which each pod is in flight once: of pods and events, or of events.
OF_THE_LIST: tuple[Lemma, ...] = (say.was, say.in_the_map_once, say.listed_is_in_flight, say.begins_with_pod)
OF_COUNTING: tuple[Lemma, ...] = (
    say.was, say.once, say.events_alone, say.counts_pods_in_flight, say.counts_somebody, say.has_a_first,
    say.previous_is_last,
)  # fmt: skip
# The powers on which steps depend. Under all others the steps are the same.
ADD_STEPS = (*UPDATES, "deletes", "recreates", "unknown_profiles", "fine")
# How many places and pods the search for counterexamples to induction has.
PLACES, PODS = 3, 2
SIZE = f"with {PLACES} places and {PODS} pods"


# The bounds of a scope that the steps know.
KNOWN = (
    "pods", "plugins", "goroutines", "stale_binds", "gate", "pop_from_backoff", "changes", "events", "uninteresting",
    "updates", "tolerations", "assigned", "hint_errors", "deletes", "recreates", "resyncs", "relists", "errors",
    "unknown_profiles", "permits", "gates", "claims", "pending", "activations", "bind_errors", "lost_replies",
    "graceful", "clock", "flush", "pre_check", "listeners", "fine",
)  # fmt: skip


def why_none(scope: QueueingHintsScope, rules: QueueingHintsRules) -> str | None:
    """Why there is no proof to try, or None."""
    for each in fields(QueueingHintsScope):
        if each.name not in KNOWN and getattr(scope, each.name):
            return f"the steps of the proofs have no {each.name}: give --scope {each.name}=0"
    unknown = without_form(rules, (*ONE_LIST, NAMESAKE, DISCARDS, KEEPS_UPDATE, ONLY_AWAITED), CALLED)
    return two_designs(rules) if unknown is None else f"the rule {unknown} has no Z3 form"


def proofs_for(scope: QueueingHintsScope, rules: QueueingHintsRules) -> tuple[Proof, ...]:
    """The proofs to try under `rules` with the powers of `scope`, whose numbers of pods and events do not matter."""
    if why_none(scope, rules) is not None:
        return ()
    return tuple(Proofs(Environment(rules, scope)).every())


class Proofs:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        pairs = environment.pairs
        readings = (SoMany.any(PLACES, PODS, pairs), AnyNumber(pairs), SoMany.any(2, 1, pairs))
        self.asked = tuple(StepFormulas(environment, reading) for reading in readings)

    def every(self) -> Iterable[Proof]:
        bounded, any_number, _ = self.asked
        for name, lemmas, applies in self.said():
            in_numbers: Iterable[Obligation] = ()
            if props.RETAINED.name in applies:
                in_numbers = numbers.obligations(bounded, any_number, lemmas, SIZE, self.parts)
            yield self.proof(name, lemmas, applies, in_numbers)

    def said(self) -> Iterable[tuple[str, tuple[Lemma, ...], Mapping[str, str]]]:
        """The name of each proof, its lemmas, and which properties follow why."""
        rules = self.environment.rules
        the_list = OF_THE_LIST if self.environment.one_list else OF_COUNTING
        if not DISCARDS.of(rules):
            the_list = (*the_list, say.queued_is_not_in_flight)
        settled = say.done_is_settled if rules.done_in_binding() == "Bind" else say.done_is_settled_or_binds
        both = (*the_list, settled, say.running_is_in_flight)
        ends: tuple[Lemma, ...] = (*the_list, say.in_flight_is_running)
        if not rules.done_when_skipped():
            ends = (*both, say.in_flight_is_running, say.queued_is_not_assumed, say.assumed_when_it_binds)
        follows = FOLLOWS_LIST if self.environment.one_list else FOLLOWS_COUNTING
        yield "each pod in flight once", the_list, follows
        yield "in flight while scheduled", ends, {props.ENDS_WITH_CYCLE.name: FOLLOWS_ENDS}
        yield "scheduled while in flight", both, {props.SINCE_POP.name: FOLLOWS_SINCE}
        yield "one Done for each Pop", (say.was, settled), {props.ONE_DONE.name: FOLLOWS_ONE}
        yield "kept for a running cycle", (*ends, say.kept_is_awaited), {props.RETAINED.name: FOLLOWS_BOUND}

    @property
    def parts(self) -> Iterable[str]:
        """The names of the steps that Z3 is asked about one by one, or "" for all. It needs that where events count."""
        *_, least = self.asked
        return tuple(least.taken) if self.environment.pairs else ("",)

    def proof(
        self, name: str, lemmas: tuple[Lemma, ...], applies: Mapping[str, str], more: Iterable[Obligation] = ()
    ) -> Proof:
        off = [power for power in ADD_STEPS if not getattr(self.environment.scope, power)]
        details = {
            "pods": "any number",
            "events": "any number, and a list of any length",
            "states": "any that satisfies the lemmas, reachable or not",
            "powers": allowed_powers(off),
            "lemmas": " ".join(sentence(lemma) for lemma in lemmas),
        }
        besides = {power: partial(self._with_powers, (power,), name) for power in off}
        together = partial(self._with_powers, off, name)
        return Proof(name, applies, (*self._obligations(lemmas, applies), *more), details, besides, together)

    def _with_powers(self, powers: Iterable[str], name: str) -> Proof:
        """The proof `name` with these powers on besides."""
        environment = self.environment
        wider = evolve(environment, scope=evolve(environment.scope, **dict.fromkeys(powers, 1)))
        return next(proof for proof in Proofs(wider).every() if proof.name == name)

    def _obligations(self, lemmas: tuple[Lemma, ...], applies: Iterable[str]) -> Iterable[Obligation]:
        """First of all lemmas together, with so many places and pods; then each by itself, for any number."""
        bounded, any_number, least = self.asked
        kept = partial(_broken, bounded, lemmas, lemmas)
        yield Obligation(
            f"{SIZE} every step keeps every lemma", kept, "unsat", partial(in_words, bounded, lemmas, kept)
        )
        for name in applies:
            never = partial(_violated, bounded, lemmas, name)
            yield Obligation(f"{SIZE} never violated: {name}", never, "unsat", partial(in_words, bounded, (), never))
        beyond = f"it takes more than {PLACES} places or {PODS} pods"
        start = partial(_start, any_number, lemmas)
        yield Obligation("at the start all lemmas hold", start, "unsat", lambda _: "nothing has come")
        for step in self.parts:
            for lemma in lemmas:
                kept = partial(_broken, any_number, lemmas, (lemma,), step)
                yield Obligation(f"{who_steps(step)} keeps: {sentence(lemma)}", kept, "unsat", lambda _: beyond)
        for name in applies:
            never = partial(_violated, any_number, lemmas, name)
            yield Obligation(f"never violated: {name}", never, "unsat", lambda _: beyond)
        for name in least.taken:
            # Where no pod terminates, only assumed pods are skipped, of which a lemma says that nobody pops them.
            if name == SKIP and say.queued_is_not_assumed in lemmas and not self.environment.scope.graceful:
                continue
            may = partial(_possible, least, lemmas, name)
            yield Obligation(f"possible: {name}", may, "sat", lambda _: "a step")


def in_words(asked: StepFormulas, lemmas: tuple[Lemma, ...], build: Callable[[], list[BoolRef]], model: Any) -> str:
    """The counterexample to induction in words, and what the machine does from there."""
    it = found(asked, lemmas, build, model)
    if it.broken is None:
        return words(it.facts, it.before)
    taken = replayed(asked.environment, lemmas, it)
    by = "no state of the machine was found that does so" if taken is None else f"the machine does so by {taken.action}"
    then = f"{words(it.facts, it.before)}; {it.step}; then {words(it.facts, it.after)}"
    return f"{then}, against the lemma: {sentence(it.broken).removesuffix('.')} ({by})"


def _start(asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    """Nothing has come, and every pod is new."""
    pairs = dict.fromkeys(asked.environment.pairs, lambda one, other: False)
    nothing = Timeline(**dict.fromkeys((*OF_PLACES, *OF_PODS), lambda _: False), pairs=pairs)
    fresh = evolve(nothing, fresh=lambda _: True)
    return [*asked.reading.axioms(), Or(*(Not(asked.holds(lemma, fresh)) for lemma in lemmas))]


def _broken(asked: StepFormulas, lemmas: tuple[Lemma, ...], some: tuple[Lemma, ...], step: str = "") -> list[BoolRef]:
    """Some of the lemmas is broken by a step, or by the step of this name."""
    return [*asked.inside(lemmas), asked.by(step), Or(*(Not(asked.holds(lemma, asked.after)) for lemma in some))]


def _violated(asked: StepFormulas, lemmas: tuple[Lemma, ...], name: str) -> list[BoolRef]:
    return [*asked.inside(lemmas), formula(FORBIDDEN[name](asked.reading, asked.before))]


def _possible(asked: StepFormulas, lemmas: tuple[Lemma, ...], name: str) -> list[BoolRef]:
    return [*asked.inside(lemmas), asked.taken[name]]


FOLLOWS_LIST = {
    props.ONE_ELEMENT.name: "the map means one element for each pod, and the list has no other of pods",
    props.NOTHING_RETAINED.name: "the list begins with a pod, which is in flight, or is empty",
    props.BEGINS_WITH_POD.name: "the list begins with a pod, which is in flight",
}
FOLLOWS_COUNTING = {props.NOTHING_RETAINED.name: "each event that is kept counts a pod that is in flight"}
FOLLOWS_ENDS = "the attempt of a pod in flight goes on and is still to call Done"
FOLLOWS_SINCE = "the pod of an attempt that is still to call Done is in flight since its Pop"
FOLLOWS_ONE = "an attempt that has called Done is past its failure handler, or does not fail any more"
FOLLOWS_BOUND = (
    "the list begins with a pod whose attempt runs, and every event behind it came since the Pop of this attempt and "
    "is of interest. In numbers, by induction: no more events are kept than came to this attempt of those that are of "
    "interest; if a cycle lives through c such events at most, no more than c are kept, however long the run"
)
