"""What the formulas for runs of queueing-hints have to know of each rule: a table for each field."""

from model.scheduler.queue import events, hints, update, update_with_hints
from model.scheduler.queue.events import ClusterEvent
from properties.forms import Forms
from properties.smt.queueing_hints.relation import DISCARDS, ONE_LIST

# The event that an Update keeps for the pod in flight, and the event by which a waiting pod may be moved; None: the
# update of a pod in flight queues the pod; it moves a waiting pod without asking a plugin.
UPDATES: Forms[tuple[ClusterEvent | None, ClusterEvent | None]] = Forms(
    "update_with_hints",
    {
        update.update_respecting_backoff: (None, None),
        update_with_hints.update_asking_hints: (None, events.UNSCHEDULABLE_POD_UPDATE),
        update_with_hints.update_keeping_event: (events.UNSCHEDULABLE_POD_UPDATE, events.ASSIGNED_POD_OTHER_UPDATE),
        **dict.fromkeys(
            (update_with_hints.update_keeping_changes, update_with_hints.update_until_moved),
            (events.UNSCHEDULABLE_POD_OTHER_UPDATE, events.UNSCHEDULABLE_POD_OTHER_UPDATE),
        ),
    },
)
# What decides where a failed pod goes: any event, an event since the Pop, an error; or the queue knows of no such pod.
HINT = Forms(
    "hint_for_in_flight_pod",
    {
        hints.hint_by_any_event: "any",
        hints.hint_by_event_since_pop: "since",
        hints.hint_after_error: "error",
        hints.hint_after_error_or_unknown: "unknown",
        hints.hint_of_rejected_pod: "unknown",
    },
)
# Whether a failed pod that goes to activeQ wakes Pop.
WAKES_POP = Forms("requeue_wakes_pop", {hints.requeue_broadcasts: True, hints.requeue_wakes_nobody: False})
TABLES: tuple[Forms[object], ...] = (*ONE_LIST, UPDATES, HINT, DISCARDS, WAKES_POP)
# The formulas ask these what they answer.
CALLED = (
    "done_when_skipped", "done_without_profile", "done_in_binding", "event_of_interest", "worth_requeuing",
    "done_before_requeue", "done_again_after_bind_error",
)  # fmt: skip
