"""What a section of docs/scheduling-cycle.md is, and how its tables are written."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeVar, cast

from attrs import frozen

from model.releases import EVERY_MINOR, LAST_PATCH, Release, known_release, rules_for

R = TypeVar("R")


def rules(rules_class: type[R], release: Release) -> R:
    """`rules_for`, looked up once: a table asks for the rules of a release in each of its cells."""
    return cast(R, _rules(rules_class, release))  # type: ignore[arg-type]


@cache
def _rules(rules_class: type[object], release: Release) -> object:
    return rules_for(rules_class, release)


@frozen
class Section:
    """A section of the page."""

    title: str
    # The Markdown below the title. The same text each time.
    body: Callable[[], str]


@cache
def patches(minors: Sequence[int] = EVERY_MINOR) -> tuple[Release, ...]:
    """Each patch release of these minors, the oldest first."""
    return tuple(known_release(f"1.{minor}.{patch}") for minor in minors for patch in range(LAST_PATCH[minor] + 1))


def by_release(answer: Callable[[Release], str], among: Sequence[Release] | None = None) -> list[tuple[str, str]]:
    """Pairs of releases in a row, such as `1.16.0 to 1.17.17`, and what holds of all of them."""
    releases = patches() if among is None else among
    runs: list[tuple[list[Release], str]] = []
    for release in releases:
        found = answer(release)
        if runs and runs[-1][1] == found:
            runs[-1][0].append(release)
        else:
            runs.append(([release], found))
    return [(span(run, releases), found) for run, found in runs]


def span(run: Sequence[Release], among: Sequence[Release]) -> str:
    """ "" for all, or `to 1.15.12`, `1.16.0 to 1.17.17`, `1.18.0 on`, among the releases asked."""
    first, last = run[0], run[-1]
    if first == among[0] and last == among[-1]:
        return ""
    if first == among[0]:
        return f"to {last}"
    if last == among[-1]:
        return f"{first} on"
    return str(first) if first == last else f"{first} to {last}"


def cell(found: Sequence[tuple[str, str]]) -> str:
    """What `by_release` answers, in one cell of a table."""
    return "; ".join(f"{releases}: {says}" if releases else says for releases, says in found)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" if line[0] != "---" else "|" + "---|" * len(line) for line in lines)
