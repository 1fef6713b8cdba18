"""What holds of every timeline: the lemmas of the proofs, each a sentence."""

from collections.abc import Callable

from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.queueing_hints.timeline import Place, Reading, Timeline

Lemma = Callable[[Reading, Timeline], Bit]


def sentence(lemma: Lemma) -> str:
    """The lemma in words."""
    return " ".join((lemma.__doc__ or "").split())


def implies(premise: Bit, conclusion: Bit) -> Bit:
    return any_of(negate(premise), conclusion)


def was(reading: Reading, now: Timeline) -> Bit:
    """What is listed, in flight or under way has come. What is in flight or under way was popped."""
    return reading.every(
        lambda p: all_of(
            implies(any_of(now.listed(p), now.entry(p), now.under_way(p)), now.past(p)),
            implies(any_of(now.entry(p), now.under_way(p)), reading.popped(p)),
        )
    )


def once(reading: Reading, now: Timeline) -> Bit:
    """inFlightPods has a pod once."""
    return reading.every(
        lambda p: reading.every(
            lambda q: reading.every_pod(
                lambda u: implies(
                    all_of(now.entry(p), now.entry(q), reading.of(p, u), reading.of(q, u)), reading.equal(p, q)
                )
            )
        )
    )


def in_the_map_once(reading: Reading, now: Timeline) -> Bit:
    """inFlightPods has a pod once, and means an element of the list."""
    return all_of(reading.every(lambda p: implies(now.entry(p), now.listed(p))), once(reading, now))


def listed_is_in_flight(reading: Reading, now: Timeline) -> Bit:
    """Each pod in the list is in flight, by this element."""
    return reading.every(lambda p: implies(all_of(now.listed(p), reading.popped(p)), now.entry(p)))


def begins_with_pod(reading: Reading, now: Timeline) -> Bit:
    """The list is empty or begins with a pod."""
    return any_of(
        reading.every(lambda p: negate(now.listed(p))),
        reading.some(
            lambda first: all_of(
                now.listed(first),
                reading.popped(first),
                reading.every(lambda p: implies(now.listed(p), negate(reading.before(p, first)))),
            )
        ),
    )


def queued_is_not_in_flight(reading: Reading, now: Timeline) -> Bit:
    """A pod in a sub-queue is not in flight."""
    return reading.every(
        lambda p: reading.every_pod(
            lambda u: implies(all_of(now.entry(p), reading.of(p, u)), negate(any_of(now.queued(u), now.fresh(u))))
        )
    )


def in_flight_is_running(reading: Reading, now: Timeline) -> Bit:
    """The attempt of a pod in flight goes on and has not called Done."""
    return reading.every(lambda p: implies(now.entry(p), now.running(p)))


def running_is_in_flight(reading: Reading, now: Timeline) -> Bit:
    """The pod of an attempt that has not called Done is in flight, since the Pop of this attempt."""
    return reading.every(lambda p: implies(now.running(p), now.entry(p)))


def done_is_settled(reading: Reading, now: Timeline) -> Bit:
    """An attempt that has called Done and goes on is past its failure handler's Done."""
    return reading.every(
        lambda p: implies(all_of(now.under_way(p), now.done(p)), all_of(now.settled(p), negate(now.binds(p))))
    )


def done_is_settled_or_binds(reading: Reading, now: Timeline) -> Bit:
    """An attempt that has called Done and goes on is past its failure handler's Done, or a binding that works."""
    return reading.every(lambda p: implies(all_of(now.under_way(p), now.done(p)), any_of(now.settled(p), now.binds(p))))


def queued_is_not_assumed(reading: Reading, now: Timeline) -> Bit:
    """A pod in a sub-queue is not assumed."""
    return reading.every_pod(lambda u: implies(any_of(now.queued(u), now.fresh(u)), negate(now.assumed(u))))


def assumed_when_it_binds(reading: Reading, now: Timeline) -> Bit:
    """A pod whose attempt has not called Done and is not a binding is not assumed."""
    return reading.every(
        lambda p: reading.every_pod(
            lambda u: implies(all_of(now.running(p), negate(now.binds(p)), reading.of(p, u)), negate(now.assumed(u)))
        )
    )


def kept_is_awaited(reading: Reading, now: Timeline) -> Bit:
    """Each event in the list is one that some plugin waits for, or the update of a pod in flight."""
    return reading.every(lambda p: implies(all_of(now.listed(p), negate(reading.popped(p))), reading.awaited(p)))


# --- where events count pods: 1.28.0


def events_alone(reading: Reading, now: Timeline) -> Bit:
    """No pod is among the events that are kept, and no event is the previousEvent of a pod popped before it came."""
    return all_of(
        reading.every(lambda e: implies(now.listed(e), negate(reading.popped(e)))),
        reading.every(
            lambda p: reading.every(lambda e: implies(all_of(now.entry(p), now.previous(p, e)), reading.before(e, p)))
        ),
    )


def counts_pods_in_flight(reading: Reading, now: Timeline) -> Bit:
    """A kept event counts exactly the pods in flight that were popped before the event came."""

    def exactly(event: Place, pop: Place) -> Bit:
        needs = all_of(now.listed(event), now.entry(pop), reading.before(pop, event))
        return same(now.counts(event, pop), needs)

    return reading.every(lambda e: reading.every(lambda p: exactly(e, p)))


def counts_somebody(reading: Reading, now: Timeline) -> Bit:
    """A kept event counts some pod."""
    return reading.every(lambda e: implies(now.listed(e), reading.some(lambda p: now.counts(e, p))))


def has_a_first(reading: Reading, now: Timeline) -> Bit:
    """Of the events that are kept one is the first."""
    return any_of(
        reading.every(lambda e: negate(now.listed(e))),
        reading.some(
            lambda first: all_of(
                now.listed(first), reading.every(lambda e: implies(now.listed(e), negate(reading.before(e, first))))
            )
        ),
    )


def previous_is_last(reading: Reading, now: Timeline) -> Bit:
    """Of the kept events that came before the Pop of a pod in flight, the last is the previousEvent of the pod."""

    def came_before(pop: Place, event: Place) -> Bit:
        return all_of(now.entry(pop), now.listed(event), reading.before(event, pop))

    def no_later(pop: Place, event: Place, previous: Place) -> Bit:
        return implies(
            all_of(came_before(pop, event), now.previous(pop, previous)),
            all_of(now.listed(previous), negate(reading.before(previous, event))),
        )

    def has_one(pop: Place, event: Place) -> Bit:
        return implies(came_before(pop, event), reading.some(lambda m: now.previous(pop, m)))

    return reading.every(
        lambda p: reading.every(lambda e: all_of(has_one(p, e), reading.every(lambda m: no_later(p, e, m))))
    )
