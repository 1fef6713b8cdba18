"""What a test item says of one property and engine: whether something new is wrong, or only what is known."""

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import evolve, frozen

from kubeproof.bugs.beside import NOTHING_KEPT, Beside
from kubeproof.bugs.known import known_bugs
from kubeproof.report.at_the_release import fix_run_text
from kubeproof.report.terminal import extent, in_short, trace_text
from kubeproof.systems.system import System, scope_text
from kubeproof.validate.verdict import Part, Row, Validation
from kubeproof.verdict.result import Cause, Outcome, Result, Strength
from model.releases import Release

Kind = Literal["passed", "known", "skipped", "failed"]
NO_PAGE = "known of the release, no page"


@frozen
class Said:
    """The verdict of an item."""

    # `known`: the release violates the property already, so the item is expected to fail.
    kind: Kind
    outcome: Outcome
    # What was established, in a few words, for a table.
    established: str
    # Why the item did not pass: a run as text, or a reason. Empty if it passed.
    text: str = ""
    # Of a proof for any size: what it allows and assumes, and what one power more does to it. Else empty.
    about: str = ""


def of_release(
    system: System, release: Release, result: Result, smallest: Result | None = None, kept: Beside = NOTHING_KEPT
) -> Said:
    """What an item says of `release` as it is. A violation is known if documented bugs of the release explain it.

    `smallest`: the same violation in the smallest scope in which the explicit engine finds it, if a sample found it.
    `kept`: what the kept runs say of the release. What one of them violates does not hold, whatever the engine says.
    """
    proved = _about_proof(result)
    elsewhere = result.scope is not None and result.scope != system.scope and not proved
    found = in_short(result) + (f", in {scope_text(result.scope)}" if elsewhere else "")
    if smallest is not None:
        found += f"; the smallest scope in which explicit finds it: {scope_text(smallest.scope)}"
    if result.outcome is Outcome.NOT_APPLICABLE:
        return Said("skipped", result.outcome, found, f"not applicable: {result.reason}")
    if result.outcome is not Outcome.VIOLATED and (elsewhere_violated := of_kept_runs(result, found, kept)):
        return evolve(elsewhere_violated, about=proved)
    if result.outcome is Outcome.HOLDS:
        return Said("passed", result.outcome, found, about=proved)
    if result.outcome is Outcome.INCONCLUSIVE:
        nothing = result.cause is Cause.PREMISE
        return Said("skipped" if nothing else "failed", result.outcome, found, f"inconclusive: {result.reason}")
    names = ", ".join(bug.id for bug in known_bugs(system, release, result))
    text = trace_text(system, release, None, smallest or result)
    if names:
        return Said("known", result.outcome, f"known: {names}; {found}", text)
    no_page = "" if system.file else "no page documents it; "
    return Said("failed", result.outcome, f"{no_page}{found}", text)


def of_kept_runs(result: Result, found: str, kept: Beside) -> Said | None:
    """What is said where a kept run violates the property of `result`; None if none does. `found`: what `result` is."""
    for violated in kept.results([result.property]):
        names = ", ".join(violated.known or ())
        where = f"in {scope_text(violated.scope)}: {violated.explanation}"
        established = f"known: {names}, {where}; here {result.outcome}, {found}"
        return Said("known", Outcome.VIOLATED, established, f"violated by {names}, {where} (`kubeproof show`)")
    return None


def _about_proof(result: Result) -> str:
    if result.claim is None or result.claim.strength is not Strength.INDUCTIVE:
        return ""
    more = result.claim.details.get("besides")
    return extent(result) + (f"; one environment action more: {more}" if more else "")


def of_fix(part: Part, property: str, engine: str) -> Said:
    """What an item says of a fix: of all scopes in which `part` judged `property` by `engine`, the worst."""
    if part.failure is not None:
        return Said("failed", Outcome.INCONCLUSIVE, part.failure, f"inconclusive: {part.failure}")
    rows = [row for row in part.rows if (row.after.property, row.after.engine) == (property, engine)]
    mine = [each for each in part.objections if (each.row is not None and each.row in rows) or each.is_about(property)]
    for refuses in (True, False):
        found = [each for each in mine if each.refuses is refuses]
        of_rows = [each.row for each in found if each.row is not None]
        if of_rows:
            return _failed(part, _shortest(of_rows))
        if found:
            text = "; ".join(each.text + (f": {each.run.after}" if refuses and each.run else "") for each in found)
            outcome = Outcome.VIOLATED if refuses else Outcome.INCONCLUSIVE
            return Said("failed", outcome, text, text if refuses else f"inconclusive: {text}")
    return _nothing_new(part, rows)


def of_whole_fix(verdict: Validation) -> Said:
    """What the item of the whole fix says: whether it cures anything, and which claims nobody judged.

    All other objections are those of properties.
    """
    text = verdict.cures_nothing
    if text is not None:
        return Said("failed", Outcome.VIOLATED, text, text)
    if verdict.open:
        text = "; ".join(verdict.open)
        return Said("failed", Outcome.INCONCLUSIVE, text, f"inconclusive: {text}")
    if verdict.changes_nothing:
        same = "; ".join(dict.fromkeys(part.same_text for part in verdict.parts))
        return Said("passed", Outcome.HOLDS, f"changes nothing: {same}")
    cured = dict.fromkeys(run.bug.id for part in verdict.parts for run in part.cured)
    if cured or any(part.cured_rows for part in verdict.parts):
        return Said("passed", Outcome.HOLDS, ", ".join(cured) or "a violation that no page documents is gone")
    text = "its claims are judged by the items of their properties"
    return Said("skipped", Outcome.NOT_APPLICABLE, text, text)


def _nothing_new(part: Part, rows: Sequence[Row]) -> Said:
    """What is said of rows that do not speak against the fix."""
    for change in ("violated anew", "uncovered", "still violated"):
        of_change = [row for row in rows if row.change == change]
        if of_change:
            # Of what shows in new runs, the rows say what explains it: see `Part.unexplained`.
            results = [
                row.before if row.before.trace is not None else row.after
                for row in of_change
                if change == "still violated"
            ]
            of_release = (bug.id for result in results for bug in known_bugs(part.system, part.release, result))
            bugs = dict.fromkeys([*of_release, *(bug for row in of_change for bug in row.known)])
            names = f"known: {', '.join(bugs)}" if bugs else NO_PAGE
            row = _shortest(of_change)
            text = trace_text(part.system, part.release, part.fix, row.after)
            return Said("known", Outcome.VIOLATED, f"{names}; {change}{_where(row)}", text)
    for change in ("cured", "holds as before"):
        for row in rows:
            if row.change == change:
                brought = next((each for each in part.brought if each.property == row.after.property), None)
                if brought is not None:
                    said = f"known: {', '.join(brought.known or ())}, in the kept run of {brought.reason}"
                    return Said("known", Outcome.VIOLATED, said, f"{said}: {brought.explanation}")
                if (stays := of_kept_runs(row.after, in_short(row.after), part.stays)) is not None:
                    return evolve(stays, established=f"{change}{_where(row)}, and a bug stays: {stays.established}")
                how = "what it speaks of does not happen any more" if row.met_elsewhere else in_short(row.after)
                said = f"{change}{_where(row)}: {how}"
                return Said("passed", Outcome.HOLDS, said, about=_about_proof(row.after))
    after = rows[0].after
    kind = "not applicable" if after.outcome is Outcome.NOT_APPLICABLE else "inconclusive"
    return Said("skipped", after.outcome, f"not judged: {after.reason}", f"{kind}: {after.reason}")


def _failed(part: Part, row: Row) -> Said:
    claimed = row.change != "broken" and row in part.refused_by
    change = f"{row.change}, and the fix claims to cure it" if claimed else row.change
    if row.beside.bugs:
        change = f"{change} beside the cures of {', '.join(row.beside.bugs)}"
    if row.after.outcome is not Outcome.VIOLATED:
        return Said(
            "failed",
            row.after.outcome,
            f"{change}{_where(row)}: {row.after.reason}",
            f"inconclusive: {row.after.reason}",
        )
    found = f"{change}{_where(row)}: {in_short(row.after)}"
    text = f"{change} by the fix\n{fix_run_text(part, row)}"
    return Said("failed", Outcome.VIOLATED, found, text)


def _where(row: Row) -> str:
    return "" if row.after.scope is None else f" in {scope_text(row.after.scope)}"


def _shortest(rows: Iterable[Row]) -> Row:
    return min(rows, key=lambda row: (row.after.trace is None, row.after.trace.length if row.after.trace else 0))
