"""A counterexample to induction: a timeline, a step, the timeline after the step, and the lemma that breaks."""

from collections.abc import Callable
from typing import Any

from attrs import frozen
from z3 import BoolRef, Not, Solver, sat

from properties.smt.bits import Bit, formula
from properties.smt.queueing_hints.asked import Asked
from properties.smt.queueing_hints.lemmas import Lemma, sentence
from properties.smt.queueing_hints.timeline import OF_PLACES, OF_PODS, SoMany, Timeline, of_bits


@frozen
class Counterexample:
    """Some places and pods, and what is said of them before and after a step."""

    facts: SoMany
    before: Timeline
    after: Timeline
    # The name of the step, and the lemma that the step breaks; "" and None if `before` violates the property already.
    step: str
    broken: Lemma | None


def found(asked: Asked, lemmas: tuple[Lemma, ...], build: Callable[[], list[BoolRef]], model: Any) -> Counterexample:
    """What a model of the formulas says, or a smaller model."""
    model = _smallest(asked, build(), model)

    def value(bit: Bit) -> bool:
        return bit if isinstance(bit, bool) else bool(model.eval(bit, model_completion=True))

    open_: SoMany = asked.reading
    facts = SoMany(
        popped_at=tuple(map(value, open_.popped_at)),
        awaited_at=tuple(map(value, open_.awaited_at)),
        pod_at=tuple(tuple(map(value, row)) for row in open_.pod_at),
        pods=open_.pods,
        pairs=open_.pairs,
    )
    before, after = (_constant(facts, state, value) for state in (asked.before, asked.after))
    taken = [s.name for s in asked.environment.steps(facts, before) if s.leads(facts, before, after) is True]
    broken = next((lemma for lemma in lemmas if lemma(facts, after) is False), None)
    return Counterexample(facts, before, after, taken[0], broken) if taken else _without_step(facts, before)


def _without_step(facts: SoMany, before: Timeline) -> Counterexample:
    return Counterexample(facts, before, before, "", None)


def _smallest(asked: Asked, formulas: list[BoolRef], model: Any) -> Any:
    """A model of the formulas in which as little has come as can be."""
    places = len(asked.reading.popped_at)
    for number in range(places):
        solver = Solver()
        solver.add(*formulas, *(Not(formula(asked.after.past(place))) for place in range(number, places)))
        if solver.check() == sat:
            return solver.model()
    return model


def _constant(facts: SoMany, state: Timeline, value: Callable[[Bit], bool]) -> Timeline:
    places, pods = range(len(facts.popped_at)), range(facts.pods)
    named = {name: [value(getattr(state, name)(i)) for i in places] for name in OF_PLACES}
    named |= {name: [value(getattr(state, name)(k)) for k in pods] for name in OF_PODS}
    pairs = {name: [[value(says(i, k)) for k in places] for i in places] for name, says in state.pairs.items()}
    return of_bits(named, pairs)


def in_words(asked: Asked, lemmas: tuple[Lemma, ...], build: Callable[[], list[BoolRef]], model: Any) -> str:
    """The counterexample to induction in words."""
    it = found(asked, lemmas, build, model)
    if not it.step:
        return words(it.facts, it.before)
    why = "" if it.broken is None else f", against the lemma: {sentence(it.broken)}"
    return f"{words(it.facts, it.before)}; {it.step}; then {words(it.facts, it.after)}{why}"


def words(facts: SoMany, now: Timeline) -> str:
    """A timeline in words: the list, the map, the attempts, the sub-queues."""
    places, pods = range(len(facts.popped_at)), range(facts.pods)

    def element(place: int) -> str:
        if not facts.popped(place):
            return "event" if facts.awaited(place) else "event that nobody waits for"
        return next(f"p{pod + 1}" for pod in pods if facts.of(place, pod))

    def kept(place: int) -> str:
        counted = [element(pop) for pop in places if now.pairs and now.counts(place, pop)]
        return f"{element(place)} for {' and '.join(counted) or 'nobody'}" if now.pairs else element(place)

    def attempt(place: int) -> str:
        flags = [f"({name})" for name in ("binds", "done", "settled") if getattr(now, name)(place)]
        return " ".join((element(place), *flags))

    listed = ", ".join(kept(place) for place in places if now.listed(place))
    known = ", ".join(element(place) for place in places if now.entry(place))
    going = ", ".join(attempt(place) for place in places if now.under_way(place))
    said = [f"the list is [{listed}]", f"in flight: {known or 'nobody'}", f"attempts: {going or 'none'}"]
    for name in ("queued", "assumed"):
        named = ", ".join(f"p{pod + 1}" for pod in pods if getattr(now, name)(pod))
        if named:
            said.append(f"{name}: {named}")
    return ", ".join(said)
