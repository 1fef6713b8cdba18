"""A plugin reads what it has written for the pod in the same attempt, and nothing else."""

from typing import Any

from model.machine import Action
from model.systems.scheduling_cycle.records import SchedulingCycle
from properties.property import SetupInvariant
from properties.scheduling_cycle.binders import binding

State = SchedulingCycle

# The steps at which a plugin reads. In 1.14 it writes at Reserve, and only Prebind comes later.
_READING = frozenset({"reserve", "permit", "pre_bind", "unreserve", "bind"})
_READING_SHARED = frozenset({"pre_bind"})


def _actions(machine: Any) -> frozenset[str]:
    scope = machine.scope
    if not scope.cycle_state:
        return frozenset()
    if machine.rules.shares_cycle_state():
        return _READING_SHARED if scope.reserves else frozenset()
    return _READING


def _read(machine: Any, before: State, action: Action) -> str:
    """What the plugin reads."""
    return before.plugin_context if machine.rules.shares_cycle_state() else binding(before, action).cycle_state


def reads_its_own(machine: Any, before: State, action: Action, after: State) -> bool:
    return _read(machine, before, action) == binding(before, action).pod.uid


def _explain(machine: Any, before: State, action: Action, after: State) -> str:
    read = _read(machine, before, action)
    found = f"what was written for {read}" if "#" in read else f"it {read}" if read else "nothing"
    pod = binding(before, action).pod.uid
    return f"at {action.name} a plugin looks for what it has written for {pod}, and finds {found}"


READS_ITS_OWN = SetupInvariant(
    name="cycle-state-is-of-one-cycle",
    sentence="A plugin finds in the CycleState what it has written for the pod in the same attempt.",
    broken_by=("one_for_all_cycles", "changes_the_state"),
    actions=_actions,
    holds=reads_its_own,
    premise=lambda machine, before, action, after: True,
    explain=_explain,
)


def changes_the_state() -> bool:
    """A mutant: a filter does without `Clone`."""
    return True
