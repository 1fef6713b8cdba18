"""The last handler: an error of which nobody thought ends in a line, a file to send, and an exit status of its own.

Python's own end would be a traceback and the status 1, which says "violated".
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from kubeproof.errors import ESTABLISHED
from kubeproof.visible import one_line

UNFORESEEN = 70  # as EX_SOFTWARE of sysexits.h


def tell_unforeseen(error: Exception) -> int:
    """Say on stderr what happened, where, what was established before, and which file has the traceback.

    Returns the exit status, whatever else goes wrong.
    """
    with suppress(Exception):
        notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(ESTABLISHED)]
        text = one_line(f"{type(error).__name__}: {error}".strip(": "))
        lines = [f"note: {one_line(note)}" for note in notes or [f"{ESTABLISHED}nothing"]]
        lines.append(f"kubeproof: not foreseen: {text} ({_place(error)}): expected no such error: {_to_send(error)}")
        os.write(2, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
    return UNFORESEEN


def _place(error: Exception) -> str:
    """The last line of ours that the error left."""
    from traceback import extract_tb

    root = Path(__file__).parents[1]
    place = "no line of kubeproof"
    for frame in extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.is_relative_to(root) or not path.is_absolute():
            shown = path.relative_to(root) if path.is_absolute() else path
            if shown.parts[0] in ("kubeproof", "model", "properties"):
                place = f"{shown}, line {frame.lineno}"
    return place


def _to_send(error: Exception) -> str:
    """The file with the traceback, in words. If none can be written, the traceback itself goes to stderr."""
    from platform import platform
    from tempfile import NamedTemporaryFile
    from traceback import format_exception

    told = "".join(format_exception(error))
    try:
        with NamedTemporaryFile("w", encoding="utf-8", errors="backslashreplace", prefix="kubeproof-error-",
                                suffix=".txt", delete=False) as file:  # fmt: skip
            file.write(f"{sys.argv}\nPython {sys.version}\n{platform()}\n\n{told}")
        return f"send {file.name}, which has the traceback and the arguments, to the maintainers of kubeproof"
    except OSError:
        os.write(2, told.encode("utf-8", "backslashreplace"))
        return "send the traceback above to the maintainers of kubeproof"
