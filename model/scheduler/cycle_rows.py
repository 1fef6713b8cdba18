"""Which release follows which rule of the scheduling cycle (`cycle`) and of the extender."""

from model.rules import Row
from model.scheduler import cycle, extender

SCHEDULER_GO = "pkg/scheduler/scheduler.go"
SCHEDULE_ONE_GO = "pkg/scheduler/schedule_one.go"
GENERIC_GO = "pkg/scheduler/core/generic_scheduler.go"
PREEMPTION_GO = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go"
CREATE_GO = "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go"
POD_STORAGE_GO = "pkg/registry/core/pod/storage/storage.go"

CYCLE_ROWS: tuple[Row, ...] = (
    Row("after_bind_error", "1.13.0", cycle.forget_only, "", f"{SCHEDULER_GO} bind"),
    Row("after_bind_error", "1.23.0-alpha.1", cycle.forget_then_move, "#103805", f"{SCHEDULER_GO} scheduleOne"),
    Row("nominate_without_candidate", "1.13.0", cycle.keep_nomination, "", f"{SCHEDULER_GO} preempt"),
    Row("nominate_without_candidate", "1.23.2", cycle.clear_nomination,
        "#106816 by #107109 (release note of 1.23.2)", f"{SCHEDULER_GO} recordSchedulingFailure"),
    Row("preempts_with", "1.13.0", cycle.any_number_of_victims, "", f"{GENERIC_GO} pickOneNodeForPreemption"),
    Row("preempts_with", "1.22.0-beta.1", cycle.at_least_one_victim, "in 1.22.0-beta.1, not in 1.21.9",
        f"{PREEMPTION_GO} dryRunPreemption"),
    Row("prefer", "1.13.0", cycle.look_at_all_nodes, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("prefer", "1.22.0-alpha.3", cycle.nominated_node_first,
        "#102201 turns the gate PreferNominatedNode on (release note of 1.22.0-alpha.3)",
        "pkg/scheduler/generic_scheduler.go evaluateNominatedNode"),
    Row("panics_at_nil_node", "1.13.0", cycle.panic_at_nil_node, "", f"{GENERIC_GO} podFitsOnNode"),
    Row("panics_at_nil_node", "1.16.9", cycle.nil_node_does_not_fit, "#89270; not in 1.16.8",
        f"{GENERIC_GO} podFitsOnNode"),
    Row("panics_at_nil_node", "1.17.0-alpha.0", cycle.panic_at_nil_node, "#89224 comes with 1.17.5",
        f"{GENERIC_GO} podFitsOnNode"),
    Row("panics_at_nil_node", "1.17.5", cycle.nil_node_does_not_fit, "#89224; not in 1.17.4",
        f"{GENERIC_GO} podFitsOnNode"),
    Row("extender_plugins", "1.13.0", cycle.extender_is_no_plugin, "", f"{GENERIC_GO} findNodesThatFit"),
    Row("extender_plugins", "1.26.12", cycle.extender_as_plugin,
        "#122022 by #122043, in the round of patches of 1.27.9; in 1.26.13, not in 1.26.11",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.27.0-alpha.0", cycle.extender_is_no_plugin, "#122022 comes with 1.27.9",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.27.9", cycle.extender_as_plugin, "#122022 by #122044; not in 1.27.8",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.28.0-alpha.0", cycle.extender_is_no_plugin, "#122022 comes with 1.28.5",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.28.5", cycle.extender_as_plugin,
        "#122022 by #122045 (release note of 1.28.5); in 1.28.6, not in 1.28.4",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.29.0-alpha.0", cycle.extender_is_no_plugin, "#122022 comes with 1.29.10",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.29.10", cycle.extender_as_plugin,
        "#122022 by #127715 (of 2024-09-27, after 1.29.9); in 1.29.11, not in 1.29.9",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("extender_plugins", "1.30.0-alpha.1", cycle.extender_as_plugin, "#122022",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("binding_honours_uid", "1.13.0", cycle.never_by_uid, "", f"{POD_STORAGE_GO} assignPod"),
    Row("binding_honours_uid", "1.23.0-alpha.4", cycle.by_uid, "#105913 (release note of 1.23.0-alpha.4)",
        f"{POD_STORAGE_GO} assignPod"),
    Row("binding_honours_uid", "1.25.0-alpha.2", cycle.never_by_uid,
        "#110646 (of 2022-06-17) wipes the Binding's uid; not in 1.25.0-alpha.0", f"{CREATE_GO} createHandler"),
    Row("binding_honours_uid", "1.25.9", cycle.by_uid, "#116550 by #116776 (release note of 1.25.9); not in 1.25.8",
        f"{CREATE_GO} createHandler"),
    Row("binding_honours_uid", "1.26.0-alpha.0", cycle.never_by_uid, "#116550 comes with 1.26.4",
        f"{CREATE_GO} createHandler"),
    Row("binding_honours_uid", "1.26.4", cycle.by_uid, "#116550 by #116763; not in 1.26.3",
        f"{CREATE_GO} createHandler"),
    Row("binding_honours_uid", "1.27.0-alpha.0", cycle.never_by_uid, "#116550 comes with 1.27.0-beta.0",
        f"{CREATE_GO} createHandler"),
    Row("binding_honours_uid", "1.27.0-beta.0", cycle.by_uid, "#116550 (release note of 1.27.0-beta.0)",
        f"{CREATE_GO} createHandler"),
    Row("extender_filter", "1.13.0", extender.filter_empty_when_allocated,
        "no release decides that: the extender is the one of issue #86942's reporter",
        "pkg/scheduler/core/extender.go Filter"),
)  # fmt: skip
