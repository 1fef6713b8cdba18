"""The verdict on a fix, as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.table import Table

from kubeproof.report.terminal import established, in_short, text, trace_text
from kubeproof.systems.system import scope_text
from kubeproof.validate.verdict import KnownRun, Part, Row, Validation
from kubeproof.verdict.result import Outcome
from properties.effect import ALONE

SILENT = ("holds as before", "not judged")
CHANGES = ("broken", "violated anew", "undecided", "cured", "uncovered", "still violated")


def validation_text(validation: Validation) -> str:
    """First the verdict, then each system's: what speaks against the fix, then everything that was established."""
    lines: list[str] = []
    several = len(validation.parts) > 1
    if several:
        judged = ", ".join(part.system.name for part in validation.parts)
        lines = [f"{validation.fix.label} on {validation.release}, judged in {judged}: {_worst(validation)}", ""]
    for part in validation.parts:
        verdict = _verdict(part) if several else _of_the_only(part, validation)
        lines += [f"{part.fix.label} on {part.system.name} {part.release}: {verdict}", "", *_part(part), ""]
    lines += [f"not judged in {name}: {why}" for name, why in validation.not_judged]
    return "\n".join(lines).rstrip()


def _part(part: Part) -> Iterator[str]:
    """What was established in one system."""
    absent = [] if len(part.known) == 1 else [run for run in part.known if not run.appears_before]
    for run in part.known:
        if run not in absent:
            yield from _known(part, run)
    if absent:
        yield f"not in {part.release} without the fix either: {', '.join(run.bug.id for run in absent)}"
    if part.rows and not part.failure:
        yield ""
        yield from _rows(part)
    stays = part.stays.results(part.stays.violations)
    if stays:
        yield ""
        yield "what a kept run still violates with the fix, whatever holds in the scopes above:"
        yield from (f"  {each.property}: {', '.join(each.known or ())}, in {scope_text(each.scope)}" for each in stays)
    for each in part.brought:
        why = f"by {', '.join(each.known)}" if each.known else "and no documented bug of the release explains it"
        yield ""
        yield f"with the fix alone, in the kept run of {each.reason}, {why}:"
        yield f"  {each.property}: {each.explanation} (in {scope_text(each.scope)})"
    if part.effects:
        yield ""
        for of, effects in groupby(part.effects, key=lambda effect: effect.of):
            where = "where no scope leads" if of == ALONE else f"over the {of} that the system reaches without the fix"
            yield f"what else it changes, {where}:"
            for effect in effects:
                share = f"{effect.changed} of {effect.total} {effect.of}"
                yield f"  {effect.subject}: {share}" + (f", e.g. {effect.example}" if effect.example else "")
    elif not part.failure:
        yield ""
        yield "nothing else differs in what the system reaches without the fix"
    if not part.failure:
        yield part.system.left_out_line()
    for row in _shortest(part.refused_by):
        yield ""
        yield trace_text(part.system, part.release, part.fix, row.after)
    for row in _shortest(row for row in part.unexplained if row.change == "uncovered"):
        yield ""
        yield "uncovered, and no documented bug of the release explains it:"
        yield trace_text(part.system, part.release, part.fix, row.after)
    for row in _shortest(part.violated_anew):
        yield ""
        yield f"violated anew, {_explained(row)}:"
        yield trace_text(part.system, part.release, part.fix, row.after)


def _shortest(rows: Iterable[Row]) -> list[Row]:
    """For each property the row with the shortest trace."""
    found: dict[str, tuple[int, Row]] = {}
    for row in rows:
        length = row.after.trace.length if row.after.trace else None
        if length is not None and (row.after.property not in found or length < found[row.after.property][0]):
            found[row.after.property] = length, row
    return [row for _, row in found.values()]


def _explained(row: Row) -> str:
    """Which pages explain a violation in runs that the release gets right."""
    if row.known:
        return f"by a documented bug of the release, in a run to which the fix leads: {', '.join(row.known)}"
    return "and no page explains this: it is the fix, or a bug of the release that has no page"


def _anew(part: Part) -> str:
    """What is violated anew, with the pages that explain it; "" if nothing is. A text behind an ACCEPTED."""
    by_property: dict[str, list[str]] = {}
    for row in part.violated_anew:
        by_property.setdefault(row.after.property, []).extend(row.known)
    by_bugs: dict[str, list[str]] = {}
    for name, bugs in by_property.items():
        by_bugs.setdefault(", ".join(dict.fromkeys(bugs)), []).append(name)
    return "".join(
        f"; {', '.join(names)} {'is' if len(names) == 1 else 'are'} violated anew by {bugs}"
        for bugs, names in by_bugs.items()
    )


def _refused(of: Part | Validation) -> str:
    return f"REFUSED: {'; '.join(of.reasons)}"


def _worst(validation: Validation) -> str:
    """The verdict of several parts."""
    if validation.outcome is Outcome.VIOLATED:
        return _refused(validation)
    undecided = ", ".join(part.system.name for part in validation.parts if part.outcome is not Outcome.HOLDS)
    if validation.open:
        return _undecided(validation) + (f"; undecided in {undecided}" if undecided else "")
    if undecided:
        return f"UNDECIDED in {undecided}"
    if validation.changes_nothing:
        return "CHANGES NOTHING in each"
    same = ", ".join(part.system.name for part in validation.parts if part.changes_nothing)
    accepted = ", ".join(part.system.name for part in validation.parts if not part.changes_nothing)
    return f"ACCEPTED in {accepted}; changes nothing in {same}" if same else "ACCEPTED in each"


def _of_the_only(part: Part, validation: Validation) -> str:
    """The verdict where the fix was judged in one system."""
    if validation.cures_nothing:
        return _refused(validation)
    if validation.open and part.outcome is Outcome.HOLDS:
        return _undecided(validation)
    return _verdict(part) + "".join(f"; {text}" for text in validation.open)


def _undecided(validation: Validation) -> str:
    return f"UNDECIDED: {'; '.join(validation.open)}"


def _verdict(part: Part) -> str:
    if part.outcome is Outcome.VIOLATED:
        return _refused(part)
    if part.changes_nothing and part.outcome is Outcome.HOLDS:
        return f"CHANGES NOTHING: {part.same_text}"
    if part.unproved_claims:
        ids = ", ".join(run.bug.id for run in part.unproved_claims)
        return f"UNDECIDED: {ids} is not in {part.release} without the fix, so it shows nothing of the fix"
    if part.unexplained:
        names = ", ".join(dict.fromkeys(row.after.property for row in part.unexplained))
        return (
            f"UNDECIDED: with the fix {names} is violated in a run that ends well without it, and no documented bug "
            "explains the run: look at it"
        )
    if part.unexplained_runs:
        names = ", ".join(each.property for each in part.unexplained_runs)
        return f"UNDECIDED: with the fix {names} is violated in a kept run that ends well without it: look at it"
    if part.lost_premises:
        return f"UNDECIDED: {'; '.join(part.open)}"
    if part.outcome is Outcome.INCONCLUSIVE:
        return "UNDECIDED: nothing speaks against the fix, but not every check came to an end"
    if len(part.known) == 1 and part.claimed:
        if not part.known[0].appears_before:
            bug = part.known[0].bug.id
            absent = f"{bug} is not in {part.release} without the fix either"
            return f"ACCEPTED: nothing that held breaks; {absent}{_anew(part)}"
        return f"ACCEPTED: the documented bug is gone and nothing that held breaks{_anew(part)}"
    look = _anew(part)
    cured = ", ".join(run.bug.id for run in part.cured)
    if cured:
        claim = "as claimed" if part.claims else "it claims none"
        return f"ACCEPTED: {cured} gone ({claim}), and nothing that held breaks{look}"
    names = ", ".join(dict.fromkeys(row.after.property for row in part.cured_rows))
    if names:
        return f"ACCEPTED: no documented bug, but a violation of {names} is gone, and nothing that held breaks{look}"
    return f"ACCEPTED: nothing that held breaks; no documented bug of this system is gone{look}"


def _known(part: Part, run: KnownRun) -> Iterator[str]:
    """What became of a kept counterexample: a line, and how its run ends now."""
    state = "gone" if run.gone else "STILL THERE"
    if run.gone and run.left is not None:
        state = f"gone, but {run.bug.violates} is violated in its scope by another run"
    if not run.gone and run not in part.claimed:
        state = "still there, and not claimed" if part.claims else "still there"
    yield f"known counterexample {run.bug.id}: {state}" + (
        "" if run.appears_before else f" (it does not appear in {part.release} without the fix either)"
    )
    yield f"  {run.after}"


def _rows(part: Part) -> Iterator[str]:
    """The rows that say something, by property, and then what was judged in each scope by each engine."""
    numbers = {scope: number for number, scope in enumerate(_scopes_of(part), 1)}
    telling = [row for row in part.rows if row.change not in SILENT]
    if telling:
        yield text(_grouped_table(telling, numbers)).rstrip()
    yield from _caveats(telling)
    yield ""
    yield "the scopes, and what holds there as before:"
    for (engine, scope), number in numbers.items():
        here = [row for row in part.rows if (row.after.engine, row.after.scope) == (engine, scope)]
        held = [row for row in here if row.change == "holds as before"]
        extent = f", {established(held[0].after)}" if held else ""
        yield f"{number:>3}  {engine}, {scope_text(scope)}"
        if any(row.change != "not judged" for row in here):
            yield f"     {len(held)} of {len(here)} properties hold as before{extent}"
        yield from _why_not([row for row in here if row.change == "not judged"], of=len(here))


def _caveats(rows: Sequence[Row]) -> Iterator[str]:
    """What the words of the table mean, and what such rows do not establish."""
    if any(row.change == "violated anew" for row in rows):
        yield (
            "violated anew: without the fix another bug violates the property. With the fix a run that the "
            "release gets right violates the property too. Below stand the pages that explain this, if any does"
        )
    if any(row.change == "uncovered" for row in rows):
        yield (
            "uncovered: only runs in which the release goes wrong earlier, and the fix does not, violate the property"
        )
    still = [row for row in rows if row.change == "still violated"]
    if any(row.anew is False for row in still):
        yield "still violated: no run that the release gets right violates the property now. No more is established"
    blind = [row for row in still if row.anew is None]
    if blind:
        names = ", ".join(dict.fromkeys(row.after.property for row in blind))
        yield f"still violated: the rows of {names} establish nothing and may hide what the fix breaks there"


def _scopes_of(part: Part) -> dict[tuple[str, Any], None]:
    return dict.fromkeys((row.after.engine, row.after.scope) for row in part.rows)


def _grouped_table(rows: Iterable[Row], numbers: Mapping[tuple[str, Any], int]) -> Table:
    """A row for each property and change, with the numbers of the scopes."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.change, row.after.property), []).append(row)
    table = Table(box=None, pad_edge=False)
    for column in ("property", "change", "in scopes", "established in the first of them"):
        table.add_column(column, overflow="fold", no_wrap=column in ("property", "change"))
    for change in CHANGES:
        for (kind, name), group in groups.items():
            if kind == change:
                where = ", ".join(str(numbers[row.after.engine, row.after.scope]) for row in group)
                table.add_row(name, kind, where, _established(group[0]))
    return table


def _why_not(rows: Sequence[Row], of: int) -> Iterator[str]:
    """The properties that were not judged, by reason. `of`: how many there are."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault((row.after.reason or "").partition(", so nothing")[0], []).append(row.after.property)
    for reason, names in reasons.items():
        yield f"     not judged: {f'all {of}' if len(names) == of > 1 else ', '.join(names)}: {reason}"


def _established(row: Row) -> str:
    if row.change == "cured" and row.met_elsewhere:
        return "what it speaks of does not happen any more"
    if row.change == "still violated" and row.before.trace and row.after.trace:
        if row.before.trace.actions == row.after.trace.actions:
            return f"by the same run, {in_short(row.after)}"
        return f"{in_short(row.after)}; before, {row.before.trace.length}"
    return in_short(row.after)
