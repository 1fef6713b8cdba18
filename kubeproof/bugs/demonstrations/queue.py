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
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_LABEL_CHANGE,
    NODE_TAINT_CHANGE,
    POD_LABEL_CHANGE,
    ClusterEvent,
    Registration,
    queue_after_backoff,
    queue_skip,
)
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pre_enqueue import (
    PreEnqueuePlugin,
    PreEnqueueRules,
    Registrations,
    pod_whose_gate_the_event_leaves_is_passed_over,
)
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo, find
from model.scheduler.queueing_hint_map import OF_EXTENDERS
from model.systems.scheduling.rules import REGISTERED

ROOM = 1000  # milli-CPU: what each node has and each pod asks for
SECOND = 1000
CYCLE = 100  # ms that an attempt takes


def _gate(under: Under) -> bool:
    """Whether SchedulerQueueingHints is on by default."""
    return under.has(QueueingHintRules) and under.rules(QueueingHintRules).queueing_hints_default()


def _queue_setup(under: Under, registered: tuple[Registration, ...] = REGISTERED) -> QueueSetup:
    """The queue of the release, with the gate SchedulerQueueingHints as the release has the gate by default."""
    gate = _gate(under)
    return QueueSetup(
        under.rules(QueueRules),
        under.rules(NominatorRules),
        QueueConfig(cluster_event_map=registered),
        under.rules(QueueingHintRules) if gate else None,
        gate,
    )


def _setup_of_1_32(under: Under, registered: tuple[Registration, ...], pops_from_backoff: bool) -> QueueSetup:
    """The queue of a release from 1.32 on."""
    return evolve(
        _queue_setup(under, registered),
        pre_enqueue_rules=under.rules(PreEnqueueRules),
        pop_from_backoff=pops_from_backoff,
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


def _tried(setup: QueueSetup, queue: Queue, pod: Pod, rejected_by: frozenset[str]) -> Queue:
    """The queue after the pod has come into it, and one attempt that `rejected_by` ended."""
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, queue, pod, 0))
    return _fail(setup, queue, info, CYCLE, rejected_by)


REJECTED = frozenset({NODE_RESOURCES_FIT})


def _where(queue: Queue, name: str, last: str = "unschedulableQ") -> str:
    """`last`: how the release calls the third part."""
    parts = (("activeQ", queue.active), ("the backoff queue", queue.backoff), (last, queue.unschedulable))
    return " and ".join(part for part, infos in parts if find(infos, name)) or "no queue"


# --- QUEUE-BACKOFF-LOST -------------------------------------------------------------------------------------------


def backoffs(under: Under) -> Demonstration:
    """A pod fails again and again, an event each time its backoff ends; its last attempt is 5 s late."""
    setup = _queue_setup(under)
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


def popped_first(under: Under) -> Demonstration:
    """p1, of higher priority, fits nowhere; p2 would. A node changes after each attempt."""
    setup = _queue_setup(under)
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
    setup = _queue_setup(under)
    queue = _tried(setup, Queue(), _pod("p1"), REJECTED)
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
    setup, cycle_rules = _queue_setup(under, (*REGISTERED, *OF_EXTENDERS)), under.rules(CycleRules)
    rejected_by = REJECTED | cycle_rules.extender_plugins()
    queue = _tried(setup, Queue(), _pod("p1"), rejected_by)
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
    setup = _queue_setup(under, _registrations(under))
    queue = _tried(setup, Queue(), _pod("p1"), frozenset({POD_TOPOLOGY_SPREAD}))
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
    setup = _queue_setup(under, _registrations(under))
    rejected_by = {"p1": NODE_RESOURCES_FIT}
    if events.spread_events() is not None:
        rejected_by["p2"] = POD_TOPOLOGY_SPREAD
    queue = Queue()
    for name, plugin in rejected_by.items():
        queue = _tried(setup, queue, _pod(name), frozenset({plugin}))
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
    setup, reads = _queue_setup(under), under.rules(EventRules).error_func().reads
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


# --- QUEUE-FLUSH-SKIPS-GATED --------------------------------------------------------------------------------------

_PODS = "unschedulablePods"
DEFAULT_PREEMPTION = "DefaultPreemption"
# What DefaultPreemption and NodeResourcesFit say to the deletion of a pod.
_OF_DELETION = (
    Registration(DEFAULT_PREEMPTION, ASSIGNED_POD_DELETE, queue_skip),
    Registration(NODE_RESOURCES_FIT, ASSIGNED_POD_DELETE, queue_after_backoff),
)
_HOLDS_BACK = PreEnqueuePlugin(
    DEFAULT_PREEMPTION, lambda queue, pod: "waiting for the preemption for this pod to be finished"
)
_LETS_PASS = PreEnqueuePlugin(DEFAULT_PREEMPTION, lambda queue, pod: None)


def flushed_while_held_back(under: Under) -> Demonstration:
    """The preemption of a pod is over, but its last event came before that; then the queue is flushed."""
    pops = under.rules(QueueingHintRules).pop_from_backoff_q()
    setup = _setup_of_1_32(under, _OF_DELETION, pops)
    held, free = evolve(setup, pre_enqueue=(_HOLDS_BACK,)), evolve(setup, pre_enqueue=(_LETS_PASS,))
    queue = _tried(free, Queue(), Pod("p1", "p1"), REJECTED)
    queue = queue_functions.move_all_to_active_or_backoff_queue(held, queue, 5 * SECOND, ASSIGNED_POD_DELETE)
    lines = [
        f"{NODE_RESOURCES_FIT} rejects p1, and p1 preempts: p1 is in unschedulablePods",
        f"the victim is gone, and p1 is still in `preempting`: p1 is in {_where(queue, 'p1', _PODS)}",
        "p1 leaves `preempting`: PreEnqueue would let p1 pass",
    ]
    limit = free.rules.unschedulable_time_limit(free.config)
    assert limit is not None
    shown = []
    for flush in (1, 2):
        queue = queue_functions.flush_unschedulable_q_leftover(free, queue, flush * 2 * limit)
        lines.append(
            f"the queue is flushed after {flush * 2 * limit // SECOND} s: p1 is in {_where(queue, 'p1', _PODS)}"
        )
        if not queue.unschedulable:
            break
    if queue.unschedulable:
        shown.append("the flush passes the pod over")
        queue = queue_functions.move_all_to_active_or_backoff_queue(free, queue, 5 * limit, ASSIGNED_POD_DELETE)
        lines.append(f"another pod is deleted: p1 is in {_where(queue, 'p1', _PODS)}")
    return Demonstration(tuple(shown), tuple(lines))


def passed_over_unless_any(info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations) -> bool:
    """As in 1.36.3, and a move by the event `*` passes no pod over."""
    return not event.is_wild_card() and pod_whose_gate_the_event_leaves_is_passed_over(info, event, registrations)


# --- QUEUE-DELETE-LEAVES-COPY -------------------------------------------------------------------------------------

_ON_LABEL = "OnPodLabel"


def deleted_from_two_queues(under: Under, pops_from_backoff: bool = False) -> Demonstration:
    """SchedulerPopFromBackoffQ off, where there is such a gate, or with `pops_from_backoff` on."""
    registered = (Registration(_ON_LABEL, POD_LABEL_CHANGE, queue_after_backoff),)
    setup = _setup_of_1_32(under, registered, pops_from_backoff)
    old = Pod("p1", "p1", cpu_milli=30)
    queue = _tried(setup, Queue(), old, frozenset({_ON_LABEL}))
    new = evolve(old, cpu_milli=20, labels=(("app", "a"),))
    queue = queue_functions.update(setup, queue, old, new, 1)
    lines = [
        "a plugin that waits for new labels rejects p1: p1 is in unschedulablePods",
        f"an update of p1 changes its labels and scales p1 down: p1 is in {_where(queue, 'p1', _PODS)}",
    ]
    queue = queue_functions.delete(setup, queue, new)
    lines.append(f"p1 is deleted: p1 is in {_where(queue, 'p1', _PODS)}")
    if not (queue.unschedulable or queue.backoff or queue.active):
        return Demonstration((), tuple(lines))
    limit = setup.rules.unschedulable_time_limit(setup.config)
    assert limit is not None
    queue = queue_functions.flush_unschedulable_q_leftover(setup, queue, 2 * limit)
    lines.append(f"the queue is flushed: p1 is in {_where(queue, 'p1', _PODS)}")
    return Demonstration(("a deleted pod stays in the queue",), tuple(lines))
