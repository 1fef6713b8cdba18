"""queueing-hints as a transition system: which actions a state enables, and what each does.

Environment of the queue with SchedulerQueueingHints: an API server, an informer of pods, users, events of a cluster of
a few conditions, the scheduler's goroutines, a clock.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import define

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met
from model.machine import Action, Offer
from model.objects import Pod
from model.scheduler.cache.state import Cache
from model.scheduler.queue.events import ClusterEvent, with_events_that_came
from model.scheduler.queue.scheduling_queue import names_decide
from model.scheduler.queue.state import Queue
from model.systems.queueing_hints.actors import ACTORS, STEPS, unless_held
from model.systems.queueing_hints.normal import COUNTED, normal
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup, QueueingHintsRules
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.variables import Bag, Channel, Places, asked_in, touched
from model.world import symmetry
from model.world.api_server import pod_name
from model.world.events import Listener, Used
from model.world.symmetry import Naming

_ACTOR_OF = {step.name: actor for actor in ACTORS for step in actor.STEPS}
NAMING = Naming(
    record=QueueingHints,
    by_pod=frozenset({"pods", "incarnations", "lister"}),
    unordered=frozenset({"bindings"}),
    nameless=frozenset({"conditions", "unallocated", "sleeps", "used", "crashed", "tainted", "other"}),
)


@define(frozen=True, slots=False)
class QueueingHintsMachine:
    """The system in a scope, under the rules of a release or of a proposed fix. Pods are interchangeable."""

    scope: QueueingHintsScope
    rules: QueueingHintsRules
    # Rules besides those of the releases that read nothing of what `normal` drops, and compare no names.
    known: Collection[Callable[..., Any]] = ()

    action_names = tuple(STEPS)

    @cached_property
    def setup(self) -> HintsSetup:
        return HintsSetup(self.scope, self.rules, self.known)

    @cached_property
    def symmetric(self) -> bool:
        """One pod is not taken for another, whatever a rule compares."""
        return self.scope.pods == 1 or not (self.setup.outside or names_decide(self.setup.queue))

    @cached_property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        return symmetry.fields_named(NAMING, self.scope.pods)

    @property
    def cuts(self) -> Mapping[str, str]:
        if not self.setup.outside:
            return {}
        found = {"attempts": f"up to {COUNTED}", "cycles since": f"up to {COUNTED}"}
        return found | ({"times": "as regions"} if self.scope.clock else {})

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return {"pod": tuple(pod_name(at) for at in range(self.scope.pods))}

    def initial_states(self) -> tuple[QueueingHints, ...]:
        none: Places[Pod | None] = Places((None,) * self.scope.pods)
        created, conditions = Places((0,) * self.scope.pods), Places((False,) * self.scope.plugins)
        queue = Queue(lacks_claims=bool(self.scope.claims))
        state = QueueingHints(
            none, created, Channel(), none, Listener(), Listener(), conditions, queue, Cache(), None, Bag(),
            False, "", Used(), bool(self.scope.pending), bool(self.scope.tolerations),
        )  # fmt: skip
        return (normal(self.setup, state),)

    @cached_property
    def offers(self) -> tuple[Offer[QueueingHints], ...]:
        """Users and events first, then the informer, then the scheduler."""
        every = tuple(offer for actor in ACTORS for offer in actor.offers(self.setup))
        return tuple(partial(unless_held, self.setup, offer) for offer in every) if self.scope.fine else every

    def ends(self, state: QueueingHints) -> bool:
        """A crash is the end of the run."""
        return bool(state.crashed)

    def actions(self, state: QueueingHints) -> Iterator[Action]:
        if not self.ends(state):
            for offer in self.offers:
                yield from offer(state)

    def step(self, state: QueueingHints, action: Action) -> QueueingHints:
        return normal(self.setup, self.bare_step(state, action), state)

    def bare_step(self, state: QueueingHints, action: Action) -> QueueingHints:
        """`step` as Go does it, with times, cycle numbers and generations as they come."""
        after, came = with_events_that_came(lambda: _ACTOR_OF[action.name].act(self.setup, state, action))
        if came:
            after = _with_events(after, came)
        if not touched(after, state, "cycle") and not touched(after.queue, state.queue, "active"):
            return after
        if asked_in(state, "cycle", bool):
            # While a cycle runs nobody waits in Pop.
            return after
        sleeps = self._sleeps(state, action, after)
        return after if sleeps == after.sleeps else evolve(after, sleeps=sleeps)

    def _sleeps(self, before: QueueingHints, action: Action, after: QueueingHints) -> bool:
        """Whether Pop sleeps although activeQ has a pod now.

        Pop sleeps while activeQ is empty and no cycle runs. Every operation that puts a pod there wakes Pop, except for
        `requeue` in 1.28.0-beta.0.
        """
        if asked_in(after, "cycle", bool) or not after.queue.active:
            return False
        slept = before.sleeps or not (asked_in(before, "cycle", bool) or before.queue.active)
        there = {info.pod.name for info in before.queue.active}
        by_others = action.name != "requeue" and any(info.pod.name not in there for info in after.queue.active)
        return slept and not by_others and not (self.setup.gate is False or self.rules.requeue_wakes_pop())

    def errors(self, state: QueueingHints, action: Action) -> MetErrors:
        return errors_met(lambda: self.bare_step(state, action))

    def rename(self, state: QueueingHints, names: Mapping[str, str]) -> QueueingHints:
        return symmetry.rename(NAMING, self.setup, self.sorts, state, names)

    def canonical(self, state: QueueingHints, fixed: frozenset[str] = frozenset()) -> QueueingHints:
        return symmetry.canonical(NAMING, self.setup, self.sorts, state, fixed) if self.symmetric else state


def _with_events(state: QueueingHints, came: tuple[ClusterEvent, ...]) -> QueueingHints:
    """Every pod in flight is concerned by the events."""

    if asked_in(state, "cycle", _is_in_flight):
        assert state.cycle is not None
        state = evolve(state, cycle=_told(state.cycle, came))
    if state.bindings.ask(_one_is_in_flight):
        state = evolve(state, bindings=state.bindings.become(_all_told, came))
    return state


def _told(goroutine: Goroutine, came: tuple[ClusterEvent, ...]) -> Goroutine:
    return goroutine if goroutine.done else evolve(goroutine, events=(*goroutine.events, *came))


def _all_told(bindings: Bag[Goroutine], came: tuple[ClusterEvent, ...]) -> Bag[Goroutine]:
    return Bag.of(*(_told(each, came) for each in bindings))


def _is_in_flight(cycle: Goroutine | None) -> bool:
    return cycle is not None and not cycle.done


def _one_is_in_flight(bindings: Bag[Goroutine]) -> bool:
    return any(map(_is_in_flight, bindings))
