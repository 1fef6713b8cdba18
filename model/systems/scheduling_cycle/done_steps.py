"""Done in the goroutine of the binding, with the gate SchedulerQueueingHints on (1.32 on).

Go: bindingCycle in pkg/scheduler/schedule_one.go. What a failure does with Done is said by the
steps `requeue` and `done_after_failure` in scheduling.
"""

from model.machine import Action
from model.scheduler.done import BindingPhase
from model.systems.scheduling.step import BINDING, QUEUE_LOCK, OwnStep, call_done
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import Stepped
from model.world.go_files import QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import own_step

DONE = "done_in_binding"
# What comes before Done if Done follows the wait for Permit.
_BEFORE_DONE = frozenset({"nominate_host", "permit", "listen", "wait_on_permit"})


def with_done(phase: BindingPhase, points: tuple[str, ...]) -> tuple[str, ...]:
    """The points of the binding, with Done after the phase."""
    match phase:
        case "WaitOnPermit":
            place = sum(point in _BEFORE_DONE for point in points)
        case "PreBind":
            place = points.index("bind")
        case "Bind":
            place = len(points)
    return (*points[:place], DONE, *points[place:])


def done_in_binding(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """Done: what is kept for the pod in flight goes."""
    return call_done(setup, state, goroutine), goroutine


STEPS: tuple[OwnStep, ...] = (
    own_step(
        done_in_binding,
        BINDING,
        place=via(at(SCHEDULER_GO, "bindingCycle"), at(QUEUE_GO, "Done")),
        lock=QUEUE_LOCK,
        part_of=("nominate_host", "listen", "wait_on_permit", "pre_bind", "bind_volumes", "bind", "bind_by_extender"),
        why="a binding that fails later fails with an error, nobody asks then for the events that came, and whether "
        "Pop discards the pod, or the cycle skips the pod, the pod leaves the queue",
        by_rule=True,
    ),
)
