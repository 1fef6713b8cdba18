"""Which release follows which rule of the search for feasible nodes."""

from model.rules import Row
from model.scheduler import filtering_rules as filtering
from model.scheduler.go_files import GENERIC_GO, SCHEDULE_ONE_GO

_NAMED = (
    # The minor -> its patch release with #124559, and the one with #125197, by which pull request.
    ("1.27", "14", "#124559 by #124765; not in 1.27.12", "15", "#125197 by #125309; not in 1.27.14"),
    ("1.28", "10", "#124559 by #124764; not in 1.28.8", "11", "#125197 by #125308; not in 1.28.10"),
    ("1.29", "5", "#124559; not in 1.29.4", "6", "#125197 by #125307; not in 1.29.5"),
)
_FIND = f"{SCHEDULE_ONE_GO} findNodesThatFitPod"


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


FILTERING_ROWS: tuple[Row, ...] = (
    Row("num_feasible_nodes_to_find", "1.13.0", filtering.every_node_without_percentage, "",
        f"{GENERIC_GO} numFeasibleNodesToFind"),
    Row("num_feasible_nodes_to_find", "1.14.0-alpha.1", filtering.adaptive_without_percentage,
        "in 1.14.10, not in 1.13.0-beta.2", f"{GENERIC_GO} numFeasibleNodesToFind"),
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
    Row("named_nodes", "1.30.2", filtering.missing_nodes_are_left_out, "#125197 by #125306; not in 1.30.1", _FIND),
    Row("start_goes_round", "1.30.0-alpha.0", filtering.round_the_nodes_asked, "#124933 comes with 1.30.2", _FIND),
    Row("start_goes_round", "1.30.2", filtering.round_all_nodes, "#124933; not in 1.30.1", _FIND),
    Row("takes_nodes_from_tree", "1.13.0", filtering.from_the_tree, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("takes_nodes_from_tree", "1.17.0-alpha.1", filtering.from_the_snapshot, "#84014; in 1.17.0, not in 1.16.15",
        f"{GENERIC_GO} findNodesThatFit"),
    Row("without_filters", "1.13.0", filtering.all_nodes_at_once, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("without_filters", "1.18.0-alpha.1", filtering.the_first_nodes, "in 1.18.0, not in 1.17.17",
        f"{GENERIC_GO} findNodesThatPassFilters"),
    Row("without_filters", "1.19.0-alpha.1", filtering.nodes_from_start, "in 1.19.0, not in 1.18.20",
        f"{GENERIC_GO} findNodesThatPassFilters"),
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
