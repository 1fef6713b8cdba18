"""From sets to numbers: how many events are kept behind a pod in flight, and how many that somebody needs came since.

The proofs speak of sets: what is kept came since the Pop of one running attempt, and somebody needs it. The property
speaks of numbers. Go over to numbers by induction over steps. Each pod in flight has two numbers. `behind`: how many
events are kept that came after its Pop. `came`: how many events that somebody needs came after its Pop. A step adds one
to a number where it adds a member to the set (`follow`). That sets change so, for any number of pods and a list of any
length, is asked too (`_changes_otherwise`). That the numbers are then the sizes of the sets follows for any number of
places by induction over steps, which Z3 is not asked; with so many places Z3 is asked.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from attrs import frozen
from z3 import BoolRef, Function, If, Int, IntSort, Not, Sum

from properties.smt.bits import Bit, all_of, any_of, formula, negate
from properties.smt.form import Obligation
from properties.smt.queueing_hints.lemmas import Lemma, implies
from properties.smt.queueing_hints.timeline import AnyNumber, Place, Reading, SoMany, Timeline
from properties.smt.queueing_hints.timeline_steps import StepFormulas, who_steps

LAW = "behind each pod in flight no more events are kept than somebody needs and came since its Pop"


@frozen
class Numbers:
    """Two numbers for each Pop."""

    behind: Callable[[Place], Any]
    came: Callable[[Place], Any]


def open_numbers(reading: AnyNumber, tag: str) -> Numbers:
    """Any numbers."""
    return Numbers(*(Function(name + tag, reading.places, IntSort()) for name in ("behind", "came")))


def sizes(reading: SoMany, now: Timeline) -> Numbers:
    """The sizes of the sets."""

    def size(member: Callable[[Place], Bit], pop: Place) -> Any:
        after = (place for place in reading.one_place("") if reading.before(pop, place))
        return Sum(0, *(If(formula(all_of(negate(reading.popped(e)), member(e))), 1, 0) for e in after))

    return Numbers(partial(size, now.listed), partial(size, lambda e: all_of(now.past(e), reading.awaited(e))))


def follow(asked: StepFormulas, before: Numbers, after: Numbers) -> Bit:
    """The numbers of pods that stay in flight grow by what comes in the step; those of a new Pop are 0."""
    reading, then = asked.reading, asked.after
    kept = reading.some(lambda x: all_of(_comes(asked, x), then.listed(x)))
    needed = reading.some(lambda x: all_of(_comes(asked, x), reading.awaited(x)))

    def grows(pop: Place) -> Bit:
        stays, new = (all_of(then.entry(pop), was) for was in (asked.before.past(pop), _is_new(asked, pop)))
        behind = after.behind(pop) == before.behind(pop) + If(formula(kept), 1, 0)
        came = after.came(pop) == before.came(pop) + If(formula(needed), 1, 0)
        return all_of(
            implies(stays, all_of(behind, came)),
            implies(new, all_of(after.behind(pop) == 0, after.came(pop) == 0)),
        )

    return reading.every(grows)


def _is_new(asked: StepFormulas, place: Place) -> Bit:
    return all_of(asked.after.past(place), negate(asked.before.past(place)))


def _comes(asked: StepFormulas, place: Place) -> Bit:
    """The place is an event that comes in the step."""
    return all_of(_is_new(asked, place), negate(asked.reading.popped(place)))


def _no_more_behind(reading: Reading, now: Timeline, numbers: Numbers) -> Bit:
    return reading.every(lambda p: implies(now.entry(p), numbers.behind(p) <= numbers.came(p)))


def obligations(
    bounded: StepFormulas, any_number: StepFormulas, lemmas: tuple[Lemma, ...], size: str, parts: Iterable[str]
) -> Iterator[Obligation]:
    """That the number of kept events is at most that of the events that came to some running attempt.

    `parts`: the names of the steps that Z3 is asked about one by one, or "" for all.
    """

    def asks(
        name: str, build: Callable[[StepFormulas, tuple[Lemma, ...]], list[BoolRef]], asked: StepFormulas
    ) -> Obligation:
        return Obligation(name, partial(build, asked, lemmas), "unsat", lambda _: "numbers that do not fit")

    yield asks(f"{size} no more kept than came to a running attempt", _too_many_of_so_many, bounded)
    yield asks(f"{size} numbers are sizes of sets", _sizes_do_not_follow, bounded)
    for part in parts:
        changes = partial(_changes_otherwise, part)
        yield asks(f"{who_steps(part)} adds what comes, takes nothing out behind a pod that stays", changes, any_number)
    yield asks(f"every step keeps: {LAW}", _law_breaks, any_number)
    yield asks("no more kept than came to a running attempt", _too_many, any_number)


def _too_many_of_so_many(asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    """The property itself, in numbers: more events are kept than came to any attempt that has not called Done."""
    reading, now = asked.reading, asked.before
    numbers = sizes(reading, now)
    places = reading.one_place("")
    kept = Sum(0, *(If(formula(all_of(now.listed(e), negate(reading.popped(e)))), 1, 0) for e in places))
    more = reading.every(lambda p: implies(now.running(p), kept > numbers.came(p)))
    return [*asked.inside(lemmas), kept > 0, formula(more)]


def _sizes_do_not_follow(asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    one, other = sizes(asked.reading, asked.before), sizes(asked.reading, asked.after)
    return [*asked.inside(lemmas), asked.leads, Not(formula(follow(asked, one, other)))]


def _changes_otherwise(step: str, asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    """Two places are new, or one that is not the last, or listed is what was not; or an event behind a pod goes."""
    reading, before, after = asked.reading, asked.before, asked.after

    def odd(x: Place) -> Bit:
        new = _is_new(asked, x)
        not_last = reading.some(lambda y: all_of(after.past(y), reading.before(x, y)))
        appears = all_of(after.listed(x), negate(before.listed(x)), negate(new))
        return any_of(all_of(new, not_last), appears, all_of(before.past(x), negate(after.past(x))))

    def leaves(pop: Place, event: Place) -> Bit:
        stays = all_of(after.entry(pop), before.past(pop), reading.before(pop, event))
        goes = all_of(before.listed(event), negate(reading.popped(event)), negate(after.listed(event)))
        return all_of(stays, any_of(goes, negate(before.entry(pop))))

    otherwise = any_of(reading.some(odd), reading.some(lambda p: reading.some(partial(leaves, p))))
    return [*asked.inside(lemmas), asked.by(step), formula(otherwise)]


def _law_breaks(asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    reading = asked.reading
    one, other = open_numbers(reading, ""), open_numbers(reading, "'")
    law, then = (_no_more_behind(reading, *said) for said in ((asked.before, one), (asked.after, other)))
    after = (asked.holds(lemma, asked.after) for lemma in lemmas)
    return [
        *asked.inside(lemmas),
        *after,
        asked.leads,
        formula(follow(asked, one, other)),
        formula(law),
        Not(formula(then)),
    ]


def _too_many(asked: StepFormulas, lemmas: tuple[Lemma, ...]) -> list[BoolRef]:
    """Where all that is kept came after a Pop, that many events are kept."""
    reading, now = asked.reading, asked.before
    numbers, number = open_numbers(reading, ""), Int("kept")

    def kept(event: Place) -> Bit:
        return all_of(now.listed(event), negate(reading.popped(event)))

    def has_all_behind(pop: Place) -> Bit:
        return all_of(now.entry(pop), reading.every(lambda e: implies(kept(e), reading.before(pop, e))))

    counted = reading.every(lambda p: implies(has_all_behind(p), number == numbers.behind(p)))
    more = reading.every(lambda p: implies(now.running(p), number > numbers.came(p)))
    law = _no_more_behind(reading, now, numbers)
    return [*asked.inside(lemmas), formula(reading.some(kept)), *map(formula, (counted, law, more))]
