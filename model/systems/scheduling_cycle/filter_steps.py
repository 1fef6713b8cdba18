"""The search for nodes where a PreFilter plugin names some, and some of those may be gone.

Go: findNodesThatFitPod in pkg/scheduler/schedule_one.go (1.24 on). The names are of nodes that there are in the
beginning, as in the affinity of a pod of a DaemonSet. The plugin names them again in each cycle. Where the next search
begins is not modelled here: see properties/filtering.
"""

from typing import cast

from model.evolve import evolve
from model.go.errors import GoError, met_error
from model.systems.scheduling import cycle_steps as scheduling
from model.systems.scheduling.cycle_steps import failed
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import named_nodes
from model.systems.scheduling_cycle.step import Stepped


def find_named_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Stepped:
    """The filters for the nodes that a plugin names, as far as the snapshot has them."""
    listed, named = state.snapshot.node_info_list, named_nodes(setup.scope)
    answer = setup.rules.named_nodes(named, listed)
    if isinstance(answer, GoError):
        met_error("findNodesThatFitPod", answer.text, goroutine.pod.uid)
        return state, failed(setup, goroutine, no_node_fits=False)
    asked, _ = answer
    if setup.rules.start_goes_round(len(listed), len(asked)) == 0:
        crashed = evolve(state, crashed="findNodesThatFitPod: integer divide by zero")
        return crashed, evolve(goroutine, steps=())
    # Up to 1.23 the names are not looked at, and the Filter plugin refuses the others.
    few = evolve(state.snapshot, node_info_list=tuple(node for node in asked if node in named))
    after, searched = cast(Stepped, scheduling.find_nodes(setup, evolve(state, snapshot=few), goroutine, None))
    return evolve(after, snapshot=state.snapshot), searched
