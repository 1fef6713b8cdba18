"""What `kubeproof report --all` computes besides: the pages of all bugs, and the tables that take minutes.

What the store has is not computed again. A page that the search makes otherwise than it is kept is an error.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import COMPONENT_BUGS, any_bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.counterexample import Counterexample, generations, minimal_counterexample
from kubeproof.bugs.runs import kept_runs
from kubeproof.engines import explicit
from kubeproof.errors import InputError
from kubeproof.output.files import write_whole
from kubeproof.processes.tasks import Each
from kubeproof.report.component import component_files
from kubeproof.report.coverage import killed_by_field
from kubeproof.report.kept_tables import (
    ENGINES,
    FIELDS,
    NOW,
    OTHER_RULES,
    KeptTable,
    cells_data,
    field_rows,
    killed_rows,
    table_text,
)  # fmt: skip
from kubeproof.report.markdown import counterexample_files
from kubeproof.report.noticed import FieldRow, noticed
from kubeproof.report.systems_told import Tables
from kubeproof.report.tasks import Checked, CheckTask, bugs_of, checked, stretches
from kubeproof.store.store import Store
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import known_release, rules_for

SMALL = 100  # distinct states until a counterexample was found: a scope to look in for what other rules break


def found(bug: Bug, store: Store | None = None) -> Counterexample:
    """The minimal counterexample, searched for. Raises InputError if there is none."""
    example = minimal_counterexample(bug, store)
    if example is None:
        raise InputError(f"{bug.id}: no counterexample in {bug.release}: the model or the property has a hole")
    return example


def pages_of(bug_ids: Sequence[str], store: Store | None = None) -> dict[str, dict[str, str]]:
    """By bug the files of its page, made anew."""
    made = {}
    for bug in map(any_bug_named, bug_ids):
        made[bug.folder] = (
            counterexample_files(found(bug, store), store) if isinstance(bug, Bug) else component_files(bug)
        )
    return made


def searched_together(bugs: Sequence[Bug | ComponentBug]) -> list[list[str]]:
    """The ids of the bugs, those together whose release tables may search for the same."""
    groups: dict[Any, list[str]] = {}
    for bug in bugs:
        alike = (bug.system, bug.violates, bug.given) if isinstance(bug, Bug) else bug.id
        groups.setdefault(alike, []).append(bug.id)
    return list(groups.values())


@frozen(slots=False)
class Begun:
    """What the workers have begun with. Each part waits until it is asked for."""

    pages: Iterator[dict[str, dict[str, str]]]
    fields: dict[str, Iterator[list[FieldRow]]]
    other_rules: dict[str, Iterator[tuple[str, Any]]]
    # The other engines about the stretches before the newest one.
    older: Iterator[Checked]
    # Where the tables are kept, None for nowhere.
    keep: Path | None

    @cached_property
    def differing(self) -> list[str]:
        """The files of pages that are kept otherwise, in words."""
        kept, wrong = files("counterexamples"), []
        for made in self.pages:
            for folder, texts in made.items():
                for name, text in texts.items():
                    file = kept / folder / name
                    if not file.is_file() or file.read_text(encoding="utf-8") != text:
                        wrong.append(f"counterexamples/{folder}/{name} is not what the search makes now")
        return wrong

    @cached_property
    def tables(self) -> Tables:
        """The tables, computed now. They are kept if that was asked for."""
        of_fields = {name: field_rows(next(rows)) for name, rows in self.fields.items()}
        of_rules = {name: killed_rows(dict(rows)) for name, rows in self.other_rules.items()}
        of_engines: dict[str, dict[str, Any]] = {}
        for each in self.older:
            of_engines.setdefault(each.system, {})[f"{each.first} {each.engine}"] = cells_data(each)
        if self.keep is not None:
            write_whole(self.keep / f"{ENGINES}.json", table_text(of_engines))
            write_whole(self.keep / f"{FIELDS}.json", table_text(of_fields))
            write_whole(self.keep / f"{OTHER_RULES}.json", table_text(of_rules))
        return Tables(KeptTable(NOW, of_rules), KeptTable(NOW, of_fields), KeptTable(NOW, of_engines))


@frozen
class Everything:
    """That everything is computed, with what the store has."""

    store: Store | None
    keep: Path | None = None

    def begin(self, each: Each, systems: Sequence[System], engines: Sequence[str]) -> Begun:
        """Have the workers begin. `engines`: their names."""
        of_components = COMPONENT_BUGS if len(systems) == len(SYSTEMS) else ()
        ids = searched_together([*bugs_of(systems), *of_components])
        return Begun(
            pages=each(partial(pages_of, store=self.store), ids),
            fields={s.name: each(partial(noticed, store=self.store), [s.name]) for s in systems},
            other_rules={s.name: self._other_rules(each, s) for s in systems},
            older=each(partial(checked, store=self.store), older_questions(systems, engines)),
            keep=self.keep,
        )

    def _other_rules(self, each: Each, system: System) -> Iterator[tuple[str, Any]]:
        """(rule field, what its other rules break): of a system with many rules for the oldest and the newest ones."""
        in_force = list(dict.fromkeys(rules_for(system.rules_class, first) for first, _ in generations(system)))
        if system.scopes.report is None:
            return killed_by_field(system, in_force, each=each, store=self.store)
        return killed_by_field(system, [in_force[0], in_force[-1]], scopes_to_tell_apart(system), each, self.store)


def older_questions(systems: Sequence[System], engines: Sequence[str]) -> list[CheckTask]:
    """The other engines about the stretches before the newest one, of systems with few of them."""
    return [
        CheckTask(system.name, first, last, engine)
        for system in systems
        if system.scopes.report is None
        for first, last in stretches(system)[:-1]
        for engine in engines
        if engine != "explicit"
    ]


def scopes_to_tell_apart(system: System) -> list[Any]:
    """The scopes in which rules are told apart: those chosen for it, else those of kept runs that are found soon."""
    if system.scopes.told_apart:
        return list(system.scopes.told_apart)
    scopes = []
    for bug in bugs_of([system]):
        run = kept_runs(bug.id)[0]
        machine = system.machine(run.scope, rules_for(system.rules_class, known_release(bug.release)))
        (result,) = explicit.check(machine, [system.property_named(bug.violates)], symmetry=False)
        if result.states is not None and result.states < SMALL:
            scopes.append(run.scope)
    return list(dict.fromkeys(scopes))
