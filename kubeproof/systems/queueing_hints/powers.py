"""Which powers of the environment a run of queueing-hints makes use of."""

from collections.abc import Iterable

import cattrs

from model.machine import Action
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.queueing_hints.actors import STEPS

# What is on in a scope without an action that shows it.
_OPTIONS = ("plugins", "clock", "pre_check", "listeners", "fine")


def powers_used(scope: QueueingHintsScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options: each step says which power it uses."""
    bounds: dict[str, int] = cattrs.unstructure(scope)
    used = {option for option in _OPTIONS if bounds[option]}
    for action in actions:
        used.update(STEPS[action.name].powers_used(bounds, action))
    return frozenset(used)
