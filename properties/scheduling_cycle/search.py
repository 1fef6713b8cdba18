"""The search for nodes: what a plugin names and is gone hides no node that is there."""

from typing import Any

from model.go.errors import GoError, MetError
from model.machine import Action
from model.scheduler.filtering_rules import Named, others_are_unresolvable
from model.systems.scheduling_cycle import SchedulingCycle
from model.systems.scheduling_cycle.scope import names_nodes
from model.world.api_server import place
from properties.property import ErrorInvariant, SetupInvariant
from properties.scheduling.view import has_room

_SEARCHING = frozenset({"schedule", "find_nodes"})


def _fits(state: SchedulingCycle, uid: str) -> list[str]:
    """The nodes that both API server and cache have, and that have room for the pod."""
    pod = next((pod for pod in state.pods if pod is not None and pod.uid == uid), None)
    if pod is None:
        return []
    known = {info.name for info in state.cache.nodes if info.node is not None}
    return [node.name for node in state.nodes if node and node.name in known and has_room(state, node.name, pod)]


def _hides(before: SchedulingCycle, action: Action, error: MetError) -> bool:
    return error.function == "findNodesThatFitPod" and bool(_fits(before, error.about))


def _explain(before: SchedulingCycle, action: Action, error: MetError) -> str:
    return (
        f"the cycle of {error.about} fails with '{error.text}', though the pod fits on {_fits(before, error.about)[0]}"
    )


ERROR_HIDES_NO_NODE = ErrorInvariant(
    name="no-error-hides-a-node",
    sentence="The search for nodes does not fail with an error while there is a node on which the pod fits.",
    broken_by=("error_for_missing_node",),
    actions=_SEARCHING,
    needless=_hides,
    premise=lambda before, action, after: bool(before.named),
    explain=_explain,
)


def _listed(before: SchedulingCycle, action: Action) -> tuple[str, ...]:
    """The nodes that the snapshot has: `schedule` takes the snapshot of the cache itself."""
    if action.name == "find_nodes":
        return before.snapshot.node_info_list
    return tuple(info.name for info in before.cache.nodes if info.node is not None)


def _left_out(machine: Any, before: SchedulingCycle, action: Action) -> list[str]:
    """The nodes that the plugin names, that the snapshot has, and that the search does not look at."""
    listed = _listed(before, action)
    if before.cycle is None or not names_nodes(machine.scope, place(before.cycle.pod.name)):
        return []
    answer = machine.rules.named_nodes(before.named, listed)
    # That an error hides them is said by the other property.
    return [] if isinstance(answer, GoError) else [n for n in before.named if n in listed and n not in answer[0]]


def first_name_alone(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """A mutant: of the nodes that a plugin names the search looks at the first one."""
    return others_are_unresolvable(names[:1], nodes)


NAMED_ARE_TRIED = SetupInvariant(
    name="named-nodes-are-tried",
    sentence="The search leaves out no node that a PreFilter plugin names and that the snapshot has.",
    broken_by=("first_name_alone",),
    actions=lambda machine: _SEARCHING if machine.scope.named_nodes else frozenset(),
    holds=lambda machine, before, action, after: not _left_out(machine, before, action),
    premise=lambda machine, before, action, after: bool(_listed(before, action)),
    explain=lambda machine, before, action, after: (
        f"the search leaves out {_left_out(machine, before, action)[0]}, which a plugin names"
    ),
)
