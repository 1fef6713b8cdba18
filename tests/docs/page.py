"""What a page of docs/ says in its tables, and how such a cell is written of what a model answers."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from model.releases import Release, known_release, rules_for

# The last patch release of each minor when the numbers of the pages were computed, 1.13 to 1.36.
LAST = dict(zip(range(13, 37), (12, 10, 12, 15, 17, 20, 16, 15, 14, 17, 17, 17, 16, 15, 16, 15, 15, 14, 14, 13, 13, 9,
                                7, 3), strict=True))  # fmt: skip
COMPUTED = "2026-11-28"

rules = cache(rules_for)


def patches(*minors: int) -> tuple[Release, ...]:
    """Each patch release of these minors, the oldest first."""
    return tuple(known_release(f"1.{minor}.{patch}") for minor in minors for patch in range(LAST[minor] + 1))


ALL = patches(*LAST)


def tables(page: str, *head: str) -> list[list[list[str]]]:
    """The rows of each table whose first line begins with these cells."""
    parts = page.split("| " + " | ".join(head) + " |")[1:]
    return [[_cells(line) for line in part.partition("|\n\n")[0].splitlines()[2:]] for part in parts]


def rows(page: str, *head: str) -> list[list[str]]:
    """The rows of the only such table."""
    (found,) = tables(page, *head)
    return found


def _cells(line: str) -> list[str]:
    return line.removeprefix("| ").removesuffix("|").strip().split(" | ")


def alike(*classes: type) -> Callable[[Release], object]:
    """What releases have in common that have the same rules of these classes."""
    return lambda release: tuple(rule for each in classes for rule in vars(rules(each, release)).values())


def cell(answer: Callable[[Release], str], among: Sequence[Release] = ALL, by: Callable[[Release], Any] = str) -> str:
    """The cell `to 1.17.17: this; 1.18.0 on: that`. Releases of which `by` is the same are asked once."""
    known: dict[object, str] = {}
    found = [(release, known[by(release)] if by(release) in known else known.setdefault(by(release), answer(release)))
             for release in among]  # fmt: skip
    runs = [(says, [release for release, _ in run]) for says, run in groupby(found, key=lambda pair: pair[1])]
    return "; ".join(says if len(runs) == 1 else f"{_span(run, among)}: {says}" for says, run in runs)


def _span(run: Sequence[Release], among: Sequence[Release]) -> str:
    if run[0] == among[0]:
        return f"to {run[-1]}"
    if run[-1] == among[-1]:
        return f"{run[0]} on"
    return str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}"


def ranges(holds: Callable[[Release], bool], among: Sequence[Release]) -> str:
    """The cell `1.28.0 to 1.28.4, 1.32.2`: the releases of which this holds, by minor; `none`."""
    return ", ".join(_ranges([(release, holds(release)) for release in among])) or "none"


def _ranges(found: list[tuple[Release, bool]]) -> Iterator[str]:
    for (_, holds), run in groupby(found, key=lambda pair: (pair[0].minor, pair[1])):
        releases = [str(release) for release, _ in run]
        if holds:
            yield releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"
