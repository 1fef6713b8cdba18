"""Which powers of the environment a run of async-preemption makes use of."""

from collections.abc import Iterable

from model.machine import Action
from model.systems.async_preemption import AsyncPreemptionScope

_OF_ACTION = {
    "delete_pod": "deletions",
    "fail_request": "failures",
    "hold_at_permit": "waiting",
    "store_event": "lag",
}


def powers_used(scope: AsyncPreemptionScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options."""
    used = {_OF_ACTION[action.name] for action in actions if action.name in _OF_ACTION}
    return frozenset(used | ({"asynchronous"} if scope.asynchronous else set()))
