"""Which release follows which rule of scoring."""

from model.rules import Row
from model.scheduler import score_weights, scoring, select_host
from model.scheduler.go_files import FACTORY_GO, FRAMEWORK_GO, GENERIC_GO, SCHEDULE_ONE_GO

SCORING_ROWS: tuple[Row, ...] = (
    Row("max_node_score", "1.13.0", scoring.ten_at_most, "", f"{GENERIC_GO} PrioritizeNodes"),
    Row("max_node_score", "1.17.0-alpha.2", scoring.a_hundred_at_most,
        "#83522, for extenders #83490; in 1.17.0, not in 1.16.15", f"{GENERIC_GO} prioritizeNodes"),
    Row("score_error", "1.13.0", scoring.says_for_which_pod, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("score_error", "1.20.0-beta.0", scoring.says_which_plugin, "in 1.20.0, not in 1.20.0-alpha.1",
        f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("order_of_weighting", "1.13.0", scoring.plugin_by_plugin, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("order_of_weighting", "1.26.0-rc.1", scoring.node_by_node, "in 1.26.0-rc.1, not in 1.26.0-alpha.0",
        f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("left_out_at_score", "1.13.0", scoring.skip_is_an_error, "", f"{FRAMEWORK_GO} RunPreScorePlugins"),
    Row("left_out_at_score", "1.27.0-beta.0", scoring.skip_leaves_the_plugin_out,
        "in 1.27.0, not in 1.27.0-alpha.1", f"{FRAMEWORK_GO} RunPreScorePlugins"),
    Row("draw_host", "1.13.0", select_host.next_in_turn, "", f"{GENERIC_GO} selectHost"),
    Row("draw_host", "1.16.0-alpha.1", select_host.drawn_in_one_pass, "#78009; in 1.16.0, not in 1.15.11",
        f"{GENERIC_GO} selectHost"),
    Row("draw_host", "1.28.0-beta.0", select_host.drawn_from_a_heap,
        "#114688; in 1.28.0-beta.0, not in 1.28.0-alpha.2", f"{SCHEDULE_ONE_GO} selectHost"),
    Row("draw_host", "1.35.0-beta.0", select_host.first_of_a_heap,
        "#135231 (release note of 1.35.0-beta.0); in 1.35.0, not in 1.34.9",
        f"{SCHEDULE_ONE_GO} prioritizeNodes, newSortedNodeScores"),
    Row("refuses_priorities", "1.13.0", score_weights.sum_of_tens, "", f"{FACTORY_GO} CreateFromConfig"),
    Row("refuses_priorities", "1.17.0-alpha.2", score_weights.sum_of_hundreds,
        "#83522; in 1.17.0, not in 1.16.15", f"{FACTORY_GO} CreateFromConfig"),
    Row("refuses_priorities", "1.18.0-alpha.1", score_weights.limit_of_each, "in 1.18.0, not in 1.17.17",
        f"{FACTORY_GO} CreateFromConfig"),
    Row("refuses_priorities", "1.23.0-alpha.4", score_weights.no_policy, "#105424; not in 1.22.17",
        f"{FACTORY_GO} CreateFromConfig"),
    Row("weight_of_priority", "1.13.0", score_weights.as_in_the_policy, "", f"{FACTORY_GO} CreateFromConfig"),
    Row("weight_of_priority", "1.17.0-alpha.2", score_weights.cut_to_int32, "in 1.17.0, not in 1.16.15",
        f"{FACTORY_GO} CreateFromConfig"),
    Row("refuses_plugins", "1.13.0", score_weights.no_score_plugins, "", f"{FRAMEWORK_GO} NewFramework"),
    Row("refuses_plugins", "1.16.0-alpha.1", score_weights.sum_is_not_checked, "in 1.16.0, not in 1.15.11",
        f"{FRAMEWORK_GO} NewFramework"),
    Row("refuses_plugins", "1.18.0-alpha.1", score_weights.sum_is_checked, "in 1.18.0, not in 1.17.17",
        f"{FRAMEWORK_GO} NewFramework"),
    Row("refuses_extender", "1.13.0", score_weights.positive, "", f"{FACTORY_GO} CreateFromConfig"),
)  # fmt: skip
