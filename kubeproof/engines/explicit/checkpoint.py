"""Checkpoints: what a search has found, in a file, from which another process goes on.

A file has the rows of all states, the values that their numbers stand for, and the violations. What functions of states
answered is not kept: it is soon found again. So a search that went on finds the same states in the same order.
"""

import json
import os
import pickle
import sys
from array import array
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from time import monotonic
from typing import IO, Any

from attrs import Factory, define, field, frozen, has

from kubeproof.engines.explicit.disk import OnDisk
from kubeproof.engines.explicit.remembered import Seeker
from kubeproof.errors import InputError
from kubeproof.fix.server import in_a_line
from kubeproof.visible import shortened

EVERY = 300.0  # seconds between two checkpoints
_SHARE = 20  # A checkpoint that takes a second is written once in so many seconds at most.
_SOON = 0.5  # seconds: a command that is interrupted has little more
_FORM = f"kubeproof checkpoint 1, {sys.byteorder}"
_DIGEST = sha256().digest_size
_AT_ONCE = 1 << 20  # bytes
_PLAIN = (tuple, frozenset, str, int)
_NEW = "expected a checkpoint of the same check, or another folder"


@frozen
class Checkpoints:
    """The folder of a check's checkpoints, a file for each of its searches."""

    folder: Path
    # What tells the check from all others: in words, what it is of ("release"), and a text that tells it.
    of: Mapping[str, str]
    # Seconds between two checkpoints.
    every: float = EVERY

    def of_search(self, number: int) -> "Checkpoint":
        """That of one search."""
        return Checkpoint(self, self.folder / f"{number}.checkpoint")


@define(eq=False)
class Mark:
    """What a search was at a moment between two states."""

    count: int
    # As `Search.resume` takes them.
    numbers: list[int]
    # Its levels, fired, met, silent.
    lists: list[list[int]]
    found: dict[str, Any]


@define(eq=False)
class Checkpoint:
    """A search that is kept."""

    _all: Checkpoints
    path: Path
    # What was found of the states, by name: it is kept with them.
    found: dict[str, Any] = Factory(dict)
    # Seconds of the searches before, from which this one goes on.
    spent: float = 0.0
    _seeker: Seeker = field(init=False)
    _began: float = field(init=False, factory=monotonic)
    _due: float = field(init=False, default=0.0)
    _took: float = field(init=False, default=0.0)
    _mark: Mark | None = field(init=False, default=None)
    # The numbers of the mark that is in the file.
    _written: list[int] | None = field(init=False, default=None)
    _failed: bool = field(init=False, default=False)

    def begin(self, seeker: Seeker) -> bool:
        """Whether the search, of which nothing is explored, goes on from the file.

        After the properties were asked. Raises InputError for a file of another check, and for one that is damaged.
        """
        from kubeproof.output import note
        from kubeproof.processes.left_behind import remove_left_behind

        self._seeker = seeker
        search, folder = seeker.search, self.path.parent
        search.kept_rows, search.kept_parents = OnDisk(folder, "Q"), OnDisk(folder, "I")
        remove_left_behind(folder)
        try:
            with self.path.open("rb") as file:
                goes_on = self._read(file)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise InputError(f"--checkpoint: {self.path}: {error.strerror}: {_NEW}") from None
        if goes_on:
            self._due = monotonic() + self._all.every
            note([f"goes on from {self.path}: {seeker.search.count:,} states"])
        return goes_on

    def look(self) -> None:
        """The search is between two states: whatever comes, this much can be written. Writes it if it is time."""
        search = self._seeker.search
        numbers = [search.next, search.generated, search.depth, search.level, search.level_end, search.stopped]
        lists = [[each.at(at) for at in range(each.count)] for each in self._lists()]
        self._mark = Mark(search.count, numbers, lists, dict(self.found))
        if monotonic() >= self._due:
            self._write()

    def end(self, *, interrupted: bool) -> None:
        """The search is over, or does not go on. If it was interrupted, only what is soon written is written."""
        new = self._mark is not None and self._mark.numbers != self._written
        if new and not (interrupted and self._took > _SOON):
            self._write()

    def _lists(self) -> Any:
        search = self._seeker.search
        return search.levels, search.fired, search.met, search.silent

    # --- the file: a line that says of which check it is, the values, rows and parents, and a digest of all that

    def _write(self) -> None:
        """Where it cannot be written, the one before stays and the search goes on. Raises InputError the first time."""
        from kubeproof.output import note
        from kubeproof.output.files import whole_file

        began, search, mark = monotonic(), self._seeker.search, self._mark
        assert mark is not None
        words, bits = search.kept_layout
        spent = self.spent + began - self._began
        body = mark, spent, words, list(bits), self._seeker.memory.values.of
        try:
            with (
                whole_file(self.path) as file,
                memoryview(search.kept_rows.numbers) as rows,
                memoryview(search.kept_parents.numbers) as parents,
            ):
                out = _Digesting(file)
                out.write(json.dumps({"form": _FORM, **self._all.of}).encode() + b"\n")
                pickle.dump(body, out, pickle.HIGHEST_PROTOCOL)
                for part in (rows[: mark.count * words], parents[: mark.count]):
                    out.write(part.cast("B"))
                file.write(out.digest.digest())
                file.flush()
                os.fsync(file.fileno())
            self._written = mark.numbers
        except (InputError, MemoryError) as error:
            why = "no memory is left" if isinstance(error, MemoryError) else error
            if not self._due:
                raise InputError(f"--checkpoint: {why}") from None
            if not self._failed:
                note([f"no checkpoint: {why}: the search goes on, and the checkpoint before stays"])
            self._failed = True
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(f"--checkpoint: a value of the machine cannot be written: {in_a_line(error)}") from None
        self._took = monotonic() - began
        self._due = monotonic() + max(self._all.every, _SHARE * self._took)

    def _read(self, file: BufferedReader) -> bool:
        """Whether the search goes on from there. Not if a search before this one has found more since then."""
        of = _header(file.readline(_AT_ONCE))
        if of.pop("form", None) != _FORM:
            raise InputError(f"--checkpoint: {self.path}: not a checkpoint of this kubeproof: {_NEW}")
        for what, ours in self._all.of.items():
            if of.get(what) != ours:
                theirs = shortened(str(of.get(what)))
                raise InputError(f"--checkpoint: {self.path}: not of this {what}, but of {theirs}: {_NEW}")
        self._refuse_damaged(file)
        try:
            mark, self.spent, words, bits, values = _Reader(file).load()
        except pickle.UnpicklingError as error:
            raise InputError(f"--checkpoint: {self.path}: not readable: {error}: {_NEW}") from None
        if not self._seeker.memory.values.number_as(values):
            self.spent = 0.0
            return False
        search = self._seeker.search
        for kept, count in ((search.kept_rows, mark.count * words), (search.kept_parents, mark.count)):
            kept.grow(count)
            with memoryview(kept.numbers).cast("B") as content:
                file.readinto(content)
        search.resume((words, array("I", bits)), mark.count, mark.numbers)
        for each, numbers in zip(self._lists(), mark.lists, strict=True):
            each.append_until(len(numbers), 0)
            for at, number in enumerate(numbers):
                each.replace(at, number)
        self.found |= mark.found
        self._written = mark.numbers
        return True

    def _refuse_damaged(self, file: BufferedReader) -> None:
        begin, end = file.tell(), file.seek(0, os.SEEK_END) - _DIGEST
        digest = sha256()
        file.seek(0)
        for chunk in _chunks(file, max(end, 0)):
            digest.update(chunk)
        if file.read() != digest.digest():
            raise InputError(f"--checkpoint: {self.path}: not whole: it is damaged: delete it to begin anew")
        file.seek(begin)


class _Digesting:
    """Writes to a file, and makes the digest of all that was written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest = file, sha256()

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return self._file.write(data)


class _Reader(pickle.Unpickler):
    """Reads values of models and nothing that acts."""

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(sys.modules.get(module), name, None)
        of_reader = module.startswith("own_")
        if not (isinstance(found, type) and (of_reader or has(found) or issubclass(found, _PLAIN))):
            raise pickle.UnpicklingError(f"{module}.{name} is no record and no tuple")
        return found


def _header(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := file.read(min(size, _AT_ONCE))):
        yield chunk
        size -= len(chunk)
