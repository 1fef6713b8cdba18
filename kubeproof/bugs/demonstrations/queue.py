"""The runs of the scheduling queue behind bugs that components show, each under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from functools import partial

from kubeproof.bugs.component import Demonstration, Under
from model.evolve import evolve
from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cycle import NODE_RESOURCES_FIT, CycleRules
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import (
    EventsToRegisterRules,
    HintedEventsRules,
    registrations,
    registrations_with_gate,
)
from model.scheduler.hint_functions import PreCheckWithHintsRules
from model.scheduler.node_handlers import passes_pre_check
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.events import (
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_LABEL_CHANGE,
    NODE_TAINT_CHANGE,
    Registration,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo, find
from model.systems.scheduling.hints import OF_EXTENDERS
from model.systems.scheduling.rules import REGISTERED

ROOM = 1000  # milli-CPU: what each node has and each pod asks for
SECOND = 1000


def _gate(under: Under) -> bool:
    """Whether SchedulerQueueingHints is on by default."""
    return under.has(QueueingHintRules) and under.rules(QueueingHintRules).queueing_hints_default()


def queue_setup(under: Under, registered: tuple[Registration, ...] = REGISTERED) -> QueueSetup:
    """The queue of the release, with the gate SchedulerQueueingHints as the release has the gate by default."""
    gate = _gate(under)
    return QueueSetup(
        under.rules(QueueRules),
        under.rules(NominatorRules),
        QueueConfig(cluster_event_map=registered),
        under.rules(QueueingHintRules) if gate else None,
        gate,
    )


def _registrations(under: Under) -> tuple[Registration, ...]:
    """What the plugins wait for, by default."""
    if _gate(under):
        return registrations_with_gate(under.rules(HintedEventsRules), queueing_hints=True)
    return registrations(under.rules(EventsToRegisterRules))


def _pod(name: str, uid: str = "", priority: int = 0, node: str = "") -> Pod:
    return Pod(name, uid or name, priority=priority, cpu_milli=ROOM, node_name=node)


def _fail(setup: QueueSetup, queue: Queue, info: QueuedPodInfo, now: int, rejected_by: frozenset[str]) -> Queue:
    """The popped pod comes back from an attempt that `rejected_by` ended, in the cycle that its Pop began."""
    info = evolve(info, pod=evolve(info.pod, condition="PodScheduled=False"), unschedulable_plugins=rejected_by)
    return queue_functions.add_unschedulable_if_not_present(setup, queue, info, queue.scheduling_cycle, now)[1]


REJECTED = frozenset({NODE_RESOURCES_FIT})


def _where(queue: Queue, name: str) -> str:
    parts = (("activeQ", queue.active), ("the backoff queue", queue.backoff), ("unschedulableQ", queue.unschedulable))
    return " and ".join(part for part, infos in parts if find(infos, name)) or "no queue"


# --- QUEUE-BACKOFF-LOST -------------------------------------------------------------------------------------------


def backoffs(under: Under) -> Demonstration:
    """A pod fails again and again, an event each time its backoff ends; its last attempt is 5 s late."""
    setup = queue_setup(under)
    queue, now = queue_functions.add(setup, Queue(), _pod("p1"), 0), 0
    lines, shown, before = [], [], 0
    for wait in (0, 0, 0, 0, 5 * SECOND):
        now += wait
        queue = queue_functions.move_all_to_active_or_backoff_queue(setup, queue, now, NODE_ALLOCATABLE_CHANGE)
        queue = queue_functions.flush_backoff_q_completed(setup, queue, now)
        info, queue = queue_functions.pop(setup, queue)
        queue = _fail(setup, queue, info, now, REJECTED)
        waiting = find((*queue.unschedulable, *queue.backoff, *queue.active), "p1")
        assert waiting is not None
        end = setup.rules.backoff_time(setup, queue, waiting)
        if end is None:
            return Demonstration((), ("This release's queue knows no backoff.",))
        lines.append(f"after {now / SECOND:g} s an attempt fails: p1 backs off for {(end - now) / SECOND:g} s")
        if end - now < before:
            shown.append(f"the backoff falls from {before / SECOND:g} s to {(end - now) / SECOND:g} s")
        before, now = end - now, end + 1
    return Demonstration(tuple(shown), tuple(lines))


# --- QUEUE-HOL ----------------------------------------------------------------------------------------------------

ROUNDS = 5
CYCLE = 100  # ms that an attempt takes


def popped_first(under: Under) -> Demonstration:
    """p1, of higher priority, fits nowhere; p2 would. A node changes after each attempt."""
    setup = queue_setup(under)
    queue = queue_functions.add(setup, Queue(), _pod("p2"), 0)
    queue = queue_functions.add(setup, queue, _pod("p1", priority=1), 0)
    lines = []
    for now in range(0, ROUNDS * CYCLE, CYCLE):
        info, queue = queue_functions.pop(setup, queue, queue_functions.heads(setup, queue)[0])
        lines.append(f"after {now / SECOND:g} s {info.pod.name} is popped")
        if info.pod.name == "p2":
            return Demonstration((), tuple(lines))
        queue = _fail(setup, queue, info, now + CYCLE // 2, REJECTED)
        queue = queue_functions.move_all_to_active_or_backoff_queue(
            setup, queue, now + CYCLE // 2, NODE_ALLOCATABLE_CHANGE
        )
        lines.append(f"p1 fits nowhere; a node changes, and p1 is in {_where(queue, 'p1')}")
    return Demonstration((f"p1 is popped {ROUNDS} times in a row, p2 never",), tuple(lines))


# --- QUEUE-MOVE-DROP-ON-ERR ---------------------------------------------------------------------------------------


def refused_by_heap(under: Under) -> Demonstration:
    """An event moves a pod that the heap's Add refuses."""
    setup = queue_setup(under)
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, Queue(), _pod("p1"), 0))
    queue = _fail(setup, queue, info, CYCLE, REJECTED)
    before = _where(queue, "p1")
    queue = queue_functions.move_all_to_active_or_backoff_queue(
        setup, queue, 2 * CYCLE, NODE_ALLOCATABLE_CHANGE, add_fails=("p1",)
    )
    after = _where(queue, "p1")
    lines = (f"p1 is in {before}; a node changes, and Add returns an error: p1 is in {after}",)
    return Demonstration(("the pod is in no queue",) if after == "no queue" else (), lines)


# --- QUEUE-EXTENDER-REJECT-MISS -----------------------------------------------------------------------------------


def rejected_by_extender(under: Under) -> Demonstration:
    """A plugin rejects one node, the extender the other; what the extender goes by changes: a label of that node."""
    setup, cycle_rules = queue_setup(under, (*REGISTERED, *OF_EXTENDERS)), under.rules(CycleRules)
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, Queue(), _pod("p1"), 0))
    rejected_by = REJECTED | cycle_rules.extender_plugins()
    queue = _fail(setup, queue, info, CYCLE, rejected_by)
    queue = queue_functions.move_all_to_active_or_backoff_queue(setup, queue, 2 * CYCLE, NODE_LABEL_CHANGE)
    after = _where(queue, "p1")
    lines = (
        f"n1 has no room, n2 the extender does not want: rejected by {', '.join(sorted(rejected_by))}",
        f"a label of n2 changes: p1 is in {after}",
    )
    return Demonstration(("the event does not move the pod",) if after == "unschedulableQ" else (), lines)


# --- QUEUE-ASSIGNED-POD-AFFINITY-ONLY ------------------------------------------------------------------------------


def rejected_by_spread(under: Under) -> Demonstration:
    """A pod would make its zone too full; then a pod of the same kind is bound in another zone."""
    events = under.rules(EventsToRegisterRules)
    if events.spread_events() is None:
        return Demonstration((), ("This release knows no topology spread constraints.",))
    setup = queue_setup(under, _registrations(under))
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, Queue(), _pod("p1"), 0))
    queue = _fail(setup, queue, info, CYCLE, frozenset({POD_TOPOLOGY_SPREAD}))
    before = _where(queue, "p1")
    queue = queue_functions.assigned_pod_added(setup, queue, _pod("p2", node="n2"), 2 * CYCLE)
    after = _where(queue, "p1")
    lines = (
        f"p1 is rejected by {POD_TOPOLOGY_SPREAD}, because its zone is too full: p1 is in {before}",
        f"p2 is bound in the other zone, AssignedPodAdded: p1 is in {after}",
    )
    return Demonstration(("the bound pod does not move the one that waits",) if after == before else (), lines)


# --- QUEUE-PRECHECK-MISS ------------------------------------------------------------------------------------------

NOT_READY = "node.kubernetes.io/not-ready"


def joined_with_taint(under: Under) -> Demonstration:
    """A node joins that is not ready, and gets ready: its taint is removed. A pod waits for each of two plugins."""
    events, handlers = under.rules(EventsToRegisterRules), under.rules(EventRules)
    setup = queue_setup(under, _registrations(under))
    rejected_by = {"p1": NODE_RESOURCES_FIT}
    if events.spread_events() is not None:
        rejected_by["p2"] = POD_TOPOLOGY_SPREAD
    queue = Queue()
    for name, plugin in rejected_by.items():
        info, queue = queue_functions.pop(setup, queue_functions.add(setup, queue, _pod(name), 0))
        queue = _fail(setup, queue, info, CYCLE, frozenset({plugin}))
    checks = not _gate(under) or under.rules(PreCheckWithHintsRules).pre_check_with_hints()
    checked = handlers.pre_check(NodeInfo("n1", Node("n1", cpu_milli=ROOM))) if checks else None
    lines = [f"{name} is rejected by {plugin}, and waits" for name, plugin in rejected_by.items()]
    for happens, event, taint in (
        (f"n1 joins, with the taint {NOT_READY}", NODE_ADD, NOT_READY),
        ("the taint is removed", NODE_TAINT_CHANGE, ""),
    ):
        check = None if checked is None else partial(_passes, checked, taint)
        queue = queue_functions.move_all_to_active_or_backoff_queue(setup, queue, 2 * CYCLE, event, check)
        lines += [f"{happens}, {event.label}: {name} is in {_where(queue, name)}" for name in rejected_by]
    left = [name for name in rejected_by if _where(queue, name) == "unschedulableQ"]
    return Demonstration(
        tuple(f"no event moves the pod that {rejected_by[name]} rejected" for name in left), tuple(lines)
    )


def _passes(node_info: NodeInfo, taint: str, pod: Pod) -> bool:
    """`preCheckForNode` of a node with `taint`, "" for none."""
    return taint in ("", pod.toleration) and passes_pre_check(pod, node_info)


# --- QUEUE-TWO-INFORMERS ------------------------------------------------------------------------------------------


def failed_pod_not_yet_listed(under: Under) -> Demonstration:
    """A pod fails before the second informer, where the release has one, has heard of it."""
    setup, reads = queue_setup(under), under.rules(EventRules).error_func().reads
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, Queue(), _pod("p1"), 0))
    known = {"api", "informer"}  # the informer's event has put p1 into the queue
    lines = [f"p1 is popped and fits nowhere; the error function looks p1 up: {reads}"]
    if reads in known:
        queue = _fail(setup, queue, info, CYCLE, REJECTED)
    else:
        lines.append("the store of that informer does not have p1 yet; when p1 comes, no handler puts p1 into a queue")
    after = _where(queue, "p1")
    lines.append(f"p1 is in {after}")
    return Demonstration(("the pod is in no queue",) if after == "no queue" else (), tuple(lines))
