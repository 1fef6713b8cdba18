"""What the page says of a system: the table of its properties, what is covered, mutants, fields, proofs. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from kubeproof.engines.table import ENGINES
from kubeproof.report.coverage import coverage_rows
from kubeproof.report.kept_tables import NOW, KeptTable, Origin, cells_of, fields_of, killed_of, last_commit
from kubeproof.report.mutants import mutants_told
from kubeproof.report.tasks import Cell, Checked, Seen, table_scope
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, scope_text, shown_scope
from kubeproof.verdict.result import Outcome
from model.releases import known_release


@frozen
class KnownCell:
    """The verdict that the kept runs give on a property in a stretch of releases."""

    # (id of the bug, folder of its page, whether the page says that the release has the bug).
    bugs: tuple[tuple[str, str, bool], ...]
    # The scope of the shortest of these runs, and its number of actions.
    scope: str
    length: int


@frozen
class Column:
    """Stretches in a row about which the same is said."""

    first: str
    last: str
    # By property.
    known: Mapping[str, KnownCell]
    cells: Mapping[str, tuple[Cell, ...]]

    @property
    def releases(self) -> str:
        """As a heading names them."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"

    def shown(self) -> Any:
        """What has to be the same for two columns to be one."""
        cells = {
            name: [(cell.engine, cell.outcome, cell.strength, cell.about, cell.known) for cell in of]
            for name, of in self.cells.items()
        }
        return self.known, cells


def known_cells(system: System, first: str, seen: Sequence[Seen]) -> dict[str, KnownCell]:
    """By property what the kept runs violate in the stretch that begins with `first`.

    `seen`: of all bugs. A system that extends another one has finer stretches than that one.
    """
    found: dict[str, list[tuple[Seen, str, int]]] = {}
    own = {p.name for p in system.properties}
    for each in in_stretch(system, first, seen):
        for name, (scope, length) in each.violated.items():
            if name in own:
                found.setdefault(name, []).append((each, scope, length))
    cells = {}
    for name, runs in found.items():
        # As `rank` of kubeproof/bugs/beside.py.
        ranks = {run.bug: (not run.shown, name not in run.named) for run, _, _ in runs}
        runs.sort(key=lambda run: (ranks[run[0].bug], run[2], run[0].bug))
        best = ranks[runs[0][0].bug]
        bugs = dict.fromkeys((run.bug, run.bug.lower(), run.shown) for run, _, _ in runs if ranks[run.bug] == best)
        cells[name] = KnownCell(tuple(bugs), shown_scope(runs[0][1]), runs[0][2])
    return cells


def in_stretch(system: System, first: str, seen: Sequence[Seen]) -> list[Seen]:
    """Of each bug that `system` may show what its runs violate in the release `first`."""
    at = known_release(first).version
    latest: dict[str, Seen] = {}
    for each in seen:
        if each.system in system.has_bugs_of and known_release(each.first).version <= at:
            before = latest.get(each.bug)
            if before is None or known_release(before.first).version < known_release(each.first).version:
                latest[each.bug] = each
    return list(latest.values())


def columns(system: System, checks: Sequence[Checked], seen: Sequence[Seen], engines: KeptTable) -> list[Column]:
    """The table of the properties: a column for each stretch, neighbours of which the same is said as one.

    `engines`: what the other engines say of older stretches.
    """
    found: list[Column] = []
    spans = dict.fromkeys((each.first, each.last) for each in checks)
    for first, last in sorted(spans, key=lambda span: known_release(span[0]).version):
        mine = [cell for each in checks if each.first == first for cell in each.cells]
        mine += cells_of(engines, system.name, first)
        mine.sort(key=lambda cell: list(ENGINES).index(cell.engine))
        cells = {p.name: tuple(cell for cell in mine if cell.property == p.name) for p in system.properties}
        column = Column(first, last, known_cells(system, first, seen), cells)
        if found and found[-1].shown() == column.shown():
            found[-1] = Column(found[-1].first, last, column.known, found[-1].cells)
        else:
            found.append(column)
    return found


@frozen
class Tables:
    """What is shown as kept, or was computed for this page."""

    other_rules: KeptTable
    fields: KeptTable
    # What the other engines say of stretches before the newest one.
    engines: KeptTable


def system_told(
    name: str,
    checks: Sequence[Checked],
    seen: Sequence[Seen],
    recorded: Counter[tuple[str, str]] | None,
    tables: Tables,
) -> dict[str, Any]:
    """All that the page says of the system `name`. `checks` are those of this system."""
    system = SYSTEMS[name]
    engines = list(dict.fromkeys(each.engine for each in checks))
    found = columns(system, checks, seen, tables.engines)
    notes = numbered(cell.about for column in found for of in column.cells.values() for cell in of)
    taken = {action: tuple(_taken(checks, engine, action) for engine in engines) for action in system.places}
    absent = frozenset.intersection(*(each.absent for each in checks))
    proofs = list(dict.fromkeys(f"{each.first}, {line}" for each in checks for line in each.proofs))
    return {
        "system": system,
        "engines": engines,
        "scope": scope_text(table_scope(system)),
        "columns": found,
        "counts": counts(found[-1]),
        "newest": found[-1].releases,
        "notes": notes,
        "proofs": proofs,
        "origins": {
            "checks": NOW,
            "other_rules": tables.other_rules.origin,
            "fields": tables.fields.origin,
            "engines": tables.engines.origin if name in tables.engines.systems else None,
            "mutants": _of_mutants(name),
        },
        "has_recordings": recorded is not None,
        "coverage": coverage_rows(system, taken, recorded, killed_of(tables.other_rules, name), absent),
        "fields": fields_of(tables.fields, name, system.unnoticed),
        "mutants": mutants_told(name),
    }


def _of_mutants(name: str) -> Origin:
    return last_commit(f"mutants/{name}.json")


def numbered(texts: Any) -> dict[str, int]:
    """The different texts that are not empty, numbered from 1 on."""
    return {text: number for number, text in enumerate(dict.fromkeys(filter(None, texts)), 1)}


def counts(column: Column) -> dict[str, int]:
    """How many properties of a column a kept run violates, an engine violates, hold, or are open."""
    found = Counter[str]()
    for name, cells in column.cells.items():
        outcomes = {cell.outcome for cell in cells}
        if Outcome.VIOLATED in outcomes:
            found["violated"] += 1
        elif name in column.known:
            found["violated elsewhere"] += 1
        elif Outcome.HOLDS in outcomes:
            found["hold"] += 1
        else:
            found["open"] += 1
    return dict(found)


def _taken(checks: Sequence[Checked], engine: str, action: str) -> int | None:
    """How often `engine` took `action` in all its checks, or None if it does not count."""
    counted = [each.taken for each in checks if each.engine == engine and each.taken is not None]
    found = [of[action] for of in counted if action in of]
    return sum(found) if found else None
