"""The counts that every engine must agree on, and a .cfg for each choice of rules: written into specs/.

`python -m kubeproof.check.manifest` explores every entry with the explicit engine and writes both anew. Nothing there
is written by hand.
"""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import cattrs
from attrs import Factory, evolve, frozen

from kubeproof.engines.explicit import explore
from kubeproof.engines.tlc.question import Question, cfg_text
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System
from model.releases import newest, parse_release, rules_for
from model.systems.cpu_manager import CPUManagerScope
from model.systems.node_listing import NodeListingScope
from model.systems.scheduling import SchedulingScope

FILE = "manifest.json"

# Every choice of rules is counted in the small scopes, the largest scopes are counted for the rules named.
SMALL_SCOPES: dict[str, tuple[Any, ...]] = {
    NODE_LISTING.name: (
        NodeListingScope(nodes=2, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=2, moves=0),
        NodeListingScope(nodes=3, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=3, moves=0),
    ),
    CPU_MANAGER.name: (CPUManagerScope(cores=2, containers=1, size=1, restarts=1, crashes=1),),
    SCHEDULING.name: (SchedulingScope(high=1, goroutines=1, preemption=1),),
}
EVERYTHING_OF_A_POD = CPUManagerScope(
    cores=2, pods=1, containers=2, size=1, init=1, exits=1, removals=1, restarts=1, crashes=1, jobs=1
)
EXTENDED = SchedulingScope(pods=1, nodes=2, goroutines=1, updates=1, extender=1, preemption=1)
NAMESAKES = SchedulingScope(pods=1, nodes=2, goroutines=1, deletes=1, recreates=1, resyncs=1, relists=1)
NODE_CHURN = SchedulingScope(pods=1, nodes=2, goroutines=1, late_nodes=1, node_deletes=1, node_adds=1, other_binders=1)
HEARTBEATS = SchedulingScope(room=2, goroutines=1, labels=1, heartbeats=1)
LARGE_SCOPES: dict[str, tuple[tuple[Any, ...], ...]] = {
    NODE_LISTING.name: (
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_stateless", "update_snapshot_on_node_change"),
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_from_resuming_cursors", "update_snapshot_every_cycle"),
        (NodeListingScope(nodes=5, zones=3, moves=0), "list_from_reset_cursors", "update_snapshot_every_cycle"),
    ),
    CPU_MANAGER.name: (
        (EVERYTHING_OF_A_POD, "1.18.0"),
        (EVERYTHING_OF_A_POD, "1.24.10"),
        (CPUManagerScope(cores=2, containers=1, size=1, restarts=1, hotplug=1, rereserve=1, wipes=1), "1.24.10"),
        (CPUManagerScope(cores=3, containers=2, size=1, init=1, exits=1), "1.24.10"),
    ),
    SCHEDULING.name: (
        *((EXTENDED, release) for release in ("1.14.0", "1.22.3", "1.24.0")),
        *((NAMESAKES, release) for release in ("1.17.0", "1.20.0", "1.23.3")),
        *((NODE_CHURN, release) for release in ("1.13.0", "1.18.0", "1.24.0", "1.30.0")),
        *((HEARTBEATS, release) for release in ("1.13.0", "1.21.14")),
        (SchedulingScope(pods=3, high=1, room=2, goroutines=1, preemption=1), "1.26.0"),
        (
            SchedulingScope(
                pods=1, nodes=2, goroutines=1, finalizers=1, deletes=1, lost_replies=1, bind_errors=1, graceful=1,
                listeners=1,
            ),
            "1.15.0",
        ),
    ),
}  # fmt: skip
# The rules that the choices differ in; the others differ in texts that no state keeps. Where rules belong together, the
# choices are releases instead: the first of each generation that TLA+ tells apart.
VARIED = {NODE_LISTING.name: ("list_nodes", "update_snapshot")}
RELEASES = {
    CPU_MANAGER.name: (
        *("1.18.0", "1.18.4", "1.21.0", "1.22.0", "1.22.1", "1.23.0", "1.23.14", "1.24.0", "1.24.8", "1.24.10"),
        "1.25.0",
    ),
    SCHEDULING.name: (
        *("1.13.0", "1.14.0", "1.15.0", "1.17.0", "1.18.0", "1.18.4", "1.19.0", "1.20.0", "1.21.14", "1.22.3"),
        *("1.23.3", "1.24.0", "1.26.0", "1.30.0"),
    ),
}
# Of those that differ from another in one rule alone, and have it from a third, nothing is counted.
UNCOUNTED = frozenset({"1.22.1", "1.23.0", "1.23.14", "1.24.8", "1.25.0"})


@frozen
class Entry:
    """One exploration. `rules` are names by rule field, those that are varied; or `release` has them all.

    Counts as in `verdict.Result`. `orbits` and `orbits_generated` are the first two counts where one state of each
    orbit is kept.
    """

    system: str
    scope: dict[str, int]
    rules: dict[str, str] = Factory(dict)
    release: str = ""
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    orbits: int = 0
    orbits_generated: int = 0

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
            return self.of.scope_class(**self.scope), rules_for(self.of.rules_class, parse_release(self.release))
        chosen = {field: self.of.built_in_rules(field)[name] for field, name in self.rules.items()}
        return self.of.scope_class(**self.scope), evolve(newest(self.of.rules_class, self.system), **chosen)

    def counted(self) -> "Entry":
        """This entry with the counts of the explicit engine."""
        machine = self.of.machine(*self.scope_and_rules())
        whole = explore(machine).counts
        orbits = explore(machine, symmetry=True).counts
        return evolve(
            self,
            distinct=whole.distinct,
            generated=whole.generated,
            depth=whole.depth,
            orbits=orbits.distinct,
            orbits_generated=orbits.generated,
        )


def choices(system: System, scope: Any, *names: str) -> Iterator[Entry]:
    """An entry in `scope` for each choice of rules, or for the choice that `names` name, without counts."""
    bounds = cattrs.unstructure(scope)
    if system.name in RELEASES:
        yield from (Entry(system.name, bounds, release=release) for release in names or RELEASES[system.name])
        return
    varied = VARIED[system.name]
    for chosen in [names] if names else product(*(system.built_in_rules(field) for field in varied)):
        yield Entry(system.name, bounds, dict(zip(varied, chosen, strict=True)))


def entries(system: System) -> Iterator[Entry]:
    """What the manifest counts of `system`, without counts."""
    for scope in SMALL_SCOPES[system.name]:
        yield from (entry for entry in choices(system, scope) if entry.release not in UNCOUNTED)
    for scope, *names in LARGE_SCOPES[system.name]:
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


def cfg_files(system: System) -> dict[str, str]:
    """A .cfg for each choice of rules, by file name, for TLC by hand: all properties, in the system's scope."""
    written = {}
    for entry in choices(system, system.scope):
        scope, chosen = entry.scope_and_rules()
        form = system.tla_form(scope, chosen, {})
        stated = form.properties.values()
        question = Question(
            invariants=("TypeOK", *(p.operator for p in stated if p.kind == "invariant")),
            properties=tuple(p.operator for p in stated if p.kind != "invariant"),
            fair=True,
        )
        described = "\n".join(f"\\*   {field} = {name}" for field, name in entry.rules.items())
        if entry.release:
            described = f"\\*   release = {entry.release}"
        name = "-".join((form.module, *entry.named))
        written[f"{name}.cfg"] = f"\\* Generated by `make manifest`:\n{described}\n{cfg_text(form, question)}"
    return written


def main() -> None:
    folder = Path(__file__).parents[2] / "specs"
    counted = []
    for system in SYSTEMS.values():
        for name, text in cfg_files(system).items():
            (folder / name).write_text(text, "utf-8")
        counted += [entry.counted() for entry in entries(system)]
    (folder / FILE).write_text(manifest_text(counted), "utf-8")


if __name__ == "__main__":
    main()
