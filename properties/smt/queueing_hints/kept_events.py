"""What Pop, an event and Done do to the events that the queue keeps, in the two designs of the queue's `in_flight`.

`InOneList` (1.28.2 on): pods and events are in one list. Pop puts the pod behind all; Done takes the element out that
`inFlightPods` means, and then what stands before the first pod.

`CountingPods` (1.28.0, 1.28.1): there are events alone. Go has a number for each, `inFlightPodsNum`. Here an event has
the set of the pods that it counts, whose size is the number. Done counts down every event behind the pod's
`previousEvent`, or all if that one has gone. Where Done counts an event down that does not count the pod, Go's number
falls by one, and the steps say only that the set gets no larger.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Protocol

from attrs import frozen

from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.queueing_hints.timeline import (
    COUNTS,
    OF_PAIRS,
    PREVIOUS,
    Place,
    Pod,
    Says,
    Timeline,
    TimelineStep,
    Writer,
    Writes,
    agree,
    of_every_two,
)


class KeptEvents(Protocol):
    """A design, from one timeline on."""

    def pop(self, place: Place) -> Iterator[tuple[Bit, Writes]]:
        """What the Pop at this place writes of what is kept, by case."""
        ...

    def keep(self, place: Place) -> Writes:
        """What is written when the event at this place is kept."""
        ...

    def done(self, name: str, guard: Bit, pod: Pod, writes: Writes) -> Iterator[TimelineStep]:
        """Done of `pod`: nothing if the pod is not in flight; else its entry goes, and what nobody needs any more."""
        ...


@frozen
class InOneList(Writer):
    def pop(self, place: Place) -> Iterator[tuple[Bit, Writes]]:
        yield True, {"listed": self.more(self.before.listed, place)}

    def keep(self, place: Place) -> Writes:
        return {"listed": self.more(self.before.listed, place)}

    def done(self, name: str, guard: Bit, pod: Pod, writes: Writes) -> Iterator[TimelineStep]:
        """The element of the pod goes, and all before the first pod."""
        before, reading = self.before, self.reading
        if guard is False:
            return
        yield TimelineStep(name, all_of(guard, negate(self.in_flight(pod))), writes)
        for mine in reading.one_place("e"):
            here = all_of(guard, before.entry(mine), reading.of(mine, pod))
            if here is False:
                continue
            entry = self.less(before.entry, mine)
            left = self.less(before.listed, mine)
            pops = self._pops(left)
            nobody = all_of(here, negate(reading.some(pops)))
            yield TimelineStep(name, nobody, {**writes, "entry": entry, "listed": lambda each: False})
            for first in reading.one_place("f"):
                rest = self._not_before(left, first)
                begins = all_of(here, pops(first), reading.every(partial(agree, pops, self._pops(rest))))
                yield TimelineStep(name, begins, {**writes, "entry": entry, "listed": rest})

    def _pops(self, says: Says) -> Says:
        return lambda each: all_of(says(each), self.reading.popped(each))

    def _not_before(self, says: Says, first: Place) -> Says:
        return lambda each: all_of(says(each), negate(self.reading.before(each, first)))


@frozen
class CountingPods(Writer):
    def pop(self, place: Place) -> Iterator[tuple[Bit, Writes]]:
        """`previousEvent` is the last event that is kept. What is kept has a last event, unless nothing is."""
        before, reading = self.before, self.reading
        none = partial(self._previous, place, None)
        yield reading.every(lambda each: negate(before.listed(each))), {PREVIOUS: none}
        for last in reading.one_place("l"):
            behind = reading.some(partial(self._listed_behind, last))
            yield all_of(before.listed(last), negate(behind)), {PREVIOUS: partial(self._previous, place, last)}

    def _listed_behind(self, one: Place, other: Place) -> Bit:
        return all_of(self.before.listed(other), self.reading.before(one, other))

    def _previous(self, new: Place, last: Place | None, pop: Place, event: Place) -> Bit:
        equal = self.reading.equal
        mine: Bit = False if last is None else all_of(equal(pop, new), equal(event, last))
        return any_of(mine, all_of(negate(equal(pop, new)), self.before.previous(pop, event)))

    def keep(self, place: Place) -> Writes:
        """The event counts the pods in flight."""
        before, equal = self.before, self.reading.equal

        def counts(event: Place, pop: Place) -> Bit:
            mine = all_of(equal(event, place), before.entry(pop))
            return any_of(mine, all_of(negate(equal(event, place)), before.counts(event, pop)))

        return {"listed": self.more(before.listed, place), COUNTS: counts}

    def done(self, name: str, guard: Bit, pod: Pod, writes: Writes) -> Iterator[TimelineStep]:
        before, reading = self.before, self.reading
        if guard is False:
            return
        yield TimelineStep(name, all_of(guard, negate(self.in_flight(pod))), writes)
        for mine in reading.one_place("e"):
            here = all_of(guard, before.entry(mine), reading.of(mine, pod))
            if here is False:
                continue
            entry = self.less(before.entry, mine)
            counted = partial(self._counted_down, mine)
            nobody = partial(self._none_left, counted)
            yield TimelineStep(name, here, {**writes, "entry": entry}, nobody, (COUNTS, "listed"))
            # What is kept has a first event.
            for first in reading.one_place("f"):
                begins = partial(self._begins_with, counted, first)
                yield TimelineStep(name, here, {**writes, "entry": entry}, begins, (COUNTS, "listed"))

    def _behind(self, pop: Place, event: Place) -> Bit:
        """The event is behind the `previousEvent` of the pod; if that one has gone, every event is."""
        before, reading = self.before, self.reading
        ahead = reading.every(
            lambda each: any_of(
                negate(all_of(before.previous(pop, each), before.listed(each))), reading.before(each, event)
            )
        )
        return all_of(before.listed(event), ahead)

    def _counted_down(self, mine: Place, after: Timeline) -> Bit:
        before, equal = self.before, self.reading.equal

        def says(event: Place, pop: Place) -> Bit:
            was, now, behind = before.counts(event, pop), after.counts(event, pop), self._behind(mine, event)
            no_more = any_of(negate(now), all_of(was, negate(all_of(behind, equal(pop, mine)))))
            stays = any_of(negate(behind), all_of(before.counts(event, mine), negate(equal(pop, mine))))
            return all_of(no_more, any_of(negate(all_of(was, stays)), now))

        def left(event: Place) -> Bit:
            needed = self.reading.some(partial(after.counts, event))
            stays = all_of(before.listed(event), any_of(negate(self._behind(mine, event)), needed))
            return same(after.listed(event), stays)

        return all_of(of_every_two(self.reading, says), self.reading.every(left))

    def _none_left(self, counted: Says, after: Timeline) -> Bit:
        return all_of(counted(after), self.reading.every(lambda each: negate(after.listed(each))))

    def _begins_with(self, counted: Says, first: Place, after: Timeline) -> Bit:
        reading = self.reading
        ahead = reading.every(lambda each: negate(all_of(after.listed(each), reading.before(each, first))))
        return all_of(counted(after), after.listed(first), ahead)


# By whether there is one list: the design, and the predicates of two places that it has.
DESIGNS: Mapping[bool, tuple[type[InOneList] | type[CountingPods], tuple[str, ...]]] = {
    True: (InOneList, ()),
    False: (CountingPods, OF_PAIRS),
}
