"""Which release follows which rule of `not_found`, each row with its source."""

from model.rules import Row
from model.scheduler import not_found

_EXTENDER_GO = "pkg/scheduler/core/extender.go"

NOT_FOUND_ROWS: tuple[Row, ...] = (
    Row("nodes_of_answer", "1.13.0", not_found.nil_for_unknown_node, "",
        f"{_EXTENDER_GO} Filter; 1.14.10 and 1.15.4 still have it", "read"),
    Row("nodes_of_answer", "1.16.0-alpha.1", not_found.error_for_unknown_node, "#79641, before 1.16.0-beta.2",
        f"{_EXTENDER_GO} Filter", "read"),
    Row("remove_missing_node", "1.13.0", not_found.remove_node_by_name, "#56622 (1.10)",
        "pkg/scheduler/factory/factory.go MakeDefaultErrorFunc", "read"),
    Row("remove_missing_node", "1.30.0-alpha.1", not_found.keep_missing_node,
        "#121981; between 1.29.9 and 1.30.0", "pkg/scheduler/schedule_one.go handleSchedulingFailure", "read"),
)  # fmt: skip
