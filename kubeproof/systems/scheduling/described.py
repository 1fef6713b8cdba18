"""What is known of scheduling beside its steps: fields read, repairs, what nothing notices."""

from collections.abc import Mapping

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.system import Repair
from model.objects import Pod
from model.scheduler.queue import nominator, update
from model.scheduler.queue.nominator import Nominator, NominatorRules, PodLister
from model.scheduler.queue.rules import Effect, QueueSetup
from model.scheduler.queue.state import Queue, find

# --- the fields of pods and nodes that the scheduler's rules read, and the powers that change them --------------------

READ_FIELDS = (
    ReadField("Pod.metadata.name", ("pods", "recreates")),
    ReadField("Pod.metadata.uid", ("recreates", "controllers")),
    ReadField(
        "Pod.spec.priority", ("high", "top", "preemption"), "a change after the creation: the API server refuses it"
    ),
    ReadField(
        "Pod.spec.containers[].resources.requests",
        ("big", "shrinks", "resizes"),
        "a resize of a bound pod that its kubelet puts off or refuses, and one to less",
    ),
    ReadField("Pod.spec.nodeName", ("other_binders", "second", "lost_replies", "bound_at_start")),
    ReadField("Pod.status.nominatedNodeName", ("preemption",), "a user who writes the field"),
    ReadField("Pod.metadata.labels", ("labels", "anti_affinity")),
    ReadField(
        "Pod.metadata.annotations",
        ("updates", "extender"),
        "an annotation of a user that a filter reads: only the extender's own annotation decides",
    ),
    ReadField("Pod.spec.affinity", (), "no pod has a term of its own: recordings of the queue have some"),
    ReadField("Pod.spec.tolerations", (), "no node has a taint: QUEUE-PRECHECK-MISS is shown without the system"),
    ReadField("Pod.status.conditions", ("preemption",), "a condition that somebody else writes"),
    ReadField("Pod.metadata.resourceVersion", ("resyncs",), "versions that are equal in all modelled fields are one"),
    ReadField("Pod.metadata.deletionTimestamp", ("graceful", "blocked_deletes")),
    ReadField("Pod.metadata.managedFields", (), "no filter reads the field: releases only compare it"),
    ReadField("Pod.metadata.finalizers", ("finalizers", "blocked_deletes")),
    ReadField("Pod.spec.schedulerName", ("second",), "a name that changes: scheduling-cycle has such pods"),
    ReadField("Pod.spec.schedulingGates", (), "no pod has a gate: queueing-hints explores them"),
    ReadField("Node.metadata.name", ("late_nodes", "node_deletes", "node_adds")),
    ReadField(
        "Node.metadata.labels",
        ("node_zones",),
        "no pod selects nodes by label, and no node changes its zone (that is for node-listing to explore)",
    ),
    ReadField("Node.status.allocatable", ("node_grows", "node_shrinks")),
    ReadField("Node.metadata.resourceVersion", ("heartbeats",)),
    ReadField("Node.spec.unschedulable", ("cordons",)),
    ReadField("Node.spec.taints", (), "no node has a taint: QUEUE-PRECHECK-MISS is shown without the system"),
    ReadField("Node.status.conditions", (), "the scheduler reads the taints that follow from them"),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "Two versions of an object that are equal in all modelled fields are one version. A conflict is a difference in "
    "these fields.",
    "A filter reads the nominated pods of all nodes at one moment. Go reads them node by node.",
    "A flush of the queue is one step. In 1.31 Pop may come between two pods of a flush.",
    "The filters are NodeResourcesFit, NodeUnschedulable, and InterPodAffinity against one pod of others on every "
    "node.",
    "There are no scores: the scheduler may choose any node that fits.",
    "There is one scheduler, unless the scope has `second`: two of them over-commit nodes in every release "
    "(TWO-SCHEDULERS-OVERCOMMIT, TWO-SCHEDULERS-PREEMPT). With `second`, within-capacity, scheduler-keeps-running and "
    "preemptor-is-bound are asked of both, all others of the first.",
    "There is no Permit, PreBind or Reserve plugin (see scheduling-cycle), no volume, and no second profile.",
    "With queueing hints (1.32 and later), a binding calls Done when its goroutine starts, and a failed pod that goes "
    "back is done in the step that puts it back, with `fine` too. In queueing-hints each Done comes where Go has it.",
    "With `shrinks` the gate InPlacePodVerticalScaling is on, whatever the release has by default.",
    "With NominatedNodeNameForExpectation (on by default from 1.35 on) nothing more is written, since no plugin works "
    "in PreBind.",
    "From 1.33 on backoffs end with whole seconds, and Pop takes pods of one second by priority. Here a backoff ends "
    "at any moment.",
    "Up to 1.16 a cycle lists all nodes at its beginning. Go takes the nodes one by one.",
    "A pod has at most `goroutines` bindings and retries of earlier attempts under way at a time.",
    "Up to 1.18 the goroutine that records a failure and that of the error function share a record, without a lock. "
    "In the model each has its own.",
    "Time is kept as regions, as in timed automata. With `clock=1` time passes until something ends, and backoffs do "
    "not grow. With `clock=0` no pod backs off, and only the order of timestamps is kept.",
)


# The gates that the system takes as off.
ASYNC_PREEMPTION = "a goroutine deletes the victims while the scheduler goes on (see async-preemption)"
ASYNC_API_CALLS = "the API dispatcher makes the PATCHes and Bindings (see api-calls)"
BATCHES = "the next pod of the same kind takes the node that a batch hints at, without a search"
DECLARED_FEATURES = "a plugin keeps pods off nodes, and waits for any update of a pod: Go keeps more events in flight"
CLAIMS = "no pod has a resource claim"
GATES_TAKEN = (
    GateTaken(
        "SchedulerQueueingHints", "the queue keeps events for pods in flight (see queueing-hints)", until="1.32.0-rc.0"
    ),
    GateTaken("SchedulerAsyncPreemption", ASYNC_PREEMPTION),
    GateTaken("SchedulerAsyncAPICalls", ASYNC_API_CALLS),
    GateTaken("OpportunisticBatching", BATCHES),
    GateTaken("NodeDeclaredFeatures", DECLARED_FEATURES),
    GateTaken("PodSchedulingReadiness", "no pod has a scheduling gate (see queueing-hints)"),
    GateTaken("DynamicResourceAllocation", CLAIMS),
)


# --- the repairs of scheduling: rules that no modelled release has, each without one documented bug -------------------


def _is_in_flight(queue: Queue, old: Pod, new: Pod) -> bool:
    """Whether an update is of a pod that no sub-queue has, and that the informer had before as the same pending pod."""
    places = (queue.active, queue.backoff, queue.unschedulable)
    waits = any(find(place, new.name) is not None for place in places)
    return not waits and old.uid == new.uid and not old.node_name


def update_from_backoff_noting_in_flight(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """`update_from_backoff_to_active`; an update of a pod in flight is noted as a move request, and not queued."""
    if _is_in_flight(queue, old, new):
        return setup.rules.note_move_request(queue), None
    return update.update_from_backoff_to_active(setup, queue, old, new, now)


def update_noting_in_flight(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """`update_respecting_backoff`; an update of a pod in flight is noted as a move request, and not queued."""
    if _is_in_flight(queue, old, new):
        return setup.rules.note_move_request(queue), None
    return update.update_respecting_backoff(setup, queue, old, new, now)


def add_overriding_by_name(nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_overriding`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_overriding(nominator_, pod, node, lister)


def add_overriding_by_name_unless_bound(
    nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None
) -> Nominator:
    """`add_overriding_unless_bound`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_overriding_unless_bound(nominator_, pod, node, lister)


def add_reference_by_name(nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_reference`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_reference(nominator_, pod, node, lister)


def update_believing_memory(
    rules: NominatorRules, nominator_: Nominator, old: Pod, new: Pod, lister: PodLister | None
) -> Nominator:
    """`update_keeping_memory`, but no update brings back a nomination that ended in memory."""
    if old.uid == new.uid and new.nominated_node_name and not nominator_.node_of(new.uid):
        return nominator_
    return nominator.update_keeping_memory(rules, nominator_, old, new, lister)


def update_sharing_and_believing_memory(
    rules: NominatorRules, nominator_: Nominator, old: Pod, new: Pod, lister: PodLister | None
) -> Nominator:
    """`update_sharing_record`, but no update brings back a nomination that ended in memory."""
    if old.uid == new.uid and new.nominated_node_name and not nominator_.node_of(new.uid):
        return nominator_
    return nominator.update_sharing_record(rules, nominator_, old, new, lister)


REPAIRS = (
    Repair(
        "QUEUE-INFLIGHT-DUP",
        "queue_update",
        update.update_from_backoff_to_active,
        update_from_backoff_noting_in_flight,
    ),
    Repair("QUEUE-INFLIGHT-DUP", "queue_update", update.update_respecting_backoff, update_noting_in_flight),
    Repair("NOM-EMPTY-KEY", "nominator_add", nominator.add_overriding, add_overriding_by_name),
    Repair(
        "NOM-EMPTY-KEY",
        "nominator_add",
        nominator.add_overriding_unless_bound,
        add_overriding_by_name_unless_bound,
    ),
    Repair("NOM-EMPTY-KEY", "nominator_add", nominator.add_reference, add_reference_by_name),
    Repair(
        "NOM-CLEAR-OVERTAKEN-BY-PRIORITY",
        "nominator_update",
        nominator.update_keeping_memory,
        update_believing_memory,
    ),
    Repair(
        "NOM-CLEAR-OVERTAKEN-BY-PRIORITY",
        "nominator_update",
        nominator.update_sharing_record,
        update_sharing_and_believing_memory,
    ),
)


# --- fields of the state of scheduling in which no property notices a wrong value within a step, and why none has to --

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LATER = "it decides of a later step: no-event-lost and the liveness properties judge what comes of the run"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "BackoffEntry.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
    "Goroutine.at_hand": "it decides of a later step: the properties judge what its request changes",
    "Goroutine.cycle": _LATER,
    "Goroutine.rejected_by": "the measure of rejected-by-last-attempt: nothing else says who rejects a pod",
    "Goroutine.victims": "who is preempted: nothing here says which victims are right",
    "NodeTree.zone_index": "where the next list begins: node-listing judges what lists hold one after the other",
    "NodeTree.zones": "another name of a zone: the order of the arrays is what is listed",
    "Pod.finalizers": "read only where an update of an assumed pod is compared",
    "Queue.move_request_cycle": _LATER,
    "QueuedPodInfo.attempts": "backoffs do not grow here: initial and maximal backoff are equal",
    "Scheduling.incarnations": _BOOKS,
}
