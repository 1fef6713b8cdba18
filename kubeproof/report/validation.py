"""The verdict on a fix, as text."""

from collections.abc import Iterable, Iterator

from rich.table import Table

from kubeproof.judgement import KnownRun, Row, Validation
from kubeproof.report.terminal import established, text, trace_text
from kubeproof.verdict import Outcome

SILENT = ("holds as before", "not judged")


def validation_text(validation: Validation) -> str:
    """First the verdict, then what speaks against the fix, then everything that was established."""
    lines = [f"{validation.fix.label} on {validation.system.name} {validation.release}: {_verdict(validation)}", ""]
    for run in validation.known:
        lines += _known(validation, run)
    if validation.rows:
        lines += ["", *_rows(validation)]
    if validation.effects:
        cases = f"over the {validation.effects[0].of} that the system reaches without the fix"
        lines += ["", f"what else it changes, {cases}:"]
        for effect in validation.effects:
            share = f"{effect.changed} of {effect.total} {effect.of}"
            lines.append(f"  {effect.subject}: {share}" + (f", e.g. {effect.example}" if effect.example else ""))
    elif not validation.failure:
        lines += ["", "nothing else differs in what the system reaches without the fix"]
    shown = set()
    for row in validation.refused_by:
        if row.after.trace is not None and row.after.property not in shown:
            shown.add(row.after.property)
            lines += ["", trace_text(row.after)]
    return "\n".join(lines)


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
    return f"ACCEPTED: {cured} gone ({claim}), and nothing that held breaks"


def _known(validation: Validation, run: KnownRun) -> Iterator[str]:
    """What became of a kept counterexample: a line, and how its run ends now."""
    alone = len(validation.known) == 1
    if not run.appears_before and not alone:
        yield f"known counterexample {run.bug.id}: not in {validation.release} without the fix either"
        return
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
    """All rows of one scope; of several those that say something, and the others in short, scope by scope."""
    if len(validation.scopes) == 1 or validation.failure:
        yield text(_table(validation.rows)).rstrip()
        return
    telling = [row for row in validation.rows if row.change not in SILENT]
    if telling:
        yield text(_table(telling)).rstrip()
        yield ""
    yield "holds as before, by engine and scope:"
    for engine, scope in dict.fromkeys((row.after.engine, row.after.scope) for row in validation.rows):
        here = [row for row in validation.rows if (row.after.engine, row.after.scope) == (engine, scope)]
        held = [row for row in here if row.change == "holds as before"]
        not_judged = [row for row in here if row.change == "not judged"]
        extent = f", {established(held[0].after)}" if held else ""
        yield f"  {engine} {scope}: {len(held)} of {len(here)}{extent}"
        yield from _why_not(not_judged)
    if any(row.change == "still violated" for row in telling):
        yield "still violated: such a row establishes nothing of the fix, and could hide what it breaks there"


def _why_not(rows: Iterable[Row]) -> Iterator[str]:
    """The properties that were not judged, by reason."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault(row.after.reason or "", []).append(row.after.property)
    for reason, names in reasons.items():
        yield f"    not judged: {', '.join(names)}: {reason}"


def _table(rows: Iterable[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("property", "engine", "before", "after", "change", "established"):
        table.add_column(column, overflow="fold")
    for row in rows:
        after = row.after
        scope = f"{after.scope}: " if after.scope else ""
        table.add_row(
            after.property, after.engine, str(row.before.outcome), str(after.outcome), row.change,
            scope + _established(row),
        )  # fmt: skip
    return table


def _established(row: Row) -> str:
    if row.change == "still violated" and row.before.trace and row.after.trace:
        if row.before.trace.actions == row.after.trace.actions:
            return f"by the same run, {established(row.after)}"
        return f"{established(row.after)}; before, {row.before.trace.length}"
    if row.change == "violated sooner" and row.before.trace:
        return f"{established(row.after)}; before, {row.before.trace.length}"
    return established(row.after)
