"""What is in flight, for any number of pods and a list of any length: a timeline of Pops and of events that came.

Each Pop and each event that comes has a place of its own on the timeline, for ever. A place after all others is taken
for what comes next, so that the order of places is the order of `inFlightEvents`. What a place is (which pod is popped,
whether a plugin waits for the event) is a fact that never changes; what the queue and the goroutines do with the place
is the state. A step writes some of that.

There are two readings of one formula. `AnyNumber` is for proofs: places and pods are sorts without a bound, and
formulas have quantifiers. `SoMany` is for counterexamples to induction and for tests: so many places and so many pods.
No function leads from pods to places. So the formulas of the one list are of the class of Bernays and Schönfinkel,
which Z3 decides, except for that of the lemma `begins_with_pod`. The formulas where events count pods (1.28.0), and
those with numbers, are not of this class: there Z3 may answer unknown, which proves nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from attrs import field, frozen
from z3 import Bool, BoolRef, BoolSort, Const, DeclareSort, Exists, ForAll, FreshConst, Function, Not, Or

from properties.smt.bits import Bit, all_of, any_of, exactly_one, formula, negate, same

# A place or a pod: a term of Z3, or a number.
Place = Any
Pod = Any
Says = Callable[[Any], Bit]
SaysOfTwo = Callable[[Any, Any], Bit]

# What the state says of each place, and what of each pod.
OF_PLACES = ("past", "listed", "entry", "under_way", "done", "settled", "binds")
# Those that are said of an attempt while it goes on.
OF_ATTEMPTS = ("done", "settled", "binds")
OF_PODS = ("fresh", "queued", "assumed")
# And of two places, where events count pods (1.28.0).
COUNTS, PREVIOUS = OF_PAIRS = ("counts", "previous")


@frozen(kw_only=True)
class Timeline:
    """A state. Each field is a predicate."""

    # --- of places

    # The Pop or the event was.
    past: Says
    # `inFlightEvents` has the element.
    listed: Says
    # `inFlightPods` has the pod, and means this element of the list.
    entry: Says
    # The attempt that began with this Pop goes on: a scheduling cycle or a binding.
    under_way: Says
    # The attempt has called Done.
    done: Says
    # The failure handler of the attempt has called Done, so that the attempt calls Done no more.
    settled: Says
    # The attempt is a binding that has not failed.
    binds: Says
    # --- of pods: a pod is one incarnation of a name

    # No Pop and no sub-queue has had the pod.
    fresh: Says
    # A sub-queue has the pod.
    queued: Says
    # The cache has the pod as assumed.
    assumed: Says
    # --- of two places, where events count pods (1.28.0); else none
    # counts(event, pop): the event's `inFlightPodsNum` has the pod, and is the number of such pods.
    # previous(pop, event): the pod's `previousEvent` is this event, which may have gone since. None: no such event.
    pairs: Mapping[str, SaysOfTwo] = field(factory=dict)

    def counts(self, event: Place, pop: Place) -> Bit:
        return self.pairs[COUNTS](event, pop)

    def previous(self, pop: Place, event: Place) -> Bit:
        return self.pairs[PREVIOUS](pop, event)

    def running(self, place: Place) -> Bit:
        """The attempt goes on and has not called Done."""
        return all_of(self.under_way(place), negate(self.done(place)))


class Reading(Protocol):
    """How quantifiers are read, and the facts that never change."""

    def every(self, says: Says) -> Bit:
        """`says` of every place."""
        ...

    def some(self, says: Says) -> Bit:
        """`says` of some place."""
        ...

    def every_pod(self, says: Says) -> Bit:
        """`says` of every pod."""
        ...

    def one_place(self, name: str) -> Iterable[Place]:
        """Places, any of which a step may be about."""
        ...

    def one_pod(self, name: str) -> Iterable[Pod]:
        """Pods, any of which a step may be about."""
        ...

    def before(self, one: Place, other: Place) -> Bit:
        """`one` is before `other` on the timeline."""
        ...

    def equal(self, one: Any, other: Any) -> Bit:
        """Two places, or two pods, are one."""
        ...

    def popped(self, place: Place) -> Bit:
        """The place is a Pop and no event."""
        ...

    def of(self, place: Place, pod: Pod) -> Bit:
        """If the place is a Pop, the Pop is of this pod."""
        ...

    def awaited(self, place: Place) -> Bit:
        """If the place is an event, some plugin waits for such an event, or a pod in flight was updated."""
        ...


class AnyNumber:
    """Places and pods without a bound, in any order that is total. `pairs`: the predicates of two places that are."""

    def __init__(self, pairs: Iterable[str] = ()) -> None:
        self.pairs = tuple(pairs)
        self.places, self.pods = DeclareSort("Place"), DeclareSort("Pod")
        self._before = Function("before", self.places, self.places, BoolSort())
        self._popped = Function("popped", self.places, BoolSort())
        self._awaited = Function("awaited", self.places, BoolSort())
        self._pod = Function("pod", self.places, self.pods)

    def axioms(self) -> list[BoolRef]:
        """The order is total."""
        a, b, c = (Const(name, self.places) for name in "abc")
        less = self._before
        return [
            ForAll([a], Not(less(a, a))),
            ForAll([a, b, c], Or(Not(less(a, b)), Not(less(b, c)), less(a, c))),
            ForAll([a, b], Or(less(a, b), less(b, a), a == b)),
        ]

    def state(self, tag: str) -> Timeline:
        """Any state."""
        of_places = {name: Function(name + tag, self.places, BoolSort()) for name in OF_PLACES}
        of_pods = {name: Function(name + tag, self.pods, BoolSort()) for name in OF_PODS}
        pairs = {name: Function(name + tag, self.places, self.places, BoolSort()) for name in self.pairs}
        return Timeline(**of_places, **of_pods, pairs=pairs)

    def every(self, says: Says) -> Bit:
        return self._quantified(ForAll, self.places, says)

    def some(self, says: Says) -> Bit:
        return self._quantified(Exists, self.places, says)

    def every_pod(self, says: Says) -> Bit:
        return self._quantified(ForAll, self.pods, says)

    def _quantified(self, quantifier: Any, sort: Any, says: Says) -> Bit:
        each = FreshConst(sort)
        said = says(each)
        return said if isinstance(said, bool) else quantifier([each], said)

    def one_place(self, name: str) -> Iterable[Place]:
        return (Const(name, self.places),)

    def one_pod(self, name: str) -> Iterable[Pod]:
        return (Const(name, self.pods),)

    def before(self, one: Place, other: Place) -> Bit:
        return formula(self._before(one, other))

    def equal(self, one: Any, other: Any) -> Bit:
        return formula(one == other)

    def popped(self, place: Place) -> Bit:
        return formula(self._popped(place))

    def of(self, place: Place, pod: Pod) -> Bit:
        return formula(self._pod(place) == pod)

    def awaited(self, place: Place) -> Bit:
        return formula(self._awaited(place))


@frozen(kw_only=True)
class SoMany:
    """Places 0, 1, … in this order, and pods 0, 1, …; facts are bits, by place."""

    popped_at: tuple[Bit, ...]
    awaited_at: tuple[Bit, ...]
    # By place and pod.
    pod_at: tuple[tuple[Bit, ...], ...]
    pods: int = field()
    # The predicates of two places that are.
    pairs: tuple[str, ...] = ()

    @classmethod
    def any(cls, places: int, pods: int, pairs: tuple[str, ...] = ()) -> "SoMany":
        """Facts that are open."""
        return cls(
            popped_at=tuple(Bool(f"popped.{i}") for i in range(places)),
            awaited_at=tuple(Bool(f"awaited.{i}") for i in range(places)),
            pod_at=tuple(tuple(Bool(f"pod.{i}.{k}") for k in range(pods)) for i in range(places)),
            pods=pods,
            pairs=pairs,
        )

    def axioms(self) -> list[BoolRef]:
        """Each place is of one pod."""
        return [formula(exactly_one(row)) for row in self.pod_at]

    def state(self, tag: str) -> Timeline:
        """Any state."""
        places, pods = range(len(self.popped_at)), range(self.pods)
        named = {name: tuple(Bool(f"{name}{tag}.{i}") for i in places) for name in OF_PLACES}
        named |= {name: tuple(Bool(f"{name}{tag}.{k}") for k in pods) for name in OF_PODS}
        pairs = {name: [[Bool(f"{name}{tag}.{i}.{k}") for k in places] for i in places] for name in self.pairs}
        return of_bits(named, pairs)

    def every(self, says: Says) -> Bit:
        return all_of(*map(says, range(len(self.popped_at))))

    def some(self, says: Says) -> Bit:
        return any_of(*map(says, range(len(self.popped_at))))

    def every_pod(self, says: Says) -> Bit:
        return all_of(*map(says, range(self.pods)))

    def one_place(self, name: str) -> Iterable[Place]:
        return range(len(self.popped_at))

    def one_pod(self, name: str) -> Iterable[Pod]:
        return range(self.pods)

    def before(self, one: Place, other: Place) -> Bit:
        return bool(one < other)

    def equal(self, one: Any, other: Any) -> Bit:
        return bool(one == other)

    def popped(self, place: Place) -> Bit:
        return self.popped_at[place]

    def of(self, place: Place, pod: Pod) -> Bit:
        return self.pod_at[place][pod]

    def awaited(self, place: Place) -> Bit:
        return self.awaited_at[place]


def of_bits(bits: Mapping[str, Sequence[Bit]], pairs: Mapping[str, Sequence[Sequence[Bit]]] | None = None) -> Timeline:
    """The state that has these bits, by the name of the predicate and by place or pod; `pairs` by two places."""
    of_two = {name: partial(_at, rows) for name, rows in (pairs or {}).items()}
    return Timeline(**{name: bits[name].__getitem__ for name in (*OF_PLACES, *OF_PODS)}, pairs=of_two)


def _at(rows: Sequence[Sequence[Bit]], one: int, other: int) -> Bit:
    return rows[one][other]


# By the name of a predicate, what it says after the step: of a place, of a pod, or of two places.
Writes = Mapping[str, Callable[..., Bit]]


def nothing_more(after: Timeline) -> Bit:
    return True


@frozen
class TimelineStep:
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
