"""scheduling-cycle: scheduling with the framework's points from Reserve to PostBind, and waiting pods."""

from model.systems.scheduling_cycle.machine import SchedulingCycleMachine as SchedulingCycleMachine
from model.systems.scheduling_cycle.records import SchedulingCycle as SchedulingCycle
from model.systems.scheduling_cycle.rules import SchedulingCycleRules as SchedulingCycleRules
from model.systems.scheduling_cycle.scope import SchedulingCycleScope as SchedulingCycleScope
