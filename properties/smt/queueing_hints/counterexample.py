"""A counterexample to induction: a timeline, a step, the timeline after the step, and the lemma that breaks."""

from collections.abc import Callable
from typing import Any

from attrs import frozen
from z3 import BoolRef, BoolVal, Not, Solver, sat

from properties.smt.bits import Bit, all_of, any_of, formula, negate
from properties.smt.queueing_hints import lemmas as say
from properties.smt.queueing_hints.lemmas import Lemma, implies
from properties.smt.queueing_hints.timeline import (
    OF_PLACES,
    OF_PODS,
    Place,
    Pod,
    Reading,
    SoMany,
    Timeline,
    of_bits,
    of_every_two,
)
from properties.smt.queueing_hints.timeline_steps import StepFormulas


@frozen
class Counterexample:
    """Some places and pods, and what is said of them before and after a step."""

    facts: SoMany
    before: Timeline
    after: Timeline
    # The name of the step, and the lemma that the step breaks; "" and None if `before` violates the property already.
    step: str
    broken: Lemma | None


def found(
    asked: StepFormulas, lemmas: tuple[Lemma, ...], build: Callable[[], list[BoolRef]], model: Any
) -> Counterexample:
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


def _smallest(asked: StepFormulas, formulas: list[BoolRef], model: Any) -> Any:
    """A model of the formulas in which as little has come as can be, if possible one that the machine can be in."""
    places = len(asked.reading.popped_at)
    for likely in (formula(_of_machine(asked)), BoolVal(True)):
        solver = Solver()
        solver.add(*formulas, likely)
        for number in range(places + 1):
            if solver.check(*(Not(formula(asked.after.past(place))) for place in range(number, places))) == sat:
                return solver.model()
    return model


def _of_machine(asked: StepFormulas) -> Bit:
    """What holds of every timeline of a state of the machine, and is no lemma of every proof."""
    reading, now, environment = asked.reading, asked.before, asked.environment

    def attempt(p: Place) -> Bit:
        early = True if environment.rules.done_in_binding() != "Bind" else negate(all_of(now.binds(p), now.done(p)))
        return all_of(
            implies(any_of(now.done(p), now.settled(p), now.binds(p)), now.under_way(p)),
            implies(now.settled(p), all_of(now.done(p), negate(now.binds(p)))),
            early,
        )

    def last_of_pod(p: Place, q: Place) -> Bit:
        """The map means the last Pop of a pod, or the last of its elements."""
        there = now.past(q) if environment.pairs else now.listed(q)
        same_pod = negate(reading.every_pod(lambda u: negate(all_of(reading.of(p, u), reading.of(q, u)))))
        return implies(all_of(now.entry(p), there, reading.popped(q), same_pod), negate(reading.before(p, q)))

    def fresh(u: Pod) -> Bit:
        popped = reading.some(lambda p: all_of(now.past(p), reading.popped(p), reading.of(p, u)))
        return implies(now.fresh(u), negate(any_of(now.queued(u), now.assumed(u), popped)))

    the_map = say.in_the_map_once(reading, now) if environment.one_list else _of_counting(reading, now)
    return all_of(
        say.was(reading, now),
        the_map,
        reading.every(attempt),
        of_every_two(reading, last_of_pod),
        reading.every_pod(fresh),
    )


def _of_counting(reading: Reading, now: Timeline) -> Bit:
    """An event that is kept counts some Pops, and a pod has one previousEvent at most."""

    def counted(event: Place, pop: Place) -> Bit:
        return implies(
            now.counts(event, pop), all_of(now.listed(event), reading.popped(pop), reading.before(pop, event))
        )

    def marked(pop: Place, event: Place) -> Bit:
        others = reading.every(lambda e: any_of(reading.equal(e, event), negate(now.previous(pop, e))))
        fits = all_of(
            now.past(event), negate(reading.popped(event)), reading.before(event, pop), now.entry(pop), others
        )
        return implies(now.previous(pop, event), fits)

    return all_of(
        say.once(reading, now),
        say.counts_somebody(reading, now),
        reading.every(lambda e: implies(now.listed(e), negate(reading.popped(e)))),
        of_every_two(reading, counted),
        of_every_two(reading, marked),
    )


def _constant(facts: SoMany, state: Timeline, value: Callable[[Bit], bool]) -> Timeline:
    places, pods = range(len(facts.popped_at)), range(facts.pods)
    named = {name: [value(getattr(state, name)(i)) for i in places] for name in OF_PLACES}
    named |= {name: [value(getattr(state, name)(k)) for k in pods] for name in OF_PODS}
    pairs = {name: [[value(says(i, k)) for k in places] for i in places] for name, says in state.pairs.items()}
    return of_bits(named, pairs)


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
