"""The runs of the scheduling queue of 1.32 on behind bugs that components show, each under the rules of any release."""

from kubeproof.bugs.component import Demonstration, Under
from kubeproof.bugs.demonstrations.queue import SECOND, queue_setup
from model.evolve import evolve
from model.objects import Pod
from model.scheduler.cycle import NODE_RESOURCES_FIT
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.events import (
    ASSIGNED_POD_DELETE,
    POD_LABEL_CHANGE,
    ClusterEvent,
    Registration,
    queue_after_backoff,
    queue_skip,
)
from model.scheduler.queue.pre_enqueue import (
    PreEnqueuePlugin,
    PreEnqueueRules,
    Registrations,
    pod_whose_gate_the_event_leaves_is_passed_over,
)
from model.scheduler.queue.rules import QueueingHintRules, QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find

PASSES_OVER = "the flush passes the pod over"
STAYS = "a deleted pod stays in the queue"


def _queue_setup(under: Under, registered: tuple[Registration, ...], pops_from_backoff: bool) -> QueueSetup:
    return evolve(
        queue_setup(under, registered),
        pre_enqueue_rules=under.rules(PreEnqueueRules),
        pop_from_backoff=pops_from_backoff,
    )


def _where(queue: Queue, name: str) -> str:
    parts = (
        ("activeQ", queue.active), ("the backoff queue", queue.backoff), ("unschedulablePods", queue.unschedulable)
    )  # fmt: skip
    return " and ".join(part for part, infos in parts if find(infos, name)) or "no queue"


def _rejected(setup: QueueSetup, pod: Pod, now: int, plugin: str) -> Queue:
    """A queue whose one pod was tried and rejected by the plugin."""
    info, queue = queue_functions.pop(setup, queue_functions.add(setup, Queue(), pod, now))
    info = evolve(info, unschedulable_plugins=frozenset({plugin}))
    return queue_functions.add_unschedulable_if_not_present(setup, queue, info, queue.scheduling_cycle, now)[1]


# --- QUEUE-FLUSH-SKIPS-GATED --------------------------------------------------------------------------------------

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
    setup = _queue_setup(under, _OF_DELETION, pops)
    held, free = evolve(setup, pre_enqueue=(_HOLDS_BACK,)), evolve(setup, pre_enqueue=(_LETS_PASS,))
    queue = _rejected(free, Pod("p1", "p1"), 0, NODE_RESOURCES_FIT)
    queue = queue_functions.move_all_to_active_or_backoff_queue(held, queue, 5 * SECOND, ASSIGNED_POD_DELETE)
    lines = [
        f"{NODE_RESOURCES_FIT} rejects p1, and p1 preempts: p1 is in unschedulablePods",
        f"the victim is gone, and p1 is still in `preempting`: p1 is in {_where(queue, 'p1')}",
        "p1 leaves `preempting`: PreEnqueue would let p1 pass",
    ]
    limit = free.rules.unschedulable_time_limit(free.config)
    assert limit is not None
    shown = []
    for flush in (1, 2):
        queue = queue_functions.flush_unschedulable_q_leftover(free, queue, flush * 2 * limit)
        lines.append(f"the queue is flushed after {flush * 2 * limit // SECOND} s: p1 is in {_where(queue, 'p1')}")
        if not queue.unschedulable:
            break
    if queue.unschedulable:
        shown.append(PASSES_OVER)
        queue = queue_functions.move_all_to_active_or_backoff_queue(free, queue, 5 * limit, ASSIGNED_POD_DELETE)
        lines.append(f"another pod is deleted: p1 is in {_where(queue, 'p1')}")
    return Demonstration(tuple(shown), tuple(lines))


def passed_over_unless_any(info: QueuedPodInfo, event: ClusterEvent, registrations: Registrations) -> bool:
    """As in 1.36.3, and a move by the event `*` passes no pod over."""
    return not event.is_wild_card() and pod_whose_gate_the_event_leaves_is_passed_over(info, event, registrations)


# --- QUEUE-DELETE-LEAVES-COPY -------------------------------------------------------------------------------------

_ON_LABEL = "OnPodLabel"


def deleted_from_two_queues(under: Under, pops_from_backoff: bool = False) -> Demonstration:
    """SchedulerPopFromBackoffQ off, where there is such a gate, or with `pops_from_backoff` on."""
    registered = (Registration(_ON_LABEL, POD_LABEL_CHANGE, queue_after_backoff),)
    setup = _queue_setup(under, registered, pops_from_backoff)
    old = Pod("p1", "p1", cpu_milli=30)
    queue = _rejected(setup, old, 0, _ON_LABEL)
    new = evolve(old, cpu_milli=20, labels=(("app", "a"),))
    queue = queue_functions.update(setup, queue, old, new, 1)
    lines = [
        "a plugin that waits for new labels rejects p1: p1 is in unschedulablePods",
        f"an update of p1 changes its labels and scales p1 down: p1 is in {_where(queue, 'p1')}",
    ]
    queue = queue_functions.delete(setup, queue, new)
    lines.append(f"p1 is deleted: p1 is in {_where(queue, 'p1')}")
    if not (queue.unschedulable or queue.backoff or queue.active):
        return Demonstration((), tuple(lines))
    limit = setup.rules.unschedulable_time_limit(setup.config)
    assert limit is not None
    queue = queue_functions.flush_unschedulable_q_leftover(setup, queue, 2 * limit)
    lines.append(f"the queue is flushed: p1 is in {_where(queue, 'p1')}")
    return Demonstration((STAYS,), tuple(lines))
