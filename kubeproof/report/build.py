"""`kubeproof report`: what is kept, what can be seen again in seconds, and what the engines say now, on one page.

The quick report replays every kept run and every recording, has the explicit engine check every stretch of releases
with the same rules, and all engines check the newest release. Tables that take minutes are shown as kept, with the
commit that computed them. `--all` computes those anew too.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files as files_of
from pathlib import Path
from typing import Any

from attrs import frozen
from markupsafe import Markup

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import COMPONENT_BUGS, EVERY_BUG, UNSHOWN_BUGS, any_bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.facts import facts_line, known_upstream
from kubeproof.bugs.runs import kept_run
from kubeproof.check.check import engines_named
from kubeproof.conform.conform import Replay, read_recordings, replay_file
from kubeproof.engines.question import Budget
from kubeproof.growth.answer import REPORTED_LOAD, reported
from kubeproof.growth.asked import SUBJECT
from kubeproof.input.files import packaged_text
from kubeproof.output.files import write_files, write_folder, write_whole
from kubeproof.output.progress import Far
from kubeproof.processes.tasks import Each
from kubeproof.report.coverage import operations_of
from kubeproof.report.drawn import drawn_system
from kubeproof.report.everything import Begun, Everything, pages_of, searched_together
from kubeproof.report.first_line import first_line
from kubeproof.report.kept_tables import ENGINES, FIELDS, NOW, OTHER_RULES, kept_table, last_commit
from kubeproof.report.markdown import environment
from kubeproof.report.page_index import INDEX, index_text
from kubeproof.report.played import played_table
from kubeproof.report.releases import kept_rows
from kubeproof.report.systems_told import Tables, system_told
from kubeproof.report.tasks import (
    QUICK,
    Checked,
    CheckTask,
    Seen,
    ToldBug,
    bugs_of,
    checked,
    replayed,
    stretches,
    table_scope,
    told,
)
from kubeproof.report.upstream import UPSTREAM
from kubeproof.store.store import Store
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.verdict.result import Outcome

SMALL_WORKER = 180  # MiB, above which a worker of the quick report is replaced


def write_counterexamples(
    folder: Path, ids: Sequence[str] = (), store: Store | None = None, each: Each = map
) -> list[Path]:
    """Make the kept counterexamples of the bugs `ids`, or of all, anew under `folder`, and return the files written.

    All pages are written, or none; then the index of all that are there. What `store` has is not searched again.
    `each` does the work.
    """
    bugs = [any_bug_named(name) for name in ids] or EVERY_BUG
    made: dict[str, dict[str, str]] = {}
    for pages in each(partial(pages_of, store=store), searched_together(bugs)):
        made |= pages
    texts = {folder / bug.folder / name: text for bug in bugs for name, text in made[bug.folder].items()}
    write_files(texts)
    index = folder / INDEX
    write_whole(index, index_text(folder))
    return [*texts, index]


# Seconds of a task on an idle processor, roughly: what is left is judged by them.
_SECONDS = {"z3": 12.0, "tlc": 6.0, "hypothesis": 4.0, "explicit": 0.6}


def seconds_of(task: Any) -> float:
    """How long a task of the report takes, roughly."""
    if isinstance(task, CheckTask):
        return _SECONDS[task.engine]
    # Pages of bugs that are searched together, then the tables of `everything`.
    if isinstance(task, list):
        return 4.0 * len(task)
    return 12.0 if isinstance(task, tuple) or task in SYSTEMS else 0.3


@frozen
class Work:
    """What the workers have been asked, and will answer in this order."""

    newest: Iterator[Checked]
    stretches: Iterator[Checked]
    told: Iterator[ToldBug]
    replayed: Iterator[list[Seen]]
    recordings: Iterator[Replay]
    growth: Iterator[Any]


def newest_questions(systems: Sequence[System], engines: Sequence[str], budget: Budget) -> list[CheckTask]:
    """Each engine about the newest release of each system: in the scope for that, the explicit one in the default."""
    asked = []
    for system in systems:
        first, last = stretches(system)[-1]
        for engine in engines:
            scope = system.scope if engine == "explicit" else system.scopes.newest
            if engine == "explicit" and scope == table_scope(system):
                # It is asked so of every stretch.
                continue
            text = None if scope is None else kept_scope_text(scope)
            asked.append(CheckTask(system.name, first, last, engine, text, budget))
    return asked


def begin(
    each: Each,
    systems: Sequence[System],
    engines: Sequence[str],
    recordings: Sequence[Path],
    everything: Everything | None = None,
) -> Work:
    """Have the workers begin with what is computed for the page. `everything`: what is besides, with the store."""
    budget, store = (QUICK, None) if everything is None else (Budget(), everything.store)
    check = partial(checked, store=store)
    bugs = [bug.id for bug in bugs_of(systems)]
    # A system shows the bugs of those that it extends too.
    shown = {name for system in systems for name in system.has_bugs_of}
    replaying = [bug.id for bug in bugs_of([SYSTEMS[name] for name in SYSTEMS if name in shown])]
    in_table = [
        CheckTask(system.name, first, last, "explicit", None, budget)
        for system in systems
        for first, last in stretches(system)
    ]
    in_table = in_table if "explicit" in engines else []
    newest = newest_questions(systems, engines, budget)
    return Work(
        newest=each(check, newest),
        stretches=each(check, in_table),
        told=each(told, bugs),
        replayed=each(replayed, replaying),
        recordings=each(replay_file, read_recordings(recordings)),
        growth=each(reported, [REPORTED_LOAD] if any(of.name == SUBJECT for of in systems) else []),
    )


def write_report(
    each: Each,
    folder: Path,
    engines: Sequence[str] = ("all",),
    recordings: Sequence[Path] = (),
    systems: Sequence[System] = tuple(SYSTEMS.values()),
    everything: Everything | None = None,
    so_far: Far | None = None,
) -> list[Path]:
    """Write index.html, report.json and the pages of the bugs, and put them in the place of `folder`.

    `recordings` of the real components are replayed for the coverage matrix. With some `systems` only, the report has
    no bugs of components: those belong to no system. `everything` is computed besides; None: what takes minutes is
    shown as kept. `each` does the work. `so_far` shows how far it is. Raises InputError.
    """
    kept_tables = Tables(*map(kept_table, (OTHER_RULES, FIELDS, ENGINES))) if everything is None else None
    far = so_far or Far("report", lambda text: None)
    work = begin(each, systems, engines_named(engines), recordings, everything)
    other = None if everything is None else everything.begin(each, systems, engines_named(engines))
    page, documents = page_of(work, systems, bool(recordings), kept_tables, other, far.found)
    kept = [bug.folder for bug in bugs_of(systems)] + [bug.folder for bug in page["component_bugs"]]
    files = {
        **{Path("counterexamples", folder, name): text for folder in kept for name, text in kept_page(folder).items()},
        Path("index.html"): environment().get_template("report.html.j2").render(page),
        Path("report.json"): json.dumps(documents) + "\n",
    }
    write_folder(folder, files)
    return [folder / name for name in files]


def kept_page(folder: str) -> dict[str, str]:
    """The page of a bug as it is kept, and the text for upstream: by the name of the file."""
    texts = (each for each in (files_of("counterexamples") / folder).iterdir() if each.name.endswith(".md"))
    return {each.name: packaged_text(each, f"counterexamples/{folder}/{each.name}", "a page") for each in texts}


def page_of(
    work: Work,
    systems: Sequence[System],
    has_recordings: bool,
    kept_tables: Tables | None,
    other: Begun | None,
    heard: Callable[[str], None],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the page's template; the results of all checks, and what kept runs violate, as JSON data."""
    whole = len(systems) == len(SYSTEMS)
    newest, in_table = list(work.newest), list(work.stretches)
    cells = [cell for each in (*newest, *in_table) for cell in each.cells]
    violated = sum(1 for cell in cells if cell.outcome == Outcome.VIOLATED)
    unknown = sum(1 for cell in cells if cell.outcome == Outcome.VIOLATED and not cell.known)
    heard(f"{violated} of {len(cells)} results violated, {unknown} without a known bug")
    tables = kept_tables if other is None else other.tables
    assert tables is not None
    errors = () if other is None else other.differing
    told_bugs = {each.bug: each for each in work.told}
    seen = [each for of_bug in work.replayed for each in of_bug]
    replays = list(work.recordings)
    recorded = operations_of(replays) if has_recordings else None
    bugs = bugs_of(systems)
    of_system = {system.name: [c for c in (*in_table, *newest) if c.system == system.name] for system in systems}
    component_bugs = COMPONENT_BUGS if whole else ()
    page = {
        "component_bugs": component_bugs,
        "systems": [system_told(name, checks, seen, recorded, tables) for name, checks in of_system.items()],
        "bugs": [bug_told(bug, told_bugs[bug.id], seen) for bug in bugs],
        "viewer": viewer(systems),
        "components": [component_told(bug) for bug in component_bugs],
        "not_shown": UNSHOWN_BUGS if whole else (),
        "played": played_table(bugs),
        "growth": next(work.growth, None),
        "recordings": recordings_told(replays),
        "pages": last_commit("counterexamples") if other is None else NOW,
        "runs": runs_told(seen, told_bugs, errors),
    }
    documents = {
        "checks": [document for check in (*in_table, *newest) for document in check.documents],
        "kept_runs": [
            {"bug": each.bug, "system": each.system, "release": each.first, "property": name, "scope": scope,
             "actions": length, "shown": each.shown}
            for each in seen
            for name, (scope, length) in each.violated.items()
        ],
    }  # fmt: skip
    return page, documents


def viewer(systems: Sequence[System]) -> dict[str, Markup]:
    """What stands in the page for all runs: a browser loads no module from a file, so the module is in the page."""
    web = files_of("kubeproof.report") / "web"
    return {
        "style": Markup(packaged_text(web / "viewer.css", "web/viewer.css", "the viewer's style")),
        "script": Markup(packaged_text(web / "viewer.mjs", "web/viewer.mjs", "the viewer")),
        "systems": in_script({system.name: drawn_system(system) for system in systems}),
    }


def in_script(data: Any) -> Markup:
    """JSON that stands in a `script` of a page: nothing in it ends the script."""
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


def bug_told(bug: Bug, found: ToldBug, seen: Sequence[Seen]) -> dict[str, Any]:
    """What the page says of a bug that a run shows: its run as played now, and its kept table."""
    mine = [each for each in seen if each.bug == bug.id]
    return {
        "bug": bug,
        "run": found.run,
        "drawn": None if found.drawn is None else in_script(found.drawn),
        "upstream": has_upstream_text(bug),
        "appears": found.appears,
        "explanation": found.explanation,
        **facts_told(bug),
        "again": sum(1 for each in mine if each.shown and bug.violates in each.violated),
        "having": sum(1 for each in mine if each.shown),
        "scope": kept_scope_text(kept_run(bug).scope),
    }


def component_told(bug: ComponentBug) -> dict[str, Any]:
    """What the page says of a bug that components show: its kept table, and no run."""
    return {"bug": bug, "run": None, "upstream": has_upstream_text(bug), **facts_told(bug)}


def facts_told(bug: Bug | ComponentBug) -> dict[str, Any]:
    """What is kept of a bug: its first line, where it is reported and was seen, its table."""
    return {
        "first_line": first_line(bug),
        "facts": facts_line(bug),
        "known": known_upstream(bug),
        "rows": kept_rows(bug),
    }


def has_upstream_text(bug: Bug | ComponentBug) -> bool:
    """Whether the text of an issue stands beside the bug's page."""
    return (files_of("counterexamples") / bug.folder / UPSTREAM).is_file()


def recordings_told(replays: Sequence[Replay]) -> dict[str, Any]:
    """How many recordings were replayed now, and which of them diverge."""
    return {
        "files": len(replays),
        "cases": sum(each.cases for each in replays),
        "operations": sum(each.operations for each in replays),
        "diverging": [each.file for each in replays if each.divergences],
    }


def runs_told(seen: Sequence[Seen], found: Mapping[str, ToldBug], errors: Sequence[str]) -> dict[str, Any]:
    """How often kept runs were played for this page, and what is not as its page says. `errors`: further ones."""
    wrong = [each for each in seen if each.shown and any_bug(each.bug).violates not in each.violated]
    return {
        "bugs": len(found),
        "stretches": len(seen),
        "errors": [
            *(f"{each.bug}: {each.explanation}" for each in found.values() if not each.appears),
            *(f"{each.bug}: no kept run violates its property in {each.first}" for each in wrong),
            *errors,
        ],
    }


def any_bug(name: str) -> Bug:
    """The bug of a system of this id."""
    bug = any_bug_named(name)
    assert isinstance(bug, Bug)
    return bug
