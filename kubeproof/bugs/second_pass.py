"""Do the general properties alone find the documented bugs of cpu-manager, or of scheduling, again?

`python -m kubeproof.bugs.second_pass` answers. The command takes minutes and is not a test. `--system scheduling` asks
of the other system. Releases as arguments restrict the question to the generations of these releases.

Each scope of `Scopes.second_pass` switches on a few powers, and no scope is made for one bug. In each scope, and under
the rules of each generation of releases, the explicit engine checks all properties. A bug is found if the shortest run
that violates its property, in a release that shows the bug, takes all powers of the bug. A bug is hidden if another bug
violates the same property by a shorter run. Then the other bug is named.

The command prints the violations of each generation, the oldest first. At the end it prints what became of each bug,
and which violations no listed bug explains. Exit status 1: a bug is neither found nor hidden. Exit status 3: an
exploration was cut short.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from os import cpu_count
from typing import Annotated

import typer

from kubeproof import cli, output
from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.rediscovery import (
    EXPLORED,
    SYSTEM,
    Answer,
    Found,
    Generation,
    explaining,
    explore_each,
    fate,
    releases_shown,
    span_text,
    spans_of,
    together,
    unexplained,
)
from kubeproof.check.check import release_named
from kubeproof.errors import InputError
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import scope_text

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def generation_lines(generation: Generation, bugs: Sequence[Bug], shown: dict[str, frozenset[str]]) -> Iterator[str]:
    """The violations under the rules of a generation with the bugs that explain them, each by its shortest run."""
    answer = generation.answer
    groups: dict[tuple[str, str], list[Found]] = {}
    for each in answer.found:
        names = ", ".join(bug.id for bug in explaining(bugs, shown, each)) or "no bug of the list"
        groups.setdefault((each.property, names), []).append(each)
    yield f"{span_text(generation.first, generation.last)}: {len({each.property for each in answer.found})} violated"
    for (name, names), violations in sorted(groups.items()):
        best = min(violations, key=lambda found: len(found.actions))
        more = f" and {len(violations) - 1} more" if len(violations) > 1 else ""
        yield f"  {name}, {len(best.actions)} actions [{scope_text(best.scope)}]{more}: {names}"
    yield from (f"  did not come to an end: {text}" for text in answer.cut)


def report(answer: Answer, bugs: Sequence[Bug], shown: dict[str, frozenset[str]]) -> Iterator[str]:
    """What was violated where; which bugs that finds again; what no bug of the list explains."""
    yield "violations, by property and scope: releases (actions of the shortest run)"
    table: dict[tuple[str, str], list[Found]] = {}
    for each in answer.found:
        table.setdefault((each.property, scope_text(each.scope)), []).append(each)
    for (name, scope), violations in sorted(table.items()):
        yield f"  {name}  [{scope}]"
        yield "    " + ", ".join(f"{span_text(each.first, each.last)} ({len(each.actions)})" for each in violations)
    yield ""
    yield "bugs found again without a scenario of their own"
    for end in (fate(bug, answer, bugs, shown) for bug in bugs):
        if end.best is not None:
            where = f"{end.best.property} in {end.best.first}, {len(end.best.actions)} actions"
            yield f"  {end.bug.id}: found, {where} [{scope_text(end.best.scope)}]"
        else:
            hidden = f"; hidden by shorter runs of {', '.join(end.hidden_by)}" if end.hidden_by else ""
            yield f"  {end.bug.id}: NOT found{hidden}"
    yield ""
    yield "violations that no bug of the list explains"
    groups: dict[tuple[str, tuple[str, ...]], list[Found]] = {}
    for found in unexplained(answer, bugs, shown):
        taken = tuple(sorted(found.powers()))
        groups.setdefault((found.property, taken), []).append(found)
    if not groups:
        yield "  none"
    for (name, taken), violations in sorted(groups.items()):
        shortest = min(violations, key=lambda found: len(found.actions))
        spans = dict.fromkeys(span_text(each.first, each.last) for each in violations)
        yield f"  {name}, with {', '.join(taken) or 'no power'}: {', '.join(spans)}"
        yield f"    {shortest.first}: {'; '.join(map(str, shortest.actions))}"
        yield f"    {shortest.explanation}"
    if answer.cut:
        yield ""
        yield "did not come to an end"
        yield from (f"  {text}" for text in answer.cut)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Shows what is waited for on stderr, if that is a terminal."""
    if not output.err.is_terminal:
        yield lambda text: None
        return
    with output.err.status("") as status:
        yield status.update


@app.command()
def main(
    releases: Annotated[list[str] | None, typer.Argument(help="e.g. 1.18.4: only the generations of these.")] = None,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="In place of those built in. Repeatable.")] = None,
    system: Annotated[str, typer.Option("--system", help=f"One of {', '.join(EXPLORED)}.")] = SYSTEM,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes. Default: one a CPU.")] = None,
) -> None:
    """Do the general properties alone find the documented bugs of a system again?"""
    if system not in EXPLORED:
        raise InputError(f"--system {system}: not a system of this search: expected one of {', '.join(EXPLORED)}")
    spans = spans_of([release_named(text) for text in releases or ()], system)
    scopes = [system_named(system).parse_scope(text) for text in scope or ()] or system_named(system).scopes.second_pass
    answers = []
    with ProcessPoolExecutor(workers or cpu_count()) as pool, _progress() as progress:
        progress("which releases show which bug")
        listed = [bug for bug in BUGS if bug.system == system]
        shown = releases_shown(pool, listed, spans)
        bugs = [bug for bug in listed if not releases or shown[bug.id]]
        for generation in explore_each(pool, spans, scopes, progress, system):
            answers.append(generation.answer)
            for line in generation_lines(generation, bugs, shown):
                output.out.print(line, markup=False)
    answer = together(answers)
    for line in ("", *report(answer, bugs, shown)):
        output.out.print(line, markup=False)
    missed = [each for each in (fate(bug, answer, bugs, shown) for bug in bugs) if not (each.best or each.hidden_by)]
    raise typer.Exit(1 if missed else 3 if answer.cut else 0)


if __name__ == "__main__":
    sys.exit(cli.run(lambda: app(standalone_mode=False)))
