"""The properties in Go: every file is a property of a system, says its sentence, and is formatted as gofmt formats."""

import re

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.go.generated import form_of
from kubeproof.players.registry import PLAYERS
from kubeproof.systems.registry import SYSTEMS
from properties.go import WHY_NO_FORM, go_form, go_name, with_go_form

FORMS = [(system, name) for system in SYSTEMS for name in sorted(with_go_form(system))]


@pytest.mark.parametrize(("system", "name"), FORMS)
def test_a_form_is_of_a_property_and_says_its_sentence(system: str, name: str) -> None:
    """Whoever changes the property sees the form: the comment of the Go function begins with the sentence."""
    property = SYSTEMS[system].property_named(name)
    text = go_form(system, name) or ""
    comment = " ".join(line.removeprefix("//").strip() for line in text.splitlines() if line.startswith("//"))
    assert comment.startswith(f"{go_name(text)}: {property.sentence}")
    assert go_name(text).lower().endswith(name.replace("-", ""))


def test_one_driver_has_no_function_of_two_properties() -> None:
    """All forms are compiled into the package that the driver of their system is in."""
    by_package: dict[str, list[str]] = {}
    for system, name in FORMS:
        text = go_form(system, name) or ""
        package = re.search(r"^package (\w+)", text, re.M)
        assert package is not None
        by_package.setdefault(package.group(1), []).append(go_name(text))
    assert len(by_package) > 1
    assert all(len(names) == len(set(names)) for names in by_package.values())


def test_each_property_that_a_kept_run_violates_has_a_form() -> None:
    """Or a reason; no property has both."""
    played = [bug for bug in BUGS if bug.system in PLAYERS]
    without = {(bug.system, bug.violates) for bug in played if form_of(bug) is None}
    assert without == set(WHY_NO_FORM)
    assert not any(system == "cpu-manager" for system, _ in without)


def test_a_property_without_a_form_has_none() -> None:
    assert go_form("cpu-manager", "no-such-property") is None
    assert with_go_form("no-such-system") == frozenset()
