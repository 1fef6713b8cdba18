"""All rules of the system queueing-hints in one choice, and what the scheduler is configured with. Pure data."""

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from attrs import define, frozen

from model.objects import Node, Pod
from model.releases import from_outside
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheRules
from model.scheduler.calls import Calls
from model.scheduler.done import DoneRules
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import FitEventsRules, FitEventsWithHintsRules, SchedulingGatesRules
from model.scheduler.hint_functions import OwnPodHintRules, PreCheckWithHintsRules
from model.scheduler.inter_pod_affinity import InterPodAfterPodRules, InterPodEventsRules
from model.scheduler.node_plugin_events import NodePluginRules
from model.scheduler.pod_handlers import PodHandlerRules, Tells
from model.scheduler.queue import pre_enqueue
from model.scheduler.queue.events import Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, SCHEDULING_GATES, PreEnqueuePlugin, PreEnqueueRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from model.scheduler.queueing_hint_map import QueueingHintMapRules
from model.scheduler.told_rules import AssignedPodRules
from model.systems.queueing_hints.plugins import PENDING as PENDING, PERMIT as PERMIT, PLUGINS as PLUGINS, registrations
from model.systems.queueing_hints.scope import GATE_DEFAULT, GATE_OFF, GATE_ON, QueueingHintsScope
from model.which_rule import answer_to, ask

# What `pre_check` is asked of: which node it is does not matter.
_A_NODE = NodeInfo("n1")


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
    FitEventsRules,
    FitEventsWithHintsRules,
    NodePluginRules,
    QueueingHintMapRules,
    InterPodEventsRules,
    InterPodAfterPodRules,
    OwnPodHintRules,
    PreCheckWithHintsRules,
    AssignedPodRules,
    PodHandlerRules,
):
    """Every rule that the system follows."""


@define(frozen=True, slots=False, eq=False)
class HintsSetup:
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
        once. A backoff ends at any moment, and not with a whole second: see the scope.
        """
        timeout = 60_000
        # Without `clock` no time passes, so no known rule reads how long a pod may be left over.
        if self.scope.clock or self.scope.flush or self.outside:
            timeout = ask(self.rules, answer_to("unschedulable_time_limit", QueueConfig())) or timeout
        backoff = timeout // 2 if self.scope.clock else 0
        config = QueueConfig(backoff, backoff, timeout, self.registered, backoff_window=1)
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
        """What the plugins wait for, with their hint functions."""
        return registrations(self.scope, self.rules, self.gate)

    @property
    def checks_nodes(self) -> bool:
        """Whether `preCheckForNode` keeps pods from hearing of an event of the node."""
        if not self.scope.pre_check or ask(self.rules, answer_to("pre_check", _A_NODE)) is None:
            return False
        return not self.gate or bool(ask(self.rules, answer_to("pre_check_with_hints")))

    @property
    def one_pod_handler(self) -> bool:
        """Whether one handler hears of every pod (1.35 on)."""
        return bool(ask(self.rules, answer_to("one_pod_handler")))

    @property
    def assigned_pod_with_hints(self) -> Tells | None:
        """Whom the handlers tell of an assigned pod; None with the gate off."""
        return self.rules.assigned_pod_with_hints if self.gate else None

    @property
    def several_zones(self) -> bool:
        return False

    @property
    def node_order_is_read(self) -> bool:
        return False

    @property
    def keeps_times(self) -> bool:
        return True

    @property
    def forgets_deleted_assumed_pods(self) -> bool:
        """Left out: an assumed pod that is deleted stays in the cache until its binding has failed."""
        return False

    def told_of_node(self, calls: Calls, old: Node | None, new: Node | None, /) -> Calls:
        """There is no handler of nodes."""
        return calls

    def reject_waiting_pod(self, state: Any, pod: Pod, /) -> tuple[bool, Any]:
        """No pod is in the map of those that wait at Permit."""
        return False, state
