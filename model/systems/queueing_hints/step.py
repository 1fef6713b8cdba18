"""What the steps of the scheduler have in common."""

from model.evolve import evolve
from model.scheduler.queue.in_flight import done as done_in_queue
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.world.calls_in import with_queue
from model.world.goroutines import GoroutineStep

OwnStep = GoroutineStep[HintsSetup, QueueingHints, Goroutine]
Stepped = tuple[QueueingHints, Goroutine]

# Fields of the state in which goroutines are.
CYCLE, BINDING = "cycle", "bindings"
CACHE_LOCK = "schedulerCache.mu"


def ended(goroutine: Goroutine) -> Goroutine:
    """The goroutine with nothing left to do."""
    return evolve(goroutine, steps=())


def call_done(setup: HintsSetup, state: QueueingHints, goroutine: Goroutine) -> Stepped:
    """`Done` of the pod that Pop returned, under the queue's lock; nothing with the gate off."""
    state = with_queue(state, done_in_queue(setup.queue, state.queue, goroutine.uid))
    return state, is_done(goroutine)


def is_done(goroutine: Goroutine) -> Goroutine:
    """The goroutine after its Done: what comes from now on is no concern of its pod."""
    return evolve(goroutine, done=True, events=())
