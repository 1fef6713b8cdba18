"""Writes a file, or a folder of files, whole or not at all."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from kubeproof.errors import InputError
from kubeproof.input.files import shown
from kubeproof.processes.left_behind import owned_prefix, remove_left_behind


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` so that a reader sees the old content or the new. Raises InputError."""
    write_files({path: text})


def add_to(path: Path, text: str) -> None:
    """Write `text` at the end of the file `path`. Raises InputError."""
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{shown(path)}: {error.strerror or error}: expected a file to write to") from None


def write_files(texts: Mapping[Path, str]) -> None:
    """Write each text to its path, whole; if one cannot be written, as on a full disk, all stay as they are.

    Raises InputError.
    """
    with ExitStack() as files:
        for path, text in texts.items():
            file = files.enter_context(whole_file(path))
            file.write(text.encode())
            file.flush()


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` if the block comes to its end.

    Raises InputError, also for an OSError of the block.
    """
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{owned_prefix('file')}"
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=prefix, delete=False) as file:
            name = file.name
            yield file
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: expected a place to write to") from None
    finally:
        with suppress(OSError):  # it has its place
            os.unlink(name)


def refuse_file(option: str, folder: Path) -> None:
    """Raise InputError if `folder`, given with `option`, cannot become a folder.

    The folder or one above it is a file, or the system says why the name is none.
    """
    try:
        taken = next((place for place in (folder, *folder.parents) if place.exists() and not place.is_dir()), None)
    except OSError as error:
        raise InputError(f"{option} {shown(folder)}: {error.strerror or error}: expected a place to write to") from None
    if taken is not None:
        raise InputError(f"{option} {shown(folder)}: {shown(taken)} is a file: expected a folder, or a new name")


def write_folder(folder: Path, files: Mapping[Path, str | bytes]) -> None:
    """Write `files`, by their paths inside `folder`, so that a reader sees the old folder or the new.

    The files are written beside `folder`, and take its place when all are there. If the old folder has at its top what
    the new one has not, such as a file of the user, the new entries take the places of the old ones one by one. Raises
    InputError.
    """
    try:
        target = folder.resolve()
        _write_folder(target, files)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}: expected a place to write to") from None


def _write_folder(target: Path, files: Mapping[Path, str | bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # A folder where a disk is mounted cannot be replaced.
    is_mounted = target.is_dir() and os.stat(target).st_dev != os.stat(target.parent).st_dev
    beside = target if is_mounted else target.parent
    remove_left_behind(beside)
    new = Path(tempfile.mkdtemp(dir=beside, prefix=f".{owned_prefix('new')}"))
    try:
        new.chmod(0o755)
        for name, content in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        tops = {name.parts[0] for name in files}
        if not target.exists() or (not is_mounted and {entry.name for entry in target.iterdir()} <= tops):
            _replace(target, new)
        else:
            for top in sorted(tops):
                _replace(target / top, new / top)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _replace(old: Path, new: Path) -> None:
    """Put `new` where `old` is, and `old` where `new` is if `old` is a folder."""
    if old.is_dir() and not _exchange(old, new):
        away = new.with_name(f"{new.name}old")
        os.rename(old, away)
        os.rename(new, old)
        os.rename(away, new)
    elif not old.is_dir():
        os.replace(new, old)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two paths at one moment, where the system can (Linux: renameat2(2)). Whether it was done."""
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        libc = ctypes.CDLL(None)
        return bool(libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)
    except (OSError, AttributeError, TypeError):
        return False
