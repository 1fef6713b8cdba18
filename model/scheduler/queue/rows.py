"""Which release follows which rule of the scheduling queue and of its nominator, each row with its source."""

from packaging.version import Version

from model.evolve import evolve
from model.rules import Row
from model.scheduler.queue import (
    backoff as queue_backoff,
)
from model.scheduler.queue import (
    events as queue_events,
)
from model.scheduler.queue import (
    move as queue_move,
)
from model.scheduler.queue import (
    nominator,
)
from model.scheduler.queue import (
    rules as queue_rules,
)
from model.scheduler.queue import (
    update as queue_update,
)

QUEUE_GO = "pkg/scheduler/internal/queue/scheduling_queue.go"
BACKOFF_GO = "pkg/scheduler/internal/queue/pod_backoff.go"

# Read: 1.13.0-beta.1; 1.14 of 2019-03; master of 2019-06 and 1.15.11; 1.16.0-beta.2 and its last; master of 2019-11 and
# 1.17.10; 1.22.3, 1.23.3, .9 and .10, 1.24.0-alpha.4 and everything newer. Nothing of 1.18 to 1.21.
_SEEN_QUEUE_ROWS: tuple[Row, ...] = (
    Row("active_q_order", "1.13.0", queue_rules.order_by_priority, "", f"{QUEUE_GO} NewPriorityQueue", "read"),
    Row("active_q_order", "1.13.1", queue_rules.order_by_priority_and_timestamp,
        "#71488 by #71670: by the times in the pod's status; #73700 (1.14) by the time it was queued",
        f"{QUEUE_GO} activeQComp", "inferred"),
    Row("active_q_order", "1.14.0-alpha.1", queue_rules.order_by_priority_and_timestamp, "#71488, #73700",
        f"{QUEUE_GO} activeQComp; plugin PrioritySort", "recorded"),
    Row("active_q_heads", "1.13.0", queue_rules.heads_of_equal_priority, "", f"{QUEUE_GO} Heap.Pop", "read"),
    Row("active_q_heads", "1.13.1", queue_rules.only_head, "#71488 by #71670", f"{QUEUE_GO} Pop", "inferred"),
    Row("active_q_heads", "1.14.0-alpha.1", queue_rules.only_head, "#71488", f"{QUEUE_GO} Pop", "recorded"),
    Row("queue_timestamp", "1.13.0", queue_rules.no_timestamp, "", f"{QUEUE_GO} Add", "read"),
    Row("queue_timestamp", "1.13.1", queue_rules.clock_timestamp, "#71488 by #71670", f"{QUEUE_GO} podTimestamp",
        "inferred"),
    Row("queue_timestamp", "1.14.0-alpha.1", queue_rules.clock_timestamp, "#73700", f"{QUEUE_GO} newPodInfo",
        "recorded"),
    Row("begin_cycle", "1.13.0", queue_rules.begin_cycle_clearing_flag, "", f"{QUEUE_GO} Pop", "read"),
    Row("begin_cycle", "1.13.4", queue_rules.begin_next_cycle, "#73309 by #73568 (merged 2019-02)",
        f"{QUEUE_GO} Pop", "inferred"),
    Row("begin_cycle", "1.14.0-alpha.1", queue_rules.begin_next_cycle, "#73309", f"{QUEUE_GO} Pop", "recorded"),
    Row("popped_record", "1.13.0", queue_rules.pop_pod_only, "", f"{QUEUE_GO} Pop", "recorded"),
    Row("popped_record", "1.17.0-alpha.1", queue_rules.pop_counting_attempts, "", f"{QUEUE_GO} Pop", "recorded"),
    Row("popped_record", "1.28.2", queue_rules.pop_clearing_plugins,
        "#120334 by #120535: in 1.28.4, not in 1.28.0, nor in 1.25.12, 1.26.11, 1.27.8",
        f"{QUEUE_GO} Pop", "inferred"),
    Row("popped_record", "1.29.0-alpha.1", queue_rules.pop_clearing_plugins, "#120334", f"{QUEUE_GO} Pop", "recorded"),
    Row("queue_for_failed_pod", "1.13.0", queue_rules.failed_pod_by_flag, "",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent", "read"),
    Row("queue_for_failed_pod", "1.13.4", queue_rules.failed_pod_by_cycle_to_active,
        "#73309 by #73568 (merged 2019-02)", f"{QUEUE_GO} AddUnschedulableIfNotPresent", "inferred"),
    Row("queue_for_failed_pod", "1.14.0-alpha.1", queue_rules.failed_pod_by_cycle,
        "#73309; #57057 brings the backoff queue", f"{QUEUE_GO} AddUnschedulableIfNotPresent", "recorded"),
    Row("queue_for_failed_pod", "1.29.0-alpha.3", queue_rules.failed_pod_by_cycle_or_error,
        "#119105; not yet in 1.29.0-alpha.1", f"{QUEUE_GO} addUnschedulableWithoutQueueingHint", "recorded"),
    Row("already_present_error", "1.13.0", queue_rules.present_error_short, "",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent", "recorded"),
    Row("already_present_error", "1.18.0-alpha.1", queue_rules.present_error_with_name,
        "first seen in 1.22.3, not in 1.17.10", f"{QUEUE_GO} AddUnschedulableIfNotPresent", "inferred"),
    Row("already_present_error", "1.22.0", queue_rules.present_error_with_name, "",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent", "recorded"),
    Row("backoff_time", "1.13.0", queue_backoff.no_backoff_time, "", f"{QUEUE_GO} MoveAllToActiveQueue", "read"),
    Row("backoff_time", "1.14.0-alpha.1", queue_backoff.backoff_time_by_name, "#57057",
        "pkg/scheduler/util/backoff_utils.go; from 1.15 " f"{BACKOFF_GO} GetBackoffTime", "recorded"),
    Row("backoff_time", "1.18.0-alpha.3", queue_backoff.backoff_time_by_attempts, "#87948 (of 2020-02)",
        f"{QUEUE_GO} getBackoffTime", "inferred"),
    Row("backoff_time", "1.22.0", queue_backoff.backoff_time_by_attempts, "#87948", f"{QUEUE_GO} getBackoffTime",
        "recorded"),
    Row("back_off_pod", "1.13.0", queue_backoff.no_back_off_pod, "", QUEUE_GO, "read"),
    Row("back_off_pod", "1.14.0-alpha.1", queue_backoff.back_off_pod_kept_for_max, "#57057",
        f"{QUEUE_GO} backoffPod; pkg/scheduler/util/backoff_utils.go Gc", "recorded"),
    Row("back_off_pod", "1.15.10", queue_backoff.back_off_pod_kept_for_twice_max,
        "#87616 by #87817 (approved 2020-02-05); in 1.15.11", f"{BACKOFF_GO} CleanupPodsCompletesBackingoff",
        "inferred"),
    Row("back_off_pod", "1.16.0-alpha.1", queue_backoff.back_off_pod_kept_for_max, "#87616 comes with 1.16.7",
        f"{BACKOFF_GO} CleanupPodsCompletesBackingoff", "read"),
    Row("back_off_pod", "1.16.7", queue_backoff.back_off_pod_kept_for_twice_max,
        "#87616 by #87728 (of 2020-01-31); in the last of 1.16", f"{BACKOFF_GO} CleanupPodsCompletesBackingoff",
        "inferred"),
    Row("back_off_pod", "1.17.0-alpha.1", queue_backoff.back_off_pod_kept_for_max, "#87616 comes with 1.17.3",
        f"{BACKOFF_GO} CleanupPodsCompletesBackingoff", "read"),
    Row("back_off_pod", "1.17.3", queue_backoff.back_off_pod_kept_for_twice_max,
        "#87616 by #87694 (of 2020-01-30); recorded in 1.17.10", f"{BACKOFF_GO} CleanupPodsCompletesBackingoff",
        "inferred"),
    Row("back_off_pod", "1.17.10", queue_backoff.back_off_pod_kept_for_twice_max, "#87616 by #87694",
        f"{BACKOFF_GO} CleanupPodsCompletesBackingoff", "recorded"),
    Row("back_off_pod", "1.18.0-alpha.3", queue_backoff.no_back_off_pod, "#87948 (of 2020-02)", QUEUE_GO, "inferred"),
    Row("back_off_pod", "1.22.0", queue_backoff.no_back_off_pod, "#87948", QUEUE_GO, "recorded"),
    Row("queue_update", "1.13.0", queue_update.update_from_backoff_to_active, "", f"{QUEUE_GO} Update", "recorded"),
    Row("queue_update", "1.21.0-rc.0", queue_update.update_respecting_backoff, "#98829 (approved 2021-03-16 for 1.21)",
        f"{QUEUE_GO} Update", "inferred"),
    Row("queue_update", "1.22.0", queue_update.update_respecting_backoff, "#98829", f"{QUEUE_GO} Update", "recorded"),
    Row("strip_for_queue", "1.13.0", queue_update.strip_status, "", f"{QUEUE_GO} isPodUpdated", "recorded"),
    Row("strip_for_queue", "1.22.0", queue_update.strip_status_and_finalizers, "seen in 1.22.3, not in 1.21.4",
        f"{QUEUE_GO} isPodUpdated", "read"),
    Row("move_pods", "1.13.0", queue_move.move_to_active, "", f"{QUEUE_GO} movePodsToActiveQueue", "read"),
    Row("move_pods", "1.14.0-alpha.1", queue_move.move_to_active_or_backoff_dropping, "#57057",
        f"{QUEUE_GO} movePodsToActiveQueue", "recorded"),
    Row("move_pods", "1.16.0-alpha.1", queue_move.move_to_active_or_backoff, "#78632",
        f"{QUEUE_GO} movePodsToActiveOrBackoffQueue", "recorded"),
    Row("move_pods", "1.21.0-beta.1", queue_move.move_if_worth_requeuing, "#98241, #99922 (of 2021-03)",
        "no source seen", "inferred"),
    Row("move_pods", "1.22.0", queue_move.move_if_worth_requeuing, "#98241; first seen in 1.22.3",
        f"{QUEUE_GO} movePodsToActiveOrBackoffQueue, podMatchesEvent", "read"),
    Row("worth_requeuing", "1.13.0", queue_events.always_worth_requeuing, "",
        f"{QUEUE_GO} MoveAllToActiveQueue", "recorded"),
    Row("worth_requeuing", "1.21.0-beta.1", queue_events.worth_requeuing, "#98241, #99922 (of 2021-03)",
        "no source seen", "inferred"),
    Row("worth_requeuing", "1.22.0", queue_events.worth_requeuing, "#98241; first seen in 1.22.3",
        f"{QUEUE_GO} podMatchesEvent; 1.28 isPodWorthRequeuing", "read"),
    Row("worth_requeuing", "1.28.0", queue_events.worth_requeuing, "through hint functions",
        f"{QUEUE_GO} isPodWorthRequeuing", "recorded"),
    Row("worth_requeuing", "1.29.0-alpha.3", queue_events.worth_requeuing_pending, "not yet in 1.29.0-alpha.1",
        f"{QUEUE_GO} isPodWorthRequeuing", "recorded"),
    Row("event_of_interest", "1.13.0", queue_events.every_event_is_of_interest, "", QUEUE_GO, "recorded"),
    Row("event_of_interest", "1.30.0-alpha.3", queue_events.is_event_of_interest, "not yet in 1.29.9",
        f"{QUEUE_GO} isEventOfInterest", "recorded"),
    Row("note_move_request", "1.13.0", queue_move.note_by_flag, "", f"{QUEUE_GO} MoveAllToActiveQueue", "read"),
    Row("note_move_request", "1.13.4", queue_move.note_by_cycle, "#73309 by #73568 (merged 2019-02)",
        f"{QUEUE_GO} MoveAllToActiveQueue", "inferred"),
    Row("note_move_request", "1.14.0-alpha.1", queue_move.note_by_cycle, "#73309",
        f"{QUEUE_GO} MoveAllToActiveQueue", "recorded"),
    Row("pods_for_move_request", "1.13.0", queue_move.all_unschedulable, "", f"{QUEUE_GO} MoveAllToActiveQueue",
        "recorded"),
    Row("pods_for_move_request", "1.22.0", queue_move.those_passing_pre_check,
        "seen in 1.22.3, not in 1.21.4", f"{QUEUE_GO} MoveAllToActiveOrBackoffQueue", "read"),
    Row("pods_for_assigned_pod", "1.13.0", queue_move.get_unschedulable_pods_with_matching_affinity_term, "",
        f"{QUEUE_GO} getUnschedulablePodsWithMatchingAffinityTerm", "recorded"),
    Row("pods_for_assigned_pod", "1.31.0-alpha.3", queue_move.get_unschedulable_pods_with_cross_topology_term,
        "#122627; seen in 1.31.13, not in 1.31.0-alpha.2", f"{QUEUE_GO} getUnschedulablePodsWithCrossTopologyTerm",
        "read"),
    Row("pods_for_assigned_pod_update", "1.13.0", queue_move.those_for_assigned_pod, "",
        f"{QUEUE_GO} AssignedPodUpdated", "recorded"),
    Row("pods_for_assigned_pod_update", "1.31.0-alpha.3", queue_move.all_if_scaled_down,
        "in 1.31.0 and 1.31.13 alike, not in 1.31.0-alpha.2", f"{QUEUE_GO} AssignedPodUpdated", "read"),
    Row("unschedulable_time_limit", "1.13.0", queue_rules.never_flushed, "", QUEUE_GO, "read"),
    Row("unschedulable_time_limit", "1.13.4", queue_rules.flushed_after_a_minute, "#72558 by #73454 (of 2019-01-29)",
        f"{QUEUE_GO} flushUnschedulableQLeftover", "inferred"),
    Row("unschedulable_time_limit", "1.14.0-alpha.1", queue_rules.flushed_after_a_minute, "#72558",
        f"{QUEUE_GO} flushUnschedulableQLeftover", "recorded"),
    Row("unschedulable_time_limit", "1.24.0-alpha.1", queue_rules.flushed_after_configured_time,
        "#108761; first seen in 1.24.0-alpha.4, not in 1.23.10", f"{QUEUE_GO} flushUnschedulablePodsLeftover",
        "recorded"),
    Row("nominate_added", "1.13.0", queue_rules.nominate_added_anew, "", f"{QUEUE_GO} Add", "read"),
    Row("nominate_added", "1.13.2", queue_rules.nominate_added_by_status, "#72259 by #72539 (of 2019-01-03)",
        f"{QUEUE_GO} Add", "inferred"),
    Row("nominate_added", "1.14.0-alpha.1", queue_rules.nominate_added_by_status, "#72259", f"{QUEUE_GO} Add",
        "recorded"),
    Row("nominate_waiting", "1.13.0", queue_rules.nominate_waiting_by_status, "",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent; from 1.23 activate", "recorded"),
    Row("nominate_waiting", "1.31.0-alpha.3", queue_rules.nominate_waiting_as_before,
        "seen in 1.31.13, not in 1.31.0-alpha.2", f"{QUEUE_GO} AddUnschedulableIfNotPresent, moveToActiveQ",
        "recorded"),
    Row("nominated_pod", "1.13.0", queue_rules.nominated_as_kept, "", f"{QUEUE_GO} NominatedPodsForNode", "recorded"),
    Row("nominated_pod", "1.31.0-alpha.3", queue_rules.nominated_as_queued, "seen in 1.31.13, not in 1.31.0-alpha.2",
        f"{QUEUE_GO} nominatedPodToInfo", "recorded"),
    Row("nominate_for_node", "1.13.0", queue_rules.nominated_by_status_only, "", QUEUE_GO, "read"),
    Row("nominate_for_node", "1.13.2", queue_rules.nominated_at_once, "#72259 by #72539 (of 2019-01-03)",
        f"{QUEUE_GO} UpdateNominatedPodForNode", "inferred"),
    Row("nominate_for_node", "1.14.0-alpha.1", queue_rules.nominated_at_once, "#72259",
        f"{QUEUE_GO} UpdateNominatedPodForNode, AddNominatedPod", "recorded"),
)  # fmt: skip

_SEEN_NOMINATOR_ROWS: tuple[Row, ...] = (
    Row("nominator_add", "1.13.0", nominator.add_by_status, "", f"{QUEUE_GO} addNominatedPodIfNeeded", "read"),
    Row("nominator_add", "1.13.2", nominator.add_unchecked, "#72259 by #72539 (of 2019-01-03)",
        f"{QUEUE_GO} nominatedPodMap.add", "inferred"),
    Row("nominator_add", "1.14.0-alpha.1", nominator.add_unchecked, "#72259", f"{QUEUE_GO} nominatedPodMap.add",
        "recorded"),
    Row("nominator_add", "1.19.12", nominator.add_if_listed, "#102498 by #102675", "release note of 1.19.12",
        "inferred"),
    Row("nominator_add", "1.20.0-alpha.1", nominator.add_unchecked, "#102498 comes with 1.20.8", "no source seen",
        "inferred"),
    Row("nominator_add", "1.20.8", nominator.add_if_listed, "#102498 by #102674", "release note of 1.20.8",
        "inferred"),
    Row("nominator_add", "1.21.0-alpha.1", nominator.add_unchecked,
        "#102667 brings #102498 to 1.21.2 without the lister (says #109248)", "no source seen", "inferred"),
    Row("nominator_add", "1.21.12", nominator.add_if_listed_unbound,
        "#109245 by #109248 (of 2022-04), with the lister", "no source seen", "inferred"),
    Row("nominator_add", "1.22.0", nominator.add_if_listed, "#102498; seen in 1.22.3",
        f"{QUEUE_GO} nominatedPodMap.add", "read"),
    Row("nominator_add", "1.22.9", nominator.add_if_listed_unbound, "#109245 by #109247 (of 2022-04)",
        "no source seen", "inferred"),
    Row("nominator_add", "1.23.0-alpha.1", nominator.add_if_listed, "#106816 comes with 1.23.2", "no source seen",
        "inferred"),
    Row("nominator_add", "1.23.2", nominator.add_overriding, "#106816 by #107109", "release note of 1.23.2",
        "inferred"),
    Row("nominator_add", "1.23.3", nominator.add_overriding, "#106816 by #107109", f"{QUEUE_GO} nominator.add",
        "read"),
    Row("nominator_add", "1.23.6", nominator.add_overriding_unless_bound, "#109245 by #109246 (of 2022-04)",
        "no source seen", "inferred"),
    Row("nominator_add", "1.23.9", nominator.add_overriding_unless_bound, "#109245", f"{QUEUE_GO} nominator.add",
        "read"),
    Row("nominator_add", "1.24.0-alpha.1", nominator.add_overriding, "#106816; still so in 1.24.0-beta.0",
        f"{QUEUE_GO} nominator.add", "read"),
    Row("nominator_add", "1.24.0-rc.0", nominator.add_overriding_unless_bound, "#109245", f"{QUEUE_GO} nominator.add",
        "recorded"),
    Row("nominator_add", "1.31.0-alpha.3", nominator.add_reference, "PodRef; seen in 1.31.13, not in 1.31.0-alpha.2",
        f"{QUEUE_GO} addNominatedPodUnlocked", "recorded"),
    Row("nominator_delete", "1.13.0", nominator.delete_by_status, "", f"{QUEUE_GO} deleteNominatedPodIfExists", "read"),
    Row("nominator_delete", "1.13.2", nominator.delete_by_uid, "#72259 by #72539 (of 2019-01-03)",
        f"{QUEUE_GO} nominatedPodMap.delete", "inferred"),
    Row("nominator_delete", "1.14.0-alpha.1", nominator.delete_by_uid, "#72259", f"{QUEUE_GO} nominatedPodMap.delete",
        "recorded"),
    Row("nominator_update", "1.13.0", nominator.update_by_status, "", f"{QUEUE_GO} updateNominatedPod", "recorded"),
    Row("nominator_update", "1.15.0-beta.1", nominator.update_keeping_memory, "#77990 (of 2019-05-16)",
        f"{QUEUE_GO} nominatedPodMap.update", "recorded"),
    Row("nominator_update", "1.19.0-alpha.1", nominator.update_sharing_record,
        "PodInfo, which pod and nomination share; first seen in 1.22.3", f"{QUEUE_GO} UpdateNominatedPod", "inferred"),
    Row("nominator_update", "1.22.0", nominator.update_sharing_record, "seen in 1.22.3",
        f"{QUEUE_GO} Update, UpdateNominatedPod; framework/types.go PodInfo.Update", "read"),
    Row("nominator_update", "1.31.0-alpha.3", nominator.update_keeping_memory,
        "PodRef in place of the PodInfo; seen in 1.31.13, not in 1.31.0-alpha.2",
        f"{QUEUE_GO} UpdateNominatedPod", "recorded"),
)  # fmt: skip


def _with_unseen(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """`rows`, and for every rule rows that say where it is inferred only: in 1.18 to 1.21."""
    added: list[Row] = []
    for rule_field in dict.fromkeys(row.rule_field for row in rows):
        own = sorted((row for row in rows if row.rule_field == rule_field), key=lambda row: Version(row.since))
        for since, change, evidence in _UNSEEN:
            last = [row for row in own if Version(row.since) <= Version(since)][-1]
            if last.since != since:
                added.append(evolve(last, since=since, change=change, evidence=evidence))
    return rows + tuple(added)


_UNSEEN = (
    ("1.18.0-alpha.1", "no source of 1.18 to 1.21 was seen", "inferred"),
    ("1.22.0", "seen in 1.22.3 again", "read"),
)

QUEUE_ROWS = _with_unseen(_SEEN_QUEUE_ROWS)
NOMINATOR_ROWS = _with_unseen(_SEEN_NOMINATOR_ROWS)
