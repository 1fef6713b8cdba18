"""Which powers of the environment a run of scheduling makes use of."""

from collections.abc import Iterable

import cattrs

from model.machine import Action
from model.systems.scheduling import SchedulingScope
from model.systems.scheduling.actors import STEPS

# What is on in a scope without an action that shows it.
OPTIONS = (
    "high",
    "top",
    "big",
    "bound_at_start",
    "node_zones",
    "anti_affinity",
    "extender",
    "preemption",
    "clock",
    "listeners",
    "fine",
    "keep_snapshot",
)


def powers_used(scope: SchedulingScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options: each step says which power it uses."""
    bounds: dict[str, int] = cattrs.unstructure(scope)
    used = {option for option in OPTIONS if bounds[option]}
    for action in actions:
        used.update(STEPS[action.name].powers_used(bounds, action))
    return frozenset(used)
