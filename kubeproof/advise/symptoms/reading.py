"""Finds the symptoms of the documented bugs in a text of any kind. Raises InputError only.

The text may be a log, plain or in JSON, with what journald or a container runtime put before each line; what kubectl
prints of events, plain or in JSON or YAML; a dump of /metrics; a listing of pprof; the end of a process.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from attrs import Factory, define, frozen

from kubeproof.bugs.signature import TRACE_CHARACTERS, Signature, function_at_fault, without_prefix
from kubeproof.bugs.signatures import SIGNATURES
from kubeproof.errors import InputError
from kubeproof.input.files import read_bytes, shown

MAX_BYTES = 64 * 1024 * 1024
EXPECTED = "text: a log, events, /metrics, go tool pprof -top, or what a process said as it ended"
# So many lines of one signature are kept; so many lines that have one of its texts are looked at.
SHOWN = 3
MOST = 20_000
# Of a longer line only what is so near to the text is looked at.
BEFORE, BEHIND = 1_000, 4_000
# What stands before the text is shown in so many characters.
SHORT = 120

# Where a text stands in YAML, with the lines into which it is folded.
_MESSAGE = re.compile(
    rb"^ *(?:- )?(?:message|note): [^\n]*(?:\n +(?!- )(?![\w./-]+:(?: |$))[^ \n][^\n]*)*", re.MULTILINE
)
_FOLD = re.compile(rb"\n +")
_PANICS = (b"panic: ", b"observed a panic", b"fatal error: ")
# How a process says that it ends; a word of a log that is about something else is none.
_PANIC = re.compile(r"(?:panic|fatal error): |.{0,200}\bobserved a panic\b", re.IGNORECASE)


@frozen
class Line:
    """A line of the text, or a part of a long line."""

    # The number of the line, from 1.
    number: int
    text: str


@define
class Sighting:
    """A signature that stands in the text."""

    signature: Signature
    # The bugs: of a panic those of the function at fault.
    bugs: tuple[str, ...]
    # Of a panic the function at fault, if it is told.
    function: str = ""
    # How many lines, and the first of them.
    count: int = 0
    lines: list[Line] = Factory(list)


@frozen
class OtherPanic:
    """A panic that no documented bug has."""

    line: Line
    # The function at fault, "" if it is not told.
    function: str


@frozen
class Symptoms:
    """What stands in one text."""

    file: str
    lines: int
    sightings: tuple[Sighting, ...]
    other_panics: tuple[OtherPanic, ...]


def read_symptoms(path: str | os.PathLike[str]) -> Symptoms:
    """What stands in the text at `path`; `-` is standard input. Raises InputError, one line."""
    name = shown(path)
    data = read_bytes(path, MAX_BYTES, EXPECTED)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: byte 1: UTF-16 text: expected UTF-8 (PowerShell: | Out-File -Encoding utf8)")
    if b"\x00" in data or data.startswith(b"\x1f\x8b"):
        raise InputError(f"{name}: binary data: expected {EXPECTED}")
    if not data.strip():
        raise InputError(f"{name}: the file is empty: expected {EXPECTED}")
    known: set[int] = set()
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    text = _Text(*_unfolded(data))
    sightings = [found for signature in SIGNATURES for found in _sightings(signature, text, known)]
    sightings.sort(key=lambda found: found.lines[0].number)
    return Symptoms(name, lines, tuple(sightings), tuple(_other_panics(text, known)))


class _Text:
    """A text, also with small letters alone. Bytes keep their places where letters become small."""

    def __init__(self, data: bytes, folds: Sequence[int]) -> None:
        self.data, self.low, self.folds = data, data.lower(), folds

    def part(self, begin: int, end: int) -> str:
        return self.data[begin:end].decode("utf-8", "replace")

    def trace(self, begin: int) -> str:
        """What stands behind a panic."""
        return self.part(begin, begin + TRACE_CHARACTERS)

    def line(self, begin: int, at: int, end: int) -> Line:
        """The line; of a long one the part from shortly before `at` on."""
        number = self.data.count(b"\n", 0, begin) + bisect_right(self.folds, begin) + 1
        if at - begin <= SHORT:
            return Line(number, self.part(begin, end).strip())
        return Line(number, f"…{self.part(at - SHORT, end).strip()}")

    def places(self, parts: Iterable[bytes]) -> Iterator[tuple[int, int, int]]:
        """The first lines in which one of the parts stands, each once: where it begins, the part, and the end."""
        seen: set[int] = set()
        low = self.low
        for part in parts:
            at = low.find(part)
            while at >= 0 and len(seen) < MOST:
                line_end = low.find(b"\n", at)
                end = min(len(low) if line_end < 0 else line_end, at + BEHIND)
                begin = max(low.rfind(b"\n", 0, at) + 1, at - BEFORE)
                if begin not in seen:
                    seen.add(begin)
                    yield begin, at, end
                at = low.find(part, end)


def _unfolded(data: bytes) -> tuple[bytes, list[int]]:
    """The text with each message of YAML in one line, as it was printed, and where lines were put together."""
    pieces: list[bytes] = []
    folds: list[int] = []
    done = length = 0
    for found in _MESSAGE.finditer(data):
        pieces.append(data[done : found.start()])
        length += len(pieces[-1])
        done = found.end()
        first, *others = _FOLD.split(found[0].replace(b"''", b"'"))
        message = first
        for other in others:
            message += b" " + other
            folds.append(length + len(message) - len(other))
        pieces.append(message)
        length += len(message)
    return b"".join([*pieces, data[done:]]), folds


def _sightings(signature: Signature, text: _Text, known: set[int]) -> Iterator[Sighting]:
    """A sighting for each set of bugs. Adds to `known` where its lines begin."""
    by_bugs: dict[tuple[str, ...], Sighting] = {}
    for begin, at, end in text.places([part.lower().encode() for part in signature.texts]):
        if not signature.fits(text.part(begin, end)):
            continue
        function = function_at_fault(text.trace(begin)) if signature.kind == "panic" else ""
        bugs = signature.bugs_at(function)
        if signature.bugs and not bugs:
            continue
        known.add(begin)
        found = by_bugs.setdefault(bugs, Sighting(signature, bugs, function))
        found.count += 1
        if len(found.lines) < SHOWN:
            found.lines.append(text.line(begin, at, end))
    yield from by_bugs.values()


def _other_panics(text: _Text, known: set[int]) -> Iterator[OtherPanic]:
    """The first panics that are no documented bug's, each function once."""
    told: set[str] = set()
    for begin, at, end in sorted(text.places(_PANICS)):
        if begin in known or len(told) == SHOWN or not _PANIC.match(without_prefix(text.part(begin, end))):
            continue
        function = function_at_fault(text.trace(begin))
        if function not in told:
            told.add(function)
            yield OtherPanic(text.line(begin, at, end), function)
