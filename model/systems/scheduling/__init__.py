"""scheduling: queue, nominator, cache, cycle and binder of the scheduler, with API server, informers and users."""

from model.systems.scheduling.machine import SchedulingMachine as SchedulingMachine
from model.systems.scheduling.records import Scheduling as Scheduling
from model.systems.scheduling.rules import SchedulingRules as SchedulingRules
from model.systems.scheduling.scope import SchedulingScope as SchedulingScope
