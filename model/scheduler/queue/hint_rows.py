"""Which release follows which rule of pods in flight and queueing hints. There are none before 1.28."""

from model.rules import Row
from model.scheduler.go_files import ACTIVE_QUEUE_GO, BACKEND_QUEUE_GO, FEATURES_GO, QUEUE_GO, VERSIONED_FEATURES_GO
from model.scheduler.queue import hints, in_flight, scheduling_queue as queue, update, update_with_hints

GATES = f"{FEATURES_GO} defaultKubernetesFeatureGates"
ONE_LIST = "#120413 by #120445, which stands in the release note of 1.28.2"

QUEUEING_HINT_ROWS: tuple[Row, ...] = (
    Row("queueing_hints_default", "1.28.0-beta.0", hints.gate_on, "SchedulerQueueingHints", GATES),
    Row("queueing_hints_default", "1.28.5", hints.gate_off,
        "#122289 by #122291, which stands in the release note of 1.28.5; not in 1.28.4", GATES),
    Row("queueing_hints_default", "1.29.0-alpha.1", hints.gate_on, "#122289 comes with 1.29.0", GATES),
    Row("queueing_hints_default", "1.29.0", hints.gate_off, "#122289; not in 1.29.0-alpha.3", GATES),
    Row("queueing_hints_default", "1.32.0-rc.0", hints.gate_on,
        "#128472 (release note of 1.32.0-rc.0); in 1.32.0, not in 1.31.14",
        f"{VERSIONED_FEATURES_GO} defaultVersionedKubernetesFeatureGates"),
    Row("discard_popped", "1.28.0-beta.0", in_flight.discard_nothing, "", f"{QUEUE_GO} Pop"),
    Row("discard_popped", "1.32.0-alpha.1", in_flight.discard_what_is_in_flight,
        "#127016 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{ACTIVE_QUEUE_GO} unlockedPop"),
    Row("note_popped", "1.28.0-beta.0", in_flight.note_popped_with_previous_event, "#118438", f"{QUEUE_GO} Pop"),
    Row("note_popped", "1.28.2", in_flight.note_popped_in_list, ONE_LIST, f"{QUEUE_GO} Pop"),
    Row("note_event", "1.28.0-beta.0", in_flight.note_event_counting_pods, "#118438",
        f"{QUEUE_GO} movePodsToActiveOrBackoffQueue"),
    Row("note_event", "1.28.2", in_flight.note_event_in_list, ONE_LIST, f"{QUEUE_GO} movePodsToActiveOrBackoffQueue"),
    Row("forget_done", "1.28.0-beta.0", in_flight.forget_done_counting_down, "#118438", f"{QUEUE_GO} done"),
    Row("forget_done", "1.28.2", in_flight.forget_done_in_list, ONE_LIST, f"{QUEUE_GO} done"),
    Row("events_for_pod", "1.28.0-beta.0", in_flight.events_after_previous_event, "#118438",
        f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("events_for_pod", "1.28.2", in_flight.events_after_pod, ONE_LIST,
        f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("requeue_wakes_pop", "1.28.0-beta.0", hints.requeue_wakes_nobody, "#118438",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent"),
    Row("requeue_wakes_pop", "1.28.0-rc.1", hints.requeue_broadcasts,
        "#119784 (release note of 1.28.0-rc.1); in 1.28.0, not in 1.28.0-beta.0",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent"),
    Row("hint_for_in_flight_pod", "1.28.0-beta.0", hints.hint_by_any_event, "#118438",
        f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("hint_for_in_flight_pod", "1.28.2", hints.hint_by_event_since_pop, ONE_LIST,
        f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("hint_for_in_flight_pod", "1.29.0-alpha.1", hints.hint_after_error, "#119105; not in 1.28.14",
        f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("hint_for_in_flight_pod", "1.31.0-alpha.3", hints.hint_after_error_or_unknown,
        "in 1.31.0, not in 1.31.0-alpha.2", f"{QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("hint_for_in_flight_pod", "1.32.0", hints.hint_of_rejected_pod, "in 1.32.0, not in 1.31.14",
        f"{BACKEND_QUEUE_GO} determineSchedulingHintForInFlightPod"),
    Row("update_with_hints", "1.28.0-beta.0", update.update_respecting_backoff, "", f"{QUEUE_GO} Update"),
    Row("update_with_hints", "1.31.0-alpha.2", update_with_hints.update_asking_hints,
        "in 1.31.0-alpha.2, not in 1.30.14", f"{QUEUE_GO} Update"),
    Row("update_with_hints", "1.31.0-alpha.3", update_with_hints.update_keeping_event,
        "#125578; in 1.31.0, not in 1.31.0-alpha.2", f"{QUEUE_GO} Update"),
    Row("update_with_hints", "1.32.0", update_with_hints.update_keeping_changes, "in 1.32.0, not in 1.31.14",
        f"{BACKEND_QUEUE_GO} Update"),
    Row("note_activation", "1.28.0-beta.0", queue.activation_is_lost, "", f"{QUEUE_GO} Activate"),
    Row("note_activation", "1.32.0", queue.activation_is_kept, "in 1.32.0, not in 1.31.14",
        f"{BACKEND_QUEUE_GO} Activate"),
)  # fmt: skip
