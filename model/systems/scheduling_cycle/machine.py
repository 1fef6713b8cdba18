"""scheduling-cycle as a transition system: scheduling, with every point of the framework after the filters."""

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from attrs import fields

from model.evolve import evolve
from model.machine import Action
from model.releases import from_outside
from model.scheduler.queue.events import UNSCHEDULABLE_TIMEOUT
from model.scheduler.queue.state import InFlightEvent, Queue
from model.systems.scheduling.actors import Actors
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling_cycle import symmetry
from model.systems.scheduling_cycle.actors import SCHEDULING_CYCLE, STEPS
from model.systems.scheduling_cycle.records import SchedulingCycle, Searches
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, named_nodes
from model.variables import touched
from model.world.symmetry import Naming


class SchedulingCycleMachine(SchedulingMachine):
    """The system in a scope, under the rules of a release or of a proposed fix."""

    scope: SchedulingCycleScope
    rules: SchedulingCycleRules

    who: ClassVar[Actors] = SCHEDULING_CYCLE
    naming: ClassVar[Naming] = symmetry.NAMING
    action_names = tuple(STEPS)

    @cached_property
    def setup(self) -> CycleSetup:
        return CycleSetup(self.scope, self.rules, self.known)

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return symmetry.sorts(self.scope)

    @cached_property
    def symmetric(self) -> bool:
        """As in scheduling; but a mutant of `named_nodes` is known, is given names in order, and may prefer one."""
        prefers = bool(self.scope.named_nodes) and "named_nodes" in from_outside(self.rules)
        return super().symmetric and not prefers

    def initial_states(self) -> tuple[SchedulingCycle, ...]:
        """As in scheduling; nothing is reserved, and nobody waits."""
        names = [field.name for field in fields(Scheduling)]
        named = named_nodes(self.scope)
        return tuple(
            SchedulingCycle(
                **{name: getattr(state, name) for name in names},
                reservations=(),
                waiting_pods=(),
                named=named,
                searches=Searches() if self.scope.quota else None,
            )
            for state in super().initial_states()
        )

    def step(self, state: Scheduling, action: Action) -> Scheduling:
        after = super().step(state, action)
        if self.setup.queue_is_read or not touched(after.queue, state.queue, "in_flight_events"):
            return after
        if after.queue.in_flight_events.count(_FLUSH) < 2:
            return after
        return evolve(after, queue=_with_one_flush(after.queue))


_FLUSH = InFlightEvent(UNSCHEDULABLE_TIMEOUT)


def _with_one_flush(queue: Queue) -> Queue:
    """The queue whose `inFlightEvents` have no flush right behind a flush (1.32 on).

    While a pod waits in its binding, before Done, pods that fit nowhere are flushed and tried without end. Who asks for
    the events since its Pop learns the same from one flush as from two.
    """
    events = queue.in_flight_events
    kept = (each for at, each in enumerate(events) if each != _FLUSH or not at or events[at - 1] != _FLUSH)
    return evolve(queue, in_flight_events=tuple(kept))
