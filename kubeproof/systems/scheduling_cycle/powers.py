"""Which powers of the environment a run of scheduling-cycle makes use of."""

from collections.abc import Iterable

import cattrs

from kubeproof.systems.scheduling.powers import OPTIONS
from model.machine import Action
from model.systems.scheduling_cycle import SchedulingCycleScope
from model.systems.scheduling_cycle.actors import STEPS

# What is on in a scope without an action that shows it: those of scheduling, and what plugins there are.
_OPTIONS = (
    *OPTIONS, "reserves", "volumes", "permit", "groups", "named_nodes", "named_pods", "quota", "workers", "scores",
    "ignorable", "unmanaged", "second_profile", "unknown_profile", "cycle_state", "protected", "disruptions", "never",
)  # fmt: skip


def powers_used(scope: SchedulingCycleScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options: each step says which power it uses."""
    bounds: dict[str, int] = cattrs.unstructure(scope)
    used = {option for option in _OPTIONS if bounds[option]}
    for action in actions:
        used.update(STEPS[action.name].powers_used(bounds, action))
        if "extender" in dict(action.args):
            used.add("preempt_extender")
    return frozenset(used)
