"""The counts that every engine must agree on, and a .cfg for each choice of rules: written into specs/.

`python -m kubeproof.manifest` explores every entry with the explicit engine and writes both anew. Nothing there is
written by hand.
"""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, frozen

from kubeproof.engines.explicit import explore
from kubeproof.engines.tlc.question import Question, cfg_text
from kubeproof.engines.tlc.request import form_for
from kubeproof.systems import NODE_LISTING, SYSTEMS, System
from model.systems.node_listing import NodeListingScope

FILE = "manifest.json"

# Every choice of rules is counted in the small scopes, the largest scopes are counted for the rules named.
SMALL_SCOPES = {
    NODE_LISTING.name: (
        NodeListingScope(nodes=2, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=2, moves=0),
        NodeListingScope(nodes=3, zones=2, moves=1),
        NodeListingScope(nodes=3, zones=3, moves=0),
    )
}
LARGE_SCOPES = {
    NODE_LISTING.name: (
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_stateless", "update_snapshot_on_node_change"),
        (NodeListingScope(nodes=4, zones=2, moves=1), "list_from_resuming_cursors", "update_snapshot_every_cycle"),
        (NodeListingScope(nodes=5, zones=3, moves=0), "list_from_reset_cursors", "update_snapshot_every_cycle"),
    )
}
# The rules that the choices differ in; the others differ in texts that no state keeps.
VARIED = {NODE_LISTING.name: ("list_nodes", "update_snapshot")}


@frozen
class Entry:
    """One exploration. `rules` are names by rule field, those that are varied. Counts as in `verdict.Result`.

    `orbits` and `orbits_generated` are the first two counts where one state of each orbit is kept.
    """

    system: str
    scope: dict[str, int]
    rules: dict[str, str]
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    orbits: int = 0
    orbits_generated: int = 0

    @property
    def of(self) -> System:
        return SYSTEMS[self.system]

    def scope_and_rules(self) -> tuple[Any, Any]:
        """The scope and the Rules object that the names stand for."""
        chosen = {field: self.of.built_in_rules(field)[name] for field, name in self.rules.items()}
        return self.of.scope_class(**self.scope), evolve(self.of.rules_class(), **chosen)

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


def choices(system: System) -> Iterator[dict[str, str]]:
    """Every choice of rules that is varied, by name."""
    varied = VARIED[system.name]
    for names in product(*(system.built_in_rules(field) for field in varied)):
        yield dict(zip(varied, names, strict=True))


def entries(system: System) -> Iterator[Entry]:
    """What the manifest counts of `system`, without counts."""
    for scope in SMALL_SCOPES[system.name]:
        for rules in choices(system):
            yield Entry(system.name, cattrs.unstructure(scope), rules)
    for scope, *names in LARGE_SCOPES[system.name]:
        yield Entry(system.name, cattrs.unstructure(scope), dict(zip(VARIED[system.name], names, strict=True)))


def read_manifest(folder: Path) -> list[Entry]:
    """The entries of the manifest in `folder`."""
    return cattrs.structure(json.loads((folder / FILE).read_text("utf-8"))["entries"], list[Entry])


def manifest_text(counted: list[Entry]) -> str:
    """The manifest of these entries, as it stands in its file."""
    rows = ",\n".join("    " + json.dumps(cattrs.unstructure(entry)) for entry in counted)
    return f'{{\n  "$schema": "manifest-schema.json",\n  "entries": [\n{rows}\n  ]\n}}\n'


def cfg_files(system: System) -> dict[str, str]:
    """A .cfg for each choice of rules, by file name, for TLC by hand: all properties, in the system's scope."""
    written = {}
    for rules in choices(system):
        chosen = Entry(system.name, cattrs.unstructure(system.scope), rules).scope_and_rules()[1]
        form = form_for(system.name, system.scope, chosen, {})
        stated = form.properties.values()
        question = Question(
            invariants=("TypeOK", *(p.operator for p in stated if p.kind == "invariant")),
            properties=tuple(p.operator for p in stated if p.kind != "invariant"),
            fair=True,
        )
        described = "\n".join(f"\\*   {field} = {name}" for field, name in rules.items())
        name = "-".join((form.module, *rules.values()))
        written[f"{name}.cfg"] = f"\\* Generated by kubeproof.manifest:\n{described}\n{cfg_text(form, question)}"
    return written


def main() -> None:
    folder = Path(__file__).parent.parent / "specs"
    counted = []
    for system in SYSTEMS.values():
        for name, text in cfg_files(system).items():
            (folder / name).write_text(text, "utf-8")
        counted += [entry.counted() for entry in entries(system)]
    (folder / FILE).write_text(manifest_text(counted), "utf-8")


if __name__ == "__main__":
    main()
