"""What the report computes now: checks, and the kept runs again. Each function is a task for a worker of the pool.

What a task returns is small and has no state of a model, so that the process that writes the page stays small.
"""

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from attrs import frozen

from kubeproof.bugs.beside import KeptViolation, of_bug
from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.counterexample import generations
from kubeproof.bugs.kept import reproduce
from kubeproof.bugs.known import explained, shown_in
from kubeproof.check.check import answered, result_json
from kubeproof.engines.question import Budget, question
from kubeproof.report.drawn import drawn_run
from kubeproof.report.go_links import linked
from kubeproof.report.terminal import established, extent, note_of, one_power_more
from kubeproof.report.told import ToldRun, kept_run
from kubeproof.store.store import Store
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.verdict.result import Result, Strength
from model.releases import Release, known_release, rules_for

# Of the quick report, which has to fit into the memory of a small machine.
QUICK = Budget(runs=60, heap_mb=160)


@frozen
class Cell:
    """What one engine says of one property in releases with the same rules."""

    property: str
    engine: str
    outcome: str
    # How strongly, in a word.
    strength: str
    # What the claim is about, where that is not the scope of the table.
    about: str
    # All figures, for whoever asks.
    detail: str
    # The ids of the documented bugs behind a violation.
    known: tuple[str, ...]


@frozen
class Checked:
    """One engine's answers about one stretch of releases with the same rules."""

    system: str
    # The first and the last release of the stretch.
    first: str
    last: str
    engine: str
    cells: tuple[Cell, ...]
    # How often each action was taken; None if the engine does not count.
    taken: dict[str, int] | None
    # Actions that the scope leaves out.
    absent: frozenset[str]
    # What is proved for any size, and what one power more does to it: lines.
    proofs: tuple[str, ...]
    # The results as JSON data, runs as actions alone.
    documents: tuple[dict[str, Any], ...]
    # Seconds that it took.
    seconds: float


@frozen
class CheckTask:
    """What a task of checking is asked: an engine, and a stretch of releases."""

    system: str
    first: str
    last: str
    engine: str
    # The scope as text; None: that of the report's table.
    scope: str | None = None
    budget: Budget = Budget()

    def __str__(self) -> str:
        return f"{self.system} {self.first} by {self.engine}"


def table_scope(system: System) -> Any:
    """The scope of a system's table."""
    return system.scopes.report or system.scope


def stretches(system: System) -> list[tuple[str, str]]:
    """The first and the last release of each stretch with the same rules."""
    return [(str(first), str(last)) for first, last in generations(system)]


def checked(asked: CheckTask, store: Store | None = None) -> Checked:
    """The answers of one engine. What `store` has it is not asked."""
    begun = monotonic()
    system, release = system_named(asked.system), known_release(asked.first)
    table = table_scope(system)
    scope = table if asked.scope is None else system.parse_scope(asked.scope)
    if asked.engine == "hypothesis" and asked.scope is None:
        scope = system.scopes.large
    each = question(system, release, asked.engine, scope=scope, besides=True, budget=asked.budget)
    report = answered([each], store)
    results = explained(system, release, report.results, with_fix=False)
    counted = [r for r in results if r.transitions is not None]
    taken = {name: sum(r.fired.get(name, 0) for r in counted) for name in system.places} if counted else None
    return Checked(
        asked.system,
        asked.first,
        asked.last,
        asked.engine,
        tuple(cell_of(result, table) for result in results),
        taken,
        system.never_offered(scope, each.rules),
        tuple(_proofs(results)),
        tuple({"system": system.name, "release": str(release), **_without_states(result)} for result in results),
        monotonic() - begun,
    )


def cell_of(result: Result, table: Any) -> Cell:
    """What the page says of a result. `table`: the scope of the table."""
    strength = str(result.claim.strength) if result.claim else f"{result.trace.length} steps" if result.trace else ""
    # A search of all states of the table's scope needs no more words: report.json has its figures.
    plain = result.claim is not None and result.claim.strength is Strength.EXHAUSTIVE and result.scope == table
    parts = () if plain else (extent(result), result.explanation, established(result))
    detail = " — ".join(part for part in parts if part)
    about = note_of(result, table)
    return Cell(result.property, result.engine, str(result.outcome), strength, about, detail, tuple(result.known or ()))


def _proofs(results: Sequence[Result]) -> list[str]:
    """A line for each proof for any size, then what one power more does."""
    found: dict[str, list[str]] = {}
    for result in results:
        if result.claim is not None and result.claim.strength is Strength.INDUCTIVE:
            found.setdefault(extent(result), []).append(result.property)
    return [*(f"{proved}: {', '.join(names)}" for proved, names in found.items()), *one_power_more(results)]


def _without_states(result: Result) -> dict[str, Any]:
    """The result as JSON data. A run is its actions: `kubeproof check` computes the states."""
    document = result_json(result.evolve(trace=None))
    actions = None if result.trace is None else [[a.name, dict(a.args)] for a in result.trace.actions]
    return {key: value for key, value in document.items() if key not in ("trace", "fired")} | {"actions": actions}


@frozen
class Seen:
    """What the kept runs of one bug violate in one stretch of releases."""

    bug: str
    # The name of the bug's system.
    system: str
    # The first release of the stretch.
    first: str
    # By property the scope of the run, as it is kept, and the number of actions until the property fails.
    violated: Mapping[str, tuple[str, int]]
    # Whether the bug's page says that these releases have the bug.
    shown: bool
    # Of the properties that are violated those that the bug's text names.
    named: frozenset[str] = frozenset()


def replayed(bug_id: str) -> list[Seen]:
    """The kept runs of a bug, played under the rules of each stretch of releases that its system knows."""
    bug = bug_named(bug_id)
    system = system_named(bug.system)
    found = []
    for first, _ in generations(system):
        rules = rules_for(system.rules_class, first)
        violations: list[KeptViolation] = of_bug(bug, system, first, rules, system.properties)
        violated = {each.property: (kept_scope_text(each.scope), each.trace.length) for each in violations}
        found.append(
            Seen(bug.id, bug.system, str(first), violated, shown_in(bug, first), frozenset(filter(bug.names, violated)))
        )
    return found


@frozen
class ToldBug:
    """The kept run of a bug as it was played now, told; the property by its name, as no function is sent."""

    bug: str
    # Whether every state is as recorded and the run ends in the violation.
    appears: bool
    # Why not, or what is wrong at the end.
    explanation: str
    run: dict[str, Any] | None
    # The run as data of the viewer; None where there is no run.
    drawn: dict[str, Any] | None = None


def told(bug_id: str) -> ToldBug:
    """The kept run, played, told and drawn."""
    bug = bug_named(bug_id)
    found = reproduce(bug)
    if found.trace is None:
        return ToldBug(bug_id, found.appears, found.explanation, None)
    system, release = system_named(bug.system), known_release(bug.release)
    machine = system.machine(found.scope, rules_for(system.rules_class, release))
    drawn = drawn_run(system, release, machine, bug.violates, found.trace)
    return ToldBug(bug_id, found.appears, found.explanation, _as_data(kept_run(found), release), drawn)


def _as_data(run: ToldRun, release: Release) -> dict[str, Any]:
    return {
        "broke": run.broke,
        "claim": run.claim,
        "beginning": run.beginning,
        "actions": [
            {
                "sentence": each.sentence,
                "go": linked(each.go, release) if each.go else (),
                "changes": [(change.subject, change.text) for change in each.changes],
                "broken": each.broken,
            }
            for each in run.actions
        ],
        "loop": run.loop,
        "property": (run.property.name, run.property.sentence),
        "end": [(fact.subject, fact.text) for fact in run.end],
        "again": run.again,
    }


def bugs_of(systems: Sequence[System]) -> list[Bug]:
    """The bugs that runs of `systems` show, system by system."""
    names = [system.name for system in systems]
    return [bug for name in SYSTEMS if name in names for bug in BUGS if bug.system == name]
