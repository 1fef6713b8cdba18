"""The runs that speak against a fix or leave the verdict on it open: which is told, and what is said of it."""

from collections.abc import Iterator, Sequence

from attrs import frozen

from kubeproof.report.at_the_release import at_the_release
from kubeproof.report.told import actions_text, check_line, fix_options
from kubeproof.report.verdict_words import cures_text, names_text
from kubeproof.systems.system import scope_text
from kubeproof.validate.verdict import Cures, Part, Row
from kubeproof.verdict.result import Result
from kubeproof.verdict.trace import Trace

BREAKS = "it breaks"


@frozen
class RunToTell:
    """A violation that is told."""

    # What breaks most plainly has the lowest.
    rank: int
    # What the fix does to the property.
    label: str
    result: Result
    trace: Trace
    beside: Cures = Cures()


def told_runs(part: Part) -> list[RunToTell]:
    """The violations that speak against the fix or leave the verdict open: of equal rank the shortest run first."""
    if part.failure is not None:
        return [
            RunToTell(0, "", row.after, row.after.trace, row.beside) for row in part.rows if row.after.trace is not None
        ]
    told = [(*_rank(row), row.after, row.beside) for row in part.refused_by]
    told += [(3, f"{row.change}, and no documented bug explains it:", row.after, Cures()) for row in part.unexplained]
    told += [
        (4, f"in the kept run of {(each.reason or '').partition(',')[0]}:", each, Cures())
        for each in part.unexplained_runs
    ]
    runs = [
        RunToTell(rank, label, result, result.trace, beside)
        for rank, label, result, beside in told
        if result.trace is not None
    ]
    return sorted(runs, key=lambda run: (run.rank, run.trace.length))


def _rank(row: Row) -> tuple[int, str]:
    if row.beside.bugs:
        return 1, f"beside the {cures_text(row.beside.bugs)} {BREAKS}"
    return (0, BREAKS) if row.change == "broken" else (2, f"{row.change}:")


def breaks_line(part: Part, run: RunToTell) -> str:
    """What the run shows of the fix."""
    if part.failure is not None:
        return f"it fails after {actions_text(run.trace.length)}:"
    return f"{run.label} {run.result.property} after {actions_text(run.trace.length)}: {run.result.explanation}"


def release_line(part: Part, run: RunToTell) -> str:
    """What the release does on the same actions; "" where the fix fails."""
    if part.failure is not None:
        return ""
    where = f"{part.release}, beside the same" if run.beside.bugs else str(part.release)
    return f"in {where}: {at_the_release(part, run.result, run.beside)}"


def also_lines(found: Sequence[RunToTell]) -> Iterator[str]:
    """The properties that the further ones of these runs violate."""
    first = found[0]
    more: dict[str, dict[str, int]] = {}
    for each in found[1:]:
        if (each.label, each.result.property) != (first.label, first.result.property):
            more.setdefault(each.label, {}).setdefault(each.result.property, each.trace.length)
    if more:
        yield "also: " + "; ".join(
            f"{other} {names_text(f'{name} ({actions_text(length)})' for name, length in names.items())}"
            for other, names in more.items()
        )


def run_line(part: Part) -> str | None:
    """The command that shows the whole run that was told, where a search finds that run first."""
    found = told_runs(part)
    if part.failure is not None or not found or not found[0].label.endswith(BREAKS):
        return None
    result, fix = found[0].result, part.fix.with_built_in(found[0].beside.rules)
    engine = [] if result.engine == "explicit" else [f"--engine {result.engine}"]
    scope = scope_text(result.scope or part.system.scope)
    return check_line(part.system, part.release, scope, result.property, [*fix_options(fix), *engine])
