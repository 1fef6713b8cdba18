"""The volumes of a pod: they are assumed on the host, bound before the pod is, and reverted if the attempt fails.

Go: up to 1.18 assumeVolumes and bindVolumes in pkg/scheduler/scheduler.go, then Reserve, PreBind and Unreserve of the
plugin VolumeBinding, which is asked before all other plugins here. What is assumed is a reservation of plugin 0.
"""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.places import Place
from model.scheduler.framework.plugin_calls import made_call
from model.systems.scheduling.step import BINDING, CYCLE, OwnStep
from model.systems.scheduling_cycle.hosts import choose_host, hosts
from model.systems.scheduling_cycle.records import CycleGoroutine, Reservation, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.step import (
    ERROR,
    POWER_OF_FAILURE,
    VOLUMES,
    Stepped,
    canceled,
    fails,
    may_fail,
    when_plugins_fail,
)
from model.world.goroutines import Choice, own_step

_FAILS: Choice = (("fails", ERROR),)


def _of_assume(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    for host in hosts(goroutine):
        yield host
        if may_fail(setup, state):
            yield (*host, *_FAILS)


def assume_volumes(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """AssumePodVolumes: from now on the volumes count as those of the pod. If it fails, it has assumed nothing."""
    arguments = {} if action is None else dict(action.args)
    goroutine = choose_host(goroutine, arguments)
    made_call("Reserve", VOLUMES)
    if "fails" not in arguments:
        taken = Reservation(VOLUMES, goroutine.pod.uid, goroutine.host)
        return evolve(state, reservations=tuple(sorted({*state.reservations, taken}, key=repr))), goroutine
    met_error("AssumePodVolumes", "a volume cannot be assumed", goroutine.pod.uid)
    state = evolve(state, used=state.used.once_more("failures"))
    return state, fails(setup, goroutine, setup.rules.after_failed_reserve())


def _of_bind(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Iterator[Choice]:
    yield ()
    if may_fail(setup, state):
        yield _FAILS


def bind_volumes(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """BindPodVolumes. What was assumed is bound then, which nobody takes back, or the binder reverts it by itself."""
    made_call("PreBind", VOLUMES)
    own = Reservation(VOLUMES, goroutine.pod.uid, goroutine.host)
    state = evolve(state, reservations=tuple(each for each in state.reservations if each != own))
    if goroutine.canceled:
        return state, canceled(setup, goroutine)
    if action is None or "fails" not in dict(action.args):
        return state, goroutine
    met_error("BindPodVolumes", "a volume cannot be bound", goroutine.pod.uid)
    state = evolve(state, used=state.used.once_more("failures"))
    return state, fails(setup, goroutine, setup.rules.after_failed_volumes(), binding=True)


_ASSUME_GO: Place = (
    ("1.13.0", "scheduler.go assumeVolumes"),
    ("1.17.0-alpha.1", "scheduler.go scheduleOne"),
    ("1.19.0-alpha.1", "volume_binding.go Reserve"),
)
_BIND_GO: Place = (("1.13.0", "scheduler.go bindVolumes"), ("1.19.0-alpha.1", "volume_binding.go PreBind"))
STEPS: tuple[OwnStep, ...] = (
    own_step(
        assume_volumes,
        CYCLE,
        place=_ASSUME_GO,
        chooses=("node", "fails"),
        options=_of_assume,
        part_of=("assume",),
        why="it touches what is held for pods only, `assume` the cache only",
        apart=when_plugins_fail,
        needs=lambda scope: scope.volumes,
        power_of_choice=POWER_OF_FAILURE,
    ),
    own_step(
        bind_volumes,
        BINDING,
        place=_BIND_GO,
        chooses=("fails",),
        options=_of_bind,
        needs=lambda scope: scope.volumes,
        power_of_choice=POWER_OF_FAILURE,
    ),
)
