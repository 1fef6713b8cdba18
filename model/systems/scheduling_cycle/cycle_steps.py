"""The steps of the scheduling cycle that are other ones than in scheduling: from Pop to the goroutine of the binding.

Go: scheduleOne in pkg/scheduler/scheduler.go (1.26 on: schedulingCycle in schedule_one.go). Up to the filters all is as
in model/systems/scheduling/cycle_steps.py.
"""

from collections.abc import Iterator
from typing import Any, cast

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.volumes import ASSUME_VOLUMES, BIND_VOLUMES, before_pre_bind, before_reserve
from model.systems.scheduling import cycle_steps as scheduling
from model.systems.scheduling.cycle_steps import failed, popped
from model.systems.scheduling.step import CACHE_LOCK, CYCLE, NOMINATOR_LOCK, OwnStep, call_done
from model.systems.scheduling_cycle import filter_steps, search
from model.systems.scheduling_cycle.done_steps import DONE, with_done
from model.systems.scheduling_cycle.expectation import with_host_nominated, without_needless
from model.systems.scheduling_cycle.extender_binding import asked_to_bind
from model.systems.scheduling_cycle.hosts import best, choose_host, hosts
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope
from model.systems.scheduling_cycle.step import (
    POWER_OF_FAILURE,
    Stepped,
    also_part_of,
    fails,
    may_fail,
    replaced,
    when_plugins_fail,
)
from model.world.calls_in import call_cache, with_queue
from model.world.go_files import CACHE_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.step import never

# A point -> the bound of the scope without which nothing happens there.
_NEEDS = {
    "reserve": "reserves",
    "permit": "permit",
    "listen": "permit",
    "wait_on_permit": "permit",
    "pre_bind": "failures",
    ASSUME_VOLUMES: "volumes",
    BIND_VOLUMES: "volumes",
}


def _here(scope: SchedulingCycleScope, points: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the points where something may happen in the scope."""
    return tuple(point for point in points if point not in _NEEDS or getattr(scope, _NEEDS[point]))


def cycle_points(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> tuple[str, ...]:
    """The points from the host to the goroutine of the binding."""
    return _here(scope, before_reserve(rules.points_in_cycle()))


def binding_points(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> tuple[str, ...]:
    """The points in the goroutine, to Bind. With the gate SchedulerQueueingHints on Done is one of them (1.32 on)."""
    points = _here(scope, before_pre_bind(rules.points_in_binding(), rules.volumes_bound_first()))
    points = with_host_nominated(rules, points)
    return with_done(rules.done_in_binding(), points) if rules.hints_stay_on() else points


def pop(setup: CycleSetup, state: SchedulingCycle, action: Action) -> SchedulingCycle:
    """Pop, under PriorityQueue.lock: the first of activeQ is in the cycle."""
    info, queue = popped(setup, state.queue, action["pod"])
    return evolve(state, queue=queue, cycle=None if info is None else CycleGoroutine(("schedule",), info))


def _ways_of_search(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    ways = search.ways(setup, state, goroutine) if setup.scope.workers > 1 else 1
    for way in range(ways):
        yield (("way", way),) if ways > 1 else ()
    if may_fail(setup, state):
        yield (("fails", "error"),)


def _chosen_apart(scope: Any) -> bool:
    """Whether something is chosen when the filters run."""
    return when_plugins_fail(scope) or scope.workers > 1


def find_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """The filters; or a plugin answers with an error, at PreFilter, Filter, PreScore or Score: it is all the same."""
    arguments = {} if action is None else dict(action.args)
    if "fails" not in arguments:
        if setup.scope.cycle_state and setup.rules.keeps_nominated_in_state():
            goroutine = filter_steps.with_nominated(setup, state, goroutine)
        return filter_steps.find_nodes(setup, state, goroutine, int(arguments.get("way", 0)))
    met_error("Filter", "a plugin fails", goroutine.pod.uid)
    state = evolve(state, used=state.used.once_more("failures"))
    return state, failed(setup, goroutine, no_node_fits=False)


def choose(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """selectHost: any of the nodes with the highest total is possible; the next step says which."""
    state, goroutine = cast(Stepped, scheduling.choose(setup, state, goroutine, action))
    candidates = best(setup.scope, state.snapshot, goroutine.pod, goroutine.candidates)
    goroutine = evolve(goroutine, candidates=tuple(sorted(candidates)))
    points = cycle_points(setup.scope, setup.rules)
    return state, evolve(goroutine, steps=(*points, "start_binding"))


def _to_a_node(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    return hosts(goroutine)


def assume(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """AssumePod, under schedulerCache.mu."""
    goroutine = choose_host(goroutine, {} if action is None else dict(action.args))
    node = goroutine.host
    pod = evolve(goroutine.pod, node_name=node)
    goroutine = evolve(goroutine, info=evolve(goroutine.info, pod=pod), node=node)
    outcome, state = call_cache(setup, state, "assume_pod", pod)
    if outcome.error is None:
        return state, goroutine
    return state, fails(setup, goroutine, setup.rules.after_failed_assume())


def delete_nominated_pod(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """DeleteNominatedPodIfExists."""
    queue = queue_functions.delete_nominated_pod_if_exists(setup.queue, state.queue, goroutine.pod)
    return with_queue(state, queue), goroutine


def start_binding(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The goroutine of the binding starts, and the scheduling cycle is over.

    Where the goroutine calls Done first, it does so in this step, as in scheduling: a binding that fails later fails
    with an error, and of the events that came nobody is told.
    """
    goroutine = evolve(goroutine, search=None)
    points = asked_to_bind(setup, goroutine, binding_points(setup.scope, setup.rules))
    ended = evolve(goroutine, steps=())
    if not points:
        return state, ended
    points = without_needless(state, goroutine, points)
    if points[0] == DONE:
        state, points = call_done(setup, state, goroutine), points[1:]
    return evolve(state, bindings=state.bindings.start(evolve(goroutine, steps=points))), ended


_BY_NAME = {step.name: step for step in scheduling.STEPS}
STEPS: tuple[OwnStep, ...] = (
    replaced(_BY_NAME["schedule"], does=search.schedule),
    replaced(
        also_part_of(_BY_NAME["find_nodes"], "call_extenders"),
        does=find_nodes,
        chooses=("way", "fails"),
        options=_ways_of_search,
        apart=_chosen_apart,
        power_of_choice=POWER_OF_FAILURE,
    ),
    search.ASK_NODE,
    replaced(
        also_part_of(_BY_NAME["call_extenders"], "find_nodes", "ask_node"),
        does=filter_steps.call_extenders,
        chooses=("fails",),
        options=filter_steps.answers,
        apart=lambda scope: bool(scope.fine or scope.extender_errors),
        power_of_choice=filter_steps.POWER_OF_NO_ANSWER,
    ),
    replaced(also_part_of(_BY_NAME["choose"], "ask_node"), does=choose),
    own_step(
        assume,
        CYCLE,
        place=via(at(SCHEDULER_GO, "assume"), at(CACHE_GO, "AssumePod")),
        lock=CACHE_LOCK,
        chooses=("node",),
        options=_to_a_node,
        part_of=("reserve", "assume_volumes"),
        why="it touches the cache only, `reserve` and `assume_volumes` what is held for pods only",
    ),
    own_step(
        delete_nominated_pod,
        CYCLE,
        place=via(at(SCHEDULER_GO, "assume"), at(QUEUE_GO, "DeleteNominatedPodIfExists")),
        lock=NOMINATOR_LOCK,
        part_of=("assume", "reserve", "assume_volumes"),
        why="an update of the pod in between would be forgotten here as it is before `assume`",
    ),
    own_step(
        start_binding,
        CYCLE,
        place=at(SCHEDULER_GO, (("1.13.0", "scheduleOne"), ("1.30.0-alpha.1", "ScheduleOne"))),
        part_of=("assume", "delete_nominated_pod", "assume_volumes", "reserve", "permit", "add_waiting_pod"),
        why="until the goroutine takes its first step nobody can tell whether it runs",
        apart=never,
    ),
)
