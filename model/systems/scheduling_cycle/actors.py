"""The actors of scheduling-cycle: those of scheduling, with other steps of the scheduler, and the plugins at Permit."""

from collections.abc import Mapping

from model.systems.scheduling import failure_steps, preemption_steps
from model.systems.scheduling.actors import INFORMERS, Actors, brought_after_failure
from model.systems.scheduling.threads import SCHEDULER as scheduling, Threads
from model.systems.scheduling_cycle import (
    binding_steps,
    cycle_steps,
    disruption_controller,
    done_steps,
    expectation,
    extender_binding,
    node_repair,
    permit_steps,
    plugins,
    reserve_steps,
    volume_steps,
)
from model.systems.scheduling_cycle.cycle_steps import binding_points, cycle_points, pop
from model.systems.scheduling_cycle.node_repair import REPAIR
from model.systems.scheduling_cycle.preemption_steps import with_preemption
from model.systems.scheduling_cycle.rules import SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope
from model.systems.scheduling_cycle.step import MOVES, also_part_of, replaced
from model.world import clock, users
from model.world.step import Step

# Where an attempt may fail besides the places that scheduling knows.
_FAILING = (
    "find_nodes", "ask_node", "call_extenders", "reserve", "unreserve", "permit", "wait_on_permit", "pre_bind",
    "assume_volumes", "bind_volumes",
)  # fmt: skip
SCHEDULER = Threads(
    pop,
    (
        *cycle_steps.STEPS,
        *volume_steps.STEPS,
        *reserve_steps.STEPS,
        *permit_steps.STEPS,
        *(
            also_part_of(step, *_FAILING, *REPAIR) if step.name == "start_error_func" else step
            for step in with_preemption(failure_steps.EARLY_STEPS)
        ),
        *with_preemption(preemption_steps.STEPS),
        *(
            replaced(step, does=binding_steps.requeue) if step.name == "requeue" else step
            for step in with_preemption(failure_steps.LATE_STEPS)
        ),
        *expectation.STEPS,
        *done_steps.STEPS,
        *extender_binding.STEPS,
        *binding_steps.STEPS,
        *node_repair.STEPS,
        *failure_steps.RETRY_STEPS,
    ),
    scheduling.need_snapshot | {"ask_node", "choose"},
)


def _brought(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> frozenset[str]:
    """The points of the release, and what undoes their failures."""
    points = {*cycle_points(scope, rules), *binding_points(scope, rules)}
    undone = [rules.after_failed_bind(), rules.after_failed_assume()]
    if "reserve" in points:
        undone.append(rules.after_failed_reserve())
    if points & {"permit", "pre_bind"}:
        undone.append(rules.after_failed_permit())
    if scope.volumes:
        undone += [rules.after_failed_reserve(), rules.after_failed_volumes()]
    steps = {step for undo in undone for step in undo}
    found = brought_after_failure(scope, rules) | points | steps
    if scope.quota and rules.takes_nodes_from_tree():
        found |= {"ask_node"}
    if "permit" in points:
        found |= {"add_waiting_pod"}
    if "forget" in steps:
        found |= {"forget_pod"}
    if rules.error_func().repairs_nodes and rules.binding_error_is_kept():
        found |= {*REPAIR}
    return found | {MOVES[1]} if MOVES[0] in found else found


def _begin(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> frozenset[str]:
    """The first point after the filters: it chooses the host."""
    return frozenset(cycle_points(scope, rules)[:1])


SCHEDULING_CYCLE = Actors(
    (users, INFORMERS, SCHEDULER, clock, plugins, disruption_controller),
    _brought,
    _begin,
)
STEPS: Mapping[str, Step] = SCHEDULING_CYCLE.steps
