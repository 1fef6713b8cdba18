"""Which release waits for what before the first cycle."""

from model.rules import Row
from model.scheduler import start
from model.scheduler.go_files import HANDLERS_GO, SCHEDULER_GO

START_ROWS: tuple[Row, ...] = (
    Row("handlers_sync_first", "1.13.0", start.waits_for_stores, "", f"{SCHEDULER_GO} Run"),
    Row("handlers_sync_first", "1.28.0-beta.0", start.waits_for_handlers,
        "#116729; in 1.28.0-beta.0, not in 1.28.0-alpha.2", f"{HANDLERS_GO} WaitForHandlersSync"),
)  # fmt: skip
