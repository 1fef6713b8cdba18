"""The verdict on a fix, as text: what `verdict_lines.py` says first, and on request all that was established."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.table import Table

from kubeproof.report.at_the_release import fix_run_text
from kubeproof.report.terminal import established, in_short, text
from kubeproof.report.verdict_lines import Asked, first_lines, inferred
from kubeproof.report.verdict_words import by_outcome
from kubeproof.systems.system import scope_text
from kubeproof.validate.verdict import KnownRun, Part, Row, Validation
from properties.effect import ALONE

SILENT = ("holds as before", "not judged")
CHANGES = ("broken", "violated anew", "undecided", "cured", "uncovered", "still violated")


def validation_text(validation: Validation, asked: Asked = Asked(), *, full: bool = False) -> str:  # noqa: B008 frozen
    """What the verdict says first; with `full` then all that was established, by system, and what is inferred."""
    lines = first_lines(validation, asked, full=full)
    for part in by_outcome(validation) if full else ():
        lines += ["", f"--- {part.system.name}", "", *_part(part)]
    if full and (notes := inferred(validation)):
        lines += ["", *(f"note: {text}" for text in notes)]
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
    for of, effects in groupby(part.effects, key=lambda effect: effect.of):
        where = "where no scope leads" if of == ALONE else f"over the {of} that the system reaches without the fix"
        yield ""
        yield f"what else it changes, {where}:"
        for effect in effects:
            share = f"{effect.changed} of {effect.total} {effect.of}"
            yield f"  {effect.subject}: {share}" + (f", e.g. {effect.example}" if effect.example else "")
    for row in _shortest(part.refused_by):
        yield ""
        if row.beside.bugs:
            yield f"beside the cures of {', '.join(row.beside.bugs)}, with which alone the property holds:"
        yield fix_run_text(part, row)
    for row in _shortest(row for row in part.unexplained if row.change == "uncovered"):
        yield ""
        yield "uncovered, and no documented bug of the release explains it:"
        yield fix_run_text(part, row)
    for row in _shortest(part.violated_anew):
        yield ""
        yield f"violated anew, {_explained(row)}:"
        yield fix_run_text(part, row)


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


def _known(part: Part, run: KnownRun) -> Iterator[str]:
    """What became of a kept counterexample: a line, and how its run ends now."""
    state = "gone" if run.gone else "STILL THERE"
    if run.gone and run.left is not None:
        state = f"gone, but {run.bug.violates} is violated in its scope by another run"
    if not run.gone and run not in part.claimed:
        state = "still there, and not claimed" if part.claims else "still there"
    yield f"known counterexample {run.bug.id}: {state}" + (
        "" if run.appears_before else f" (it does not appear in {part.release} without the fix{' either' * run.gone})"
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
        yield f"{number:>3}  {engine}, {scope_text(scope)}"
        if counts := Counter(row.change for row in here if row.change in CHANGES):
            yield f"     {', '.join(f'{count} {change}' for change, count in counts.items())}"
        if held:
            yield f"     {len(held)} as before: {established(held[0].after)}"
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
