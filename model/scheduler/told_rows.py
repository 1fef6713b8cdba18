"""Which release tells whom of nodes and bound pods, and whom of nodes that a plugin left out before the filters."""

from model.rules import Row
from model.scheduler import filters, told_rules
from model.scheduler.go_files import GENERIC_GO, HANDLERS_GO

TOLD_ROWS: tuple[Row, ...] = (
    Row("node_deleted", "1.13.0", told_rules.cache_alone, "", f"{HANDLERS_GO} deleteNodeFromCache"),
    Row("node_deleted", "1.32.0", told_rules.queue_before_cache, "#127464; in 1.32.0, not in 1.31.14",
        f"{HANDLERS_GO} deleteNodeFromCache"),
    Row("assigned_pod_with_hints", "1.28.0-beta.0", told_rules.as_without_hints, "",
        f"{HANDLERS_GO} addPodToCache, updatePodInCache"),
    Row("assigned_pod_with_hints", "1.31.0-alpha.3", told_rules.everybody_by_general_event,
        "#122627; in 1.31.0, not in 1.31.0-alpha.2", f"{HANDLERS_GO} addPodToCache, updatePodInCache"),
    Row("assigned_pod_with_hints", "1.32.0", told_rules.everybody_by_property, "in 1.32.0, not in 1.31.14",
        f"{HANDLERS_GO} addPodToCache, updatePodInCache"),
    Row("narrowed_by_name", "1.13.0", filters.by_filter, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("narrowed_by_name", "1.24.0", filters.by_pre_filter_result, "#108648; in 1.24.0, not in 1.23.13",
        f"{GENERIC_GO} findNodesThatFitPod"),
    Row("narrowed_by_name", "1.31.0", filters.by_registered_pre_filter_result,
        "#122251; in 1.31.0, not in 1.30.14", f"{GENERIC_GO} findNodesThatFitPod"),
)  # fmt: skip
