"""Which release follows which rule of `extender_answer`, each row with its source."""

from model.rules import Row
from model.scheduler import extender_answer

_EXTENDER_GO = "pkg/scheduler/core/extender.go"

EXTENDER_ANSWER_ROWS: tuple[Row, ...] = (
    Row("nodes_of_answer", "1.13.0", extender_answer.nil_for_unknown_node, "",
        f"{_EXTENDER_GO} Filter; 1.14.10 and 1.15.4 still have it", "read"),
    Row("nodes_of_answer", "1.16.0-alpha.1", extender_answer.error_for_unknown_node, "#79641, before 1.16.0-beta.2",
        f"{_EXTENDER_GO} Filter", "read"),
)  # fmt: skip
