"""Lists the systems, releases, rules, properties and engines."""

from typing import Any

import cattrs

from kubeproof.engines.table import ENGINES
from kubeproof.systems.registry import SYSTEMS
from model.evidence import cell
from model.releases import BACK_PORTS, NEWEST_PATCH, ROWS, known_release


def inventory() -> dict[str, Any]:
    """The document of `list --json`."""
    return {
        "systems": [
            {
                "name": system.name,
                "summary": system.summary,
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
        "releases": {f"1.{minor}": f"1.{minor}.{patch}" for minor, patch in NEWEST_PATCH.items()},
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
    oldest, *_, newest = data["releases"].values()
    minors = list(data["releases"])
    lines.append(f"releases: {minors[0]} to {minors[-1]} (newest patches {oldest} to {newest})")
    lines.append("known back-ports: " + "; ".join(
        f"{p['vendor']} {p['release']} from build {p['since_build']}: {p['is']}" for p in data["back_ports"]
    ))  # fmt: skip
    lines.append(f"engines: {', '.join(data['engines'])}")
    return "\n".join(lines)
