"""What follows from the steps of all actors: the actions that a scope and a release leave out. Pure."""

from collections.abc import Iterator, Mapping

from model.machine import Action, Offer
from model.scheduler.queue.scheduling_queue import LOCK
from model.systems.queueing_hints import cluster, others, threads
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup, QueueingHintsRules
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.variables import Bag
from model.world import clock, informers, step
from model.world.moves import begun
from model.world.pod_handlers import HANDLING, handler_moves, next_calls
from model.world.step import Actor, Part

POD_INFORMER = Part(
    informers,
    frozenset({"deliver_pod", "handle_assigned", "handle_unassigned", "resync_pod", "relist_pods"}),
    (informers.HANDLE_POD,),
)
CLOCK = Part(clock, frozenset({"tick", "flush_backoff_q_completed", "flush_unschedulable_q_leftover"}))
ACTORS: tuple[Actor[HintsSetup, QueueingHints], ...] = (cluster, others, POD_INFORMER, threads, CLOCK)
STEPS: Mapping[str, step.Step] = {declared.name: declared for actor in ACTORS for declared in actor.STEPS}

_OF_TWO_HANDLERS = frozenset({"handle_assigned", "handle_unassigned"})
# What takes `PriorityQueue.lock` besides the lock that is declared, or calls Done; and no time passes in a hold of it.
_ALSO_LOCKED = frozenset({"schedule", "pre_bind", "finish_binding", "binding_failed", "tick"})
# `done_after_requeue` is taken by the one who keeps the lock.
_LOCKED = _ALSO_LOCKED | {each.name for each in STEPS.values() if each.lock == LOCK} - {"done_after_requeue"}
# What may have to wait for the lock: see `waits_for_queue`.
_MAY_WAIT = _LOCKED | {*HANDLING, "pop"}


def queue_is_held(state: QueueingHints) -> bool:
    """Whether somebody is in the midst of an operation of the queue, and keeps `PriorityQueue.lock`; with `fine`."""
    of_cycle = state.cycle is not None and _hands_back(state.cycle)
    return of_cycle or state.bindings.ask(_one_hands_back) or handler_moves(state)


def _one_hands_back(bindings: Bag[Goroutine]) -> bool:
    return any(map(_hands_back, bindings))


def _hands_back(goroutine: Goroutine) -> bool:
    return goroutine.steps[0] == "done_after_requeue"


def unless_held(setup: HintsSetup, offer: Offer[QueueingHints], state: QueueingHints) -> Iterator[Action]:
    """What is offered, less what waits for somebody who keeps `PriorityQueue.lock`."""
    for action in offer(state):
        if not (action.name in _MAY_WAIT and queue_is_held(state) and waits_for_queue(setup, state, action)):
            yield action


def waits_for_queue(setup: HintsSetup, state: QueueingHints, action: Action) -> bool:
    """Whether the action takes `PriorityQueue.lock`, which somebody keeps. From 1.31 on Pop takes another lock."""
    if action.name == "pop":
        return setup.rules.pop_lock() == LOCK
    calls = next_calls(setup, state, action.name)
    if calls:
        return calls[0].component == "queue" and not begun(calls)
    return action.name in _LOCKED


def never_offered(scope: QueueingHintsScope, rules: QueueingHintsRules) -> frozenset[str]:
    """Names of actions that no state enables in `scope` under `rules`, as far as the two tell without looking."""
    brought = frozenset({"done_again"} if rules.done_again_after_bind_error() else ())
    if rules.done_in_binding() == "WaitOnPermit":
        brought |= {"done_after_permit"}
    if not rules.one_pod_handler():
        return step.never_offered(STEPS.values(), scope, brought)
    return step.never_offered(STEPS.values(), scope, brought | {"handle_pod"}) | _OF_TWO_HANDLERS
