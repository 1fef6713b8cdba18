"""Which rules are recorded of Go files of which the recordings exercise some functions only.

Of a cycle: a Go file of the cycle has many functions. So a rule counts as recorded only if some recorded case diverges
with each other rule of its field in its place. Of rules that no player asks the order of steps is compared with the
cycle that replays the recordings (tests/agreement/test_scheduling_cycle.py).

Of the queue, from 1.32 on: its files are the same, byte for byte, in all patch releases of a minor that were at hand.
The recordings of 1.34.1, 1.35.0 and 1.36.2 answer the same, case by case. From 1.34 on SchedulerQueueingHints is locked
on. So nothing is recorded of rules that are asked with the gate off.

`tests/model/test_seen_by_rule.py` computes the fields.
"""

from collections.abc import Mapping

from model.rules import Seen, read
from model.scheduler.go_files import TYPES_GO

# --- Cycles, searches, scores and preemption

# Release -> the repository and the ref that were recorded.
_WHERE: Mapping[str, str] = {
    "1.17.10": "kubernetes/autoscaler 9501a3d7aa",
    "1.23.3": "kubernetes-sigs/cluster-capacity 9abd59def",
    "1.28.3": "kubernetes-sigs/cluster-capacity f39ad5155c73",
    "1.28.14": "kubernetes/autoscaler branch cluster-autoscaler-release-1.28",
    "1.31.1": "kubernetes-sigs/cluster-capacity d70315d79b0d",
    "1.31.13": "kubernetes/autoscaler branch cluster-autoscaler-release-1.31",
    "1.34.1": "openshift/kubernetes-autoscaler branch release-4.21",
    "1.36.2": "openshift/kubernetes-autoscaler branch main",
}
# Release -> the fields whose rules replay, and no other rule does.
CYCLES_BY_REPLAY: Mapping[str, str] = {
    "1.17.10": (
        "max_node_score nodes_to_look_at nominate_without_candidate order_of_lower_pods order_of_victims "
        "pick_one_node preemption_might_help preempts_with score_error without_filters without_lower_pods"
    ),
    "1.23.3": "expand_multi_point score_weights",
    "1.28.3": "expand_multi_point score_weights",
    "1.28.14": (
        "bind_failure code_of_search_error enough_to_choose extender_plugins files_plugins forget_done "
        "hint_for_in_flight_pod left_out_at_score max_node_score move_waits named_nodes no_candidate "
        "no_common_node no_fit nodes_to_look_at nominate_for_node nominate_without_candidate "
        "nominated_node_moves_start not_eligible note_move_request order_of_lower_pods order_of_victims "
        "plugin_error pods_for_move_request post_filter_message post_filter_result pre_filter_ends prefer "
        "queue_for_failed_pod queue_timestamp rejected_by_naming rejected_in_pre_bind rejected_while_waiting "
        "rejection_at_permit score_error select_host_panics skips_at_pre_filter start_goes_round "
        "start_moves_without_filters statuses_of_rejected_pre_filter tells_done terminating_pod_counts "
        "without_filters without_lower_pods"
    ),
    "1.31.1": "expand_multi_point score_weights",
    "1.31.13": (
        "bind_failure code_of_search_error enough_to_choose extender_plugins files_plugins left_out_at_score "
        "max_node_score move_waits named_nodes no_candidate no_common_node no_fit nodes_to_look_at "
        "nominate_without_candidate nominated_node_moves_start not_eligible order_of_lower_pods order_of_victims "
        "plugin_error pods_for_move_request post_filter_message post_filter_result pre_filter_ends prefer "
        "rejected_by_naming rejected_in_pre_bind rejected_while_waiting rejection_at_permit rejects_at_pre_filter "
        "score_error select_host_panics skips_at_pre_filter start_goes_round start_moves_without_filters "
        "statuses_of_rejected_pre_filter tells_done terminating_pod_counts without_filters without_lower_pods"
    ),
    "1.34.1": (
        "enough_to_choose fits_node left_out_at_score max_node_score named_nodes no_candidate nodes_to_look_at "
        "nominate_without_candidate nominated_node_moves_start not_eligible order_of_lower_pods order_of_victims "
        "prefer score_error select_host_panics start_goes_round start_moves_without_filters terminating_pod_counts "
        "victims_to_delete without_filters without_lower_pods"
    ),
    "1.36.2": "select_host_panics",
}
# Release -> the fields whose rules give the steps of scheduling-cycle the recorded order, and no other rule does.
CYCLES_BY_ORDER: Mapping[str, str] = {
    "1.17.10": (
        "after_bind_error after_failed_bind after_failed_permit after_failed_reserve points_in_binding "
        "points_in_cycle unreserves_in_reverse"
    ),
    "1.28.14": (
        "after_bind_error after_failed_bind after_failed_permit after_failed_reserve move_comes_last "
        "points_in_binding points_in_cycle unreserves_in_reverse"
    ),
    "1.31.13": (
        "after_bind_error after_failed_bind after_failed_permit after_failed_reserve move_comes_last "
        "points_in_binding points_in_cycle unreserves_in_reverse"
    ),
}

SEEN_IN_CYCLES: tuple[Seen, ...] = tuple(
    Seen("pkg/scheduler/", release, release, "recorded", _WHERE[release], frozenset(fields.split()))
    for by in (CYCLES_BY_REPLAY, CYCLES_BY_ORDER)
    for release, fields in by.items()
)

# --- The queue

_BACKEND_QUEUE = "pkg/scheduler/backend/queue/"
# What the recordings of 1.33.1 and of 1.34.1 tell.
_BOTH = (
    "active_q_order already_present_error back_off_pod backoff_time begin_cycle discard_popped events_for_pod "
    "forget_deleted forget_done move_pods nominate_added nominate_for_node nominate_waiting nominated_pod "
    "nominator_delete note_activation note_event note_move_request note_popped queue_timestamp still_backs_off "
    "unschedulable_time_limit update_with_hints worth_requeuing"
)
_LOCKED_ON = f"{_BOTH} count_failure popped_record"
# Recorded release -> the fields whose rules replay, and no other rule does. Of 1.32.0 those that 1.31.13 does not tell.
QUEUE_BY_REPLAY: Mapping[str, str] = {
    "1.32.0": "forget_deleted still_backs_off",
    "1.33.1": f"{_BOTH} queue_for_failed_pod queue_update",
    "1.34.1": _LOCKED_ON,
    "1.35.0": _LOCKED_ON,
    "1.36.2": _LOCKED_ON,
}
# Recorded release -> the first and the last release with the same files, and the branch that was recorded.
_FILES: Mapping[str, tuple[str, str, str]] = {
    "1.32.0": ("1.32.0", "1.32.13", "release-4.19"),
    "1.33.1": ("1.33.0", "1.33.13", "release-4.20"),
    "1.34.1": ("1.34.1", "1.34.9", "release-4.21"),
    "1.35.0": ("1.35.0", "1.35.7", "release-4.22"),
    "1.36.2": ("1.36.2", "1.36.3", "main"),
}

_RECORDED = tuple(
    Seen(
        path,
        first,
        last,
        "recorded",
        f"openshift/kubernetes-autoscaler branch {branch}",
        frozenset(QUEUE_BY_REPLAY[release].split()),
    )
    for release, (first, last, branch) in _FILES.items()
    # From 1.34 on a rule of what plugins wait for stands in types.go, which is the same in these releases too.
    for path in (_BACKEND_QUEUE, *((TYPES_GO,) if QUEUE_BY_REPLAY[release] is _LOCKED_ON else ()))
)
SEEN_IN_QUEUE: tuple[Seen, ...] = (
    *_RECORDED,
    Seen(_BACKEND_QUEUE, "1.32.0", "1.32.13", "recorded", "openshift/kubernetes-autoscaler branch release-4.19"),
    *read(_BACKEND_QUEUE, "openshift/kubernetes-autoscaler", "1.32.0=33b149850474"),
    *read(_BACKEND_QUEUE, "kubernetes-sigs/cluster-capacity", "1.32.2=21fdf5dfaa"),
    *read(_BACKEND_QUEUE, "openshift/microshift", "1.32.4=004d9bd35815 1.32.13=d4b43f374a5b"),
)
