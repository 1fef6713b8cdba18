"""All rules of the system scheduling in one choice, and what the scheduler is configured with. Pure data."""

from functools import cached_property

from attrs import define, frozen

from model.scheduler.cache.state import CacheRules
from model.scheduler.cycle import EXTENDER_NAME, NODE_RESOURCES_FIT, CycleRules
from model.scheduler.event_rules import EventRules
from model.scheduler.extender import ExtenderRules
from model.scheduler.queue.events import ADD, ALL, DELETE, UPDATE_NODE_ALLOCATABLE, ClusterEvent, Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from model.systems.scheduling.scope import SchedulingScope

# What the plugins of the model wait for (EventsToRegister of NodeResourcesFit); an extender's rejection, for anything.
REGISTERED = (
    Registration(NODE_RESOURCES_FIT, ClusterEvent("Pod", DELETE)),
    Registration(NODE_RESOURCES_FIT, ClusterEvent("Node", ADD | UPDATE_NODE_ALLOCATABLE)),
    Registration(EXTENDER_NAME, ClusterEvent("*", ALL)),
)


@frozen(slots=False, kw_only=True)
class SchedulingRules(QueueRules, NominatorRules, CacheRules, EventRules, CycleRules, ExtenderRules):
    """Every rule that the system follows."""


@define(frozen=True, slots=False, eq=False)
class Setup:
    """Scope and rules, and what follows from them. Equal to itself alone, which is quick to look things up by."""

    scope: SchedulingScope
    rules: SchedulingRules

    @cached_property
    def queue(self) -> QueueSetup:
        """The queue's rules and configuration.

        With `clock`, `--pod-initial-backoff-seconds` and `--pod-max-backoff-seconds` are both half of the time after
        which leftover pods are flushed: a backoff that does not grow, which leaves few distances in time to explore.
        Without, they are 0: a pod that is moved may be popped at once.
        """
        timeout = self.rules.unschedulable_time_limit(QueueConfig()) or 60_000
        backoff = timeout // 2 if self.scope.clock else 0
        config = QueueConfig(backoff, backoff, timeout, REGISTERED)
        return QueueSetup(self.rules, self.rules, config)

    @property
    def keeps_times(self) -> bool:
        """Whether the release's queue keeps timestamps (not 1.13's)."""
        return bool(self.rules.queue_timestamp(1))
