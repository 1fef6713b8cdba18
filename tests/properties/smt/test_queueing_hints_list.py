"""Pop, Done and events in the Z3 form of queueing-hints, against the queue's functions, on any list and map."""

import random
from collections.abc import Iterable

import pytest
from attrs import evolve

from model.releases import known_release, rules_for
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, Queue
from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from properties.smt.queueing_hints.timeline import COUNTS, OF_PLACES, OF_PODS, PREVIOUS, Says, SoMany, Timeline
from properties.smt.queueing_hints.timeline_steps import Environment

Kinds = tuple[str | bool, ...]
# Places 0 to 3 may be in the list; the next is for what comes.
NEW = 4
POP, EVENT = "Pop", "an event"
# What the other predicates of a timeline say.
NOTHING: dict[str, Says] = {name: lambda _: False for name in (*OF_PLACES, *OF_PODS)}


def among(*wanted: object) -> Says:
    return lambda each: each in wanted


def some_queue(chance: random.Random) -> tuple[Queue, Kinds]:
    """A list in which a pod may be twice, and events before all pods; a map that has some of its pods."""
    kinds = tuple(chance.choice(["a", "b", True, False]) for _ in range(NEW + 1))
    listed = [p for p in range(NEW) if chance.random() < 0.8]
    flying = sorted({str(kinds[p]) for p in listed if isinstance(kinds[p], str) and chance.random() < 0.8})
    elements = tuple(element(kinds, p) for p in listed)
    return Queue(in_flight_pods=tuple(map(InFlightPod, flying)), in_flight_events=elements), kinds


def element(kinds: Kinds, place: int) -> InFlightPod | InFlightEvent:
    """The element, which says its place: a pod by `previous_event`, which these rules do not read."""
    kind = kinds[place]
    return InFlightPod(kind, place) if isinstance(kind, str) else InFlightEvent(event_at(place))


def event_at(place: int) -> ClusterEvent:
    return ClusterEvent("Node", 1, str(place))


def place_of(each: InFlightPod | InFlightEvent) -> int:
    if isinstance(each, InFlightEvent):
        return int(each.event.label)
    assert each.previous_event is not None
    return each.previous_event


def called(rules: QueueingHintsRules, queue: Queue, kinds: Kinds, does: str) -> Queue | None:
    """The queue after its function was called; None where the function is not called of this place."""
    kind = kinds[NEW]
    if does == POP:
        if not isinstance(kind, str) or rules.discard_popped(queue, kind):
            return None
        noted = rules.note_popped(queue, kind)
        return evolve(noted, in_flight_events=(*noted.in_flight_events[:-1], element(kinds, NEW)))
    if does == EVENT:
        if isinstance(kind, str):
            return None
        waits = (Registration("X", event_at(NEW)),) if kind else ()
        kept = rules.event_of_interest(event_at(NEW), waits)
        return rules.note_event(queue, InFlightEvent(event_at(NEW))) if kept else queue
    # Place 0 is the attempt whose Done is called.
    return rules.forget_done(queue, "a") if kinds[0] == "a" else None


def timeline(queue: Queue, kinds: Kinds, **others: Says) -> Timeline:
    """The timeline of a queue whose elements say their places."""
    listed = [place_of(each) for each in queue.in_flight_events]
    flying = {pod.uid for pod in queue.in_flight_pods}
    last = {kinds[p]: p for p in listed}
    entries = [p for kind, p in last.items() if kind in flying]
    return Timeline(**{**NOTHING, "listed": among(*listed), "entry": among(*entries), **others})


@pytest.mark.parametrize(
    ("release", "done"),
    [("1.28.3", "Done after Bind"), ("1.30.14", "Done after Bind"), ("1.32.0", "Done before Bind")],
)
def test_each_step_leads_where_the_function_leads(release: str, done: str) -> None:
    """And to no other list or map."""
    rules, chance, compared = rules_for(QueueingHintsRules, known_release(release)), random.Random(7), 0
    environment, before_new, at_0 = Environment(rules, QueueingHintsScope(gate=1)), among(*range(NEW)), among(0)
    for _ in range(300):
        (queue, kinds), does = some_queue(chance), chance.choice([POP, EVENT, done])
        after = called(rules, queue, kinds, does)
        if after is None:
            continue
        reading = SoMany(
            popped_at=tuple(isinstance(kind, str) for kind in kinds),
            awaited_at=tuple(kind is True for kind in kinds),
            pod_at=tuple((kind != "b", kind == "b") for kind in kinds),
            pods=2,
        )
        one = timeline(queue, kinds, past=before_new, under_way=at_0, binds=at_0, queued=lambda _: True)
        going = among(*[0] * (does != "Done after Bind"), *[NEW] * (does == POP))
        past = before_new if does == done else among(*range(NEW + 1))
        other = timeline(after, kinds, past=past, under_way=going, binds=at_0, done=among(*[0] * (does == done)))
        steps = [step for step in environment.steps(reading, one) if step.name.startswith(does)]
        assert any(step.leads(reading, one, other) is True for step in steps), (does, queue, kinds, after)
        for name in ("listed", "entry"):
            for place in range(NEW + 1):
                was = [p for p in range(NEW + 1) if getattr(other, name)(p)]
                odd = evolve(other, **{name: among(*({place} ^ set(was)))})
                assert not any(step.leads(reading, one, odd) is True for step in steps), (does, queue, kinds, name)
        compared += 1
    assert compared > 80


# --- where events count pods: 1.28.0

Counted = dict[int, frozenset[int]]


def some_counting_queue(chance: random.Random) -> tuple[Queue, Kinds, dict[str, int], Counted, dict[int, int]]:
    """Events that count any of the Pops, and pods with any event as the previousEvent, also one that has gone."""
    kinds = tuple(chance.choice(["a", "b", True, False]) for _ in range(NEW + 1))
    pops = [p for p in range(NEW) if isinstance(kinds[p], str)]
    events = [p for p in range(NEW) if p not in pops]
    counts = {e: frozenset(chance.sample(pops, chance.randint(1, len(pops)))) for e in events if pops}
    listed = [e for e in counts if chance.random() < 0.8]
    entries = {str(kinds[p]): p for p in pops if chance.random() < 0.8}
    marks = {p: chance.choice(events) for p in entries.values() if events and chance.random() < 0.8}
    pods = [InFlightPod(uid, mark_of(marks.get(p), listed)) for uid, p in sorted(entries.items())]
    kept = tuple(InFlightEvent(event_at(e), in_flight_pods_num=len(counts[e])) for e in listed)
    return (
        Queue(in_flight_pods=tuple(pods), in_flight_events=kept),
        kinds,
        entries,
        {e: counts[e] for e in listed},
        marks,
    )


def mark_of(mark: int | None, listed: list[int]) -> int | None:
    if mark is None:
        return None
    return listed.index(mark) if mark in listed else REMOVED


def counted_down(queue: Queue, counts: Counted, marks: dict[int, int], pop: int) -> Counted:
    """Go counts down every event behind the mark: the Pop's own count goes, or another."""
    mark = marks.get(pop)
    behind = {e for e in counts if mark not in counts or e > mark}
    return {e: pops - {pop if pop in pops else max(pops)} if e in behind else pops for e, pops in counts.items()}


def counting_timeline(entries: Iterable[int], counts: Counted, marks: dict[int, int], **others: Says) -> Timeline:
    pairs = {COUNTS: lambda e, p: p in counts.get(e, ()), PREVIOUS: lambda p, e: marks.get(p) == e}
    says: dict[str, Says] = {"listed": among(*counts), "entry": among(*entries), **others}
    return Timeline(**{**NOTHING, **says}, pairs=pairs)


@pytest.mark.slow
def test_each_step_counts_as_the_function_counts() -> None:
    """And leads to no other list or map."""
    rules, chance, compared = rules_for(QueueingHintsRules, known_release("1.28.0")), random.Random(7), 0
    environment, before_new, at_0 = Environment(rules, QueueingHintsScope(gate=1)), among(*range(NEW)), among(0)
    for _ in range(150):
        (queue, kinds, entries, counts, marks), does = some_counting_queue(chance), chance.choice([POP, EVENT, "Done"])
        kind, then, after_counts, after_marks = kinds[NEW], dict(entries), dict(counts), dict(marks)
        if does == "Done" and kinds[0] == "a":
            after = rules.forget_done(queue, "a")
            if then.pop("a", None) is not None:
                after_counts = counted_down(queue, counts, marks, entries["a"])
        elif does == POP and isinstance(kind, str):
            after, then[kind] = rules.note_popped(queue, kind), NEW
            after_marks |= {NEW: max(counts)} if counts else {}
        elif does == EVENT and not isinstance(kind, str):
            after = rules.note_event(queue, InFlightEvent(event_at(NEW)))
            after_counts |= {NEW: frozenset(entries.values())} if entries else {}
        else:
            continue
        after_counts = {e: pops for e, pops in after_counts.items() if pops}
        # Go's numbers are the sizes of the sets, and its marks are these places.
        kept = [each for each in after.in_flight_events if isinstance(each, InFlightEvent)]
        assert {int(e.event.label): e.in_flight_pods_num for e in kept} == {e: len(p) for e, p in after_counts.items()}
        for pod in after.in_flight_pods:
            assert pod.previous_event == mark_of(after_marks.get(then[pod.uid]), list(after_counts))
        reading = SoMany(
            popped_at=tuple(isinstance(kind, str) for kind in kinds),
            awaited_at=tuple(kind is True for kind in kinds),
            pod_at=tuple((kind != "b", kind == "b") for kind in kinds),
            pods=2,
        )
        one = counting_timeline(
            entries.values(), counts, marks, past=before_new, under_way=at_0, binds=at_0, queued=lambda _: True
        )
        going, past = among(*[0] * (does != "Done"), *[NEW] * (does == POP)), among(*range(NEW + (does != "Done")))
        other = counting_timeline(
            then.values(),
            after_counts,
            after_marks,
            past=past,
            under_way=going,
            binds=at_0,
            done=among(*[0] * (does == "Done")),
        )
        steps = [step for step in environment.steps(reading, one) if step.name.startswith(does)]
        assert any(step.leads(reading, one, other) is True for step in steps), (does, queue, kinds, after)
        for name in ("listed", "entry"):
            for place in range(NEW + 1):
                was = [p for p in range(NEW + 1) if getattr(other, name)(p)]
                odd = evolve(other, **{name: among(*({place} ^ set(was)))})
                assert not any(step.leads(reading, one, odd) is True for step in steps), (does, queue, kinds, name)
        compared += 1
    assert compared > 40
