"""What each action of the system queueing-hints may do to the timeline, with the gate on.

Each `TimelineStep` is one hold of one lock, or two of which the queue's lock is kept in between. A step says more than
happens where that needs less to be known: a sub-queue or the cache may lose a pod in any step. What it never says is
less: tests compare it with the steps of the Python machine. What becomes of the events that are kept is in
`kept_events`.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import define, frozen
from z3 import BoolRef, Or

from model.scheduler import done
from model.scheduler.queue import events, in_flight, update, update_with_hints
from model.scheduler.queue.scheduling_queue import LOCK
from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from properties.forms import Forms
from properties.smt.bits import Bit, all_of, any_of, formula, negate
from properties.smt.queueing_hints.kept_events import DESIGNS, KeptEvents
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.timeline import Place, Pod, Reading, Timeline, TimelineStep, Writer, Writes

# Whether there is one list of pods and events; in 1.28.0 events count pods.
ONE_LIST: tuple[Forms[bool], ...] = (
    Forms("note_popped", {in_flight.note_popped_in_list: True, in_flight.note_popped_with_previous_event: False}),
    Forms("note_event", {in_flight.note_event_in_list: True, in_flight.note_event_counting_pods: False}),
    Forms("forget_done", {in_flight.forget_done_in_list: True, in_flight.forget_done_counting_down: False}),
    Forms("events_for_pod", {in_flight.events_after_pod: True, in_flight.events_after_previous_event: False}),
)


def two_designs(rules: QueueingHintsRules) -> str | None:
    """Why there is no form, if the rules of what is kept are of different designs."""
    designs = {each.of(rules) for each in ONE_LIST}
    return f"{', '.join(each.field for each in ONE_LIST)} are rules of different releases" if len(designs) > 1 else None


# Whether Pop discards a pod that is in flight.
DISCARDS = Forms("discard_popped", {in_flight.discard_nothing: False, in_flight.discard_what_is_in_flight: True})
# Whether the update of a pod in flight is kept as an event. If not, the pod is queued a second time.
KEEPS_UPDATE = Forms(
    "update_with_hints",
    {
        update.update_respecting_backoff: False,
        update_with_hints.update_asking_hints: False,
        update_with_hints.update_keeping_event: True,
        update_with_hints.update_keeping_changes: True,
        update_with_hints.update_until_moved: True,
    },
)
# Whether only events are kept that a plugin waits for.
ONLY_AWAITED = Forms(
    "event_of_interest",
    {
        events.every_event_is_of_interest: False,
        events.is_event_of_interest: True,
        events.is_narrow_event_of_interest: True,
    },
)
# Whether the pod that the lister has under the name goes back also if it is another one than was popped.
NAMESAKE = Forms("goes_back", {done.namesake_goes_back: True, done.only_popped_pod_goes_back: False})
# The steps ask these what they answer.
CALLED = (
    "done_when_skipped", "done_without_profile", "done_in_binding", "done_again_after_bind_error",
    "done_before_requeue",
)  # fmt: skip

# Powers after which a pod that is in flight may have a new version: an update, or a failure whose condition is written.
# A scheduling gate is taken off a pod that a sub-queue has.
UPDATES = (
    "updates", "tolerations", "assigned", "graceful", "plugins", "claims", "pending", "errors", "permits",
    "bind_errors", "lost_replies",
)  # fmt: skip
# Powers by which a Binding fails after Done, if Done comes before, or by which another attempt has bound the pod.
FAILS_LATE = ("deletes", *UPDATES)

# Steps that the informer brings.
NEW_POD, UPDATED = "a new pod is queued", "an update queues a pod"
LOSES = "a sub-queue or the cache loses a pod"
# Steps of a cycle that ends without an attempt, since the pod is being deleted or assumed, or no profile has the pod.
SKIP = "a pod is skipped"
# The end of the failure handler.
GONE = "Done of a failed pod that is gone or bound"
NO_PROFILE = "no profile has the pod"


@frozen
class Environment:
    """What the steps depend on."""

    rules: QueueingHintsRules
    scope: QueueingHintsScope

    def has(self, *powers: str) -> bool:
        """Whether the environment has any of the powers."""
        return any(getattr(self.scope, power) for power in powers)

    @property
    def one_list(self) -> bool:
        return ONE_LIST[0].of(self.rules)

    @property
    def pairs(self) -> tuple[str, ...]:
        """The predicates of two places that timelines have."""
        return DESIGNS[self.one_list][1]

    @property
    def pop_between(self) -> bool:
        """Pop may come while another keeps the queue's lock, and an Update may be held back that long."""
        return bool(self.scope.fine) and self.rules.pop_lock() != LOCK

    @property
    def namesakes(self) -> bool:
        """A failed attempt may put another pod of that name back, and call Done of that one."""
        return bool(self.scope.recreates) and NAMESAKE.of(self.rules)

    def steps(self, reading: Reading, before: Timeline) -> Iterator[TimelineStep]:
        """Everything that may happen in `before`."""
        makes = _Steps(reading, before, self)
        yield from makes.of_sub_queues()
        for place in reading.one_place("x"):
            yield from makes.that_come(place)
            yield from makes.of_attempt(place)


@define(frozen=True, slots=False)
class _Steps(Writer):
    environment: Environment

    @cached_property
    def kept(self) -> KeptEvents:
        design, _ = DESIGNS[self.environment.one_list]
        return design(self.reading, self.before)

    # --- sub-queues

    def of_sub_queues(self) -> Iterator[TimelineStep]:
        before = self.before
        yield TimelineStep(LOSES, True)
        for pod in self.reading.one_pod("u"):
            queues = {"fresh": self.less(before.fresh, pod), "queued": self.more(before.queued, pod)}
            # With a name used twice, a failed attempt may find the next pod of that name before its Add is handled.
            # Then the Add queues a pod that is in flight, if the pod was popped meanwhile.
            new = True if self.environment.namesakes else before.fresh(pod)
            yield TimelineStep(NEW_POD, new, queues)
            if self.environment.has(*UPDATES):
                yield TimelineStep(UPDATED, self._may_be_queued(pod), queues)

    def _may_be_queued(self, pod: Pod) -> Bit:
        """By an Update: of a pod that is not assumed and, if the release asks, not in flight."""
        if self.environment.scope.fine and self.environment.pop_between:
            return True
        assumed: Bit = False if self.environment.scope.fine else self.before.assumed(pod)
        in_flight = self.in_flight(pod) if KEEPS_UPDATE.of(self.environment.rules) else False
        return negate(any_of(assumed, in_flight))

    # --- what comes next on the timeline

    def that_come(self, place: Place) -> Iterator[TimelineStep]:
        before, reading = self.before, self.reading
        last = reading.every(lambda each: any_of(negate(before.past(each)), reading.before(each, place)))
        new = all_of(negate(before.past(place)), last)
        past = self.more(before.past, place)
        for pod in reading.one_pod("u"):
            pops = all_of(new, reading.popped(place), reading.of(place, pod), before.queued(pod))
            if DISCARDS.of(self.environment.rules):
                pops = all_of(pops, negate(self.in_flight(pod)))
            attempt = {
                "past": past,
                "entry": self.entries_after_pop(place, pod),
                "under_way": self.more(before.under_way, place),
                "done": self.less(before.done, place),
                "settled": self.less(before.settled, place),
                "binds": self.less(before.binds, place),
                "queued": self.less(before.queued, pod),
                "fresh": self.less(before.fresh, pod),
            }
            for case, writes in self.kept.pop(place):
                yield TimelineStep("Pop", all_of(pops, case), {**attempt, **writes})
        comes = all_of(new, negate(reading.popped(place)))
        wanted = reading.awaited(place) if ONLY_AWAITED.of(self.environment.rules) else True
        kept = all_of(reading.some(before.entry), wanted)
        yield TimelineStep("an event is kept", all_of(comes, kept), {"past": past, **self.kept.keep(place)})
        yield TimelineStep("an event is not kept", all_of(comes, negate(kept)), {"past": past})

    # --- an attempt

    def of_attempt(self, place: Place) -> Iterator[TimelineStep]:
        before, rules, scope = self.before, self.environment.rules, self.environment.scope
        under_way, running = before.under_way(place), before.running(place)
        ended = {"under_way": self.less(before.under_way, place)}
        done = {"done": self.more(before.done, place)}
        settled = {**done, "settled": self.more(before.settled, place)}
        early = rules.done_in_binding() != "Bind"
        own = list(self._own(place))
        for pod in own:
            mine = self.reading.of(place, pod)
            tries = all_of(running, mine, negate(before.binds(place)))
            binds = all_of(under_way, mine, before.binds(place))
            yield TimelineStep(
                "a pod is assumed",
                tries,
                {"binds": self.more(before.binds, place), "assumed": self.more(before.assumed, pod)},
            )
            forgets = {"binds": self.less(before.binds, place), "assumed": self.less(before.assumed, pod)}
            fails = binds if self.environment.has(*FAILS_LATE) else all_of(binds, running)
            yield TimelineStep("a binding fails", fails, forgets)
            if early:
                yield from self.kept.done("Done before Bind", all_of(binds, running), pod, done)
            else:
                yield from self.kept.done("Done after Bind", binds, pod, {**done, **ended})
            skips = all_of(tries, True if scope.graceful else before.assumed(pod))
            yield from self._leaves(SKIP, skips, pod, rules.done_when_skipped(), {**done, **ended})
            if scope.unknown_profiles:
                yield from self._leaves(NO_PROFILE, tries, pod, rules.done_without_profile(), {**done, **ended})
            if rules.done_again_after_bind_error() and self.environment.has(*FAILS_LATE):
                again = all_of(under_way, mine, before.done(place), negate(before.settled(place)))
                yield from self.kept.done("Done after the failure handler", again, pod, {**settled, **ended})
                yield from self.kept.done("Done after the failure handler", again, pod, settled)
        yield from self._failures(place, own, done, settled)
        yield TimelineStep("an attempt ends after its Done", all_of(under_way, before.done(place)), ended)

    def _own(self, place: Place) -> Iterator[Pod]:
        for pod in self.reading.one_pod("u"):
            if self.reading.of(place, pod) is not False:
                yield pod

    def _failures(self, place: Place, own: list[Pod], done: Writes, settled: Writes) -> Iterator[TimelineStep]:
        """The failure handler: the pod goes back, and Done follows under the same lock; or Done follows at the end.

        Done is that of the pod that the lister has under the name. Without #138324 that may be another incarnation.
        """
        before, rules = self.before, self.environment.rules
        failing = all_of(before.under_way(place), negate(any_of(before.binds(place), before.settled(place))))
        again = rules.done_again_after_bind_error() and self.environment.has(*FAILS_LATE)
        ways = [settled, done] if again else [settled]
        every = list(self.reading.one_pod("u"))
        for pod in every if self.environment.namesakes else own:
            mine = True if self.environment.namesakes else self.reading.of(place, pod)
            if self.environment.pop_between and self.environment.has(*FAILS_LATE):
                queued = {"queued": self.more(before.queued, pod)}
                yield TimelineStep("a failed pod goes back before its Done", all_of(failing, mine), queued)
            for way in ways:
                back = {**way, "queued": self.more(before.queued, pod)}
                yield from self.kept.done("a failed pod goes back", all_of(failing, mine), pod, back)
        ended = {"under_way": self.less(before.under_way, place)}
        for pod in own:
            for way in ({**settled, **ended}, done) if again else ({**settled, **ended},):
                yield from self.kept.done(GONE, all_of(failing, self.reading.of(place, pod)), pod, way)

    def _leaves(self, name: str, guard: Bit, pod: Pod, with_done: bool, writes: Writes) -> Iterator[TimelineStep]:
        """The cycle ends without an attempt."""
        if with_done:
            yield from self.kept.done(name, guard, pod, writes)
        else:
            yield TimelineStep(name, guard, {key: says for key, says in writes.items() if key != "done"})


class StepFormulas:
    """The formulas of one reading: any timeline, a step, and the timeline after the step."""

    def __init__(self, environment: Environment, reading: Any) -> None:
        self.environment, self.reading = environment, reading
        self.before, self.after = self.reading.state(""), self.reading.state("'")

    @cached_property
    def steps(self) -> tuple[TimelineStep, ...]:
        return tuple(s for s in self.environment.steps(self.reading, self.before) if s.guard is not False)

    @cached_property
    def taken(self) -> Mapping[str, BoolRef]:
        """By the name of a step: the step leads from `before` to `after`."""
        found: dict[str, list[Bit]] = {}
        for step in self.steps:
            found.setdefault(step.name, []).append(step.leads(self.reading, self.before, self.after))
        return {name: formula(any_of(*ways)) for name, ways in found.items()}

    @cached_property
    def leads(self) -> BoolRef:
        """Some step leads from `before` to `after`."""
        return Or(*self.taken.values())

    def by(self, step: str) -> BoolRef:
        """The step of this name leads from `before` to `after`; some step, if the name is ""."""
        return self.taken[step] if step else self.leads

    def holds(self, lemma: Lemma, state: Timeline) -> BoolRef:
        return formula(lemma(self.reading, state))

    def inside(self, lemmas: Iterable[Lemma]) -> list[BoolRef]:
        """Any timeline that satisfies the lemmas."""
        return [*self.reading.axioms(), *(self.holds(lemma, self.before) for lemma in lemmas)]


def who_steps(step: str) -> str:
    """Who does what is said: the step of this name, or every step."""
    return f"'{step}'" if step else "every step"
