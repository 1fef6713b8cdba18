"""Which release follows which rule of `extender_answer`."""

from model.rules import Row
from model.scheduler import extender_answer
from model.scheduler.go_files import EXTENDER_GO

EXTENDER_ANSWER_ROWS: tuple[Row, ...] = (
    Row("nodes_of_answer", "1.13.0", extender_answer.nil_for_unknown_node, "", f"{EXTENDER_GO} Filter"),
    Row("nodes_of_answer", "1.16.0-alpha.1", extender_answer.error_for_unknown_node, "#79641",
        f"{EXTENDER_GO} Filter"),
)  # fmt: skip
