"""Which rules of a cycle are recorded: those that recordings of cycles, searches, scores and preemption tell apart.

A Go file of the cycle has many functions, and the recordings exercise some of them. So a rule counts as recorded only
if some recorded case diverges with each other rule of its field in its place. Of rules that no player asks the order
of steps is compared with the cycle that replays the recordings (tests/agreement/test_scheduling_cycle.py).
`tests/model/test_seen_in_cycles.py` computes both.
"""

from collections.abc import Mapping

from model.rules import Seen

# Release -> the repository and the ref that were recorded.
_WHERE: Mapping[str, str] = {
    "1.17.10": "kubernetes/autoscaler 9501a3d7aa",
    "1.28.14": "kubernetes/autoscaler branch cluster-autoscaler-release-1.28",
    "1.31.13": "kubernetes/autoscaler branch cluster-autoscaler-release-1.31",
    "1.34.1": "openshift/kubernetes-autoscaler branch release-4.21",
    "1.36.2": "openshift/kubernetes-autoscaler branch main",
}
# Release -> the fields whose rules replay, and no other rule does.
BY_REPLAY: Mapping[str, str] = {
    "1.17.10": (
        "max_node_score nodes_to_look_at nominate_without_candidate order_of_lower_pods order_of_victims "
        "pick_one_node preemption_might_help preempts_with score_error without_filters without_lower_pods"
    ),
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
BY_ORDER: Mapping[str, str] = {
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
    for by in (BY_REPLAY, BY_ORDER)
    for release, fields in by.items()
)
