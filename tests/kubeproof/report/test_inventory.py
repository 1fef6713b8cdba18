"""`kubeproof list`: all systems in short, and one in full."""

import pytest

from kubeproof.report.inventory import inventory, overview_text, system_text
from kubeproof.systems.registry import SYSTEMS

SCREEN = 50  # lines


def test_the_overview_is_short_and_has_each_system() -> None:
    lines = overview_text().splitlines()
    assert len(lines) < SCREEN
    for system in SYSTEMS.values():
        place = lines.index(f"{system.name}: {system.summary}")
        counts = (
            f"{len(system.properties)} properties, {len(system.rule_fields)} rules; releases 1.{system.minors[0]}.0 to"
        )
        assert counts in lines[place + 1]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_is_listed_with_its_bounds_properties_and_rules(name: str) -> None:
    system, lines = SYSTEMS[name], system_text(SYSTEMS[name]).splitlines()
    assert {f"  {each.name}: {each.sentence}" for each in system.properties} <= set(lines)
    bounds = lines[lines.index("bounds, with the values of the default scope") + 1].strip().split(", ")
    assert [each.partition("=")[0] for each in bounds] == list(inventory(system)["systems"][0]["scope"])
    for field in system.rule_fields:
        place = lines.index(f"  {field}")
        names = system.built_in_rules(field)
        assert [line.split(":")[0].strip() for line in lines[place + 1 : place + 1 + len(names)]] == list(names)


def test_the_document_of_one_system_has_no_other() -> None:
    every, one = inventory(), inventory(SYSTEMS["node-listing"])
    assert every.keys() == one.keys()
    assert one["systems"] == [each for each in every["systems"] if each["name"] == "node-listing"]
    assert {row["rule"] for row in one["rows"]} == set(SYSTEMS["node-listing"].rule_fields)
    assert one["rows"] == [row for row in every["rows"] if row["rule"] in SYSTEMS["node-listing"].rule_fields]
