"""Lists the systems, releases, rules, properties and engines."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import cattrs

from kubeproof.engines.table import ENGINES
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.evidence import WEAKEST_FIRST, cell
from model.releases import BACK_PORTS, EVERY_MINOR, LAST_PATCH, ROWS, Release, known_release, rows_of


def inventory() -> dict[str, Any]:
    """The document of `list --json`."""
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
                "rules": {field: list(system.built_in_rules(field)) for field in system.rule_fields},
            }
            for system in SYSTEMS.values()
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
        ],
        "back_ports": [
            {"vendor": p.vendor, "release": p.upstream, "since_build": p.since_build, "is": p.rule.__name__}
            for p in BACK_PORTS
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


def inventory_text() -> str:
    """The same as text."""
    data = inventory()
    lines = []
    for system in data["systems"]:
        lines += [f"{system['name']}: {system['summary']}", "  properties"]
        lines += [f"    {p['name']}: {p['sentence']}" for p in system["properties"]]
        lines.append("  fields that rules read, and the powers that change them")
        for field in system["read_fields"]:
            powers = ", ".join(field["powers"]) or "no power"
            lines.append(
                f"    {field['name']}: {powers}" + (f"; left out: {field['left_out']}" if field["left_out"] else "")
            )
        lines.append("  rules, by the release they hold from")
        for field, names in system["rules"].items():
            lines.append(f"    {field}")
            since = {
                name: [r["since"] for r in data["rows"] if (r["rule"], r["is"]) == (field, name)] for name in names
            }
            lines += [f"      {name}: {', '.join(since[name]) or 'no release (a mutant)'}" for name in names]
        bounds = ", ".join(f"{key}={value}" for key, value in system["scope"].items())
        lines.append(f"  bounds, with the values of the default scope: {bounds}")
    lines.append("releases that each system knows, and how many cells (rules of releases) are known how")
    for system in data["systems"]:
        known = system["releases"]
        cells = Counter[str]()
        for each in known["cells"].values():
            cells.update(each)
        how = ", ".join(f"{number} {kind}" for kind, number in cells.items())
        lines.append(f"  {system['name']}: {known['first']} to {known['last']} ({how})")
    newest = data["releases"][f"1.{EVERY_MINOR[-1]}"]
    lines.append(f"a newer release than {newest}: judged as {newest}, by the systems that know it")
    lines.append("known back-ports: " + "; ".join(
        f"{p['vendor']} {p['release']} from build {p['since_build']}: {p['is']}" for p in data["back_ports"]
    ))  # fmt: skip
    lines.append(f"engines: {', '.join(data['engines'])}")
    return "\n".join(lines)
