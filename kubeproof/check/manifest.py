"""The counts that every engine must agree on: written into specs/.

`python -m kubeproof.check.manifest` explores every entry with the explicit engine and writes them anew; with the names
of systems, it counts the entries of these alone. TLC counts an entry too when the counts or the text of its modules
have changed since TLC's last answer. Nothing there is written by hand.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import cattrs
from attrs import Factory, evolve, frozen

from kubeproof.engines import tlc
from kubeproof.engines.explicit import explore
from kubeproof.engines.tlc.question import Question, cfg_text
from kubeproof.engines.tlc.traces import DisagreementError
from kubeproof.errors import InputError
from kubeproof.output import note
from kubeproof.output.progress import far
from kubeproof.processes.memory import peak_memory
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import DASK
from kubeproof.store.home import bringing_home
from kubeproof.store.results import Kept, looked_up
from kubeproof.store.store import Store, store_of_sources
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System
from model.releases import newest, parse_release, rules_for

FILE = "manifest.json"
# Generated states from which on Java's optimizing compiler is worth its time. For 70,000 it still doubles the time.
MANY = 150_000


@frozen
class Entry:
    """One exploration and its counts."""

    # The name of the system.
    system: str
    # The bounds by name.
    scope: dict[str, int]
    # The names of the rules that are varied, by field. Empty if `release` has all rules.
    rules: dict[str, str] = Factory(dict)
    release: str = ""
    # As in `kubeproof.engines.explicit.Counts`.
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    # `distinct` and `generated` of an exploration that keeps one state of each orbit.
    orbits: int = 0
    orbits_generated: int = 0
    # `digest` of when TLC gave the same counts. "" if TLC was never asked.
    tlc: str = ""

    def __str__(self) -> str:
        return f"{self.system} {' '.join(self.named)}"

    @property
    def of(self) -> System:
        return SYSTEMS[self.system]

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the rules, or the release."""
        return (self.release,) if self.release else tuple(self.rules.values())

    def scope_and_rules(self) -> tuple[Any, Any]:
        """The scope and the Rules object that the names stand for."""
        if self.release:
            return self.of.scope_class(**self.scope), rules_for(
                self.of.rules_class, parse_release(self.release, self.of.minors)
            )
        chosen = {field: self.of.built_in_rules(field)[name] for field, name in self.rules.items()}
        return self.of.scope_class(**self.scope), evolve(newest(self.of.rules_class, self.system), **chosen)

    def counted(self, store: Store | None = None) -> "Entry":
        """This entry with the counts of the explicit engine. What `store` has is not counted again."""
        scope, rules = self.scope_and_rules()
        kept = None if store is None else Kept(store, "manifest", self.of, rules, scope)
        found = None if kept is None else kept.found()
        if found is not None:
            return evolve(self, **found.value)
        notes = looked_up(self.of, rules)
        machine = self.of.machine(scope, notes.rules)
        whole = explore(machine).counts
        orbits = explore(machine, symmetry=True).counts
        counts: dict[str, Any] = {
            "distinct": whole.distinct,
            "generated": whole.generated,
            "depth": whole.depth,
            "orbits": orbits.distinct,
            "orbits_generated": orbits.generated,
        }
        if kept is not None:
            kept.keep({(): counts}, notes.fields)
        return evolve(self, **counts)

    @property
    def digest(self) -> str:
        """Tells these counts and what TLC reads, the text of the modules and the constants, from any others."""
        form = self.of.tla_form(*self.scope_and_rules(), {})
        counts = (self.distinct, self.generated, self.depth, self.orbits, self.orbits_generated)
        read = [*(path.read_text("utf-8") for path in form.modules), cfg_text(form, Question()), str(form.symmetry)]
        return sha256(json.dumps([counts, *read]).encode()).hexdigest()[:16]

    def asked_of_tlc(self) -> "Entry":
        """This entry as one that TLC has counted too.

        Raises DisagreementError if TLC counts something else, and RuntimeError if TLC gives no counts.
        """
        form = self.of.tla_form(*self.scope_and_rules(), {})
        ours = [(False, (self.distinct, self.generated, self.depth))]
        if form.symmetry is not None:
            ours.append((True, (self.orbits, self.orbits_generated, self.depth)))
        for symmetry, counts in ours:
            jvm = tlc.LONG_RUN if counts[1] >= MANY else tlc.SHORT_RUN
            theirs = tlc.count(form, symmetry=symmetry, jvm=jvm)
            if theirs != counts:
                where = f"{self.system} {self.named} { ({k: v for k, v in self.scope.items() if v}) }"
                raise DisagreementError(f"{where}: the explicit engine counts {counts}, TLC counts {theirs}")
        return evolve(self, tlc=self.digest)


def choices(system: System, scope: Any, *names: str) -> Iterator[Entry]:
    """An entry in `scope` for each choice of rules, or for the choice that `names` name, without counts."""
    bounds = cattrs.unstructure(scope)
    if system.counted.releases:
        yield from (Entry(system.name, bounds, release=release) for release in names or system.counted.releases)
        return
    varied = system.counted.varied
    for chosen in [names] if names else product(*(system.built_in_rules(field) for field in varied)):
        yield Entry(system.name, bounds, dict(zip(varied, chosen, strict=True)))


def entries(system: System) -> Iterator[Entry]:
    """What the manifest counts of `system`, without counts."""
    for scope in system.counted.small:
        yield from choices(system, scope)
    for scope, *names in system.counted.large:
        yield from choices(system, scope, *names)


def read_manifest(folder: Path) -> list[Entry]:
    """The entries of the manifest in `folder`."""
    return cattrs.structure(json.loads((folder / FILE).read_text("utf-8"))["entries"], list[Entry])


def manifest_text(counted: list[Entry]) -> str:
    """The manifest of these entries, as it stands in its file."""
    rows = ",\n".join("    " + json.dumps(_row(entry)) for entry in counted)
    return f'{{\n  "$schema": "manifest-schema.json",\n  "entries": [\n{rows}\n  ]\n}}\n'


def _row(entry: Entry) -> dict[str, Any]:
    left_out = "rules" if entry.release else "release"
    return {key: value for key, value in cattrs.unstructure(entry).items() if key != left_out}


def main(names: Sequence[str] = ()) -> None:
    """`names`: the systems whose entries are counted anew; none for all of them."""
    folder = Path(__file__).parents[2] / "specs"
    anew = {system_named(name).name for name in names or SYSTEMS}
    kept = read_manifest(folder)
    store = store_of_sources()
    count = partial(Entry.counted, store=store)
    dask = os.environ.get(DASK)
    with peak_memory() as peak, far("counting") as so_far, side_by_side(dask=dask, told=so_far.tasks) as each:
        count_each = bringing_home(each, store if dask else None)
        counting = {name: count_each(count, entries(SYSTEMS[name])) for name in SYSTEMS if name in anew}
        counted: list[Entry] = []
        for name in SYSTEMS:
            counted += counting.get(name, [entry for entry in kept if entry.system == name])
        asked = {entry.tlc for entry in kept}
        so_far.found("asking TLC about what has changed")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            counted = list(pool.map(lambda entry: _with_tlc(entry, asked), counted))
    (folder / FILE).write_text(manifest_text(counted), "utf-8")
    note([str(peak)])


def _with_tlc(entry: Entry, asked: Set[str]) -> Entry:
    """`entry` with TLC's answer. `asked`: the digests of what TLC has answered before."""
    return evolve(entry, tlc=entry.digest) if entry.digest in asked else entry.asked_of_tlc()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (DisagreementError, InputError, RuntimeError) as error:
        sys.exit(f"manifest.json is as it was: {error}")
