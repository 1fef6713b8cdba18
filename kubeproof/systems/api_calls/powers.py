"""Which powers of the environment a run of api-calls makes use of."""

from collections.abc import Iterable

from model.machine import Action
from model.systems.api_calls import ApiCallsScope

_OF_ACTION = {"refuse_binding": "refusals", "clear_nomination": "clears", "bind": "pre_bind"}


def powers_used(scope: ApiCallsScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options."""
    used = {_OF_ACTION[action.name] for action in actions if action.name in _OF_ACTION}
    return frozenset(used | ({"asynchronous_calls"} if scope.asynchronous_calls else set()))
