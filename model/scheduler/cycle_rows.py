"""Which release follows which rule of the scheduling cycle (`cycle`) and of the extender, each row with its source."""

from model.rules import Row
from model.scheduler import cycle, extender

SCHEDULER_GO = "pkg/scheduler/scheduler.go"
GENERIC_GO = "pkg/scheduler/core/generic_scheduler.go"
PREEMPTION_GO = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go"
BINDING_GO = "pkg/registry/core/pod/storage/storage.go assignPod"

CYCLE_ROWS: tuple[Row, ...] = (
    Row("after_bind_error", "1.13.0", cycle.forget_only, "", f"{SCHEDULER_GO} bind", "read"),
    Row("after_bind_error", "1.23.0-alpha.1", cycle.forget_then_move, "#103805", f"{SCHEDULER_GO} scheduleOne", "read"),
    Row("nominate_without_candidate", "1.13.0", cycle.keep_nomination, "", f"{SCHEDULER_GO} preempt", "read"),
    Row("nominate_without_candidate", "1.23.2", cycle.clear_nomination,
        "#107109, the 1.23 back-port of #106816 (release note of 1.23.2)",
        f"{SCHEDULER_GO} recordSchedulingFailure", "read"),
    Row("preempts_with", "1.13.0", cycle.any_number_of_victims, "", f"{GENERIC_GO} pickOneNodeForPreemption", "read"),
    Row("preempts_with", "1.22.0", cycle.at_least_one_victim, "seen in 1.22.3, not in 1.21.4",
        f"{PREEMPTION_GO} dryRunPreemption", "read"),
    Row("prefer", "1.13.0", cycle.look_at_all_nodes, "", f"{GENERIC_GO} findNodesThatFit", "read"),
    Row("prefer", "1.22.0-alpha.1", cycle.nominated_node_first, "feature gate PreferNominatedNode, on from 1.22",
        f"{GENERIC_GO} evaluateNominatedNode", "read"),
    Row("panics_at_nil_node", "1.13.0", cycle.panic_at_nil_node, "", f"{GENERIC_GO} podFitsOnNode", "inferred"),
    Row("panics_at_nil_node", "1.16.9", cycle.nil_node_does_not_fit, "#89270, in a patch of spring 2020",
        f"{GENERIC_GO} podFitsOnNode", "inferred"),
    Row("panics_at_nil_node", "1.17.0-alpha.1", cycle.panic_at_nil_node, "the branch that became 1.17 had no check",
        f"{GENERIC_GO} podFitsOnNode", "read"),
    Row("panics_at_nil_node", "1.17.5", cycle.nil_node_does_not_fit, "#89224, in a patch of spring 2020",
        f"{GENERIC_GO} podFitsOnNode", "inferred"),
    Row("extender_plugins", "1.13.0", cycle.extender_is_no_plugin, "", f"{GENERIC_GO} findNodesThatPassExtenders",
        "read"),
    Row("extender_plugins", "1.26.13", cycle.extender_as_plugin, "#122043; in 1.26.13, not in 1.26.11",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "inferred"),
    Row("extender_plugins", "1.27.0-alpha.1", cycle.extender_is_no_plugin, "the branch got it in a patch",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "read"),
    Row("extender_plugins", "1.27.10", cycle.extender_as_plugin, "#122044; in 1.27.10, not in 1.27.8",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "inferred"),
    Row("extender_plugins", "1.28.0-alpha.1", cycle.extender_is_no_plugin, "the branch got it in a patch",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "read"),
    Row("extender_plugins", "1.28.6", cycle.extender_as_plugin, "#122045; in 1.28.6, not in 1.28.4",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "inferred"),
    Row("extender_plugins", "1.29.0-alpha.1", cycle.extender_is_no_plugin, "the branch got it in a patch",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "read"),
    Row("extender_plugins", "1.29.10", cycle.extender_as_plugin, "#127715; not in 1.29.9",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "inferred"),
    Row("extender_plugins", "1.30.0-alpha.1", cycle.extender_as_plugin, "#122022",
        "pkg/scheduler/schedule_one.go findNodesThatPassExtenders", "read"),
    Row("binding_honours_uid", "1.13.0", cycle.never_by_uid, "", BINDING_GO, "inferred"),
    Row("binding_honours_uid", "1.23.0-alpha.1", cycle.by_uid, "#105913", BINDING_GO, "inferred"),
    Row("binding_honours_uid", "1.25.0-alpha.1", cycle.never_by_uid, "#110646, a regression", BINDING_GO, "inferred"),
    Row("binding_honours_uid", "1.27.0-alpha.1", cycle.by_uid, "#116550; back-ports to 1.25 and 1.26 not located",
        BINDING_GO, "inferred"),
    Row("extender_filter", "1.13.0", extender.filter_empty_when_allocated, "no release decides that: the extender is "
        "the one of issue #86942's reporter", "pkg/scheduler/core/extender.go Filter", "read"),
)  # fmt: skip
