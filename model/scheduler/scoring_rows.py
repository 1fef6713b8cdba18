"""Which release follows which rule of scoring."""

from model.rules import Row
from model.scheduler import scoring
from model.scheduler.go_files import FRAMEWORK_GO

SCORING_ROWS: tuple[Row, ...] = (
    Row("score_error", "1.13.0", scoring.says_for_which_pod, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("score_error", "1.20.0-beta.0", scoring.says_which_plugin, "in 1.20.0, not in 1.20.0-alpha.1",
        f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("order_of_weighting", "1.13.0", scoring.plugin_by_plugin, "", f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("order_of_weighting", "1.26.0-rc.1", scoring.node_by_node, "in 1.26.0-rc.1, not in 1.26.0-alpha.0",
        f"{FRAMEWORK_GO} RunScorePlugins"),
    Row("left_out_at_score", "1.13.0", scoring.skip_is_an_error, "", f"{FRAMEWORK_GO} RunPreScorePlugins"),
    Row("left_out_at_score", "1.27.0-beta.0", scoring.skip_leaves_the_plugin_out,
        "in 1.27.0, not in 1.27.0-alpha.1", f"{FRAMEWORK_GO} RunPreScorePlugins"),
)  # fmt: skip
