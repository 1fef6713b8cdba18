"""What follows from the steps of all actors: footprints, and the actions that a scope and a release leave out. Pure."""

from collections.abc import Mapping

from model.machine import Footprint
from model.scheduler.cycle import steps_after_failure
from model.systems.scheduling import threads
from model.systems.scheduling.failure_steps import RETRIES
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules, Setup
from model.systems.scheduling.scope import SchedulingScope
from model.world import clock, informers, step, users
from model.world.step import Actor

ACTORS: tuple[Actor[Setup, Scheduling], ...] = (users, informers, threads, clock)
STEPS: Mapping[str, step.Step] = {declared.name: declared for actor in ACTORS for declared in actor.STEPS}


def never_offered(scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
    """Names of actions that no state enables in `scope` under `rules`, as far as the two tell without looking."""
    error_func = rules.error_func()
    brought = {*steps_after_failure(error_func, no_node_fits=True), *rules.after_bind_error()}
    if error_func.own_goroutine:
        brought |= {*RETRIES}
    return step.never_offered(STEPS.values(), scope, frozenset(brought))


def footprints(scope: SchedulingScope) -> dict[str, Footprint]:
    """Which fields of the state each action depends on, and which it replaces.

    Some fields are brought to normal form together: times of queue and cache, generations of cache and snapshot.
    """
    groups = []
    if scope.expiry:
        groups.append(frozenset({"queue", "cache"}))
    if scope.keep_snapshot:
        groups.append(frozenset({"cache", "snapshot"}))
    return step.footprint_together(step.footprints(STEPS.values(), scope, by_all="crashed"), groups)
