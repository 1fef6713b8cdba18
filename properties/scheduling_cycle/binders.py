"""Who binds a pod: an extender that is interested in the pod, before the Bind plugin."""

from typing import Any

from model.machine import Action
from model.systems.scheduling_cycle import SchedulingCycle
from model.systems.scheduling_cycle.extender_binding import BIND_BY_EXTENDER
from model.systems.scheduling_cycle.records import CycleGoroutine
from model.systems.scheduling_cycle.scope import interested_binders
from model.world.api_server import place
from properties.property import SetupInvariant
from properties.scheduling.view import live, thread_of

State = SchedulingCycle

# The steps at which a binder is asked.
BINDING = frozenset({"bind", BIND_BY_EXTENDER})


def _interested(machine: Any, action: Action) -> list[int]:
    """The places of the extenders that are interested in the pod."""
    interested = interested_binders(machine.scope, place(str(action["pod"])))
    return [at for at, is_interested in enumerate(interested) if is_interested]


def binding(before: State, action: Action) -> CycleGoroutine:
    """The binding cycle that asks a binder."""
    goroutine = thread_of(before, action)
    assert isinstance(goroutine, CycleGoroutine)
    return goroutine


def _not_asked(machine: Any, before: State, action: Action) -> list[int]:
    """The extenders that are interested in the pod and that nobody has asked when the Bind plugin is asked."""
    return [at for at in _interested(machine, action) if at not in binding(before, action).asked]


MANAGED_BY_EXTENDER = SetupInvariant(
    name="interested-extender-is-asked-to-bind",
    sentence="The Bind plugin is asked only after each extender with the verb Bind that is interested in the pod.",
    broken_by=("only_the_first_binder",),
    actions=lambda machine: frozenset({"bind"} if machine.scope.binder_extenders else ()),
    holds=lambda machine, before, action, after: not _not_asked(machine, before, action),
    premise=lambda machine, before, action, after: bool(_interested(machine, action)),
    explain=lambda machine, before, action, after: (
        f"the scheduler binds {action['pod']} itself; extender {_not_asked(machine, before, action)[0] + 1} manages "
        "what the pod asks for, and is not asked"
    ),
)


def _asked_before(machine: Any, before: State, action: Action, after: State) -> bool:
    """Whether an extender was asked to bind the pod earlier in the same attempt."""
    return bool(binding(before, action).asked)


def nobody_has_bound(machine: Any, before: State, action: Action, after: State) -> bool:
    if not _asked_before(machine, before, action, after):
        return True
    goroutine = binding(before, action)
    current = live(before, goroutine.pod.name)
    return current is None or (current.uid, current.node_name) != (goroutine.pod.uid, goroutine.host)


def _explain_second(machine: Any, before: State, action: Action, after: State) -> str:
    goroutine = binding(before, action)
    who = "the scheduler posts a Binding itself" if action.name == "bind" else "the next extender is asked to bind it"
    return f"an extender has bound {goroutine.pod.uid} to {goroutine.host}, and {who}"


ONE_BINDER_BINDS = SetupInvariant(
    name="one-binder-binds",
    sentence="Once an extender has bound a pod, no other binder is asked in the same attempt.",
    broken_by=("ignorable_binder_is_passed_over",),
    actions=lambda machine: BINDING if machine.scope.binder_extenders else frozenset(),
    holds=nobody_has_bound,
    premise=_asked_before,
    explain=_explain_second,
)
