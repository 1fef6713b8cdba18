"""What the steps of the scheduler have in common."""

from typing import TypeVar

from model.evolve import evolve
from model.scheduler.queue.in_flight import done as done_in_queue
from model.scheduler.queue.scheduling_queue import LOCK
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.world.calls_in import with_queue
from model.world.goroutines import GoroutineStep

OwnStep = GoroutineStep[SchedulingSetup, Scheduling, Goroutine]
Stepped = tuple[Scheduling, Goroutine]
S = TypeVar("S", bound=Scheduling)

# Fields of the state in which goroutines are.
CYCLE, BINDING, RETRY = "cycle", "bindings", "retries"

QUEUE_LOCK = LOCK
NOMINATOR_LOCK = "nominator.lock"
CACHE_LOCK = "schedulerCache.mu"


def call_done(setup: SchedulingSetup, state: S, goroutine: Goroutine) -> S:
    """`Done` of the goroutine's pod, under the queue's lock; nothing with the gate SchedulerQueueingHints off."""
    return with_queue(state, done_in_queue(setup.queue, state.queue, goroutine.pod.uid))


def done(goroutine: Goroutine) -> Goroutine:
    """The goroutine with nothing left to do."""
    return evolve(goroutine, steps=())
