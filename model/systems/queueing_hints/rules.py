"""All rules of the system queueing-hints in one choice, and what the scheduler is configured with. Pure data."""

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from attrs import define, frozen

from model.releases import from_outside
from model.scheduler.cache.state import CacheRules
from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.done import DoneRules
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import SchedulingGatesRules
from model.scheduler.queue import pre_enqueue
from model.scheduler.queue.events import (
    ADD,
    DELETE,
    NODE_ALLOCATABLE_CHANGE,
    NODE_LABEL_CHANGE,
    NODE_TAINT_CHANGE,
    RESOURCE_CLAIM_UPDATE,
    UPDATE,
    ClusterEvent,
    Registration,
    queue_after_backoff,
    queue_immediately,
)
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, SCHEDULING_GATES, PreEnqueuePlugin, PreEnqueueRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from model.systems.queueing_hints.scope import GATE_DEFAULT, GATE_OFF, GATE_ON, QueueingHintsScope
from model.which_rule import answer_to, ask

# The plugins that may reject a pod, in this order, and the event by which each hears that its condition has changed.
PLUGINS: tuple[tuple[str, ClusterEvent], ...] = (
    (NODE_RESOURCES_FIT, NODE_ALLOCATABLE_CHANGE),
    ("NodeAffinity", NODE_LABEL_CHANGE),
    ("TaintToleration", NODE_TAINT_CHANGE),
)
# The plugin that has a pod wait at Permit. It waits for other pods of the group.
PERMIT = "Coscheduling"
# The plugin that leaves a pod pending in Reserve, and its event. Up to 1.31 it waits there for a driver to allocate.
# From 1.32 on no plugin of Kubernetes itself leaves a pod pending; one from outside may.
PENDING: tuple[str, ClusterEvent] = (DYNAMIC_RESOURCES, RESOURCE_CLAIM_UPDATE)


@frozen(slots=False, kw_only=True)
class QueueingHintsRules(
    QueueRules,
    NominatorRules,
    CacheRules,
    EventRules,
    QueueingHintRules,
    DoneRules,
    PreEnqueueRules,
    SchedulingGatesRules,
):
    """Every rule that the system follows."""


@define(frozen=True, slots=False, eq=False)
class Setup:
    """Scope and rules, and what follows from them. Equal to itself alone, which is quick to look things up by."""

    scope: QueueingHintsScope
    rules: QueueingHintsRules
    # Rules besides those of the releases of which it is known that they read nothing that reductions drop.
    known: Collection[Callable[..., Any]] = ()

    @cached_property
    def outside(self) -> frozenset[str]:
        """The fields whose rule is from outside: nobody knows what the rule reads of what it is given."""
        return from_outside(self.rules, self.known)

    @cached_property
    def queue(self) -> QueueSetup:
        """The queue's rules and configuration.

        With `clock` both backoffs are half of the time after which leftover pods are flushed: a backoff that does not
        grow, which leaves few distances in time to explore. Without, they are 0: a pod that is moved may be popped at
        once.
        """
        timeout = 60_000
        # Without `clock` no time passes, so no known rule reads how long a pod may be left over.
        if self.scope.clock or self.scope.flush or self.outside:
            timeout = ask(self.rules, answer_to("unschedulable_time_limit", QueueConfig())) or timeout
        backoff = timeout // 2 if self.scope.clock else 0
        config = QueueConfig(backoff, backoff, timeout, self.registered)
        pops = self.scope.pop_from_backoff != GATE_OFF and self.rules.pop_from_backoff_q()
        return QueueSetup(self.rules, self.rules, config, self.rules, self.gate, self.pre_enqueue, self.rules, pops)

    @cached_property
    def pre_enqueue(self) -> tuple[PreEnqueuePlugin, ...]:
        """The plugins that may hold a pod back, in the order in which they are asked."""
        asked = {SCHEDULING_GATES: self.scope.gates, DYNAMIC_RESOURCES: self.scope.claims}
        if not any(asked.values()):
            return ()
        return tuple(pre_enqueue.PLUGINS[name] for name in self.rules.pre_enqueue_order() if asked[name])

    @cached_property
    def gate(self) -> bool:
        """Whether SchedulerQueueingHints is on."""
        given = self.scope.gate
        return ask(self.rules, answer_to("queueing_hints_default")) if given == GATE_DEFAULT else given == GATE_ON

    @cached_property
    def registered(self) -> tuple[Registration, ...]:
        """What the plugins wait for. Only DynamicResources has a hint function. Each says that a try is worth it."""
        found = tuple(Registration(plugin, event) for plugin, event in PLUGINS[: self.scope.plugins])
        if self.scope.plugins:
            found = (Registration(NODE_RESOURCES_FIT, ClusterEvent("Pod", DELETE)), *found)
        if self.scope.permits:
            found = (*found, Registration(PERMIT, ClusterEvent("Pod", ADD)))
        if self.scope.gates:
            found = (*found, *(Registration(SCHEDULING_GATES, event) for event in self.rules.gates_events(self.gate)))
        if self.scope.claims or self.scope.pending:
            # Of these functions 1.28 lets the pod back off no more; later it is the status Pending that does.
            hint = queue_immediately if self.gate else queue_after_backoff
            found = (*found, Registration(DYNAMIC_RESOURCES, ClusterEvent("ResourceClaim", ADD | UPDATE), hint))
        return found

    @property
    def several_zones(self) -> bool:
        return False

    @property
    def keeps_times(self) -> bool:
        return True
