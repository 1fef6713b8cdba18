"""Lists the systems, releases, rules, properties and engines."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import cattrs

from kubeproof.engines.table import ENGINES
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, bounds_text
from model.evidence import WEAKEST_FIRST, cell
from model.releases import BACK_PORTS, EVERY_MINOR, LAST_PATCH, ROWS, Release, known_release, rows_of
from model.rules import Row


def inventory(only: System | None = None) -> dict[str, Any]:
    """The document of `list --json`; with `only` of this system."""
    systems = SYSTEMS.values() if only is None else [only]
    return {
        "systems": [
            {
                "name": system.name,
                "summary": system.summary,
                "releases": _known(system),
                "scope": cattrs.unstructure(system.scope),
                "properties": [
                    {"name": p.name, "kind": p.kind, "sentence": p.sentence, "broken_by": list(p.broken_by)}
                    for p in system.properties
                ],
                "read_fields": [cattrs.unstructure(field) for field in system.read_fields],
                "left_out": list(system.left_out),
                "gates_taken_as_off": [
                    {"name": taken.name, "says": taken.says, "on_by_default_in": taken.releases(system.minors)}
                    for taken in system.gates_taken
                ],
                "rules": {field: list(system.built_in_rules(field)) for field in system.rule_fields},
            }
            for system in systems
        ],
        "releases": {f"1.{minor}": f"1.{minor}.{patch}" for minor, patch in LAST_PATCH.items()},
        "rows": [
            {
                "rule": row.field,
                "since": row.since,
                "is": row.rule.__name__,
                "change": row.change,
                "source": row.source,
                "evidence": cell(row.field, known_release(row.since)).evidence,
            }
            for row in ROWS
            if only is None or row.field in only.rule_fields
        ],
        "back_ports": [
            {"vendor": p.vendor, "release": p.upstream, "since_build": p.since_build, "is": p.rule.__name__}
            for p in BACK_PORTS
            if only is None or p.field in only.rule_fields
        ],
        "engines": list(ENGINES),
    }


def _known(system: System) -> dict[str, Any]:
    """The first and the last release that a system knows, and how well its cells of each minor are known."""
    releases = [
        known_release(f"1.{minor}.{patch}") for minor in system.minors for patch in range(LAST_PATCH[minor] + 1)
    ]
    cells = {f"1.{minor}": _cells(system, [r for r in releases if r.minor == minor]) for minor in system.minors}
    return {"first": str(releases[0]), "last": str(releases[-1]), "cells": cells}


def _cells(system: System, releases: Sequence[Release]) -> dict[str, int]:
    """How many cells of these releases are recorded, read and inferred. What a release does not have is no cell."""
    kinds = Counter(
        cell(field, release).evidence
        for release in releases
        for field in system.rule_fields
        if rows_of(field)[0][0] <= release.version
    )
    return {kind: kinds[kind] for kind in reversed(WEAKEST_FIRST)}


def overview_text() -> str:
    """Of each system its releases, its default scope and how much there is to list; then back-ports and engines."""
    lines = [f"{len(SYSTEMS)} systems. `kubeproof list SYSTEM` has the bounds, properties and rules of one.", ""]
    for system in SYSTEMS.values():
        lines += [
            f"{system.name}: {system.summary}",
            f"  {len(system.properties)} properties, {len(system.rule_fields)} rules; {_releases_line(system)}",
            f"  default scope: {bounds_text(system.scope)}",
            "",
        ]
    newest = f"1.{EVERY_MINOR[-1]}.{LAST_PATCH[EVERY_MINOR[-1]]}"
    ports = (f"{p.vendor} {p.upstream} from build {p.since_build}: {p.rule.__name__}" for p in BACK_PORTS)
    lines += [
        f"a newer release than {newest}: judged as {newest}, by the systems that know it",
        f"known back-ports: {'; '.join(ports)}",
        f"engines: {', '.join(ENGINES)}",
    ]
    return "\n".join(lines)


def system_text(system: System) -> str:
    """The bounds of a system, its properties, what its rules read, what it leaves out, and the rules."""
    bounds = ", ".join(f"{name}={value}" for name, value in cattrs.unstructure(system.scope).items())
    lines = [
        f"{system.name}: {system.summary}",
        "",
        _releases_line(system),
        "",
        "bounds, with the values of the default scope",
        f"  {bounds}",
        "",
        f"{len(system.properties)} properties",
        *(f"  {each.name}: {each.sentence}" for each in system.properties),
        "",
        "fields that rules read, and the bounds that let them change",
    ]
    for read in system.read_fields:
        left_out = f"; left out: {read.left_out}" if read.left_out else ""
        lines.append(f"  {read.name}: {', '.join(read.powers) or 'no bound'}{left_out}")
    lines += ["", "what else is left out, and what is there in its place", *(f"  {each}" for each in system.left_out)]
    if system.gates_taken:
        lines += ["", "feature gates that are taken as off, and the releases that have them on by default"]
    for taken in system.gates_taken:
        lines.append(f"  {taken.name} ({taken.releases(system.minors) or 'no release'}): {taken.says}")
    lines += ["", f"{len(system.rule_fields)} rules, by the release they hold from"]
    for field in system.rule_fields:
        lines.append(f"  {field}")
        since = {name: [row.since for row in _rows(field, name)] for name in system.built_in_rules(field)}
        lines += [f"    {name}: {', '.join(of) or 'no release (a mutant)'}" for name, of in since.items()]
    return "\n".join(lines)


def _rows(field: str, rule: str) -> list[Row]:
    return [row for row in ROWS if (row.field, row.rule.__name__) == (field, rule)]


def _releases_line(system: System) -> str:
    """The releases that the system knows, and how many cells (rules of releases) are known how."""
    known = _known(system)
    cells = Counter[str]()
    for each in known["cells"].values():
        cells.update(each)
    how = ", ".join(f"{number} {kind}" for kind, number in cells.items())
    return f"releases {known['first']} to {known['last']} (cells: {how})"
