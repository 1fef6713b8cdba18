"""The verdict on a fix, as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.table import Table

from kubeproof.fix.judgement import KnownRun, Row, Validation
from kubeproof.report.terminal import established, text, trace_text
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome

SILENT = ("holds as before", "not judged")
CHANGES = ("broken", "violated anew", "undecided", "cured", "uncovered", "still violated")


def validation_text(validation: Validation) -> str:
    """First the verdict, then what speaks against the fix, then everything that was established."""
    lines = [f"{validation.fix.label} on {validation.system.name} {validation.release}: {_verdict(validation)}", ""]
    absent = [] if len(validation.known) == 1 else [run for run in validation.known if not run.appears_before]
    for run in validation.known:
        if run not in absent:
            lines += _known(validation, run)
    if absent:
        ids = ", ".join(run.bug.id for run in absent)
        lines.append(f"not in {validation.release} without the fix either: {ids}")
    if validation.rows and not validation.failure:
        lines += ["", *_rows(validation)]
    if validation.effects:
        cases = f"over the {validation.effects[0].of} that the system reaches without the fix"
        lines += ["", f"what else it changes, {cases}:"]
        for effect in validation.effects:
            share = f"{effect.changed} of {effect.total} {effect.of}"
            lines.append(f"  {effect.subject}: {share}" + (f", e.g. {effect.example}" if effect.example else ""))
    elif not validation.failure:
        lines += ["", "nothing else differs in what the system reaches without the fix"]
    for row in _shortest(validation.refused_by):
        lines += ["", trace_text(row.after)]
    for row in _shortest(validation.violated_anew):
        lines += ["", "violated anew, by this fix or by another bug in a history to which the fix leads:"]
        lines.append(trace_text(row.after))
    return "\n".join(lines)


def _shortest(rows: Iterable[Row]) -> list[Row]:
    """For each property the row with the shortest trace."""
    found: dict[str, tuple[int, Row]] = {}
    for row in rows:
        length = row.after.trace.length if row.after.trace else None
        if length is not None and (row.after.property not in found or length < found[row.after.property][0]):
            found[row.after.property] = length, row
    return [row for _, row in found.values()]


def _verdict(validation: Validation) -> str:
    if validation.outcome is Outcome.VIOLATED:
        return f"REFUSED: {'; '.join(validation.reasons)}"
    if validation.unproved_claims:
        ids = ", ".join(run.bug.id for run in validation.unproved_claims)
        return f"UNDECIDED: {ids} is not in {validation.release} without the fix, so it shows nothing of the fix"
    if validation.outcome is Outcome.INCONCLUSIVE:
        return "UNDECIDED: nothing speaks against the fix, but not every check came to an end"
    if len(validation.known) == 1:
        return "ACCEPTED: the documented bug is gone and nothing that held breaks"
    cured = ", ".join(run.bug.id for run in validation.cured)
    if not cured:
        names = dict.fromkeys(row.after.property for row in validation.cured_rows)
        return (
            f"ACCEPTED: no documented bug, but a violation of {', '.join(names)} is gone, and nothing that held breaks"
        )
    claim = "as claimed" if validation.claims else "it claims none"
    anew = ", ".join(dict.fromkeys(row.after.property for row in validation.violated_anew))
    look = f"; look at what other bugs violate, and the fix anew: {anew}" if anew else ""
    return f"ACCEPTED: {cured} gone ({claim}), and nothing that held breaks{look}"


def _known(validation: Validation, run: KnownRun) -> Iterator[str]:
    """What became of a kept counterexample: a line, and how its run ends now."""
    state = "gone" if run.gone else "STILL THERE"
    if run.gone and run.left is not None:
        state = f"gone, but {run.bug.violates} is violated in its scope by another run"
    if not run.gone and run not in validation.claimed:
        state = "still there, and not claimed" if validation.claims else "still there"
    yield f"known counterexample {run.bug.id}: {state}" + (
        "" if run.appears_before else f" (it does not appear in {validation.release} without the fix either)"
    )
    yield f"  {run.after}"


def _rows(validation: Validation) -> Iterator[str]:
    """All rows; of a system with many scopes those that say something by property, and what was judged in each."""
    if not validation.system.fix_scopes:
        yield text(_table(validation.system, validation.rows)).rstrip()
        return
    numbers = {scope: number for number, scope in enumerate(_scopes_of(validation), 1)}
    telling = [row for row in validation.rows if row.change not in SILENT]
    if telling:
        yield text(_grouped_table(telling, numbers)).rstrip()
    yield from _caveats(telling)
    yield ""
    yield "the scopes, and what holds there as before:"
    for (engine, scope), number in numbers.items():
        here = [row for row in validation.rows if (row.after.engine, row.after.scope) == (engine, scope)]
        held = [row for row in here if row.change == "holds as before"]
        extent = f", {established(held[0].after)}" if held else ""
        yield f"{number:>3}  {engine}, {validation.system.brief_scope(scope or '')}"
        yield f"     {len(held)} of {len(here)} properties hold as before{extent}"
        yield from _why_not(row for row in here if row.change == "not judged")


def _caveats(rows: Sequence[Row]) -> Iterator[str]:
    """What the words of the table mean, and what such rows do not establish."""
    if any(row.change == "violated anew" for row in rows):
        yield (
            "violated anew: another bug violates it there without the fix, and with it a history that the release gets "
            "right does as well; see below whether that is the other bug"
        )
    if any(row.change == "uncovered" for row in rows):
        yield (
            "uncovered: violated only by histories in which the release goes wrong earlier, in another manner, and the "
            "fix does not"
        )
    still = [row for row in rows if row.change == "still violated"]
    if any(row.anew is False for row in still):
        yield "still violated: no history that is all right in the release violates it now; no more is established"
    blind = [row for row in still if row.anew is None]
    if blind:
        names = ", ".join(dict.fromkeys(row.after.property for row in blind))
        yield f"still violated: the rows of {names} establish nothing, and could hide what the fix breaks there"


def _scopes_of(validation: Validation) -> dict[tuple[str, str | None], None]:
    return dict.fromkeys((row.after.engine, row.after.scope) for row in validation.rows)


def _grouped_table(rows: Iterable[Row], numbers: Mapping[tuple[str, str | None], int]) -> Table:
    """A row for each property and change, with the numbers of the scopes."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.change, row.after.property), []).append(row)
    table = Table(box=None, pad_edge=False)
    for column in ("property", "change", "in scopes", "established in the first of them"):
        table.add_column(column, overflow="fold")
    for change in CHANGES:
        for (kind, name), group in groups.items():
            if kind == change:
                where = ", ".join(str(numbers[row.after.engine, row.after.scope]) for row in group)
                table.add_row(name, kind, where, _established(group[0]))
    return table


def _why_not(rows: Iterable[Row]) -> Iterator[str]:
    """The properties that were not judged, by reason."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault((row.after.reason or "").partition(", so nothing")[0], []).append(row.after.property)
    for reason, names in reasons.items():
        yield f"     not judged: {', '.join(names)}: {reason}"


def _table(system: System, rows: Iterable[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("property", "engine", "before", "after", "change", "established"):
        table.add_column(column, overflow="fold")
    for row in rows:
        after = row.after
        scope = f"{system.brief_scope(after.scope)}: " if after.scope else ""
        table.add_row(
            after.property, after.engine, str(row.before.outcome), str(after.outcome), row.change,
            scope + _established(row),
        )  # fmt: skip
    return table


def _established(row: Row) -> str:
    if row.change == "cured" and row.met_elsewhere:
        return "what it speaks of does not happen any more"
    if row.change == "still violated" and row.before.trace and row.after.trace:
        if row.before.trace.actions == row.after.trace.actions:
            return f"by the same run, {established(row.after)}"
        return f"{established(row.after)}; before, {row.before.trace.length}"
    return established(row.after)
