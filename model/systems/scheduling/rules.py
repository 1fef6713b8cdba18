"""All rules of the system scheduling in one choice, and what the scheduler is configured with. Pure data."""

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from attrs import define, fields, frozen

from model.objects import Node, Pod
from model.releases import from_outside
from model.scheduler.cache import assumed
from model.scheduler.cache.state import CacheRules
from model.scheduler.calls import Calls, move_all
from model.scheduler.cycle import (
    INTER_POD_AFFINITY,
    NODE_RESOURCES_FIT,
    NODE_UNSCHEDULABLE,
    CycleRules,
)
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import StartRules
from model.scheduler.events_to_register import NodeUnschedulableRules
from model.scheduler.extender import ExtenderRules
from model.scheduler.node_handlers import told_of_node_with_hints
from model.scheduler.pod_handlers import Tells
from model.scheduler.pod_requests import ResizeRules
from model.scheduler.preemption.node_resources_fit import FitRules
from model.scheduler.preemption.objects import PreemptionPod
from model.scheduler.preemption.writes import PodStatus
from model.scheduler.queue.events import (
    ADD,
    DELETE,
    UPDATE_NODE_ALLOCATABLE,
    ClusterEvent,
    Registration,
)
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig
from model.scheduler.queueing_hint_map import OF_EXTENDERS
from model.scheduler.told_rules import NODE_DELETE
from model.systems.scheduling.hints import HintRules, registrations
from model.systems.scheduling.scope import SchedulingScope
from model.which_rule import answer_to, ask, is_in

# What NodeResourcesFit waits for (EventsToRegister).
REGISTERED: tuple[Registration, ...] = (
    Registration(NODE_RESOURCES_FIT, ClusterEvent("Pod", DELETE)),
    Registration(NODE_RESOURCES_FIT, ClusterEvent("Node", ADD | UPDATE_NODE_ALLOCATABLE)),
)


# In these fields a rule from outside is given nothing of the queue's state, or of the cache's. In every other field of
# QueueRules and CacheRules it is.
NOT_GIVEN_THE_QUEUE = frozenset(
    {
        "queue_timestamp", "already_present_error", "strip_for_queue", "event_of_interest", "unschedulable_time_limit",
        "nominate_added", "nominate_waiting", "nominate_for_node", "pop_lock",
    }
)  # fmt: skip
NOT_GIVEN_THE_CACHE = frozenset({"assumed_pod_ttl", "binding_deadline", "cached_pod_text"})
GIVEN_A_NODE_INFO = frozenset({"pre_check", "fits_node"})
GIVEN_NODES_IN_ORDER = frozenset({"prefer", "extender_filter"})
_TIMESTAMP = answer_to("queue_timestamp", 1)
_NO_MARK = is_in("mark_finished_binding", (assumed.no_mark,))
# spec.schedulerName of the pods of the other scheduler, in the eyes of each of the two.
OTHER_SCHEDULER = "other"
COUNTED = 3  # attempts, and cycles since, unless the scope says another number


def _field_names(rules_class: type[Any]) -> frozenset[str]:
    return frozenset(field.name for field in fields(rules_class))


QUEUE_FIELDS = _field_names(QueueRules) | _field_names(QueueingHintRules)


@frozen(slots=False, kw_only=True)
class SchedulingRules(
    QueueRules,
    NominatorRules,
    CacheRules,
    EventRules,
    CycleRules,
    NodeUnschedulableRules,
    ExtenderRules,
    StartRules,
    FitRules,
    HintRules,
    ResizeRules,
):
    """Every rule that the system follows."""

    # As in `PreemptRules`.
    terminating_pod_counts: Callable[[PreemptionPod], bool]
    # As in `WriteRules`.
    status_of_victim: Callable[[PodStatus, PodStatus], PodStatus | None]
    # As in `WaitingVictimRules`.
    missing_victim_is_an_error: Callable[[], bool]


@define(frozen=True, slots=False, eq=False)
class SchedulingSetup:
    """Scope and rules, and what follows from them. Equal to itself alone, which is quick to look things up by."""

    scope: SchedulingScope
    rules: SchedulingRules
    # Rules besides those of the releases of which it is known that they read nothing that reductions drop.
    known: Collection[Callable[..., Any]] = ()

    @cached_property
    def outside(self) -> frozenset[str]:
        """The fields whose rule is from outside: nobody knows what the rule reads of what it is given."""
        return from_outside(self.rules, self.known)

    @cached_property
    def queue_is_read(self) -> bool:
        """Whether a rule from outside is given the queue or a record of it."""
        return bool(self.outside & QUEUE_FIELDS - NOT_GIVEN_THE_QUEUE)

    @cached_property
    def cache_is_read(self) -> bool:
        """Whether a rule from outside is given the cache or a part of it."""
        return bool(self.outside & (_field_names(CacheRules) - NOT_GIVEN_THE_CACHE | GIVEN_A_NODE_INFO))

    @cached_property
    def node_order_is_read(self) -> bool:
        """Whether a rule from outside is given nodes in the order in which the cache lists them."""
        return self.cache_is_read or bool(self.outside & GIVEN_NODES_IN_ORDER)

    @property
    def counted(self) -> int:
        """Up to which number attempts and cycles since are told apart for a rule from outside."""
        return self.scope.attempts or COUNTED

    @cached_property
    def queue(self) -> QueueSetup:
        """The queue's rules and configuration.

        With `clock`, `--pod-initial-backoff-seconds` and `--pod-max-backoff-seconds` are both half of the time after
        which leftover pods are flushed: a backoff that does not grow, which leaves few distances in time to explore.
        Without, they are 0: a pod that is moved may be popped at once.
        """
        timeout = 60_000
        # Without `clock` no time passes, so no known rule reads how long a pod may be left over.
        if self.scope.clock or self.scope.flush or self.outside:
            timeout = ask(self.rules, answer_to("unschedulable_time_limit", QueueConfig())) or timeout
        backoff = timeout // 2 if self.scope.clock else 0
        if not self.gate:
            return QueueSetup(self.rules, self.rules, QueueConfig(backoff, backoff, timeout, self.registered))
        # A backoff ends at any moment, and not with a whole second: a window is one moment.
        config = QueueConfig(backoff, backoff, timeout, self.registered, backoff_window=1)
        pops = ask(self.rules, answer_to("pop_from_backoff_q"))
        return QueueSetup(self.rules, self.rules, config, self.rules, True, pop_from_backoff=pops)

    @cached_property
    def gate(self) -> bool:
        """Whether SchedulerQueueingHints is on: see model/systems/scheduling/hints.py."""
        return bool(ask(self.rules, answer_to("hints_stay_on")))

    @property
    def registered(self) -> tuple[Registration, ...]:
        """What the plugins wait for that may reject a pod in the scope, and what InterPodAffinity always waits for.

        An event that a plugin waits for is a move request, whether or not the plugin rejected a pod.
        """
        found = registrations(self.scope, self.rules) if self.gate else self._registered_without_gate()
        return (*found, *OF_EXTENDERS) if self.has_extenders else found

    def _registered_without_gate(self) -> tuple[Registration, ...]:
        named = {INTER_POD_AFFINITY: ask(self.rules, answer_to("interpod_events", False))}
        if self.scope.cordons:
            named[NODE_UNSCHEDULABLE] = ask(self.rules, answer_to("unschedulable_events"))
        return (*REGISTERED, *(Registration(plugin, event) for plugin, events in named.items() for event in events))

    @property
    def has_extenders(self) -> bool:
        """Whether an extender is configured, whatever its verb (`len(f.extenders) > 0`, framework/runtime)."""
        return bool(self.scope.extender)

    @cached_property
    def finishes_bindings(self) -> bool:
        """Whether the cache is told that a binding is finished (`FinishBinding`, up to 1.35)."""
        return not ask(self.rules, _NO_MARK)

    @cached_property
    def one_pod_handler(self) -> bool:
        """Whether one handler hears of every pod (1.35 on)."""
        return bool(ask(self.rules, answer_to("one_pod_handler")))

    @cached_property
    def forgets_deleted_assumed_pods(self) -> bool:
        """Whether the cache forgets an assumed pod as soon as the pod is deleted (1.35 on)."""
        return bool(ask(self.rules, answer_to("forgets_deleted_assumed_pod")))

    @property
    def assigned_pod_with_hints(self) -> Tells | None:
        """Whom the handlers tell of an assigned pod; None with the gate off."""
        return self.rules.assigned_pod_with_hints if self.gate else None

    def told_of_node(self, calls: Calls, old: Node | None, new: Node | None, /) -> Calls:
        """The calls of the node handler. With the gate on pods hear also of a node that goes."""
        if not self.gate:
            return calls
        if new is None and "queue" in self.rules.node_deleted():
            calls = (move_all(NODE_DELETE), *calls)
        return told_of_node_with_hints(self.queue, self.rules.pre_check_with_hints(), calls, old, new)

    @property
    def several_zones(self) -> bool:
        """Whether nodes are in several zones."""
        return self.scope.node_zones > 1

    @property
    def keeps_times(self) -> bool:
        """Whether the release's queue keeps timestamps (not 1.13's)."""
        return bool(ask(self.rules, _TIMESTAMP))

    def clears_nomination(self) -> bool:
        """Whether the API server clears status.nominatedNodeName of a pod that gets bound."""
        return self.rules.clears_nomination_of_bound()

    def requests_may_grow(self) -> bool:
        """Whether the API server lets the requests of a pod grow."""
        return self.rules.requests_may_grow()

    def scheduler_name(self, at: int, incarnation: int) -> str:
        """Every second pod names the other scheduler, if there is one of another name."""
        return OTHER_SCHEDULER if self.scope.second == 2 and at % 2 else ""

    def reject_waiting_pod(self, state: Any, pod: Pod, /) -> tuple[bool, Any]:
        """No pod is in the map of those that wait at Permit."""
        return False, state
