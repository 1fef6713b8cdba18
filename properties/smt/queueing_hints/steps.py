"""What a step of the timeline is: when it may be taken, and what it writes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import field, frozen

from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.queueing_hints.timeline import (
    OF_ATTEMPTS,
    OF_PLACES,
    OF_PODS,
    Place,
    Pod,
    Reading,
    Says,
    SaysOfTwo,
    Timeline,
)

# By the name of a predicate, what it says after the step: of a place, of a pod, or of two places.
Writes = Mapping[str, Callable[..., Bit]]


def nothing_more(after: Timeline) -> Bit:
    return True


@frozen
class Step:
    """One thing that may happen."""

    name: str
    # When this may happen.
    guard: Bit
    # The predicates that are written. Every other stays as it is; those of pods may lose pods besides, and of
    # attempts that have ended nothing more is said.
    writes: Writes = field(factory=dict)
    # What is said of the timeline after the step besides, and the predicates of which nothing else is said.
    says: Callable[[Timeline], Bit] = nothing_more
    said: tuple[str, ...] = ()

    def leads(self, reading: Reading, before: Timeline, after: Timeline) -> Bit:
        """The step can be taken in `before` and leads to `after`."""
        if self.guard is False:
            return False
        kept: list[Bit] = [self.says(after)]
        for name in OF_PLACES:
            one, other = self.writes.get(name, getattr(before, name)), getattr(after, name)
            spoken_of = after.under_way if name in OF_ATTEMPTS else _always
            if name not in self.said:
                kept.append(reading.every(partial(_same_where, spoken_of, one, other)))
        for name in OF_PODS:
            one, other = self.writes.get(name, getattr(before, name)), getattr(after, name)
            kept.append(reading.every_pod(partial(_no_more, one, other)))
        for name, before_of_two in before.pairs.items():
            if name not in self.said:
                of_two = self.writes.get(name, before_of_two)
                kept.append(of_every_two(reading, partial(_same_of_two, of_two, after.pairs[name])))
        return all_of(self.guard, *kept)


def of_every_two(reading: Reading, says: SaysOfTwo) -> Bit:
    """`says` of every two places."""
    return reading.every(lambda one: reading.every(partial(says, one)))


def _always(place: Place) -> Bit:
    return True


def _same_where(spoken_of: Says, one: Says, other: Says, place: Place) -> Bit:
    return any_of(negate(spoken_of(place)), same(other(place), one(place)))


def _same_of_two(one: SaysOfTwo, other: SaysOfTwo, first: Place, second: Place) -> Bit:
    return same(other(first, second), one(first, second))


def _no_more(one: Says, other: Says, pod: Pod) -> Bit:
    return any_of(negate(other(pod)), one(pod))


@frozen
class Writer:
    """What steps write, from one timeline on."""

    reading: Reading
    before: Timeline

    def more(self, says: Says, one: object) -> Says:
        """What `says` says, and of this place or pod too."""
        return lambda each: any_of(says(each), self.reading.equal(each, one))

    def less(self, says: Says, one: object) -> Says:
        """What `says` says, and not of this place or pod."""
        return lambda each: all_of(says(each), negate(self.reading.equal(each, one)))

    def in_flight(self, pod: Pod) -> Bit:
        """`inFlightPods` has the pod."""
        reading = self.reading
        return reading.some(lambda place: all_of(self.before.entry(place), reading.of(place, pod)))

    def entries_after_pop(self, place: Place, pod: Pod) -> Says:
        """The map means this Pop of the pod, and no other any more."""
        before, reading = self.before, self.reading
        return lambda each: any_of(
            reading.equal(each, place), all_of(before.entry(each), negate(reading.of(each, pod)))
        )


def agree(one: Says, other: Says, place: Any) -> Bit:
    """Both say it of the place, or neither."""
    return same(one(place), other(place))
