"""The verdict on a fix, as text."""

from rich.table import Table

from kubeproof.report.terminal import established, text, trace_text
from kubeproof.validate import Validation
from kubeproof.verdict import Outcome

VERDICTS = {
    Outcome.HOLDS: "ACCEPTED: the documented bug is gone and nothing that held breaks",
    Outcome.VIOLATED: "REFUSED",
    Outcome.INCONCLUSIVE: "UNDECIDED: nothing speaks against the fix, but not every check came to an end",
}


def validation_text(validation: Validation) -> str:
    """First the verdict, then what speaks against the fix, then everything that was established."""
    lines = [f"{validation.fix.label} on {validation.system.name} {validation.release}: {_verdict(validation)}", ""]
    for run in validation.known:
        known = f"known counterexample {run.bug.id}: " + ("gone" if run.gone else "STILL THERE")
        if not run.appears_before:
            known += f" (it does not appear in {validation.release} without the fix either)"
        lines += [known, f"  {run.after}"]
    lines += ["", text(_table(validation)).rstrip()]
    if validation.effects:
        lines += ["", "what else it changes, over the trees that the system reaches without the fix:"]
        for effect in validation.effects:
            share = f"{effect.changed} of {effect.total} trees"
            lines.append(f"  {effect.subject}: {share}" + (f", e.g. {effect.example}" if effect.example else ""))
    shown = set()
    for row in validation.refused_by:
        if row.after.trace is not None and row.after.property not in shown:
            shown.add(row.after.property)
            lines += ["", trace_text(row.after)]
    return "\n".join(lines)


def _verdict(validation: Validation) -> str:
    if validation.outcome is not Outcome.VIOLATED:
        return VERDICTS[validation.outcome]
    reasons = [f"{row.after.property} is {row.change} ({row.after.engine})" for row in validation.refused_by]
    reasons += [f"the counterexample of {run.bug.id} is still there" for run in validation.known if not run.gone]
    return f"{VERDICTS[Outcome.VIOLATED]}: {'; '.join(dict.fromkeys(reasons))}"


def _table(validation: Validation) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("property", "engine", "before", "after", "change", "established"):
        table.add_column(column, overflow="fold")
    for row in validation.rows:
        after = row.after
        scope = f"{after.scope}: " if after.scope else ""
        table.add_row(
            after.property, after.engine, str(row.before.outcome), str(after.outcome), row.change,
            scope + established(after),
        )  # fmt: skip
    return table
