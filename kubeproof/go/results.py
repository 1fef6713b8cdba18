"""What a driver wrote: a header, then cases in the form of a recording, then an end line."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

from attrs import frozen

from kubeproof.conform.conform import MAX_BYTES, MAX_LINE
from kubeproof.errors import InputError
from kubeproof.go.record import OPERATIONS, RESULTS
from kubeproof.go.registry import driver_named
from kubeproof.input.documents import json_value
from kubeproof.input.files import lines, read_bytes, shown
from kubeproof.input.structure import misfit

_EXPECTED = "what the driver of `kubeproof go record` writes"
_AGAIN = "run the command of `kubeproof go record` again"


class Header(TypedDict):
    """The first line: what was recorded, and which half of the driver did it."""

    component: str
    package: str
    # By part: the Go file, and the symbols that decided.
    halves: dict[str, str]
    symbols: dict[str, str]
    # Which release the tree says that it is; "" if it does not say.
    tree_says: str
    # The version of Go.
    go: str
    # Of the file of operations.
    sha256: str


class Played(TypedDict):
    """One case."""

    system: str
    case: int
    config: dict[str, Any]
    ops: list[dict[str, Any]]
    observed: list[dict[str, Any]]


@frozen
class Results:
    """What was recorded of a checkout."""

    # How the file is named to people.
    file: str
    header: Header
    # Each case with its place in the file.
    cases: tuple[tuple[str, Played], ...]
    # Why the driver stopped before the last case; "" if it did not.
    stopped: str = ""


def read_results(folder: Path) -> Results:
    """What the driver wrote into `folder`. Raises InputError for what is cut short, mixed or of other operations."""
    path = folder / RESULTS
    name = shown(path)
    if not path.is_file():
        raise InputError(f"{name}: not there: expected {_EXPECTED}: run its command first")
    read = _documents(path)
    place, first = next(read, (f"{name}: line 1", None))
    wrong = misfit(first, Header)
    if wrong is not None:
        raise InputError(f"{place}: not a header: {wrong}: expected {_EXPECTED}")
    header: Header = first  # type: ignore[assignment]
    driver_named(header["component"])
    cases: list[tuple[str, Played]] = []
    end: int | None = None
    stopped = ""
    for place, line in read:
        if end is not None:
            raise InputError(f"{place}: more lines after the end: expected the results of one run: {_AGAIN}")
        if isinstance(line, dict) and isinstance(line.get("end"), int):
            end, stopped = line["end"], str(line.get("stopped", ""))
            continue
        cases.append((place, _case(place, line, header)))
    if end is None:
        raise InputError(f"{name}: cut short after {len(cases)} cases: expected an end line: {_AGAIN}")
    if end != len(cases):
        raise InputError(f"{name}: {len(cases)} cases, and the end line says {end}: {_AGAIN}")
    _same_operations(folder, name, header)
    return Results(name, header, tuple(cases), stopped)


def _documents(path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in lines(path, MAX_LINE, MAX_BYTES, _EXPECTED):
        place = f"{shown(path)}: line {number}"
        try:
            yield place, json_value(line)
        except (ValueError, RecursionError):
            raise InputError(f"{place}: not a JSON object, as if cut short: expected {_EXPECTED}: {_AGAIN}") from None


def _case(place: str, line: Any, header: Header) -> Played:
    """A line as a case. Raises InputError."""
    wrong = misfit(line, Played)
    if wrong is not None:
        raise InputError(f"{place}: not a case: {wrong}: expected {_EXPECTED}: {_AGAIN}")
    case: Played = line
    if case["system"] != header["component"]:
        raise InputError(f"{place}: a case of {case['system']}: expected {header['component']}, as the first line says")
    if len(case["ops"]) != len(case["observed"]):
        raise InputError(
            f"{place}: {len(case['ops'])} ops and {len(case['observed'])} observed: expected as many of both"
        )
    return case


def _same_operations(folder: Path, name: str, header: Header) -> None:
    """Raises InputError if the operations that lie beside the results are not those that were played."""
    beside = folder / OPERATIONS
    if beside.is_file() and sha256(read_bytes(beside, MAX_BYTES, "operations")).hexdigest() != header["sha256"]:
        raise InputError(f"{name}: of other operations than {OPERATIONS} beside it: {_AGAIN}")
