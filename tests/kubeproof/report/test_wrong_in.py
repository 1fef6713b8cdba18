"""`kubeproof bugs --release R`: which bugs a release has, and what is known of them."""

import json

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.component import ComponentBug
from kubeproof.cli import app, run
from kubeproof.report.wrong_in import wrong_in, wrong_in_json, wrong_in_text
from model.releases import EVERY_MINOR, parse_release


def ids(release: str) -> set[str]:
    return {each.bug.id for each in wrong_in(parse_release(release, EVERY_MINOR))}


@pytest.mark.parametrize("release", sorted({bug.release for bug in EVERY_BUG if "-" not in bug.release}))
def test_a_release_has_the_bugs_that_are_reported_of_the_release(release: str) -> None:
    assert {bug.id for bug in EVERY_BUG if bug.release == release} <= ids(release)


def test_a_bug_is_left_out_where_its_page_says_that_it_is_gone() -> None:
    assert "NODETREE-CURSOR" in ids("1.18.4") == ids("v1.18.4-tke.4")
    assert "NODETREE-CURSOR" not in ids("1.36.3")
    assert "ASYNC-PREEMPT-REPEAT" in ids("1.34.1") - ids("1.35.0")
    assert "ASYNC-PREEMPT-REPEAT-LATE" in ids("1.35.0") - ids("1.34.1")


def test_the_text_tells_apart_what_is_known_upstream() -> None:
    unknown, known = wrong_in_text(parse_release("1.36.3", EVERY_MINOR)).split("\nknown upstream:\n")
    assert "  PERMIT-DELETED-EARLY  " in unknown
    assert "; seen on the real Go code of 1.36.2" in unknown
    assert "  ASYNC-PREEMPT-STUCK  " in known
    assert "issues #141694; changes #142294; seen on the real Go code of 1.36.2" in known
    assert "; seen in the model alone, whose rules are read" in known
    # A change that nobody reported before is known too.
    assert "  CPU-DISTRIBUTE-HANG  " in known


def test_a_gate_that_may_be_off_is_named() -> None:
    def gates(release: str, bug: str) -> tuple[str, ...]:
        return next(each.gates for each in wrong_in(parse_release(release, EVERY_MINOR)) if each.bug.id == bug)

    assert gates("1.36.3", "API-LATE-PATCH") == ("SchedulerAsyncAPICalls",)
    assert gates("1.31.13", "QH-UPDATE-POP-RACE") == ("SchedulerQueueingHints",)
    assert gates("1.36.3", "QH-UPDATE-POP-RACE") == ()
    assert "; needs the gate SchedulerAsyncAPICalls; " in wrong_in_text(parse_release("1.36.3", EVERY_MINOR))


def test_what_was_seen_was_seen_in_a_release_of_the_minor() -> None:
    for each in wrong_in(parse_release("1.34.9", EVERY_MINOR)):
        assert all(release.startswith("1.34.") for release in each.seen_on)


def test_json_has_the_same_bugs() -> None:
    release = parse_release("1.36.3", EVERY_MINOR)
    document = json.loads(json.dumps(wrong_in_json(release)))
    assert [each["id"] for each in document["bugs"]] == [each.bug.id for each in wrong_in(release)]
    systems = {each["id"]: each["system"] for each in document["bugs"]}
    for each in wrong_in(release):
        assert (systems[each.bug.id] is None) == isinstance(each.bug, ComponentBug)


@pytest.mark.parametrize(
    ("release", "status", "said"),
    [
        ("1.37.2", 0, "1.37.2 is newer than every model: judged as 1.36.3"),
        ("1.19.0-rc.4", 2, "--release: 1.19.0-rc.4 is a pre-release, and the pages have none"),
        ("1.12.0", 2, "--release: release '1.12.0' is outside the modelled range 1.13 to 1.36"),
    ],
)
def test_a_release_without_a_model(capsys: pytest.CaptureFixture[str], release: str, status: int, said: str) -> None:
    args = ["bugs", "--release", release]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == status
    assert said in capsys.readouterr().err
