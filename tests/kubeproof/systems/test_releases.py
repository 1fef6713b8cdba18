"""What is said of `--release 1.18`."""

from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.releases import minor_note, release_named, release_notes
from model.releases import EVERY_MINOR, parse_release

FIELDS = SYSTEMS["node-listing"].rule_fields


def test_the_last_patch_release_is_named_and_those_that_differ_in_what_is_asked() -> None:
    (line,) = minor_note(parse_release("v1.18"), FIELDS)
    assert line.startswith("v1.18 is taken as 1.18.20, ")
    assert line.endswith("; 1.18.0 to 1.18.6 differ in rules that are asked here")
    assert line in release_notes(parse_release("v1.18"), FIELDS)


def test_of_a_minor_whose_patch_releases_are_alike_only_the_last_one_is_named() -> None:
    (line,) = minor_note(parse_release("1.19"), FIELDS)
    assert line == "1.19 is taken as 1.19.16, its last patch release that is modelled"


def test_nothing_is_said_of_a_patch_release_and_of_what_nobody_named() -> None:
    assert minor_note(parse_release("1.18.4"), FIELDS) == ()
    assert minor_note(release_named(None, minors=EVERY_MINOR), FIELDS) == ()
    assert minor_note(release_named("1.99", minors=EVERY_MINOR), FIELDS) == ()
