"""Which release follows which rule of a cycle's calls."""

from model.rules import Row
from model.scheduler import cycle_failure, extenders
from model.scheduler.framework import fit_error, runtime
from model.scheduler.go_files import SCHEDULE_ONE_GO

_RUNTIME_GO = "pkg/scheduler/framework/runtime/framework.go"
_TYPES_GO = "pkg/scheduler/framework/types.go"

SCHEDULE_ONE_ROWS: tuple[Row, ...] = (
    Row("pre_filter_ends", "1.28.0-beta.0", runtime.first_rejection_ends, "",
        f"{_RUNTIME_GO} RunPreFilterPlugins"),
    Row("pre_filter_ends", "1.30.0-alpha.3", runtime.unschedulable_goes_on, "in 1.30.0-alpha.3, not in 1.29.14",
        f"{_RUNTIME_GO} RunPreFilterPlugins"),
    Row("no_common_node", "1.28.0-beta.0", runtime.unschedulable, "", f"{_RUNTIME_GO} RunPreFilterPlugins"),
    Row("no_common_node", "1.30.0-alpha.3", runtime.unschedulable_and_unresolvable,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{_RUNTIME_GO} RunPreFilterPlugins"),
    Row("rejected_by_naming", "1.28.0-beta.0", runtime.naming_is_no_rejection, "",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("rejected_by_naming", "1.31.0-beta.0", runtime.naming_is_a_rejection, "in 1.31.0, not in 1.31.0-alpha.2",
        f"{SCHEDULE_ONE_GO} findNodesThatFitPod"),
    Row("post_filter_message", "1.28.0-beta.0", fit_error.ends_with_a_dot, "", f"{_TYPES_GO} Error"),
    Row("post_filter_message", "1.29.0-alpha.1", fit_error.as_it_is, "in 1.29.0-alpha.1, not in 1.28.14",
        f"{_TYPES_GO} Error"),
    Row("asks_on_after_bind_error", "1.28.0-beta.0", extenders.first_binder_decides, "",
        f"{SCHEDULE_ONE_GO} extendersBinding"),
    Row("asks_on_after_bind_error", "1.30.0-alpha.3", extenders.ignorable_binder_is_passed_over,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{SCHEDULE_ONE_GO} extendersBinding"),
    Row("rejected_while_binding", "1.28.0-beta.0", cycle_failure.binding_rejection_is_an_error_text, "",
        f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("rejected_while_binding", "1.29.0-alpha.1", cycle_failure.binding_rejection_is_no_fit,
        "in 1.29.0-alpha.1, not in 1.28.14", f"{SCHEDULE_ONE_GO} bindingCycle"),
)  # fmt: skip
