"""What releases do differently in the scheduling queue: `QueueRules`, and `QueueSetup` to make a queue with. Pure data.

Go: pkg/scheduler/internal/queue/scheduling_queue.go. The rules of each release are in rows.py; their functions stand
above the operations that call them, in scheduling_queue, backoff, move, update and nominations. Those of pods in flight
stand in in_flight, hints and update_with_hints.
"""

from collections.abc import Callable, Container

from attrs import frozen

from model.objects import Node, Pod
from model.scheduler.queue.events import ClusterEvent, Hint, Registration, WorthRequeuing, with_objects
from model.scheduler.queue.nominator import NominatorCall, NominatorRules
from model.scheduler.queue.pre_enqueue import PreEnqueuePlugin, PreEnqueueRules
from model.scheduler.queue.state import InFlightEvent, Infos, Order, Queue, QueueConfig, QueuedPodInfo, SubQueue

PreEnqueueCheck = Callable[[Pod], bool]
# The queue after an operation, and what the operation asks of the nominator.
Effect = tuple[Queue, NominatorCall | None]
MovePods = Callable[["QueueSetup", Queue, Infos, ClusterEvent, int, Container[str]], Queue]


@frozen
class Hold:
    """What one hold of the lock that Pop takes does in a move, in one of the orders that are possible.

    Up to 1.30 a move is one hold. Between two holds Pop may come, and nothing else of the queue: the mover keeps
    `PriorityQueue.lock` from the first to the last.
    """

    # The name of the pod that goes to activeQ, "" in the last hold.
    pod: str
    # The queue after the hold.
    queue: Queue
    # Whether the move is over.
    last: bool


MoveHolds = Callable[["QueueSetup", Queue, Infos, ClusterEvent, int], tuple[Hold, ...]]
# The records of unschedulableQ that may be moved, and the event that moves them.
Moved = tuple[Infos, ClusterEvent]
PodsForAssignedPodUpdate = Callable[["QueueRules", Queue, Pod, ClusterEvent], Moved]


@frozen(slots=False, kw_only=True)
class QueueRules:
    """What releases do differently in the queue, and where a proposed fix takes hold.

    Every rule runs within one step under `PriorityQueue.lock`, unless `pop_lock` and `move_holds` say more. `now` is a
    time in ms, as the caller counts it.
    """

    # The key by which activeQ sorts a record; the least key is popped first.
    active_q_order: Order
    # The places in activeQ from which Pop may take; () of an empty activeQ.
    active_q_heads: Callable[[Infos], tuple[int, ...]]
    # The timestamp of a record that is queued at `now`.
    queue_timestamp: Callable[[int], int]
    # The name of the lock under which Pop runs.
    pop_lock: Callable[[], str]
    # The queue in the cycle that a Pop begins.
    begin_cycle: Callable[[Queue], Queue]
    # The record that Pop hands out, of the record that activeQ had.
    popped_record: Callable[[QueuedPodInfo], QueuedPodInfo]
    # "active", "backoff" or "unschedulable": where a pod goes whose attempt failed in the cycle of this number.
    queue_for_failed_pod: Callable[[Queue, QueuedPodInfo, int], SubQueue]
    # The error text when a failed pod is in a sub-queue: "active", "backoff" or "unschedulable".
    already_present_error: Callable[[Pod, str], str]
    # When the backoff of a pod ends; None when the queue knows of none.
    backoff_time: Callable[["QueueSetup", Queue, QueuedPodInfo], int | None]
    # Whether a backoff that ends at the first of two times is still on at the second: setup, end, `now`.
    still_backs_off: Callable[["QueueSetup", int, int], bool]
    # The record of a pod that comes back from an attempt, with what is counted of its failures.
    count_failure: Callable[[QueuedPodInfo], QueuedPodInfo]
    # The queue after the pod of this name begins a backoff at `now`, where backoffs are kept by name.
    back_off_pod: Callable[["QueueSetup", Queue, str, int], Queue]
    # The pod less what an update may change without making the pod schedulable.
    strip_for_queue: Callable[[Pod], Pod]
    # What the queue does when the informer brings a new version of a pod at `now`: setup, queue, old, new, `now`.
    queue_update: Callable[["QueueSetup", Queue, Pod, Pod, int], Effect]
    # The queue less a deleted pod: queue, its name.
    forget_deleted: Callable[[Queue, str], Queue]
    # Move these records of unschedulableQ at `now` because of an event; the last argument: names that Add refuses.
    move_pods: MovePods
    # The next hold of the lock of Pop in a move of these records, one for each pod that may be the next.
    move_holds: MoveHolds
    # Whether an event may help a pod that plugins rejected.
    worth_requeuing: WorthRequeuing
    # Whether an event is a move request at all.
    event_of_interest: Callable[[ClusterEvent, tuple[Registration, ...]], bool]
    # The queue that remembers a move request, for the sake of pods in flight.
    note_move_request: Callable[[Queue], Queue]
    # The records of unschedulableQ that a move request concerns; the check is that of the node, if there is one.
    pods_for_move_request: Callable[[Queue, PreEnqueueCheck | None], Infos]
    # The records of unschedulableQ that a bound pod which joined may help.
    pods_for_assigned_pod: Callable[[Queue, Pod], Infos]
    # The records of unschedulableQ that the update of a bound pod may help, and the event that moves them.
    pods_for_assigned_pod_update: PodsForAssignedPodUpdate
    # After how many ms a pod leaves unschedulableQ without an event; None: never.
    unschedulable_time_limit: Callable[[QueueConfig], int | None]
    # What Add asks of the nominator; the flag says whether the pod was in unschedulableQ.
    nominate_added: Callable[[Pod, bool], NominatorCall | None]
    # What is asked of the nominator for a pod that comes back from an attempt, or is activated.
    nominate_waiting: Callable[[Pod], NominatorCall | None]
    # The object that NominatedPodsForNode gives for a pod as the nominator has it.
    nominated_pod: Callable[[Queue, Pod], Pod]
    # What a nomination to this node asks of the nominator.
    nominate_for_node: Callable[[Pod, str | None], NominatorCall | None]


@frozen(slots=False, kw_only=True)
class QueueingHintRules:
    """What releases from 1.28 on do differently with pods in flight and queueing hints.

    With the gate SchedulerQueueingHints off a queue asks only `note_activation`. Every rule runs within one step: up to
    1.30 under `PriorityQueue.lock`; from 1.31 on those that are given no `QueueSetup` run under the lock of Pop.
    """

    # Whether the gate SchedulerQueueingHints is on unless somebody says otherwise.
    queueing_hints_default: Callable[[], bool]
    # Whether Pop discards the pod at the head of activeQ: queue, the pod's uid.
    discard_popped: Callable[[Queue, str], bool]
    # The queue that has the pod of this uid in flight, which Pop hands out.
    note_popped: Callable[[Queue, str], Queue]
    # The queue that keeps this event for the pods in flight.
    note_event: Callable[[Queue, InFlightEvent], Queue]
    # The queue that no longer has the pod of this uid in flight, nor what only this pod needed.
    forget_done: Callable[[Queue, str], Queue]
    # The events that the pod of this uid has to be told when its attempt failed; None: the pod is not in flight.
    events_for_pod: Callable[[Queue, str], tuple[InFlightEvent, ...] | None]
    # Whether a plugin may leave a pod pending: it waits for one event, and will not back off when the event has come.
    pending_plugins_known: Callable[[], bool]
    # Whether a hint function may answer an error, which counts as Queue.
    hint_functions_answer_errors: Callable[[], bool]
    # Whether the gate cannot be set: kube-scheduler refuses to start with another value than the default.
    queueing_hints_locked: Callable[[], bool]
    # Whether the gate SchedulerPopFromBackoffQ is there, and on.
    pop_from_backoff_q: Callable[[], bool]
    # Whether Update keeps the lock of Pop from the look for the pod in flight to the last look into a queue.
    update_holds_pop_lock: Callable[[], bool]
    # Whether a Pop that sleeps is woken when a failed pod goes to activeQ.
    requeue_wakes_pop: Callable[[], bool]
    # What becomes of a pod whose attempt failed: setup, queue, the pod's record.
    hint_for_in_flight_pod: Callable[["QueueSetup", Queue, QueuedPodInfo], Hint]
    # `QueueRules.queue_update` with the gate on.
    update_with_hints: Callable[["QueueSetup", Queue, Pod, Pod, int], Effect]
    # The queue after Activate was asked for a pod that does not wait: setup, queue, the pod's uid.
    note_activation: Callable[["QueueSetup", Queue, str], Queue]


@frozen
class QueueSetup:
    """What does not change in the life of a queue: rules and configuration. The state is a `Queue`."""

    rules: QueueRules
    nominator_rules: NominatorRules
    config: QueueConfig
    # None: a release before 1.28. A queue up to 1.31 that leaves the gate off does not need these rules either.
    hint_rules: QueueingHintRules | None = None
    # Whether the gate SchedulerQueueingHints is on; only with `hint_rules`.
    queueing_hints: bool = False
    # The plugins with a PreEnqueue function, in the order in which they are asked; none without `pre_enqueue_rules`.
    pre_enqueue: tuple[PreEnqueuePlugin, ...] = ()
    pre_enqueue_rules: PreEnqueueRules | None = None
    # Whether Pop takes a pod from the backoff queue when activeQ is empty (the gate SchedulerPopFromBackoffQ, 1.33 on).
    pop_from_backoff: bool = False

    def let_in(self, infos: Infos, event: ClusterEvent) -> Infos:
        """Those of the records that a move by `event` does not pass over since a PreEnqueue plugin holds them back."""
        rules, waits = self.pre_enqueue_rules, self.config.cluster_event_map
        if rules is None or not self.pre_enqueue:
            return infos
        return tuple(info for info in infos if not (info.gated and rules.gated_pod_is_passed_over(info, event, waits)))

    @property
    def hints(self) -> QueueingHintRules | None:
        """The rules for pods in flight, None with the gate off."""
        return self.hint_rules if self.queueing_hints else None

    def event_of(self, event: ClusterEvent, old: Pod | Node | None, new: Pod | Node | None) -> ClusterEvent:
        """The event, with the object that changed if some hint function looks at objects. Go keeps it in any case."""
        if self.hints is None or not any(each.looks_at_objects for each in self.config.cluster_event_map):
            return event
        return with_objects(event, old, new)
