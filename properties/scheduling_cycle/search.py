"""The search for nodes: what a plugin names and is gone hides no node that is there."""

from model.go.errors import MetError
from model.machine import Action
from model.systems.scheduling_cycle import SchedulingCycle
from properties.property import ErrorInvariant
from properties.scheduling.view import has_room


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
    actions=frozenset({"schedule", "find_nodes"}),
    needless=_hides,
    premise=lambda before, action, after: bool(before.named),
    explain=_explain,
)
