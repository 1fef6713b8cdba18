"""The search for nodes: a PreFilter plugin may name some, of which some may be gone; an extender may not answer.

Go: findNodesThatFitPod, findNodesThatPassExtenders in pkg/scheduler/schedule_one.go (1.24 on). The names are of nodes
that there are in the beginning, as in the affinity of a pod of a DaemonSet. The plugin names them again in each cycle.
"""

from collections.abc import Iterator
from typing import cast

from model.evolve import evolve
from model.go.errors import GoError, met_error
from model.machine import Action
from model.systems.scheduling import cycle_steps as scheduling, fitting
from model.systems.scheduling.cycle_steps import failed
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import named_nodes, nodes_named_for
from model.systems.scheduling_cycle.search import DIVIDED, asked_nodes, only, search_nodes
from model.systems.scheduling_cycle.step import Stepped
from model.world.goroutines import Choice
from model.world.state import left

# How an extender may fail: before it has done anything, or its answer is lost.
NO_ANSWER, LOST = "error", "lost"
POWER_OF_NO_ANSWER = {NO_ANSWER: "extender_errors", LOST: "extender_errors"}


def find_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, way: int) -> Stepped:
    """The filters, for all nodes or for those that a plugin names. `way`: see `search_nodes`."""
    if setup.scope.quota:
        return search_nodes(setup, state, goroutine, way)
    if nodes_named_for(setup.scope, goroutine.pod.name):
        return _find_named_nodes(setup, state, goroutine)
    return cast(Stepped, scheduling.find_nodes(setup, state, goroutine, None))


def with_nominated(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> CycleGoroutine:
    """The attempt, in whose CycleState plugins have noted the pods that are nominated to the nodes, if any are."""
    nominations = fitting.nominations(setup.queue, state.queue)
    names = state.snapshot.node_info_list
    if not any(fitting.competing(nominations, node, goroutine.pod) for node in names):
        return goroutine
    return evolve(goroutine, cycle_state="with pods that are only nominated")


def _find_named_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Stepped:
    """The filters for the nodes that a plugin names, as far as the snapshot has them."""
    answer = asked_nodes(setup, state, goroutine)
    if isinstance(answer, GoError):
        return state, failed(setup, goroutine, no_node_fits=False)
    asked, _ = answer
    if setup.rules.start_goes_round(len(state.snapshot.node_info_list), len(asked)) == 0:
        return evolve(state, crashed=DIVIDED), evolve(goroutine, steps=())
    # Up to 1.23 the names are not looked at, and the Filter plugin refuses the others.
    few = only(state.snapshot, [node for node in asked if node in named_nodes(setup.scope)])
    after, searched = cast(Stepped, scheduling.find_nodes(setup, evolve(state, snapshot=few), goroutine, None))
    return evolve(after, snapshot=state.snapshot), searched


def may_not_answer(setup: CycleSetup, state: SchedulingCycle) -> bool:
    """Whether an extender may leave a request without an answer once more."""
    return left(state, "extender_errors", setup.scope.extender_errors)


def answers(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """The extender answers, or does not."""
    yield ()
    if may_not_answer(setup, state):
        yield (("fails", NO_ANSWER),)
        yield (("fails", LOST),)


def call_extenders(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """The extender's filter verb. A pod that the extender refuses on its nominated node is tried on all nodes."""
    state, answered = _call_extenders(setup, state, goroutine, action)
    search = goroutine.search
    if search is None or not search.alone or answered.candidates:
        return state, answered
    without_answer = action is not None and "fails" in dict(action.args)
    if not without_answer and not setup.rules.extender_filter(goroutine.pod, goroutine.candidates).error:
        search = evolve(search, refused=search.found)
    search = evolve(search, alone=False)
    return state, evolve(goroutine, steps=("find_nodes",), candidates=(), search=search)


def _call_extenders(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """Without an answer the cycle fails; with `ignorable` all nodes stay."""
    fails = None if action is None else dict(action.args).get("fails")
    if fails != NO_ANSWER:
        answered = cast(Stepped, scheduling.call_extenders(setup, state, goroutine, action))
        if fails is None:
            return answered
        # Whatever it has written to the pod is there.
        state = answered[0]
    state = evolve(state, used=state.used.once_more("extender_errors"))
    if setup.scope.ignorable:
        return state, goroutine
    met_error("Filter", "the extender does not answer", goroutine.pod.uid)
    return state, failed(setup, goroutine, no_node_fits=False)
