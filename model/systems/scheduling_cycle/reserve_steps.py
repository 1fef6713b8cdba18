"""Reserve and Unreserve: what plugins hold for a pod from the choice of the host to the end of the binding.

Go: RunReservePlugins, RunUnreservePlugins (1.14 to 1.18), RunReservePluginsReserve, RunReservePluginsUnreserve (1.19
on). Nobody but the plugin itself reads what it holds, so the calls of all plugins of a point are one step.
"""

from collections.abc import Iterator
from typing import Any

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.places import Place
from model.scheduler import waiting_pods
from model.scheduler.framework.plugin_calls import made_call
from model.systems.scheduling.step import BINDING, CYCLE, OwnStep
from model.systems.scheduling_cycle.hosts import choose_host, hosts
from model.systems.scheduling_cycle.permit_steps import of_group
from model.systems.scheduling_cycle.records import CycleGoroutine, Reservation, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import (
    FAILURES,
    POWER_OF_FAILURE,
    UNSCHEDULABLE,
    VOLUMES,
    Stepped,
    fails,
    may_fail,
    when_plugins_fail,
)
from model.world.goroutines import Choice, own_step


def _answers(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    """All plugins succeed; or the first ones do, and the next one fails."""
    for host in hosts(goroutine):
        yield host
        if may_fail(setup, state):
            for plugin in range(1, setup.scope.reserves + 1):
                for failure in FAILURES:
                    yield (*host, ("plugin", plugin), *failure)


def reserve(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """Reserve of each plugin in turn. One that fails holds nothing, and the next ones are not asked."""
    arguments = {} if action is None else dict(action.args)
    goroutine = choose_host(goroutine, arguments)
    failed_at = int(arguments.get("plugin", 0))
    holding = failed_at - 1 if failed_at else setup.scope.reserves
    for plugin in range(1, (failed_at or setup.scope.reserves) + 1):
        made_call("Reserve", plugin)
    taken = (Reservation(plugin, goroutine.pod.uid, goroutine.host) for plugin in range(1, holding + 1))
    # A plugin keeps what it holds by pod and node: of two attempts that reserve alike it holds one thing.
    state = evolve(state, reservations=tuple(sorted({*state.reservations, *taken}, key=repr)))
    if setup.scope.cycle_state and setup.rules.shares_cycle_state():
        state = evolve(state, plugin_context=goroutine.pod.uid)
    goroutine = evolve(goroutine, reserved=holding)
    if not failed_at:
        return state, goroutine
    state = evolve(state, used=state.used.once_more("failures"))
    met_error("Reserve", f"plugin {failed_at} fails", goroutine.pod.uid)
    rejected = arguments["fails"] == UNSCHEDULABLE
    undo = setup.rules.after_failed_reserve()
    return state, fails(setup, goroutine, undo, "reserve" if rejected else None)


def unreserve(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """Unreserve of each plugin in turn; one that holds nothing for the pod on this node does nothing.

    A plugin that knows of groups rejects the other waiting pods of the group.
    """
    plugins = range(1, setup.scope.reserves + 1)
    for plugin in reversed(plugins) if setup.rules.unreserves_in_reverse() else plugins:
        made_call("Unreserve", plugin)
    reverts = bool(setup.scope.volumes and setup.rules.unreserve_reverts_volumes())
    if reverts:
        made_call("Unreserve", VOLUMES)
    own = goroutine.assumed_pod.uid, goroutine.host
    left = tuple(
        each for each in state.reservations if (each.uid, each.node) != own or (each.plugin == VOLUMES and not reverts)
    )
    waiting = state.waiting_pods
    for other in of_group(setup, waiting, goroutine.assumed_pod):
        waiting = waiting_pods.add(waiting, waiting_pods.reject(setup.rules, other))
    return evolve(state, reservations=left, waiting_pods=waiting), evolve(goroutine, reserved=0)


def _shared(scope: Any) -> bool:
    """Whether others see what Unreserve does."""
    return bool(scope.fine or scope.groups)


_RESERVE_GO: Place = (
    ("1.13.0", "scheduler.go scheduleOne"),
    ("1.15.0-alpha.1", "framework.go RunReservePlugins"),
    ("1.19.0-alpha.1", "framework.go RunReservePluginsReserve"),
)
_UNRESERVE_GO: Place = (
    ("1.13.0", "framework.go RunUnreservePlugins"),
    ("1.19.0-alpha.1", "framework.go RunReservePluginsUnreserve"),
)
STEPS: tuple[OwnStep, ...] = (
    own_step(
        reserve,
        CYCLE,
        place=_RESERVE_GO,
        chooses=("node", "plugin", "fails"),
        options=_answers,
        part_of=("assume",),
        why="it touches what the plugins hold only, `assume` the cache only",
        apart=when_plugins_fail,
        needs=lambda scope: scope.reserves,
        power_of_choice=POWER_OF_FAILURE,
        by_rule=True,
    ),
    own_step(
        unreserve,
        CYCLE,
        BINDING,
        place=_UNRESERVE_GO,
        part_of=(
            "reserve",
            "permit",
            "wait_on_permit",
            "pre_bind",
            "bind_failed",
            "assume_volumes",
            "bind_volumes",
            "record_failure",
            "add_nominated_pod",
        ),
        why="nobody else reads what the plugins hold",
        apart=_shared,
        needs=lambda scope: scope.reserves or scope.groups or scope.volumes,
        by_rule=True,
    ),
)
