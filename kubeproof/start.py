"""The `kubeproof` command. A signal is held from the first line on, and nothing slow is imported before the fork."""

# `signal` is Python code above this module, and takes long enough to import for a signal to come.
import _signal  # type: ignore[import-not-found]

if hasattr(_signal, "pthread_sigmask"):
    _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM))

import os
import re
import sys

from kubeproof.processes.supervise import hold_signals, supervised
from kubeproof.unforeseen import tell_unforeseen


def _command() -> int:
    for name in ("COLUMNS", "TERMINAL_WIDTH"):
        # The libraries that lay text out would take any number, and fill the lines of --help up to it.
        if not re.fullmatch("[2-9][0-9]|[1-9][0-9]{2}", os.environ.get(name, "")):
            os.environ.pop(name, None)

    from kubeproof.cli import app, run
    from kubeproof.processes.garbage import collect_seldom

    collect_seldom()
    return run(lambda: app(standalone_mode=False))


def main() -> None:
    """The entry point of the `kubeproof` command."""
    hold_signals()
    try:
        status = supervised(_command)
    except Exception as error:
        status = tell_unforeseen(error)
    sys.exit(status)
