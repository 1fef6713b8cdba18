"""What follows from the steps of all actors: the actions that a scope and a release leave out. Pure."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import frozen

from model.machine import Action, Offer
from model.scheduler.cache.assumed import no_mark
from model.scheduler.cycle import steps_after_failure
from model.scheduler.queue.move import move_in_one_hold
from model.systems.scheduling import controller, second_scheduler
from model.systems.scheduling.cycle_steps import POP
from model.systems.scheduling.failure_steps import RETRIES, done_after_failure
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingRules, SchedulingSetup
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.second_scheduler import of_both
from model.systems.scheduling.step import QUEUE_LOCK
from model.systems.scheduling.threads import SCHEDULER
from model.variables import Bag
from model.which_rule import is_one_of
from model.world import clock, informers, step, users
from model.world.moves import GO_ON, begun
from model.world.pod_handlers import HANDLING, handler_moves, next_calls
from model.world.step import Actor, Part

# The informers of pods and nodes, and from 1.35 on the one handler of pods.
INFORMERS = Part(informers, frozenset(each.name for each in informers.STEPS), (informers.HANDLE_POD,))
_OF_TWO_HANDLERS = frozenset({"handle_assigned", "handle_unassigned"})
_OF_FINISHED_BINDINGS = frozenset({"finish_binding", "cleanup_assumed_pods"})


@frozen(slots=False, eq=False)
class Actors:
    """The actors of a system, in the order in which the system offers their actions."""

    actors: tuple[Actor[Any, Any], ...]
    # (scope, rules) -> the steps that the rules in force bring, of those that are `by_rule`.
    brought: Callable[[Any, Any], frozenset[str]]
    # (scope, rules) -> the steps that begin an action there, whatever other steps they may follow.
    begin: Callable[[Any, Any], frozenset[str]] = lambda scope, rules: frozenset()

    @cached_property
    def steps(self) -> Mapping[str, step.Step]:
        return {declared.name: declared for actor in self.actors for declared in actor.STEPS}

    @cached_property
    def of(self) -> Mapping[str, Actor[Any, Any]]:
        """Who takes the action of a name."""
        return {declared.name: actor for actor in self.actors for declared in actor.STEPS}

    def offers(self, setup: SchedulingSetup) -> tuple[Offer[Any], ...]:
        """What all actors may do, in parts."""
        every = tuple(offer for actor in self.actors for offer in actor.offers(setup))
        return tuple(partial(self._unless_held, setup, offer) for offer in every) if setup.scope.fine else every

    def _unless_held(self, setup: SchedulingSetup, offer: Offer[Scheduling], state: Scheduling) -> Iterator[Action]:
        """What is offered, less what waits for somebody who keeps `PriorityQueue.lock`."""
        for action in offer(state):
            may_wait = action.name in HANDLING or action.name == POP.name or self.steps[action.name].lock == QUEUE_LOCK
            if not (may_wait and queue_is_held(state) and self.waits_for_queue(setup, state, action)):
                yield action

    def waits_for_queue(self, setup: SchedulingSetup, state: Scheduling, action: Action) -> bool:
        """Whether the action takes `PriorityQueue.lock`, which a mover keeps.

        The filters ask for nominated pods, in 1.31 by that lock; they find a pod in the midst of a move as after the
        move.
        """
        if action.name == POP.name:
            return setup.rules.pop_lock() == QUEUE_LOCK
        calls = next_calls(setup, state, action.name)
        locked = self.steps[action.name].lock == QUEUE_LOCK
        return locked or (bool(calls) and calls[0].component == "queue" and not begun(calls))

    def never_offered(self, scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
        """Names of actions that no state enables in `scope` under `rules`, as far as the two tell without looking."""
        found = step.never_offered(self.steps.values(), scope, self.brought(scope, rules))
        found -= self.begin(scope, rules)
        if is_one_of(rules.mark_finished_binding, (no_mark,)):
            found |= of_both(_OF_FINISHED_BINDINGS)
        return found | of_both(_OF_TWO_HANDLERS) if rules.one_pod_handler() else found


def queue_is_held(state: Scheduling) -> bool:
    """Whether somebody is in the midst of a move, and keeps `PriorityQueue.lock`; only with `fine`, see world/moves."""
    return handler_moves(state) or state.bindings.ask(_one_goes_on)


def _one_goes_on(bindings: Bag[Goroutine]) -> bool:
    return any(binding.steps[0] == GO_ON for binding in bindings)


def brought_after_failure(scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
    """The steps after a failed attempt or a failed binding that the release has."""
    error_func = rules.error_func()
    after_failure = steps_after_failure(error_func, rules.preempts_first, no_node_fits=True)
    brought = {*after_failure, *rules.after_bind_error()}
    if "move_after_forget" in brought and not is_one_of(rules.move_holds, (move_in_one_hold,)):
        brought |= {GO_ON}
    if error_func.own_goroutine:
        brought |= {*RETRIES}
    if rules.hints_stay_on():
        brought |= {done_after_failure.__name__}
    if rules.one_pod_handler():
        brought |= {informers.HANDLE_POD.name}
    return frozenset(brought)


def _brought(scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
    return of_both(brought_after_failure(scope, rules))


SCHEDULING = Actors((users, controller, INFORMERS, SCHEDULER, clock, second_scheduler), _brought)
STEPS = SCHEDULING.steps
