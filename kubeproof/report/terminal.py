"""Results as text for a terminal: a table, and each run with only what changed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from textwrap import TextWrapper
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kubeproof.bugs.beside import KEPT_RUN
from kubeproof.check.check import CheckReport, rules_line, verdicts
from kubeproof.fix.fix import Fix
from kubeproof.output import line_width
from kubeproof.report.told import Change, Told, ToldRun, actions_text, check_line, fix_options, told_run
from kubeproof.systems.system import System, scope_text, shown_scope
from kubeproof.verdict.result import Outcome, Result, Strength, shown
from kubeproof.visible import visible
from model.releases import Release

WIDTH = 100  # of the lines of a run, on a terminal that is as wide
STYLES = {
    Outcome.HOLDS: "green",
    Outcome.VIOLATED: "bold red",
    Outcome.INCONCLUSIVE: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
}


def heading(report: CheckReport) -> str:
    """What was checked, in which scope, under which rules. A system of a reader's file has no release and no rules."""
    scope = f"scope {scope_text(report.scope)}"
    if report.system.file:
        return f"{report.system.name}, {scope}\n"
    rules = rules_line(report.system, report.rules, report.fix)
    return f"{report.system.name} {report.release}, {scope}\nrules: {rules}\n"


def trace_text(system: System, release: Release, fix: Fix | None, result: Result) -> str:
    """The counterexample of a violated result with `fix` in place; of another result why there is none."""
    if result.trace is None or result.outcome is not Outcome.VIOLATED:
        return f"{result.property} [{result.engine}]: {result.outcome}: {result.reason or result.explanation or ''}"
    scope = scope_text(result.scope or system.scope)
    shortest = f"no shorter run in the scope {scope} does this"
    sampled = f"in the scope {scope}; not known to be the shortest"
    claim = f"found by the {result.engine} engine: {shortest if result.minimal else sampled}"
    engine = [] if result.engine == "explicit" else [f"--engine {result.engine}"]
    whose = system.name if system.file else f"Kubernetes {release}"
    run = told_run(
        system,
        release,
        system.property_named(result.property),
        result.trace,
        broke=result.explanation or result.property,
        claim=f"{whose}, after {actions_text(result.trace.length)}, {claim}",
        again=check_line(system, release, scope, result.property, [*fix_options(fix), *engine]),
    )
    return "\n".join(run_text(run))


def run_text(run: ToldRun) -> list[str]:
    """What broke, how strong the claim is, each action with only what it changed, the property, how to see it again."""
    lines = [*_wrapped(f"{run.property.name} is violated: {run.broke}", ""), *_wrapped(run.claim, "  "), ""]
    if run.beginning:
        lines += _wrapped(run.beginning, "      ")
    for number, action in enumerate(run.actions, 1):
        lines += _action_text(f"{number:>4}  ", action)
    if run.loop:
        lines.append(f"      {run.loop}")
    lines += ["", *_wrapped(f"must hold: {run.property.sentence}", "  ")]
    lines.append("  at the end:")
    lines += _facts_text(run.end, "        ")
    return [*lines, f"  again: {run.again}"]


def _action_text(number: str, action: Told) -> Iterator[str]:
    indent = " " * len(number)
    head = f"{number}{action.sentence}"
    if action.go and len(head) + len(action.go) + 3 <= line_width(WIDTH):
        yield f"{head}  {action.go}"
    else:
        yield from _wrapped(action.sentence, number, indent)
        yield from _wrapped(action.go, indent) if action.go else ()
    yield from _facts_text(action.changes, f"{indent}  ")
    for failure in action.broken:
        yield from _wrapped(failure, f"{indent}! ", f"{indent}  ")


def _facts_text(facts: Sequence[Change], indent: str) -> Iterator[str]:
    """A fact on a line, the texts below each other."""
    width = max((len(fact.subject) for fact in facts), default=0)
    for fact in facts:
        start = f"{indent}{fact.subject:<{width}}  "
        yield from _wrapped(fact.text, start, " " * len(start))


def _wrapped(text: str, first: str, then: str | None = None) -> list[str]:
    """`text` in lines of at most `WIDTH`, if its words let it."""
    wrapper = TextWrapper(line_width(WIDTH), break_long_words=False, break_on_hyphens=False)
    wrapper.initial_indent, wrapper.subsequent_indent = first, first if then is None else then
    # No line ends with the sign of what comes or goes.
    bound = re.sub(r"(^|, )([+-]) ", "\\1\\2\xa0", text)
    return [line.replace("\xa0", " ") for line in wrapper.wrap(bound)]


def results_table(results: list[Result], scope: Any = None, title: str | None = None) -> Table:
    """A row for each result: property, engine, outcome, how strongly it was established, known bugs, in which scope.

    A row that is about the table's `scope` says nothing there. Another row has the number of a line of `below_table`.
    A narrow terminal has no room for the seconds.
    """
    notes = numbered_notes(results, scope)
    narrow = line_width(WIDTH) < WIDTH
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0 if narrow else 1))
    columns = ["property", "engine", "outcome", "established"]
    columns += [*(["scope"] if notes else []), *([] if narrow else ["seconds"])]
    for column in columns:
        side: Any = "right" if column == "seconds" else "left"
        # What is long is a reason, or the names of bugs: it alone takes more lines.
        table.add_column(column, justify=side, overflow="fold", no_wrap=column != "established")
    order = {name: number for number, name in enumerate(by_property(results))}
    before = ""
    # What a kept run violates is said first. So whoever looks for a property finds its verdict first.
    for result in sorted(results, key=lambda result: (order[result.property], result.engine != KEPT_RUN)):
        note = note_of(result, scope)
        name, before = "" if result.property == before else result.property, result.property
        cells: dict[str, str | Text] = {
            "property": name,
            "engine": result.engine,
            "outcome": Text(result.outcome, STYLES[result.outcome]),
            "established": Text(visible(": ".join(filter(None, (in_short(result), bugs_of(result)))))),
            "scope": f"[{notes[note]}]" if note else "",
            "seconds": f"{result.seconds:.1f}",
        }
        table.add_row(*(cells[column] for column in columns))
    return table


def by_property(results: Sequence[Result]) -> list[str]:
    """The properties in the order of the engines' results; kept runs alone know no order."""
    engines = (result.property for result in results if result.engine != KEPT_RUN)
    return list(dict.fromkeys([*engines, *(result.property for result in results)]))


def bugs_of(result: Result) -> str:
    """The documented bugs behind a violation, or that there is none; "" of another result."""
    if result.outcome is not Outcome.VIOLATED or result.known is None:
        return ""
    return ", ".join(result.known) or "no known bug"


def below_table(results: Sequence[Result], scope: Any) -> Iterator[str]:
    """What the rows of `results_table` leave out: other scopes, verdicts that differ, lemmas, counts, witnesses."""
    for note, number in numbered_notes(results, scope).items():
        yield f"[{number}] {note}"
    yield from differing(results, numbered_notes(results, scope), scope)
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.claim is not None:
            said = (*ABOUT, "witnesses", "besides")
            own = {key: value for key, value in result.claim.details.items() if key not in said}
            figures = ", ".join(f"{key} {value}" for key, value in own.items())
            groups.setdefault((result.engine, figures), []).append(result)
    for (engine, figures), group in groups.items():
        met = [(result.property, result.claim.details.get("witnesses")) for result in group if result.claim]
        names = ", ".join(name if count is None else f"{name} (witnesses {count})" for name, count in met)
        yield f"{engine}, {names}: {figures}" if figures else f"{engine}: {names}"
    yield from one_power_more(results)


def one_power_more(results: Sequence[Result]) -> Iterator[str]:
    """For each proof for any size what one power more does to it, if some power is off."""
    said: dict[str, list[str]] = {}
    for result in results:
        if result.claim is not None and (line := result.claim.details.get("besides")):
            said.setdefault(line, []).append(result.property)
    for line, names in said.items():
        yield f"one environment action more than the proof of {', '.join(names)} allows: {line}"


def differing(results: Sequence[Result], notes: Mapping[str, int], scope: Any) -> Iterator[str]:
    """The verdict on each property that one engine violates, and that holds for another in another scope: violated.

    `notes`: the notes on what results are about, numbered. What kept runs violate has rows of its own.
    """
    by_engines = [result for result in results if result.engine != KEPT_RUN]
    for name, verdict in verdicts(by_engines).items():
        mine = [result for result in by_engines if result.property == name]
        good = [result for result in mine if result.outcome is Outcome.HOLDS]
        if verdict["outcome"] == Outcome.VIOLATED and good:
            yield f"{name}: violated, in the scope {shown_scope(verdict['scope'])} ({verdict['engine']})"
            for held in good:
                note = note_of(held, scope)
                where = f"[{notes[note]}]" if note else "the table's scope"
                yield f"  {held.engine} says of {where}: holds, {in_short(held)}"


# The details of a claim that say what it is about.
ABOUT = ("CPUs", "pods", "containers", "nodes", "zones", "powers", "assumes")


def note_of(result: Result, scope: Any) -> str:
    """What a row is about, where this differs from the table's scope; else empty."""
    proved = result.claim is not None and result.claim.strength is Strength.INDUCTIVE
    return extent(result) if proved or result.scope not in (None, scope) else ""


def extent(result: Result) -> str:
    """The scope of a result; of a proof for any size what the proof allows and assumes."""
    if result.claim is None or result.claim.strength is not Strength.INDUCTIVE:
        return f"scope {scope_text(result.scope)}" if result.scope is not None else "the table's scope"
    allowed = [f"{shown(key)} {result.claim.details[key]}" for key in ABOUT if key in result.claim.details]
    return "for any size: " + "; ".join(allowed)


def numbered_notes(results: Sequence[Result], scope: Any) -> dict[str, int]:
    """What rows are about besides the table's scope, numbered."""
    found = dict.fromkeys(note for result in results if (note := note_of(result, scope)))
    return {note: number for number, note in enumerate(found, 1)}


def in_short(result: Result) -> str:
    """The same as `established` in one short phrase, without lemmas and counts."""
    if result.claim is None:
        return established(result)
    figure = {Strength.SAMPLED: "runs", Strength.BOUNDED: "depth"}.get(result.claim.strength)
    if figure in result.claim.details:
        return f"{result.claim.strength} ({figure} {result.claim.details[figure]})"
    return str(result.claim.strength)


def established(result: Result) -> str:
    """How strongly: the claim, the length of the trace, or the reason."""
    if result.claim is not None:
        return str(result.claim)
    if result.trace is not None and result.outcome is Outcome.VIOLATED:
        return f"run of {actions_text(result.trace.length)}" + (", shortest" if result.minimal else "")
    return result.reason or result.explanation or ""


def never_taken(system: System, rules: Any, results: list[Result]) -> list[str]:
    """For each engine that counts, the actions that its scope offers and it never took: nothing was checked of them."""
    lines = []
    for engine in dict.fromkeys(result.engine for result in results):
        counted = [result for result in results if result.engine == engine and result.fired and result.states]
        if counted:
            # A search in a smaller scope besides says nothing of this one.
            counted = [result for result in counted if result.scope == counted[0].scope]
            absent = system.never_offered(counted[0].scope, rules)
            total = {name: sum(result.fired.get(name, 0) for result in counted) for name in counted[0].fired}
            never = [name for name, count in total.items() if not count and name not in absent]
            if never:
                lines.append(f"never taken by {engine}: {', '.join(never)}")
    return lines


def text(*renderables: object, width: int = 120) -> str:
    """What rich makes of `renderables`, as plain text; of at most `width` characters a line, fewer on a terminal."""
    buffer = StringIO()
    console = Console(file=buffer, width=line_width(width), no_color=True, highlight=False, markup=False, emoji=False)
    for renderable in renderables:
        console.print(renderable)
    return buffer.getvalue()
