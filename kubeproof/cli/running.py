"""What runs a command: its errors become one line and an exit status."""

from collections.abc import Callable
from typing import Any, cast

import typer

from kubeproof.cli.app import INTERRUPTED
from kubeproof.errors import InputError, RuleError
from kubeproof.house import check_house
from kubeproof.output import NOT_WRITTEN, OutputError, checked_streams, error
from kubeproof.processes.supervise import has_supervisor

# Typer has click's exceptions under its own name. A bad parameter is a kind of usage error.
_USAGE_ERROR = cast("type[Exception]", typer.BadParameter.__mro__[1])


def run(command: Callable[[], Any]) -> int:
    """Run `command`. Turn its errors into one line and an exit status."""
    try:
        with checked_streams():
            return _run(command)
    except OutputError as lost:
        if str(lost):
            error(str(lost))
        return NOT_WRITTEN


def _run(command: Callable[[], Any]) -> int:
    try:
        check_house()
        status = command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except _USAGE_ERROR as wrong:
        # Without a command the help is printed, and the error has no text.
        said = getattr(wrong, "format_message", wrong.__str__)() or "no command: expected one of those above"
        error(f"{said} (see kubeproof --help)")
        return 2
    except (InputError, RuleError) as wrong:
        error(str(wrong))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    # The supervisor may have to kill this process after its last word, so only one of the two says it.
    if status == INTERRUPTED and not has_supervisor():
        error("interrupted")
    return status if isinstance(status, int) else 0
