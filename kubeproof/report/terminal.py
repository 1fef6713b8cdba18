"""Results as text for a terminal: a table, and each trace with only what changed."""

from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table

from kubeproof.report.changes import change_text, changes
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Trace
from model.releases import Release

STYLES = {
    Outcome.HOLDS: "green",
    Outcome.VIOLATED: "bold red",
    Outcome.INCONCLUSIVE: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
}


def trace_text(result: Result) -> str:
    """The counterexample of a violated result: what broke, how short it is, each step with what changed."""
    if result.trace is None or result.outcome is not Outcome.VIOLATED:
        return f"{result.property} [{result.engine}]: {result.outcome}: {result.reason or result.explanation or ''}"
    lines = [f"{result.property} is violated: {result.explanation}"]
    short = "no shorter run violates it" if result.minimal else "not known to be the shortest"
    lines.append(f"{_actions(result.trace.length)}, found by the {result.engine} engine; {short}")
    lines += steps_text(result.trace)
    return "\n".join(lines)


def _actions(count: int) -> str:
    return f"{count} action" if count == 1 else f"{count} actions"


def steps_text(trace: Trace) -> list[str]:
    """Each action on a line, below it only what changed; the return of a lasso at the end."""
    lines = []
    for number, (before, step) in enumerate(zip(trace.steps, trace.steps[1:], strict=False), 1):
        lines.append(f"  {number:>2}  {step.action}")
        changed = list(changes(before.state, step.state))
        width = max([len(path) for path, _, _ in changed] or [0])
        lines += [f"        {path:<{width}}  {change_text(old, new)}" for path, old, new in changed]
        if not changed:
            lines.append("        (nothing changes)")
    if trace.loop == trace.length:
        lines.append("      … and nothing more happens")
    elif trace.loop is not None:
        lines.append(f"      … and so on for ever, from after step {trace.loop}" if trace.loop else "      … for ever")
    return lines


def results_table(results: list[Result], title: str | None = None) -> Table:
    """A row for each result: property, engine, outcome, how strongly it was established."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in ("property", "engine", "outcome", "established", "seconds"):
        table.add_column(column, justify="right" if column == "seconds" else "left", overflow="fold")
    for result in results:
        style = STYLES[result.outcome]
        table.add_row(
            result.property,
            result.engine,
            f"[{style}]{result.outcome}[/]",
            established(result),
            f"{result.seconds:.1f}",
        )
    return table


def established(result: Result) -> str:
    """How strongly: the claim, the length of the trace, or the reason."""
    if result.claim is not None:
        return str(result.claim)
    if result.trace is not None and result.outcome is Outcome.VIOLATED:
        return f"trace of {_actions(result.trace.length)}" + (", shortest" if result.minimal else "")
    return result.reason or result.explanation or ""


def never_taken(system: System, rules: Any, results: list[Result]) -> list[str]:
    """For each engine that counts, the actions that its scope offers and it never took: nothing was checked of them."""
    lines = []
    for engine in dict.fromkeys(result.engine for result in results):
        counted = [result for result in results if result.engine == engine and result.fired and result.states]
        if counted:
            absent = system.never_offered(counted[0].scope, rules)
            total = {name: sum(result.fired.get(name, 0) for result in counted) for name in counted[0].fired}
            never = [name for name, count in total.items() if not count and name not in absent]
            if never:
                lines.append(f"never taken by {engine}: {', '.join(never)}")
    return lines


def text(*renderables: object, width: int = 120) -> str:
    """What rich makes of `renderables`, as plain text."""
    buffer = StringIO()
    console = Console(file=buffer, width=width, no_color=True, highlight=False)
    for renderable in renderables:
        console.print(renderable)
    return buffer.getvalue()


def narrated_text(system: str, release: Release, trace: Trace) -> list[str]:
    """Each step in the words of Kubernetes: what happens, the Go function, what it leaves behind."""
    described = SYSTEMS[system]
    lines = []
    for number, step in enumerate(trace.steps):
        if step.action is not None:
            lines.append(
                f"  {number}  {described.describe_action(step.action)}  ({described.place(step.action.name, release)})"
            )
            damage = described.describe_damage(step.state)
            after = described.describe_state(step.state) + ([damage.replace("**", "")] if damage else [])
            lines += [f"       {line}" for line in after]
    return lines
