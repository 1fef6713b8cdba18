"""How a step of the scheduler is declared: `own_step` fills in what its goroutines say."""

from typing import Any, TypeVar

from model.evolve import evolve
from model.places import Place
from model.scheduler.queue.in_flight import done as done_in_queue
from model.scheduler.queue.scheduling_queue import LOCK
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup
from model.world.calls_in import with_queue
from model.world.goroutines import GoroutineStep
from model.world.step import Step

OwnStep = GoroutineStep[Setup, Scheduling, Goroutine]
Stepped = tuple[Scheduling, Goroutine]
S = TypeVar("S", bound=Scheduling)

# Fields of the state in which goroutines are.
CYCLE, BINDING, RETRY = "cycle", "bindings", "retries"

QUEUE_LOCK = LOCK
NOMINATOR_LOCK = "nominator.lock"
CACHE_LOCK = "schedulerCache.mu"


def own_step(does: Any, *goroutines: str, place: Place, writes: str = "", **declared: Any) -> OwnStep:
    """The step that the function `does` does, under its name, in goroutines of these fields.

    A step of the cycle replaces the snapshot too: nobody needs one any more when the cycle is past its filters.
    """
    own = " ".join((*goroutines, "snapshot" if CYCLE in goroutines else ""))
    return OwnStep(
        name=does.__name__, does=does, goroutines=goroutines, place=place, writes=f"{own} {writes}", **declared
    )


def call_done(setup: Setup, state: S, goroutine: Goroutine) -> S:
    """`Done` of the goroutine's pod, under the queue's lock; nothing with the gate SchedulerQueueingHints off."""
    return with_queue(state, done_in_queue(setup.queue, state.queue, goroutine.pod.uid))


def done(goroutine: Goroutine) -> Goroutine:
    """The goroutine with nothing left to do."""
    return evolve(goroutine, steps=())


def reads_snapshot(step: Step) -> bool:
    """Whether the step, or what it may lead to without another snapshot, looks at the cycle's snapshot."""
    return "snapshot" in step.reads.split()
