"""`kubeproof report`: every system in the releases where its rules differ, by every engine, as HTML and Markdown."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen
from rich.console import Console

from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, EVERY_BUG, UNSHOWN_BUGS, Bug, any_bug_named
from kubeproof.bugs.counterexample import Counterexample, generations, minimal_counterexample, release_rows_of
from kubeproof.check.check import CheckReport, answered, engines_named, report_json, with_smallest
from kubeproof.check.smallest import only_sampled
from kubeproof.engines.question import question
from kubeproof.errors import InputError
from kubeproof.growth.answer import REPORTED_QUESTION, reported
from kubeproof.growth.asked import SUBJECT
from kubeproof.processes.pool import Each, side_by_side
from kubeproof.report.columns import Generation, columns, notes_on, powers_tried, proofs_told, span
from kubeproof.report.component import component_files
from kubeproof.report.coverage import Killed, coverage_rows, killed_by_field, recorded_operations
from kubeproof.report.files import write_folder, write_whole
from kubeproof.report.markdown import (
    counterexample_files,
    environment,
    release_table,
    told_example,
)
from kubeproof.report.mutants import mutants_told
from kubeproof.report.noticed import noticed
from kubeproof.report.played import played_table
from kubeproof.report.releases import release_table_of
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, scope_text
from model.releases import Release, rules_for

FAST_ENGINES = ("explicit",)
SMALL = 100  # distinct states until a counterexample was found: a scope to look in for what other rules break


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


def write_report(
    folder: Path,
    engines: Sequence[str],
    console: Console,
    recordings: Sequence[Path] = (),
    systems: Sequence[System] = tuple(SYSTEMS.values()),
) -> list[Path]:
    """Check everything, write index.html, report.json and the counterexamples, and put them in the place of `folder`.

    `recordings` of the real components are replayed for the coverage matrix. With some `systems` only, the report has
    no bugs of components: those belong to no system.
    """
    names = engines_named(engines)
    whole = len(systems) == len(SYSTEMS)
    bugs = [bug for bug in BUGS if SYSTEMS[bug.system] in systems]
    component_bugs = COMPONENT_BUGS if whole else ()
    with side_by_side() as each:
        recorded = recorded_operations(recordings, each)
        # Begun before the checks, as the matrix of a system waits for the scopes of its examples.
        making = each(_made_together, searched_together(bugs))
        checking = _checked(each, systems, names, console)
        proving = _proved(each, systems, names)
        growing = each(reported, [REPORTED_QUESTION] if any(of.name == SUBJECT for of in systems) else [])
        by_id = {one.example.bug.id: one for group in making for one in group}
        made = [by_id[bug.id] for bug in bugs]
        examples = [one.example for one in made]
        noticing = each(noticed, [system.name for system in systems])
        matrices = {system.name: _matrix(each, system, examples) for system in systems}
        checked: dict[str, list[Generation]] = {}
        for system_name, generation in checking:
            checked.setdefault(system_name, []).append(generation)
        proved = dict(proving)
        proofs = {name: proofs_told(report.release, report.results) for name, report in proved.items()}
        page = {
            "systems": [
                _system(SYSTEMS[name], gens, recorded, dict(matrices[name]))
                | {"fields": field_rows, "proofs": proofs.get(name, []), "mutants": mutants_told(name)}
                for (name, gens), field_rows in zip(checked.items(), noticing, strict=True)
            ],
            # A run is told here: a property is not sent from process to process.
            "examples": [one.entry | {"run": told_example(one.example)} for one in made],
            "played": played_table(bugs),
            "components": [{"bug": bug, "rows": release_table_of(bug)} for bug in component_bugs],
            "not_shown": UNSHOWN_BUGS if whole else (),
            "growth": next(growing, None),
        }
    documents = [
        report_json(report) for report in (*(g.report for gens in checked.values() for g in gens), *proved.values())
    ]
    files = {
        Path("index.html"): environment().get_template("report.html.j2").render(page),
        Path("report.json"): json.dumps({"checks": documents}, indent=1) + "\n",
    }
    kept = [(one.example.bug.folder, one.files) for one in made]
    kept += [(bug.folder, component_files(bug)) for bug in component_bugs]
    for of_bug, own in kept:
        files |= {Path("counterexamples", of_bug, name): content for name, content in own.items()}
    write_folder(folder, files)
    return [folder / name for name in files]


@frozen
class Made:
    """A bug's counterexample, the files that are kept of it, and what the page says of it."""

    example: Counterexample
    files: dict[str, str]
    entry: dict[str, Any]


def searched_together(bugs: Iterable[Bug]) -> list[list[str]]:
    """The ids of the bugs, those together whose release tables may search for the same."""
    groups: dict[Any, list[str]] = {}
    for bug in bugs:
        groups.setdefault((bug.system, bug.violates, bug.given), []).append(bug.id)
    return list(groups.values())


def _made_together(bug_ids: Sequence[str]) -> list[Made]:
    return [_made(bug_id) for bug_id in bug_ids]


def _made(bug_id: str) -> Made:
    example = _counterexample(bug_id)
    return Made(example, counterexample_files(example), _example(example))


def _checked(
    each: Each, systems: Sequence[System], names: Sequence[str], console: Console
) -> Iterator[tuple[str, Generation]]:
    """(system, generation) of the systems in order; each engine's check is a task of its own, begun at once."""
    spans = [(system.name, *span) for system in systems for span in generations(system)]
    chosen = {
        system.name: list(names)
        if system.scopes.report is None
        else [n for n in names if n in FAST_ENGINES] or list(names)
        for system in systems
    }
    results = each(_check, [(name, first, engine) for name, first, _ in spans for engine in chosen[name]])
    return _joined(results, spans, chosen, console, each)


def _proved(each: Each, systems: Sequence[System], names: Sequence[str]) -> Iterator[tuple[str, CheckReport]]:
    """(system, what Z3 says of its newest release) of the systems that are not checked by Z3 in every release."""
    proved = [system for system in systems if system.scopes.proved_in_report and "z3" in names]
    tasks = [(system.name, generations(system)[-1][0], "z3") for system in proved]
    return zip([name for name, _, _ in tasks], each(_check, tasks), strict=True)


def _joined(
    results: Iterator[CheckReport],
    spans: Sequence[tuple[str, Release, Release]],
    chosen: dict[str, list[str]],
    console: Console,
    each: Each,
) -> Iterator[tuple[str, Generation]]:
    """The reports of the engines of each generation as one, with the smallest scope of what only a sample violates."""
    for name, first, last in spans:
        if console.is_terminal:
            console.print(f"{name} {first} to {last}: {', '.join(chosen[name])}")
        reports = [next(results) for _ in chosen[name]]
        if any(report.interrupted for report in reports):
            raise KeyboardInterrupt
        joined = evolve(reports[0], results=[result for report in reports for result in report.results])
        if only_sampled(joined.results) and "explicit" in chosen[name]:
            (joined,) = each(_decided, [joined])
            if joined.interrupted:
                raise KeyboardInterrupt
        yield name, Generation(first, last, joined)


def _check(task: tuple[str, Release, str]) -> CheckReport:
    name, release, engine = task
    system = SYSTEMS[name]
    return answered([question(system, release, engine, scope=system.scopes.report, besides=True)])


def _decided(report: CheckReport) -> CheckReport:
    system = report.system
    return with_smallest([question(system, report.release, "explicit", scope=system.scopes.report)], report)


def _system(
    system: System,
    gens: list[Generation],
    recorded: Counter[tuple[str, str]] | None,
    killed: dict[str, tuple[Killed, ...]],
) -> dict[str, Any]:
    engines = list(dict.fromkeys(result.engine for g in gens for result in g.report.results))
    taken = {name: tuple(_fired(gens, engine, name) for engine in engines) for name in system.places}
    notes = notes_on(system, gens)
    table = columns(system, gens, notes)
    absent = [system.never_offered(r.scope, g.report.rules) for g in gens for r in g.report.results]
    return {
        "system": system,
        "engines": engines,
        "scope": system.scopes.report and scope_text(system.scopes.report),
        "generations": [{"releases": span(first, last)} for first, last, _ in table],
        "rows": [
            {"property": p, "cells": [cells[number] for _, _, cells in table]}
            for number, p in enumerate(system.properties)
        ],
        "abouts": [f"[{number}] {note}" for note, number in notes.items()],
        "besides": powers_tried(gens),
        "has_recordings": recorded is not None,
        "coverage": coverage_rows(system, taken, recorded, killed, frozenset.intersection(*absent)),
    }


def _matrix(each: Each, system: System, examples: Sequence[Counterexample]) -> Iterator[tuple[str, tuple[Killed, ...]]]:
    """(rule field, what tells its other rules) of the matrix: for all rules in force in the default scope.

    Of a system with many rules for the oldest and the newest ones, in the scopes of the kept counterexamples or in
    those chosen for it.
    """
    in_force = list(dict.fromkeys(rules_for(system.rules_class, first) for first, _ in generations(system)))
    if system.scopes.report is None:
        return killed_by_field(system, in_force, each=each)
    own = [e for e in examples if e.bug.system == system.name]
    scopes = list(system.scopes.told_apart) or [
        e.scope for e in own if e.result.states is not None and e.result.states < SMALL
    ]
    return killed_by_field(system, [in_force[0], in_force[-1]], list(dict.fromkeys(scopes)), each)


def _fired(gens: list[Generation], engine: str, action: str) -> int | None:
    """How often `engine` took `action` in all its checks, or None when it does not count."""
    results = [r for g in gens for r in g.report.results if r.engine == engine and r.transitions is not None]
    counts = [r.fired[action] for r in results if action in r.fired]
    return sum(counts) if counts else None


def _example(example: Counterexample) -> dict[str, Any]:
    rows = release_table(example.bug, release_rows_of(example))
    for row in rows:
        row["shown"] = row["shown"].replace("**", "")
    return {
        "bug": example.bug,
        "rows": rows,
    }
