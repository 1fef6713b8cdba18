"""`kubeproof report`: every system in the releases where its rules differ, by every engine, as HTML and Markdown."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from rich.console import Console

from kubeproof.catalogue import BUGS, COMPONENT_BUGS, EVERY_BUG, Bug, any_bug_named
from kubeproof.check import CheckReport, check_system, engines_named, report_json
from kubeproof.counterexample import Counterexample, generations, minimal_counterexample, release_rows_of
from kubeproof.errors import InputError
from kubeproof.files import write_whole
from kubeproof.report.component import component_files, release_table_of
from kubeproof.report.coverage import coverage_rows, recorded_operations
from kubeproof.report.markdown import (
    counterexample_files,
    environment,
    loop_text,
    narrated_steps,
    nonzero_bounds,
    release_table,
)
from kubeproof.report.terminal import established
from kubeproof.systems import SYSTEMS, System, scope_text
from kubeproof.verdict import Result
from model.releases import Release

# Of a system with many generations and rules: the scope in which the report checks each of them, by the fast engines.
SCOPES = {"cpu-manager": "cores=3,pods=1,containers=2,size=2,init=1,exits=1,restarts=1"}
FAST_ENGINES = ("explicit",)
SMALL = 100  # distinct states until a counterexample was found: a scope to look in for what other rules break


@frozen
class Generation:
    """Releases in a row that follow the same rules, and the results for them."""

    first: Release
    last: Release
    report: CheckReport


def write_counterexamples(folder: Path, ids: Sequence[str] = ()) -> list[Path]:
    """Make the kept counterexamples of the bugs `ids`, or of all, anew under `folder`, and return the files written."""
    paths = []
    for bug in [any_bug_named(name) for name in ids] or EVERY_BUG:
        made = counterexample_files(_counterexample(bug.id)) if isinstance(bug, Bug) else component_files(bug)
        for name, content in made.items():
            paths.append(folder / bug.folder / name)
            write_whole(paths[-1], content)
    return paths


def _counterexample(bug_id: str) -> Counterexample:
    bug = next(bug for bug in BUGS if bug.id == bug_id)
    example = minimal_counterexample(bug)
    if example is None:
        raise InputError(f"{bug.id}: no counterexample in {bug.release}: the model or the property has a hole")
    return example


def write_report(folder: Path, engines: Sequence[str], console: Console, recordings: Sequence[Path] = ()) -> list[Path]:
    """Check everything and write index.html, report.json and the counterexamples into `folder`.

    `recordings` of the real components are replayed for the coverage matrix.
    """
    recorded = recorded_operations(recordings)
    names = engines_named(engines)
    checked: dict[str, list[Generation]] = {}
    for system in SYSTEMS.values():
        scope = SCOPES.get(system.name)
        chosen = names if scope is None else [name for name in names if name in FAST_ENGINES] or names
        for first, last in generations(system):
            if console.is_terminal:
                console.print(f"{system.name} {first} to {last}: {', '.join(chosen)}")
            report = check_system(system.name, first.upstream, scope=scope, engines=chosen)
            if report.interrupted:
                raise KeyboardInterrupt
            checked.setdefault(system.name, []).append(Generation(first, last, report))
    examples = [_counterexample(bug.id) for bug in BUGS]
    page = _page(checked, examples, recorded)
    paths = [folder / "index.html", folder / "report.json"]
    write_whole(paths[0], environment().get_template("report.html.j2").render(page))
    documents = [report_json(g.report) for gens in checked.values() for g in gens]
    write_whole(paths[1], json.dumps({"checks": documents}, indent=1) + "\n")
    for example in examples:
        for name, content in counterexample_files(example).items():
            paths.append(folder / "counterexamples" / example.bug.folder / name)
            write_whole(paths[-1], content)
    return paths + write_counterexamples(folder / "counterexamples", [bug.id for bug in COMPONENT_BUGS])


def _page(
    checked: dict[str, list[Generation]],
    examples: list[Counterexample],
    recorded: Counter[tuple[str, str]] | None,
) -> dict[str, Any]:
    return {
        "systems": [
            _system(SYSTEMS[name], gens, [e for e in examples if e.bug.system == name], recorded)
            for name, gens in checked.items()
        ],
        "examples": [_example(example) for example in examples],
        "components": [{"bug": bug, "rows": release_table_of(bug)} for bug in COMPONENT_BUGS],
    }


def _system(
    system: System,
    gens: list[Generation],
    examples: list[Counterexample],
    recorded: Counter[tuple[str, str]] | None,
) -> dict[str, Any]:
    engines = list(dict.fromkeys(result.engine for g in gens for result in g.report.results))
    taken = {name: tuple(_fired(gens, engine, name) for engine in engines) for name in system.sources}
    in_force, scopes = _matrix(system, gens, examples)
    return {
        "system": system,
        "engines": engines,
        "scope": SCOPES.get(system.name),
        "generations": [{"releases": str(g.first) if g.first == g.last else f"{g.first} to {g.last}"} for g in gens],
        "rows": [
            {
                "property": p,
                "cells": [[_cell(r) for r in g.report.results if r.property == p.name] for g in gens],
            }
            for p in system.properties
        ],
        "has_recordings": recorded is not None,
        "coverage": coverage_rows(system, taken, recorded, in_force, scopes),
    }


def _matrix(system: System, gens: list[Generation], examples: list[Counterexample]) -> tuple[list[Any], list[Any]]:
    """(rules in force, scopes) of the coverage matrix: all and the default scope, or of a system with many rules few.

    These are the oldest and the newest rules, in the scopes of the kept counterexamples.
    """
    in_force = list(dict.fromkeys(g.report.rules for g in gens))
    if system.name not in SCOPES:
        return in_force, []
    scopes = [e.scope for e in examples if e.result.states is not None and e.result.states < SMALL]
    return [in_force[0], in_force[-1]], list(dict.fromkeys(scopes))


def _cell(result: Result) -> dict[str, Any]:
    return {
        "engine": result.engine,
        "outcome": str(result.outcome),
        "strength": str(result.claim.strength)
        if result.claim
        else (f"{result.trace.length} steps" if result.trace else ""),
        "detail": " — ".join(part for part in (result.scope, result.explanation, established(result)) if part),
    }


def _fired(gens: list[Generation], engine: str, action: str) -> int | None:
    """How often `engine` took `action` in all its checks, or None when it does not count."""
    results = [r for g in gens for r in g.report.results if r.engine == engine and r.transitions is not None]
    counts = [r.fired[action] for r in results if action in r.fired]
    return sum(counts) if counts else None


def _example(example: Counterexample) -> dict[str, Any]:
    trace = example.result.trace
    assert trace is not None
    steps = narrated_steps(example)
    for step in steps:
        step["damage"] = (step["damage"] or "").replace("**", "")
    rows = release_table(example.bug, release_rows_of(example))
    for row in rows:
        row["shown"] = row["shown"].replace("**", "")
    return {
        "bug": example.bug,
        "scope": nonzero_bounds(scope_text(example.scope)) if example.bug.given else scope_text(example.scope),
        "result": example.result,
        "steps": steps,
        "loop_from": loop_text(trace),
        "rows": rows,
    }
