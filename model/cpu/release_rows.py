"""Which release follows which rule of the CPU manager's components, each row with its source."""

from model.release_row import Row

CPU_ROWS: tuple[Row, ...] = ()
