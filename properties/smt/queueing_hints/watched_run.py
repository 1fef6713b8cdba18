"""A run of queueing-hints with the timeline beside it: which element of the list is which Pop, and which attempt."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from attrs import define, evolve, field

from model.machine import Action
from model.scheduler.queue.events import ClusterEvent, with_events_that_came
from model.scheduler.queue.scheduling_queue import LOCK
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, threads
from model.systems.queueing_hints.actors import ACTORS
from model.systems.queueing_hints.records import Goroutine
from properties.queueing_hints.view import of_interest, thread_of
from properties.smt.queueing_hints.timeline import COUNTS, PREVIOUS, SoMany, Timeline, of_bits
from properties.smt.queueing_hints.timeline_steps import ONE_LIST

ACTOR_OF = {step.name: actor for actor in ACTORS for step in actor.STEPS}
BINDS = ("activate", "wait_on_permit", "done_after_permit", "pre_bind", "bind", "finish_binding", "binding_failed")
CALLS_DONE = {"requeue", "done_after_requeue", "done_after_failure", "done_again"}


@define
class Moment:
    """A state of the machine and, for its goroutines and the elements of its list, their places on the timeline."""

    machine: QueueingHintsMachine
    state: QueueingHints
    # What each place is: the UID of a popped pod, or whether an event is awaited.
    places: tuple[str | bool, ...] = ()
    listed: tuple[int, ...] = ()
    cycle: int | None = None
    bindings: tuple[tuple[int, Goroutine], ...] = ()
    # Where events count pods (1.28.0): by event, the Pops that the event counts; by Pop, the previousEvent.
    counts: Mapping[int, frozenset[int]] = field(factory=dict)
    previous: Mapping[int, int] = field(factory=dict)
    # UIDs that a sub-queue or a goroutine has had.
    seen: frozenset[str] = frozenset()

    def goroutines(self) -> Iterator[tuple[int, Goroutine]]:
        if self.cycle is not None and self.state.cycle is not None:
            yield self.cycle, self.state.cycle
        yield from self.bindings

    def after(self, action: Action) -> list["Moment"]:
        """The moments that the action may lead to: which element has gone is open where two are equal."""
        machine, state = self.machine, self.state
        after = machine.step(state, action)
        _, came = with_events_that_came(lambda: ACTOR_OF[action.name].act(machine.setup, state, action))
        places, new = list(self.places), []
        popped = action.name == "pop" and after.cycle is not None
        if popped:
            assert after.cycle is not None
            new.append(len(places))
            places.append(after.cycle.uid)
        for event in came:
            new.append(len(places))
            places.append(of_interest(machine.setup, event))
        cycle, bindings = self._goroutines_after(action, after, new[0] if popped else None)
        had = {i.pod.uid for q in (after.queue.active, after.queue.backoff, after.queue.unschedulable) for i in q}
        seen = self.seen | had | {g.uid for g in (after.cycle, *after.bindings) if g is not None}
        then = Moment(machine, after, tuple(places), (), cycle, bindings, seen=seen)
        found = (evolve(then, listed=listed) for listed in self._lists_after(after, new, places))
        return [each for one in found for each in self._counted(one, new, popped)]

    @property
    def counting(self) -> bool:
        """Whether events count pods."""
        return not ONE_LIST[0].of(self.machine.rules)

    def entries(self) -> Mapping[str, int]:
        """By UID in `inFlightPods`: the Pop that the map means."""
        among = range(len(self.places)) if self.counting else self.listed
        flying = [pod.uid for pod in self.state.queue.in_flight_pods]
        found = {uid: [p for p in among if self.places[p] == uid] for uid in flying}
        return {uid: max(pops) for uid, pops in found.items() if pops}

    def kept_places(self) -> set[int]:
        """The places of which anything is said but that they were."""
        counted = {pop for pops in self.counts.values() for pop in pops}
        return {*self.listed, *(at for at, _ in self.goroutines()), *self.entries().values(), *counted}

    def _counted(self, after: "Moment", new: list[int], popped: bool) -> Iterator["Moment"]:
        """`after` with what its events count and its previousEvents, if Go's numbers and marks are these."""
        if not self.counting:
            yield after
            return
        then, counts, previous = after.entries(), dict(self.counts), dict(self.previous)
        for uid, pop in self.entries().items():
            if uid not in then:
                counts = {event: self._counts_down(pop, event, pops) for event, pops in counts.items()}
        if popped and self.listed:
            previous[new[0]] = self.listed[-1]
        counts |= {event: frozenset(then.values()) for event in new if event in after.listed}
        counts = {event: counts[event] for event in after.listed}
        after = evolve(after, counts=counts, previous=previous)
        if after._has_numbers_of_go():
            yield after

    def _counts_down(self, pop: int, event: int, pops: frozenset[int]) -> frozenset[int]:
        """Without the Pop, if the event is behind its previousEvent. Which other one goes makes no difference to Go."""
        mark = self.previous.get(pop)
        behind = mark not in self.listed or event > mark
        return pops - {pop if pop in pops else max(pops)} if behind else pops

    def _has_numbers_of_go(self) -> bool:
        queue, entries = self.state.queue, self.entries()
        numbers = [e.in_flight_pods_num for e in queue.in_flight_events if isinstance(e, InFlightEvent)]
        marks = {pod.uid: pod.previous_event for pod in queue.in_flight_pods}

        def is_marked(uid: str, pop: int) -> bool:
            mark, place = self.previous.get(pop), marks[uid]
            if mark is None or place is None:
                return mark is place
            return mark not in self.listed if place == REMOVED else self.listed[place] == mark

        return numbers == [len(self.counts[event]) for event in self.listed] and all(
            is_marked(uid, pop) for uid, pop in entries.items()
        )

    def _lists_after(self, after: QueueingHints, new: list[int], places: list[str | bool]) -> Iterator[tuple[int, ...]]:
        """The places of the elements of the list, in every way that fits: an old rest, then some of the new."""
        wanted = self._elements(after)
        known = dict(zip(self.listed, self._elements(self.state), strict=True))
        for kept in range(len(new) + 1):
            for tail in combinations(new, kept):
                for head in combinations(self.listed, len(wanted) - kept) if len(wanted) >= kept else ():
                    old = [known[p] for p in head]
                    if old == wanted[: len(head)] and all(
                        self._fits(places[p], each) for p, each in zip(tail, wanted[len(head) :], strict=True)
                    ):
                        yield (*head, *tail)

    def _fits(self, place: str | bool, element: str | ClusterEvent) -> bool:
        if isinstance(place, str):
            return element == place
        return isinstance(element, ClusterEvent) and place == of_interest(self.machine.setup, element)

    def _elements(self, state: QueueingHints) -> list[str | ClusterEvent]:
        return [each.uid if isinstance(each, InFlightPod) else each.event for each in state.queue.in_flight_events]

    def _goroutines_after(
        self, action: Action, after: QueueingHints, popped: int | None
    ) -> tuple[int | None, tuple[tuple[int, Goroutine], ...]]:
        acting = thread_of(self.state, action) if action.name in _of_scheduler() else None
        of_cycle = "by" not in dict(action.args)
        left = list(self.bindings)
        mine = self.cycle if acting is not None and of_cycle else None
        if acting is not None and not of_cycle:
            at = next(i for i, (_, each) in enumerate(left) if each == acting)
            mine = left.pop(at)[0]
        cycle = popped if popped is not None else self.cycle if after.cycle is not None else None
        found, rest = [], list(after.bindings)
        for place, goroutine in left:
            same = next(g for g in rest if _is_that(g, goroutine))
            rest.remove(same)
            found.append((place, same))
        assert len(rest) <= 1
        if rest:
            assert mine is not None
            found.append((mine, rest[0]))
        return cycle, tuple(found)

    # --- as a timeline

    def timeline(self, pods: list[str], keep: list[int]) -> Timeline:
        """The predicates, by the places in `keep`, and by UID."""
        going = dict(self.goroutines())
        queue = self.state.queue
        entries = set(self.entries().values())
        held = self.machine.rules.pop_lock() == LOCK
        hidden = {g.pod.uid for g in going.values() if held and g.steps[0] == "done_after_requeue"}
        queued = {i.pod.uid for q in (queue.active, queue.backoff, queue.unschedulable) for i in q} - hidden
        assumed = {s.pod.uid for s in self.state.cache.pod_states if s.assumed}
        says = {
            "past": [p < len(self.places) for p in keep],
            "listed": [p in self.listed for p in keep],
            "entry": [p in entries for p in keep],
            "under_way": [p in going for p in keep],
            "done": [p in going and going[p].done for p in keep],
            "settled": [p in going and _settled(going[p]) for p in keep],
            "binds": [p in going and going[p].steps[0] in BINDS for p in keep],
            "fresh": [uid not in self.seen for uid in pods],
            "queued": [uid in queued for uid in pods],
            "assumed": [uid in assumed for uid in pods],
        }
        pairs = {
            COUNTS: [[q in self.counts.get(p, ()) for q in keep] for p in keep],
            PREVIOUS: [[self.previous.get(p) == q for q in keep] for p in keep],
        }
        return of_bits(says, pairs if self.counting else {})

    def without(self, new: list[int]) -> "Moment":
        """This moment before these events came."""
        places = tuple(p for i, p in enumerate(self.places) if i not in new)
        listed = tuple(p for p in self.listed if p not in new)
        counts = {event: pops for event, pops in self.counts.items() if event not in new}
        return evolve(self, places=places, listed=listed, counts=counts)


def _of_scheduler() -> frozenset[str]:
    return frozenset(step.name for step in threads.STEPS) - {"pop"}


def _is_that(after: Goroutine, before: Goroutine) -> bool:
    """The goroutine of another, which may have been told of events."""
    same = (after.steps, after.info, after.uid, after.done) == (before.steps, before.info, before.uid, before.done)
    return same and after.events[: len(before.events)] == before.events


def _settled(goroutine: Goroutine) -> bool:
    return goroutine.done and goroutine.steps[0] not in BINDS and not CALLS_DONE & set(goroutine.steps)


def facts(moment: Moment, pods: list[str], keep: list[int]) -> SoMany:
    kinds = [moment.places[p] if p < len(moment.places) else False for p in keep]
    return SoMany(
        popped_at=tuple(isinstance(kind, str) for kind in kinds),
        awaited_at=tuple(kind is True for kind in kinds),
        pod_at=tuple(
            tuple(kind == uid if isinstance(kind, str) else k == 0 for k, uid in enumerate(pods)) for kind in kinds
        ),
        pods=len(pods),
    )
