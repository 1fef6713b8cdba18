"""How well the cells of the release table are known: what was seen, what stands between, what nobody can know."""

import pytest
from attrs import fields
from packaging.version import Version

from model import evidence, unseen
from model.evidence import cell, evidence_in
from model.releases import KNOWN_MINORS, LAST_PATCH, NEWEST, NEWEST_PATCH, ROWS, known_release, parse_release, rows_of
from model.rules import Seen
from model.systems.queueing_hints import QueueingHintsRules

FIELDS = tuple(dict.fromkeys(row.field for row in ROWS))
RELEASES = tuple(
    parse_release(f"1.{minor}.{patch}") for minor in range(16, NEWEST + 1) for patch in range(NEWEST_PATCH[minor] + 1)
)
# Newer releases, of which only queueing-hints knows the rules.
OF_HINTS = tuple(field.name for field in fields(QueueingHintsRules))
NEWER = tuple(
    parse_release(f"1.{minor}.{patch}", KNOWN_MINORS["queueing-hints"])
    for minor in KNOWN_MINORS["queueing-hints"]
    if minor > NEWEST
    for patch in range(LAST_PATCH[minor] + 1)
)


@pytest.mark.slow
def test_no_cell_of_1_16_to_1_36_is_inferred_but_those_that_cannot_be_known() -> None:
    inferred = {
        (field, str(release))
        for releases, asked in ((RELEASES, FIELDS), (NEWER, OF_HINTS))
        for release in releases
        for field in asked
        if cell(field, release).evidence == "inferred" and rows_of(field)[0][0] <= release.version
    }
    listed = {
        (field, str(release))
        for each in unseen.UNSEEN
        for release in (*RELEASES, *NEWER)
        if Version(each.first) <= release.version <= Version(each.last)
        for field in each.fields
    }
    assert inferred - listed == set()
    # A release of which a tree is at hand now, or a rule that no longer changes there, does not stay on the list.
    assert {(each.first, field) for each in unseen.UNSEEN for field in each.fields} == {
        (each.first, field)
        for each in unseen.UNSEEN
        for field in each.fields
        if any((field, str(release)) in inferred for release in _range(each))
    }


def _range(each: unseen.Unseen) -> list[evidence.Release]:
    return [release for release in (*RELEASES, *NEWER) if Version(each.first) <= release.version <= Version(each.last)]


@pytest.mark.parametrize(
    ("field", "release", "known", "where"),
    [
        # One recording stands for all releases with the same file.
        ("take_snapshot", "1.18.12", "recorded", "rancher/k3s 57b73dc9ffb0"),
        ("take_snapshot", "1.16.3", "read", "rancher/k3s 82702a2a6455"),
        # No recording tells the rule from the one before it.
        ("pods_for_move_request", "1.22.3", "read", "dweomer/k3s a52fc49bdf5e"),
        ("list_nodes", "1.18.7", "recorded", "rancher/k3s 6b5953186668; 1.18.8 is 1.18.7 built with another Go"),
    ],
)  # fmt: skip
def test_what_was_seen_of_the_release_itself_counts(field: str, release: str, known: str, where: str) -> None:
    found = cell(field, parse_release(release))
    assert (found.evidence, found.where) == (known, (where,))


def test_between_two_releases_with_the_rule_it_is_taken_for_read() -> None:
    found = cell("image_counts", parse_release("1.23.7"))
    assert (found.evidence, len(found.where)) == ("read", 2)
    # The rule changes in between: in which release, nobody saw.
    assert cell("update_pod_on_node", parse_release("1.18.1")).evidence == "inferred"
    assert unseen.reason_unseen("update_pod_on_node", parse_release("1.18.1")) is not None
    assert unseen.reason_unseen("update_pod_on_node", parse_release("1.18.2")) is None


def test_what_a_release_is_too_old_for_nobody_saw_there() -> None:
    """The tree of 1.28.0-alpha.2 is at hand, and has no pods in flight."""
    for field in FIELDS:
        first, _ = rows_of(field)[0]
        for release in ("1.13.0", "1.20.8", "1.28.0-alpha.2"):
            if parse_release(release).version < first:
                assert (cell(field, parse_release(release)).evidence, field, release) == ("inferred", field, release)
    assert cell("note_event", parse_release("1.28.0-alpha.2")).where == ()
    assert cell("pods_for_move_request", parse_release("1.28.0-alpha.2")).evidence == "read"
    # Such a tree is no neighbour with the rule either.
    assert cell("note_event", parse_release("1.28.0-beta.0")).evidence == "read"


def test_a_vendors_back_port_is_inferred() -> None:
    assert cell("list_nodes", parse_release("1.18.4")).evidence == "recorded"
    ported = cell("list_nodes", parse_release("v1.18.4-tke.5"))
    assert (ported.evidence, ported.where) == ("inferred", ())
    assert ported.row.rule is not cell("list_nodes", parse_release("1.18.4")).row.rule


@pytest.mark.parametrize(
    ("field", "release", "place"),
    [
        ("skip_pod_schedule", "1.23.17", "pkg/scheduler/scheduler.go skipPodSchedule"),
        ("skip_pod_schedule", "1.24.0", "pkg/scheduler/schedule_one.go skipPodSchedule"),
        ("error_func", "1.16.0", "pkg/scheduler/factory/factory.go MakeDefaultErrorFunc"),
        ("error_func", "1.17.0", "pkg/scheduler/factory.go MakeDefaultErrorFunc"),
        ("error_func", "1.24.0", "pkg/scheduler/scheduler.go MakeDefaultErrorFunc"),
        ("error_func", "1.25.0", "pkg/scheduler/schedule_one.go handleSchedulingFailure"),
        # Branches got another name in a patch; the next minor began with the old one.
        ("nominator_add", "1.24.12", "pkg/scheduler/internal/queue/scheduling_queue.go addNominatedPodUnlocked"),
        ("nominator_add", "1.25.0", "pkg/scheduler/internal/queue/scheduling_queue.go add"),
        ("parse_cpuset", "1.28.0", "vendor/k8s.io/utils/cpuset/cpuset.go Parse"),
        ("move_pods", "1.28.0",
         "pkg/scheduler/internal/queue/scheduling_queue.go movePodsToActiveOrBackoffQueue, isPodWorthRequeuing"),
    ],
)  # fmt: skip
def test_the_go_function_of_a_rule_is_that_of_the_release(field: str, release: str, place: str) -> None:
    assert cell(field, parse_release(release)).place == place


def test_a_source_is_a_file_and_its_functions() -> None:
    for row in ROWS:
        file, _, functions = row.source.partition(" ")
        assert file.endswith(".go"), row
        assert all(name.isidentifier() for name in functions.split(", ")), row


def test_a_range_has_its_ends_in_order() -> None:
    def backwards(seen: Seen) -> bool:
        return Version(seen.first) > Version(seen.last)

    assert [seen for seen in evidence.SEEN if backwards(seen)] == []


def test_a_field_of_later_releases_says_nothing_of_an_older_one() -> None:
    """What the scheduler adds to the events of plugins has rows from 1.28 on."""
    old = known_release("1.22.5")
    assert evidence_in(("fit_events", "events_added"), old) == evidence_in(("fit_events",), old) != "inferred"
    assert evidence_in(("fit_events", "events_added"), known_release("1.28.4")) != "recorded"
