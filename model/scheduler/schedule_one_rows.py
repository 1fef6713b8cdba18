"""Which release follows which rule of a cycle's calls."""

from model.rules import Row
from model.scheduler import cycle_failure, extenders
from model.scheduler.framework import fit_error, pre_filter, runtime
from model.scheduler.go_files import FACTORY_GO, GENERIC_GO, RUNTIME_GO, SCHEDULE_ONE_GO

_TYPES_GO = "pkg/scheduler/framework/types.go"

SCHEDULE_ONE_ROWS: tuple[Row, ...] = (
    Row("pre_filter_ends", "1.28.0-beta.0", pre_filter.first_rejection_ends, "",
        f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("pre_filter_ends", "1.30.0-alpha.3", pre_filter.unschedulable_goes_on, "in 1.30.0-alpha.3, not in 1.29.14",
        f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("rejects_at_pre_filter", "1.28.0-beta.0", runtime.rejects, "", f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("rejects_at_pre_filter", "1.30.0-alpha.3", pre_filter.rejects_unless_pending,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("no_common_node", "1.28.0-beta.0", pre_filter.unschedulable, "", f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("no_common_node", "1.30.0-alpha.3", pre_filter.unschedulable_and_unresolvable,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{RUNTIME_GO} RunPreFilterPlugins"),
    Row("rejected_by_naming", "1.28.0-beta.0", pre_filter.naming_is_no_rejection, "",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("rejected_by_naming", "1.31.0-beta.0", pre_filter.naming_is_a_rejection, "in 1.31.0, not in 1.31.0-alpha.2",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("post_filter_message", "1.28.0-beta.0", fit_error.ends_with_a_dot, "", f"{_TYPES_GO} Error"),
    Row("post_filter_message", "1.29.0-alpha.1", fit_error.as_it_is, "in 1.29.0-alpha.1, not in 1.28.14",
        f"{_TYPES_GO} Error"),
    Row("binders_asked", "1.13.0", extenders.only_the_first_binder, "", f"{FACTORY_GO} getBinderFunc"),
    Row("binders_asked", "1.16.0-alpha.1", extenders.interested_binders, "#79804", f"{FACTORY_GO} getBinderFunc"),
    Row("asks_on_after_bind_error", "1.13.0", extenders.first_binder_decides, "", f"{FACTORY_GO} getBinderFunc"),
    Row("asks_on_after_bind_error", "1.30.0-alpha.3", extenders.ignorable_binder_is_passed_over,
        "#122503; in 1.30.0-alpha.3, not in 1.29.14", f"{SCHEDULE_ONE_GO} extendersBinding"),
    Row("rejected_while_waiting", "1.28.0-beta.0", cycle_failure.binding_rejection_is_an_error_text, "",
        f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("rejected_while_waiting", "1.29.0-alpha.1", cycle_failure.binding_rejection_is_no_fit,
        "in 1.29.0-alpha.1, not in 1.28.14", f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("rejected_in_pre_bind", "1.28.0-beta.0", cycle_failure.binding_rejection_is_an_error_text, "",
        f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("rejected_in_pre_bind", "1.31.0-alpha.2", cycle_failure.binding_rejection_is_no_fit,
        "in 1.31.0-alpha.2, not in 1.30.14", f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("statuses_of_rejected_pre_filter", "1.13.0", cycle_failure.rejected_pre_filter_is_an_error, "",
        f"{GENERIC_GO} Schedule"),
    Row("statuses_of_rejected_pre_filter", "1.19.0-alpha.1", cycle_failure.each_node_has_the_status,
        "in 1.19.0, not in 1.18.20", f"{GENERIC_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.26.0-alpha.1", cycle_failure.no_node_has_a_status,
        "#110894; in 1.26.0-rc.1, not in 1.26.0-alpha.0", f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.26.9", cycle_failure.each_node_has_the_status,
        "#119778 by #119953; in 1.26.9, not in 1.26.7", f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.27.0-alpha.0", cycle_failure.no_node_has_a_status,
        "#119952 comes with 1.27.6", f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.27.6", cycle_failure.each_node_has_the_status,
        "#119778 by #119952; in 1.27.6, not in 1.27.4", f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.28.0-alpha.0", cycle_failure.no_node_has_a_status,
        "#119951 comes with 1.28.2", f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("statuses_of_rejected_pre_filter", "1.28.2", cycle_failure.each_node_has_the_status,
        "#119778 by #119951, approved on 2023-09-06; in 1.28.3, not in 1.28.0",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
)  # fmt: skip
