"""How a step of the scheduler is declared: `own_step` fills in what its goroutines say."""

from typing import Any

from model.evolve import evolve
from model.places import Place
from model.scheduler.queue.in_flight import done as done_in_queue
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import Setup
from model.world.calls_in import with_queue
from model.world.goroutines import GoroutineStep

OwnStep = GoroutineStep[Setup, QueueingHints, Goroutine]
Stepped = tuple[QueueingHints, Goroutine]

# Fields of the state in which goroutines are.
CYCLE, BINDING = "cycle", "bindings"
CACHE_LOCK = "schedulerCache.mu"
# An event concerns every pod in flight.
IN_FLIGHT = "queue cycle bindings"


def own_step(does: Any, *goroutines: str, place: Place, writes: str = "", **declared: Any) -> OwnStep:
    """The step that the function `does` does, under its name, in goroutines of these fields."""
    own = " ".join(goroutines)
    return OwnStep(
        name=does.__name__, does=does, goroutines=goroutines, place=place, writes=f"{own} {writes} sleeps", **declared
    )


def ended(goroutine: Goroutine) -> Goroutine:
    """The goroutine with nothing left to do."""
    return evolve(goroutine, steps=())


def call_done(setup: Setup, state: QueueingHints, goroutine: Goroutine) -> Stepped:
    """`Done` of the pod that Pop returned, under the queue's lock; nothing with the gate off."""
    state = with_queue(state, done_in_queue(setup.queue, state.queue, goroutine.uid))
    return state, is_done(goroutine)


def is_done(goroutine: Goroutine) -> Goroutine:
    """The goroutine after its Done: what comes from now on is no concern of its pod."""
    return evolve(goroutine, done=True, events=())
