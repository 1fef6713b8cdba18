"""The table of a system's properties on the page: a column for releases with the same results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from kubeproof.check.check import CheckReport, verdicts
from kubeproof.report.terminal import differing, established, extent, note_of, numbered_notes, one_power_more
from kubeproof.systems.system import System, shown_scope
from kubeproof.verdict.result import Result, Strength
from model.releases import Release


@frozen
class Generation:
    """Releases in a row that follow the same rules, and the results for them."""

    first: Release
    last: Release
    report: CheckReport


def span(first: Release, last: Release) -> str:
    """The releases from `first` to `last`, as a heading names them."""
    return str(first) if first == last else f"{first} to {last}"


def scope_of(system: System) -> Any:
    """The scope of a table."""
    return system.scopes.report or system.scope


def powers_tried(gens: Sequence[Generation]) -> list[str]:
    """What one power more does to each proof for any size, and in which releases."""
    found: dict[str, list[str]] = {}
    for g in gens:
        for line in one_power_more(g.report.results):
            found.setdefault(line, []).append(span(g.first, g.last))
    return [f"{line} ({', '.join(spans)})" for line, spans in found.items()]


def proofs_told(release: Release, results: Sequence[Result]) -> list[str]:
    """What is proved for any size of `release`: a line for each proof, then what one power more does."""
    found: dict[str, list[str]] = {}
    for result in results:
        if result.claim is not None and result.claim.strength is Strength.INDUCTIVE:
            found.setdefault(extent(result), []).append(result.property)
    lines = [f"{release}, {proved}: {', '.join(names)}" for proved, names in found.items()]
    return [*lines, *one_power_more(results)]


def notes_on(system: System, gens: Sequence[Generation]) -> dict[str, int]:
    """What results are about, where this is not the table's scope, numbered."""
    return numbered_notes([result for g in gens for result in g.report.results], scope_of(system))


def columns(
    system: System, gens: Sequence[Generation], notes: Mapping[str, int]
) -> list[tuple[Release, Release, list[list[dict[str, Any]]]]]:
    """(first, last, the cells of each property); generations in a row with the same results are one column.

    `notes`: what results are about, where this is not the table's scope, numbered.
    """
    found: list[tuple[Release, Release, list[list[dict[str, Any]]]]] = []
    for g in gens:
        cells = [
            [*_verdict(mine, notes, scope_of(system)), *(_cell(r, notes, scope_of(system)) for r in mine)]
            for mine in ([r for r in g.report.results if r.property == p.name] for p in system.properties)
        ]
        if found and _alike(found[-1][2], cells):
            found[-1] = (found[-1][0], g.last, found[-1][2])
        else:
            found.append((g.first, g.last, cells))
    return found


def _alike(one: list[list[dict[str, Any]]], other: list[list[dict[str, Any]]]) -> bool:
    """Whether two results show the same in a cell."""
    shown = ("engine", "outcome", "strength", "about")
    return all(
        [[cell[key] for key in shown] for cell in a] == [[cell[key] for key in shown] for cell in b]
        for a, b in zip(one, other, strict=True)
    )


def _verdict(results: Sequence[Result], notes: Mapping[str, int], scope: Any) -> Iterator[dict[str, Any]]:
    """The verdict on a property, where it is violated in one scope and holds in another."""
    said = list(differing(results, notes, scope))
    if said:
        (verdict,) = verdicts(results).values()
        yield {
            "engine": "verdict:",
            "outcome": verdict["outcome"],
            "strength": f"in {shown_scope(verdict['scope'])}",
            "about": None,
            "detail": " — ".join(line.strip() for line in said),
        }


def _cell(result: Result, notes: Mapping[str, int], scope: Any) -> dict[str, Any]:
    return {
        # The number of the line that says what the claim is about.
        "about": notes.get(note_of(result, scope)),
        "engine": result.engine,
        "outcome": str(result.outcome),
        "strength": str(result.claim.strength)
        if result.claim
        else (f"{result.trace.length} steps" if result.trace else ""),
        "detail": " — ".join(part for part in (extent(result), result.explanation, established(result)) if part),
    }
