"""Which release follows which rule of the search for a node: which nodes are asked, and their scores."""

from model.rules import Row
from model.scheduler import (
    filtering_rules as filtering,
    score_weights,
    scoring,
    select_host,
)
from model.scheduler.go_files import (
    FACTORY_GO,
    FRAMEWORK_GO,
    GENERIC_GO,
    RUNTIME_GO,
    SCHEDULE_ONE_GO,
)

_FIND = f"{SCHEDULE_ONE_GO} findNodesThatFitPod"
_NAMED = (
    # The minor -> its patch release with #124559, and the one with #125197, by which pull request.
    ("1.27", "14", "#124559 by #124765; not in 1.27.12", "15", "#125197 by #125309; not in 1.27.14"),
    ("1.28", "10", "#124559 by #124764; not in 1.28.8", "11", "#125197 by #125308; not in 1.28.10"),
    ("1.29", "5", "#124559; not in 1.29.4", "6", "#125197 by #125307; not in 1.29.5"),
)


def _back_ports() -> tuple[Row, ...]:
    """Each of these minors begins without both pull requests, and gets them in patch releases."""
    rows = []
    for minor, with_crash, first, cured, second in _NAMED:
        rows += [
            Row("named_nodes", f"{minor}.0-alpha.0", filtering.error_for_missing_node,
                f"#124559 comes with {minor}.{with_crash}", _FIND),
            Row("named_nodes", f"{minor}.{with_crash}", filtering.others_are_unresolvable, first, _FIND),
            Row("named_nodes", f"{minor}.{cured}", filtering.missing_nodes_are_left_out, second, _FIND),
            Row("start_goes_round", f"{minor}.0-alpha.0", filtering.round_the_nodes_asked,
                f"#124933 comes with {minor}.{cured}", _FIND),
            Row("start_goes_round", f"{minor}.{cured}", filtering.round_all_nodes,
                f"#124933; not in {minor}.{with_crash}", _FIND),
        ]  # fmt: skip
    return tuple(rows)


NODE_SEARCH_ROWS: tuple[Row, ...] = (
    # Scoring.
    Row("max_node_score", "1.13.0", scoring.ten_at_most, "", f"{GENERIC_GO} PrioritizeNodes"),
    Row("max_node_score", "1.17.0-alpha.2", scoring.a_hundred_at_most,
        "#83522, for extenders #83490; in 1.17.0, not in 1.16.15", f"{GENERIC_GO} prioritizeNodes"),
    Row("score_error", "1.13.0", scoring.says_for_which_pod, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("score_error", "1.20.0-beta.0", scoring.says_which_plugin, "in 1.20.0, not in 1.20.0-alpha.1"),
    Row("order_of_weighting", "1.13.0", scoring.plugin_by_plugin, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("order_of_weighting", "1.26.0-rc.1", scoring.node_by_node, "in 1.26.0-rc.1, not in 1.26.0-alpha.0"),
    Row("left_out_at_score", "1.13.0", scoring.skip_is_an_error, "", f"{FRAMEWORK_GO} RunPreScorePlugins"),
    Row("left_out_at_score", "1.27.0-beta.0", scoring.skip_leaves_the_plugin_out, "in 1.27.0, not in 1.27.0-alpha.1"),
    Row("skips_panic", "1.13.0", scoring.any_number_may_skip, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("skips_panic", "1.27.0-beta.0", scoring.panics_if_more_skip,
        "#115652; in 1.27.0, not in 1.27.0-alpha.1", f"{RUNTIME_GO} RunScorePlugins"),
    Row("skips_panic", "1.27.9", scoring.any_number_may_skip, "#121632 by #121666; in 1.27.9, not in 1.27.8"),
    Row("skips_panic", "1.28.0-alpha.0", scoring.panics_if_more_skip, "#121632 comes with 1.28.5"),
    Row("skips_panic", "1.28.5", scoring.any_number_may_skip, "#121632 by #121667 (release note of 1.28.5)"),
    Row("skips_panic", "1.29.0-alpha.0", scoring.panics_if_more_skip, "#121632 comes with 1.29.0"),
    Row("skips_panic", "1.29.0-alpha.3", scoring.any_number_may_skip,
        "#121632; in 1.29.0-alpha.3, not in 1.29.0-alpha.1"),
    Row("scores_nodes_of_snapshot", "1.13.0", scoring.nodes_of_the_snapshot, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("scores_nodes_of_snapshot", "1.33.0", scoring.nodes_of_the_search,
        "#130537; in 1.33.0, not in 1.32.13", f"{RUNTIME_GO} runScorePlugin"),
    Row("draw_host", "1.13.0", select_host.next_in_turn, "", f"{GENERIC_GO} selectHost"),
    Row("draw_host", "1.16.0-alpha.1", select_host.drawn_in_one_pass, "#78009; in 1.16.0, not in 1.15.11"),
    Row("draw_host", "1.28.0-beta.0", select_host.drawn_from_a_heap,
        "#114688; in 1.28.0-beta.0, not in 1.28.0-alpha.2", f"{SCHEDULE_ONE_GO} selectHost"),
    Row("draw_host", "1.35.0-beta.0", select_host.first_of_a_heap,
        "#135231 (release note of 1.35.0-beta.0); in 1.35.0, not in 1.34.9",
        f"{SCHEDULE_ONE_GO} prioritizeNodes, newSortedNodeScores"),
    Row("refuses_priorities", "1.13.0", score_weights.sum_of_tens, "", f"{FACTORY_GO} CreateFromConfig"),
    Row("refuses_priorities", "1.17.0-alpha.2", score_weights.sum_of_hundreds, "#83522; in 1.17.0, not in 1.16.15"),
    Row("refuses_priorities", "1.18.0-alpha.1", score_weights.limit_of_each, "in 1.18.0, not in 1.17.17"),
    Row("refuses_priorities", "1.23.0-alpha.4", score_weights.no_policy, "#105424; not in 1.22.17"),
    Row("weight_of_priority", "1.13.0", score_weights.as_in_the_policy, "", f"{FACTORY_GO} CreateFromConfig"),
    Row("weight_of_priority", "1.17.0-alpha.2", score_weights.cut_to_int32, "in 1.17.0, not in 1.16.15"),
    Row("refuses_plugins", "1.13.0", score_weights.no_score_plugins, "", f"{FRAMEWORK_GO} NewFramework"),
    Row("refuses_plugins", "1.16.0-alpha.1", score_weights.sum_is_not_checked, "in 1.16.0, not in 1.15.11"),
    Row("refuses_plugins", "1.18.0-alpha.1", score_weights.sum_is_checked, "in 1.18.0, not in 1.17.17"),
    Row("refuses_extender", "1.13.0", score_weights.positive, "", f"{FACTORY_GO} CreateFromConfig"),
    # The search for feasible nodes.
    Row("num_feasible_nodes_to_find", "1.13.0", filtering.every_node_without_percentage, "",
        f"{GENERIC_GO} numFeasibleNodesToFind"),
    Row("num_feasible_nodes_to_find", "1.14.0-alpha.1", filtering.adaptive_without_percentage,
        "in 1.14.10, not in 1.13.0-beta.2"),
    Row("num_feasible_nodes_to_find", "1.26.0-rc.1", filtering.profile_before_scheduler,
        "in 1.26.0-rc.1, not in 1.26.0-alpha.0", f"{SCHEDULE_ONE_GO} numFeasibleNodesToFind"),
    Row("enough_to_choose", "1.13.0", filtering.enough_as_computed, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("enough_to_choose", "1.30.0-alpha.3", filtering.one_is_enough, "in 1.30.0-alpha.3, not in 1.29.14",
        f"{SCHEDULE_ONE_GO} findNodesThatPassFilters"),
    Row("named_nodes", "1.13.0", filtering.names_are_not_looked_at, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("named_nodes", "1.24.0-beta.0", filtering.error_for_missing_node, "in 1.24.0-beta.0, not in 1.23.13", _FIND),
    Row("start_goes_round", "1.13.0", filtering.round_the_nodes_asked, "", f"{GENERIC_GO} findNodesThatFit"),
    *_back_ports(),
    Row("named_nodes", "1.30.0-alpha.0", filtering.others_are_unresolvable,
        "#119779, of which #124559 is the least part; in 1.30.0-alpha.3", _FIND),
    Row("named_nodes", "1.30.2", filtering.missing_nodes_are_left_out, "#125197 by #125306; not in 1.30.1"),
    Row("start_goes_round", "1.30.0-alpha.0", filtering.round_the_nodes_asked, "#124933 comes with 1.30.2", _FIND),
    Row("start_goes_round", "1.30.2", filtering.round_all_nodes, "#124933; not in 1.30.1"),
    Row("takes_nodes_from_tree", "1.13.0", filtering.from_the_tree, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("takes_nodes_from_tree", "1.17.0-alpha.1", filtering.from_the_snapshot, "#84014; in 1.17.0, not in 1.16.15"),
    Row("without_filters", "1.13.0", filtering.all_nodes_at_once, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("without_filters", "1.18.0-alpha.1", filtering.the_first_nodes, "in 1.18.0, not in 1.17.17",
        f"{GENERIC_GO} findNodesThatPassFilters"),
    Row("without_filters", "1.19.0-alpha.1", filtering.nodes_from_start, "in 1.19.0, not in 1.18.20"),
    Row("start_moves_without_filters", "1.13.0", filtering.stays_without_filters, "",
        f"{GENERIC_GO} findNodesThatFit"),
    Row("start_moves_without_filters", "1.18.0-alpha.1", filtering.moved_without_filters,
        "in 1.18.0, not in 1.17.17", f"{GENERIC_GO} findNodesThatPassFilters"),
    Row("nominated_node_moves_start", "1.13.0", filtering.moved_by_the_nominated_node, "",
        f"{GENERIC_GO} findNodesThatFit"),
    Row("nominated_node_moves_start", "1.25.0-beta.0", filtering.moved_once,
        "#110947; in 1.25.0, not in 1.25.0-alpha.2", f"{SCHEDULE_ONE_GO} findNodesThatPassFilters"),
    Row("select_host_panics", "1.13.0", filtering.any_of_the_highest, "", f"{GENERIC_GO} selectHost"),
    Row("select_host_panics", "1.28.0-beta.0", filtering.panics_with_a_single_node,
        "in 1.28.0-beta.0, not in 1.28.0-alpha.2", f"{SCHEDULE_ONE_GO} selectHost"),
    Row("select_host_panics", "1.35.0-beta.0", filtering.panics_without_nodes,
        "#135231 (release note of 1.35.0-beta.0); in 1.35.0, not in 1.34.9", f"{SCHEDULE_ONE_GO} newSortedNodeScores"),
)  # fmt: skip
