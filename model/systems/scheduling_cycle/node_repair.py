"""The error function takes a node out of the cache if a Binding fails because the node is not found.

Go: MakeDefaultErrorFunc in pkg/scheduler/factory.go (1.17 scheduler/factory.go), before it starts its goroutine. The
node is looked up in the API server once more. No lock is held between the look-up and RemoveNode.
"""

from model.evolve import evolve
from model.machine import Action
from model.objects import Node
from model.systems.scheduling.step import BINDING, CACHE_LOCK, OwnStep
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import Stepped
from model.world.api_server import place
from model.world.calls_in import call_cache
from model.world.go_files import CACHE_GO, ERROR_FUNC_GO, at, via
from model.world.goroutines import own_step

# What the error function does about the node, and the steps with one of which it goes on.
REPAIR = GET_NODE, REMOVE_NODE = "get_node", "remove_missing_node"
ERROR_FUNC = ("start_error_func", "requeue")


def repairs(setup: CycleSetup) -> bool:
    """Whether the error function hears that a node was not found, and does something about it."""
    return setup.rules.error_func().repairs_nodes and setup.rules.binding_error_is_kept()


def with_repair(goroutine: CycleGoroutine) -> CycleGoroutine:
    """The goroutine of a binding that has failed so, with what the error function does about the node."""
    begin = next(at for at, step in enumerate(goroutine.steps) if step in ERROR_FUNC)
    return evolve(goroutine, steps=(*goroutine.steps[:begin], GET_NODE, *goroutine.steps[begin:]))


def get_node(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """GET of the node: only if the API server does not have it, RemoveNode follows."""
    if state.nodes[place(goroutine.host)] is not None:
        return state, goroutine
    return state, evolve(goroutine, steps=(REMOVE_NODE, *goroutine.steps))


def remove_missing_node(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """RemoveNode of an object that has the name and nothing else."""
    _, state = call_cache(setup, state, "remove_node", Node(goroutine.host))
    return state, goroutine


_ERROR_FUNC_GO = at(ERROR_FUNC_GO, (("1.13.0", "MakeDefaultErrorFunc"), ("1.25.0-alpha.1", "handleSchedulingFailure")))
STEPS: tuple[OwnStep, ...] = (
    own_step(get_node, BINDING, place=_ERROR_FUNC_GO, power=("node_not_found",), by_rule=True),
    own_step(
        remove_missing_node,
        BINDING,
        place=via(_ERROR_FUNC_GO, at(CACHE_GO, "RemoveNode")),
        lock=CACHE_LOCK,
        power=("node_not_found",),
        by_rule=True,
    ),
)
