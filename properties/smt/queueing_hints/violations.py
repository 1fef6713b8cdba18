"""What the properties of queueing-hints forbid, said of a timeline. Tests compare these with the Python properties."""

from collections.abc import Callable, Mapping

from properties.queueing_hints import in_flight as props
from properties.smt.bits import Bit, all_of, any_of, negate
from properties.smt.queueing_hints.timeline import Place, Pod, Reading, Says, Timeline

Forbidden = Callable[[Reading, Timeline], Bit]


def _of_pod(reading: Reading, says: Says, pod: Pod) -> Says:
    return lambda place: all_of(says(place), reading.popped(place), reading.of(place, pod))


def _some_pod(reading: Reading, says: Says) -> Bit:
    return negate(reading.every_pod(lambda pod: negate(says(pod))))


def not_once(reading: Reading, now: Timeline) -> Bit:
    """A pod is in the list and not in the map, or in the map and not in the list, or twice in the list."""

    def wrong(pod: Pod) -> Bit:
        listed, known = (_of_pod(reading, says, pod) for says in (now.listed, now.entry))
        twice = reading.some(
            lambda p: reading.some(lambda q: all_of(listed(p), listed(q), negate(reading.equal(p, q))))
        )
        one, other = reading.some(listed), reading.some(known)
        return any_of(twice, all_of(one, negate(other)), all_of(other, negate(one)))

    return _some_pod(reading, wrong)


def left_behind(reading: Reading, now: Timeline) -> Bit:
    """A pod is in flight, and no attempt of the pod is still to call Done."""

    def wrong(pod: Pod) -> Bit:
        return all_of(
            reading.some(_of_pod(reading, now.entry, pod)), negate(reading.some(_of_pod(reading, now.running, pod)))
        )

    return _some_pod(reading, wrong)


def not_in_flight(reading: Reading, now: Timeline) -> Bit:
    """An attempt is still to call Done, and its pod is not in flight."""

    def wrong(pod: Pod) -> Bit:
        return all_of(
            reading.some(_of_pod(reading, now.running, pod)), negate(reading.some(_of_pod(reading, now.entry, pod)))
        )

    return _some_pod(reading, wrong)


def kept_for_nobody(reading: Reading, now: Timeline) -> Bit:
    """No pod is in flight, and the list is not empty."""
    return all_of(negate(reading.some(now.entry)), reading.some(now.listed))


def begins_wrong(reading: Reading, now: Timeline) -> Bit:
    """There are pods in the list, and its first element is not a pod in flight."""

    def right(first: Place) -> Bit:
        pod_in_flight = _some_pod(
            reading,
            lambda pod: all_of(
                _of_pod(reading, now.listed, pod)(first), reading.some(_of_pod(reading, now.entry, pod))
            ),
        )
        ahead = reading.every(lambda p: any_of(negate(now.listed(p)), negate(reading.before(p, first))))
        return all_of(pod_in_flight, ahead)

    return all_of(
        reading.some(lambda p: all_of(now.listed(p), reading.popped(p))),
        negate(reading.some(right)),
    )


def kept_in_vain(reading: Reading, now: Timeline) -> Bit:
    """An event is kept that nobody waits for, or no attempt that is still to call Done is older than all events kept.

    If neither is so, the events kept are among those that came since the Pop of one attempt: there are no more of them.
    """

    def kept(place: Place) -> Bit:
        return all_of(now.listed(place), negate(reading.popped(place)))

    def oldest(place: Place) -> Bit:
        return all_of(now.running(place), reading.every(lambda p: any_of(negate(kept(p)), reading.before(place, p))))

    unwanted = reading.some(lambda p: all_of(kept(p), negate(reading.awaited(p))))
    return any_of(unwanted, all_of(reading.some(kept), negate(reading.some(oldest))))


def done_twice(reading: Reading, now: Timeline) -> Bit:
    """A failure handler is still to call Done of an attempt that has called Done.

    The property forbids less: that such a call takes a pod out of flight.
    """
    return reading.some(lambda p: all_of(now.under_way(p), now.done(p), negate(any_of(now.settled(p), now.binds(p)))))


FORBIDDEN: Mapping[str, Forbidden] = {
    props.ONE_ELEMENT.name: not_once,
    props.ENDS_WITH_CYCLE.name: left_behind,
    props.SINCE_POP.name: not_in_flight,
    props.ONE_DONE.name: done_twice,
    props.NOTHING_RETAINED.name: kept_for_nobody,
    props.BEGINS_WITH_POD.name: begins_wrong,
    props.RETAINED.name: kept_in_vain,
}
