"""Writes a file whole or not at all."""

import os
import tempfile
from pathlib import Path

from kubeproof.errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` so that a reader sees the old content or the new. Raises InputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False, newline="\n") as file:
            file.write(text)
        try:
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: expected a place to write to") from None
