"""A scheduler of the models' components, at work on a clock: handlers, queue, cycles, bindings, flushes.

The queue, the handlers, what is skipped and where Done is called follow the rules of the release. What a release has no
rows for is the same for all: how long a cycle takes, that a pod fits or asks for more than any node has, and the order
of a failure's steps, which is that of `handleSchedulingFailure`.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count

from attrs import fields, frozen

from kubeproof.growth.clock import Clock
from kubeproof.growth.cluster import Cluster
from kubeproof.growth.hints import pre_check, registrations
from kubeproof.growth.meter import Meter
from model.evolve import evolve
from model.gates import HINTS
from model.objects import Node, Pod
from model.releases import NotModelledError, Release, has_rules, rules_for
from model.scheduler import eventhandlers
from model.scheduler.calls import MOVE_ALL, Call, Calls, move_all
from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.done import BindingPhase, DoneRules
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import PodNotification, on_assigned, on_unassigned
from model.scheduler.events_to_register import NODE_AFFINITY, HintedEventsRules
from model.scheduler.hint_objects import hinted_pod
from model.scheduler.pod_handlers import PodHandlerRules, on_pod, told_with_hints
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.events import ASSIGNED_POD_DELETE
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import PreEnqueueCheck, QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo
from model.scheduler.told_rules import NODE_DELETE, AssignedPodRules, NodeDeletedRules

GATE = HINTS.name
# How long the scheduling cycle of a pod takes, its PreBind plugins, and its Bind.
CYCLE_MS, PRE_BIND_MS, BIND_MS = 10, 5, 20
# How long a slow PreBind or Bind takes, unless somebody says otherwise.
SLOW_MS = 60_000
# One binding in so many is slow, by turns in PreBind and in Bind; one in so many fails.
SLOW_EVERY, ERROR_EVERY = 10, 20
# What no node has.
TOO_MUCH_CPU = 1_000_000
_FLUSH_BACKOFF_MS, _FLUSH_UNSCHEDULABLE_MS = 1_000, 30_000


@frozen(slots=False, kw_only=True)
class ToldRules(NodeDeletedRules, AssignedPodRules, PodHandlerRules):
    """Who is told that a node is gone, and that a bound pod came or changed, and by how many handlers of pods."""


# The rules that decide what a queue retains: which events it keeps and how long, and which events plugins wait for.
RULE_FIELDS = (
    *(each.name for of in (QueueingHintRules, DoneRules, HintedEventsRules, ToldRules) for each in fields(of)),
    "event_of_interest",
)


@frozen
class Rules:
    """What a scheduler of a release goes by, with the gate SchedulerQueueingHints on or off."""

    setup: QueueSetup
    events: EventRules
    told: ToldRules
    done: DoneRules
    # What a node that comes or changes is asked about each pod that waits (`preCheckForNode`); None: nothing.
    checks: Callable[[Node], PreEnqueueCheck] | None


def rules_of(release: Release, queueing_hints: bool | None = None, *, hint_functions: bool = True) -> Rules:
    """The rules of a release that has the gate. `queueing_hints`: the gate, None for the release's default.

    `hint_functions`: False: no hint function is asked, and each event counts as worth a try. Raises NotModelledError
    for a release without the gate.
    """
    if not has_rules(QueueingHintRules, release):
        raise NotModelledError(
            f"release '{release.text}' has no gate {GATE} in the models: expected {HINTS.since} or newer"
        )
    hints = rules_for(QueueingHintRules, release)
    on = hints.queueing_hints_default() if queueing_hints is None else queueing_hints
    config = QueueConfig(cluster_event_map=registrations(release, on, hint_functions))
    setup = QueueSetup(
        rules_for(QueueRules, release), rules_for(NominatorRules, release), config, hints, on,
        pop_from_backoff=hints.pop_from_backoff_q(),
    )  # fmt: skip
    events = rules_for(EventRules, release)
    return Rules(
        setup, events, rules_for(ToldRules, release), rules_for(DoneRules, release), pre_check(events, on, release)
    )


class Scheduler:
    """One scheduler, at work on a cluster from now on."""

    def __init__(self, rules: Rules, cluster: Cluster, clock: Clock, *, slow_ms: int = 0, errors: bool = False) -> None:
        """`slow_ms`: how long a slow PreBind or Bind takes; 0: none is slow."""
        self.rules = rules
        self.meter = Meter()
        self.queue = Queue()
        # How often each uid was popped, the number of its last Pop among all Pops, and how its last cycle ended.
        self.popped: Counter[str] = Counter()
        self.last_pop: dict[str, int] = {}
        self.ended: dict[str, str] = {}
        # The uids whose cycle or binding runs.
        self.running: Counter[str] = Counter()
        self._cluster, self._clock = cluster, clock
        self._slow_ms, self._errors = slow_ms, errors
        self._setup = rules.setup
        # The informer's store, by name; the cache's assumed and confirmed pods, by uid.
        self._store = dict(cluster.pods)
        self._bound = {pod.uid for pod in cluster.pods.values() if pod.node_name}
        self._assumed: set[str] = set()
        self._handlers = (on_pod,) if rules.told.one_pod_handler() else (on_assigned, on_unassigned)
        self._busy = False
        self._pops, self._bindings = count(1), count(1)
        cluster.tell(self._pod_changed, self._node_changed)
        clock.every(_FLUSH_BACKOFF_MS, self._flush_backoff)
        clock.every(_FLUSH_UNSCHEDULABLE_MS, self._flush_unschedulable)

    # -------------------------------------------------------------- the queue

    def _becomes(self, new: Queue) -> None:
        self.queue = new
        self.meter.look(new)

    def _done(self, uid: str) -> None:
        self._becomes(queue.done(self._setup, self.queue, uid))

    def _flush_backoff(self) -> None:
        self._becomes(queue.flush_backoff_q_completed(self._setup, self.queue, self._clock.now))
        self._schedule_one()

    def _flush_unschedulable(self) -> None:
        self._becomes(queue.flush_unschedulable_q_leftover(self._setup, self.queue, self._clock.now))
        self._schedule_one()

    # -------------------------------------------------------------- the handlers

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None:
            self._store[new.name] = new
        elif old is not None:
            self._store.pop(old.name, None)
        told = PodNotification(old, new)
        for handler in self._handlers:
            self._execute(self._begun(handler(self.rules.events, told)))
        self.meter.event_came(self._clock.now)
        self._schedule_one()

    def _begun(self, calls: Calls) -> Calls:
        """The calls of a handler of pods. From 1.31 on the gate has every pod that waits told of an assigned pod."""
        if not self._setup.queueing_hints:
            return calls
        return told_with_hints(self._setup, self.rules.told.assigned_pod_with_hints, calls)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        calls = eventhandlers.on_node(self.rules.events, old, new)
        if new is None:
            # The cache of the runs has no nodes.
            calls = tuple(move_all(NODE_DELETE) for told in self.rules.told.node_deleted() if told == "queue")
        self._execute(tuple(self._told(call, old, new) for call in calls))
        self.meter.event_came(self._clock.now)
        self._schedule_one()

    def _told(self, call: Call, old: Node | None, new: Node | None) -> Call:
        """A move with the node that changed, of the pods that the node suits where the release looks at that."""
        if call.function != MOVE_ALL:
            return call
        check = self.rules.checks(new) if self.rules.checks is not None and new is not None else None
        return Call(call.component, MOVE_ALL, (self._setup.event_of(call.args[0], old, new), check))

    def _execute(self, calls: Calls) -> None:
        while calls:
            calls = eventhandlers.after(self.rules.events, calls, self._answer(calls[0]))

    def _answer(self, call: Call) -> bool | None:
        """Do what the call says, and answer."""
        setup, now, args, lister = self._setup, self._clock.now, call.args, self._store.get
        match call.function:
            case "is_assumed_pod":
                return args[0].uid in self._assumed
            case "add_pod":
                self._assumed.discard(args[0].uid)
                self._bound.add(args[0].uid)
            case "remove_pod":
                self._bound.discard(args[0].uid)
                self._assumed.discard(args[0].uid)
            case "add":
                self._becomes(queue.add(setup, self.queue, args[0], now, lister))
            case "update":
                self._becomes(queue.update(setup, self.queue, args[0], args[1], now, lister))
            case "delete":
                self._becomes(queue.delete(setup, self.queue, args[0]))
            case "assigned_pod_added":
                self._becomes(queue.assigned_pod_added(setup, self.queue, args[0], now))
            case "assigned_pod_updated":
                self._becomes(queue.assigned_pod_updated(setup, self.queue, args[0], args[1], now))
            case "move_all_to_active_or_backoff_queue":
                self._becomes(queue.move_all_to_active_or_backoff_queue(setup, self.queue, now, *args))
            case "reject_waiting_pod":
                return False
        return None

    # -------------------------------------------------------------- a cycle

    def _schedule_one(self) -> None:
        """`ScheduleOne` until a pod is being scheduled or activeQ is empty."""
        while not self._busy:
            self._becomes(queue.discard_before_pop(self._setup, self.queue))
            if not queue.heads(self._setup, self.queue):
                return
            info, left = queue.pop(self._setup, self.queue)
            self._becomes(left)
            self.popped[info.pod.uid] += 1
            self.last_pop[info.pod.uid] = next(self._pops)
            if not self._skips(info.pod):
                self._busy = True
                self.running[info.pod.uid] += 1
                self._clock.after(CYCLE_MS, partial(self._cycle_ends, info))
                return
            why = "the pod was being deleted" if info.pod.terminating else "the pod was assumed"
            self.ended[info.pod.uid] = f"skipped, since {why}"
            if self.rules.done.done_when_skipped():
                self._done(info.pod.uid)

    def _skips(self, pod: Pod) -> bool:
        calls = self.rules.events.skip_pod_schedule(pod)
        while calls and calls[0].function != "schedule_pod":
            calls = eventhandlers.after(self.rules.events, calls, self._answer(calls[0]))
        return not calls

    def _cycle_ends(self, info: QueuedPodInfo) -> None:
        pod = info.pod
        if pod.cpu_milli >= TOO_MUCH_CPU:
            self._fails(evolve(info, unschedulable_plugins=frozenset({NODE_RESOURCES_FIT})), "no node fits")
        elif hinted_pod(pod).node_selector:
            self._fails(evolve(info, unschedulable_plugins=frozenset({NODE_AFFINITY})), "no node has the label")
        elif not self._cluster.nodes:
            self._fails(info, "there is no node")
        elif pod.uid in self._assumed or pod.uid in self._bound:
            self._fails(info, "the cache has the pod already")
        else:
            self._assumed.add(pod.uid)
            self._binds(info)
        self._busy = False
        self._schedule_one()

    def _binds(self, info: QueuedPodInfo) -> None:
        number = next(self._bindings)
        assumed = evolve(info.pod, node_name=next(iter(self._cluster.nodes)))
        if self.rules.done.done_in_binding() == "WaitOnPermit":
            self._done(info.pod.uid)
        slow: BindingPhase | None = None
        if self._slow_ms and number % SLOW_EVERY == 0:
            slow = "PreBind" if number // SLOW_EVERY % 2 else "Bind"
        fails = self._errors and number % ERROR_EVERY == 0

        def pre_bind_ends() -> None:
            if self.rules.done.done_in_binding() == "PreBind":
                self._done(info.pod.uid)
            self._clock.after(self._slow_ms if slow == "Bind" else BIND_MS, bind_ends)

        def bind_ends() -> None:
            nodes = tuple(self._cluster.nodes)
            if not fails and nodes and self._cluster.bind(info.pod, nodes[number % len(nodes)]):
                self.running[info.pod.uid] -= 1
                self.ended[info.pod.uid] = "bound"
                if self.rules.done.done_in_binding() == "Bind":
                    self._done(info.pod.uid)
                return
            self._assumed.discard(info.pod.uid)
            event = self._setup.event_of(ASSIGNED_POD_DELETE, assumed, None)
            self._becomes(queue.move_all_to_active_or_backoff_queue(self._setup, self.queue, self._clock.now, event))
            self._fails(info, "the binding failed")
            if self.rules.done.done_again_after_bind_error():
                self._done(info.pod.uid)
            self._schedule_one()

        self._clock.after(self._slow_ms if slow == "PreBind" else PRE_BIND_MS, pre_bind_ends)

    def _fails(self, info: QueuedPodInfo, why: str) -> None:
        """The failure handler: put the pod back unless it is gone or bound, then patch its condition."""
        uid = info.pod.uid
        self.running[uid] -= 1
        self.ended[uid] = f"failed: {why}"
        stored = self._store.get(info.pod.name)
        if stored is None or stored.node_name or not self.rules.done.goes_back(uid, stored.uid):
            self._done(uid)
            return
        back = evolve(info, pod=stored)
        cycle, now = self.queue.scheduling_cycle, self._clock.now
        _, new = queue.add_unschedulable_if_not_present(self._setup, self.queue, back, cycle, now, self._store.get)
        self._becomes(new)
        known = self._cluster.pods.get(stored.name)
        if known is not None and known.condition != why and not known.node_name:
            self._cluster.update_pod(stored.name, condition=why)
