"""Files from outside: opened once, read in bounded memory. `-` is standard input, and a pipe is as good as a file."""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import BinaryIO, cast

from attrs import field, frozen

from kubeproof.errors import InputError
from kubeproof.visible import visible

_GZIP = b"\x1f\x8b"


@frozen
class Content:
    """A file that was read: stands for its path in a task, since another machine does not have the file."""

    path: Path
    data: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.name

    def read_text(self, encoding: str) -> str:
        """The text, as of a path."""
        return self.data.decode(encoding)

    def __fspath__(self) -> str:
        return os.fspath(self.path)


def shown(path: str | os.PathLike[str]) -> str:
    """The name of a file for a person, always in one line; `-` is standard input."""
    text = os.fspath(path)
    return "standard input" if text == "-" else visible(text)


def several(paths: Iterable[str | os.PathLike[str]], most: int | None = None, what: str = "") -> list[str]:
    """The paths, of which one may be `-`. Raises InputError for more than `most`, which should be `what`."""
    given = [os.fspath(path) for path in paths]
    if most is not None and len(given) > most:
        raise InputError(f"{len(given)} files: expected at most {most}{what and f', {what}'}")
    if given.count("-") > 1:
        raise InputError("-: standard input can be read only once: give - once")
    return given


def read_bytes(path: str | os.PathLike[str], limit: int, expected: str) -> bytes:
    """The content of the file at `path`, of at most `limit` bytes. Raises InputError.

    `expected`: what the file should be, for the error.
    """
    with _opened(path, expected) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(f"{shown(path)}: larger than {_size(limit)}: expected {expected}")
    return data


def read_text(path: str | os.PathLike[str], limit: int, expected: str) -> str:
    """The same as text in UTF-8, without a byte order mark. Raises InputError."""
    try:
        return read_bytes(path, limit, expected).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown(path)}: byte {error.start + 1}: not UTF-8 text: expected {expected}") from None


def packaged_text(file: Traversable, place: str, expected: str) -> str:
    """The text of a file of kubeproof itself, which messages call `place`. Raises InputError."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{place}: missing or damaged, {type(error).__name__}: expected {expected}") from None


def lines(path: str | os.PathLike[str], line_limit: int, limit: int, expected: str) -> Iterator[tuple[int, str]]:
    """The lines of a text in UTF-8, gzip'd or plain, with their numbers from 1; blank lines are left out.

    Not more than one line is kept. `limit`: of all bytes when they are unpacked. Raises InputError.
    """
    name, total, number = shown(path), 0, 0
    with _opened(path, expected) as raw, _unpacked(raw) as file:
        try:
            while line := file.readline(line_limit + 1):
                number += 1
                total += len(line) + _COST_OF_A_LINE
                if len(line) > line_limit:
                    raise InputError(f"{name}: line {number}: longer than {_size(line_limit)}: expected {expected}")
                if total > limit:
                    raise InputError(f"{name}: line {number}: larger than {_size(limit)} so far: expected {expected}")
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text
        except UnicodeDecodeError:
            raise InputError(f"{name}: line {number}: not UTF-8 text: expected {expected}") from None
        except gzip.BadGzipFile:
            raise InputError(f"{name}: not a gzip'd file, though its first bytes say so: copy the file again") from None
        except (EOFError, zlib.error):
            raise InputError(f"{name}: the gzip stream is damaged or ends early: copy the file again") from None
        except OSError as error:
            raise _cannot(path, error, expected) from None


_COST_OF_A_LINE = 100  # bytes: even an empty line takes time


@contextmanager
def _opened(path: str | os.PathLike[str], expected: str) -> Iterator[BinaryIO]:
    """The open file. An OSError of opening and reading is an InputError."""
    try:
        if isinstance(path, Content):
            yield io.BytesIO(path.data)
        elif os.fspath(path) == "-":
            if sys.stdin is None:
                raise InputError(f"{shown(path)}: closed: expected {expected}")
            yield sys.stdin.buffer
        else:
            with Path(path).open("rb") as file:
                yield cast(BinaryIO, file)
    except (OSError, ValueError) as error:
        raise _cannot(path, error, expected) from None


def _cannot(path: str | os.PathLike[str], error: Exception, expected: str) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"{shown(path)}: cannot be read: {reason}: expected {expected}")


@contextmanager
def _unpacked(raw: BinaryIO) -> Iterator[BinaryIO]:
    """The content of `raw`, unpacked if its first bytes are those of gzip. A pipe cannot go back: so it is peeked."""
    # Standard input and files are buffered readers.
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    if buffered.peek(2)[:2] != _GZIP:
        yield buffered
        return
    with gzip.open(buffered, "rb") as file:
        yield cast(BinaryIO, file)


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit} bytes"
