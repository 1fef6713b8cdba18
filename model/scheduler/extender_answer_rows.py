"""Which release follows which rule of `extender_answer`."""

from model.rules import Row
from model.scheduler import extender_answer

_EXTENDER_GO = "pkg/scheduler/core/extender.go"

EXTENDER_ANSWER_ROWS: tuple[Row, ...] = (
    Row("nodes_of_answer", "1.13.0", extender_answer.nil_for_unknown_node, "", f"{_EXTENDER_GO} Filter"),
    Row("nodes_of_answer", "1.16.0-alpha.1", extender_answer.error_for_unknown_node, "#79641",
        f"{_EXTENDER_GO} Filter"),
)  # fmt: skip
