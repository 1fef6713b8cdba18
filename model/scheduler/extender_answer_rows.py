"""Which release follows which rule of `extender_answer` and `extender_preemption`."""

from model.rules import Row
from model.scheduler import extender_answer, extender_preemption as preemption
from model.scheduler.go_files import EXTENDER_GO, GENERIC_GO, PREEMPTION_GO

EXTENDER_ANSWER_ROWS: tuple[Row, ...] = (
    Row("nodes_of_answer", "1.13.0", extender_answer.nil_for_unknown_node, "", f"{EXTENDER_GO} Filter"),
    Row("nodes_of_answer", "1.16.0-alpha.1", extender_answer.error_for_unknown_node, "#79641",
        f"{EXTENDER_GO} Filter"),
    Row("nodes_of_answer", "1.18.0-alpha.1", extender_answer.error_for_node_not_asked,
        "in 1.18.0, not in 1.17.17", f"{EXTENDER_GO} Filter"),
    Row("reads_refused_for_good", "1.13.0", extender_answer.refused_for_good_is_not_read, "",
        f"{EXTENDER_GO} Filter"),
    Row("reads_refused_for_good", "1.21.0-alpha.1", extender_answer.refused_for_good_is_read,
        "#92866; in 1.21.0, not in 1.20.15", f"{EXTENDER_GO} Filter"),
    Row("error_of_whole_nodes", "1.13.0", extender_answer.whole_nodes_as_they_come, "", f"{EXTENDER_GO} Filter"),
    Row("null_victims", "1.13.0", preemption.null_is_dereferenced, "", f"{EXTENDER_GO} convertToNodeToVictims"),
    Row("error_of_answer", "1.13.0", preemption.nobody_checks, "", f"{GENERIC_GO} processPreemptionWithExtenders"),
    Row("node_not_found_in_victims", "1.13.0", preemption.panics_with_victims, "",
        f"{EXTENDER_GO} convertToNodeToVictims, convertPodUIDToPod"),
    Row("node_not_found_in_victims", "1.18.0-alpha.1", preemption.nodeinfo_not_found, "in 1.18.0, not in 1.17.17",
        f"{EXTENDER_GO} convertToNodeToVictims"),
    Row("violations_of_answer", "1.13.0", preemption.no_violations, "", f"{EXTENDER_GO} convertToNodeToVictims"),
    Row("violations_of_answer", "1.24.0-alpha.4", preemption.violations_as_answered,
        "#105853; in 1.24.0-alpha.4, not in 1.23.13", "pkg/scheduler/extender.go convertToVictims"),
    Row("node_without_victims", "1.13.0", preemption.taken_without_victims, "",
        f"{GENERIC_GO} processPreemptionWithExtenders"),
    Row("node_without_victims", "1.22.0-beta.1", preemption.no_victims_is_an_error,
        "in 1.22.0-beta.1, not in 1.21.9", f"{PREEMPTION_GO} CallExtenders"),
)  # fmt: skip
