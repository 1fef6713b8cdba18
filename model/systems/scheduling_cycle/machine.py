"""scheduling-cycle as a transition system: scheduling, with every point of the framework after the filters."""

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from attrs import fields

from model.releases import from_outside
from model.systems.scheduling.actors import Actors
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling_cycle import symmetry
from model.systems.scheduling_cycle.actors import SCHEDULING_CYCLE, STEPS
from model.systems.scheduling_cycle.records import SchedulingCycle, Searches
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, named_nodes
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
