"""`kubeproof bugs`: which bugs fit a query, which a release has, and what is known of them."""

import json
import re

import pytest

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.facts import known_upstream
from kubeproof.bugs.kept import kept_releases
from kubeproof.cli import app, run
from kubeproof.report.bug_list import Listed, listed, listing_json, listing_text, query, release_note
from kubeproof.systems.registry import SYSTEMS
from model.releases import EVERY_MINOR, known_release, parse_release


def wrong_in(release: str) -> list[Listed]:
    return listed(query("", None, None, parse_release(release, EVERY_MINOR)))


def ids(release: str) -> set[str]:
    return {each.bug.id for each in wrong_in(release)}


def found(text: str, system: str | None = None, property: str | None = None) -> list[str]:
    return [each.bug.id for each in listed(query(text, system, property, None))]


def said(text: str = "", release: str | None = None) -> str:
    asked = query(text, None, None, None if release is None else parse_release(release, EVERY_MINOR))
    return listing_text(asked, listed(asked))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("nodetree-cursor", ["NODETREE-CURSOR"]),
        ("nodetree_cur", ["NODETREE-CURSOR"]),
        ("91601", ["NODETREE-CURSOR"]),
        ("#93387", ["NODETREE-CURSOR"]),
        ("https://github.com/kubernetes/kubernetes/pull/93387", ["NODETREE-CURSOR"]),
        ("DaemonSet Pending available", ["NODETREE-CURSOR"]),
        ('"0/N nodes are available", Ready and empty.', ["NODETREE-CURSOR"]),
        # Its property's sentence.
        ("after a snapshot each node of the tree stands exactly once", ["NODETREE-CURSOR"]),
        ("CACHE-NODE CRASH", ["CACHE-NODE-BEFORE-PODS-CRASH"]),
    ],
)
def test_a_bug_is_found_by_its_id_its_numbers_and_what_is_said_of_it(text: str, first: list[str]) -> None:
    assert found(text)[: len(first)] == first


def test_an_id_or_a_number_comes_before_words() -> None:
    bugs = found("preempt-twice")
    assert bugs[0] == "PREEMPT-TWICE"
    parts = found("permit")
    named = [name for name in parts if "PERMIT" in name]
    assert parts[: len(named)] == named
    assert len(parts) > len(named) > 1
    assert found("#110175") == found("110175")[:4]
    assert found("#9") == []


def test_all_words_have_to_occur() -> None:
    assert set(found("daemonset pending")) == set(found("daemonset")) & set(found("pending"))
    assert found("daemonset qqqq") == []
    assert said("daemonset qqqq") == "0 bugs for 'daemonset qqqq': no bug has 'qqqq': try the other words"
    assert "did you mean NODETREE-CURSOR" in said("NODETREE-CURSER")
    assert said("qqqq").count("\n") == 0


def test_an_error_text_with_names_of_a_cluster_finds_who_prints_it() -> None:
    bugs = found('running PreFilter: nodeinfo not found for node name "ip-10-0-0-7"')
    assert bugs == ["CYCLE-PREFILTER-NONEXISTENT-NODE", "CACHE-MISSED-NODE-DELETE"]


def test_a_system_and_a_property_narrow_the_list() -> None:
    assert set(found("", system="node-listing")) >= {"NODETREE-CURSOR", "NODETREE-UPDATE-UNKNOWN"}
    assert {bug.system for bug in EVERY_BUG if bug.id in found("", system="cpu-manager") and isinstance(bug, Bug)} == {
        "cpu-manager"
    }
    assert found("", property="listed-exactly-once") == ["NODETREE-CURSOR"]
    assert sorted(name for each in SYSTEMS for name in found("", system=each)) == sorted(found(""))


def test_the_newest_releases_come_first_and_what_nothing_shows_comes_last() -> None:
    bugs = listed(query("", None, None, None))
    assert [each.bug.id for each in bugs if isinstance(each.bug, UnshownBug)] == found("")[-len(UNSHOWN_BUGS) :]
    newest = [known_release(each.releases[-1][1]).version for each in bugs if each.releases]
    assert newest == sorted(newest, reverse=True)
    for each in bugs:
        if not isinstance(each.bug, UnshownBug):
            ends = [(row.first, row.last) for row in kept_releases(each.bug) if row.shown]
            first, last = ends[:1] or [(each.bug.release, "")], ends[-1:] or [("", each.bug.release)]
            assert (each.releases[0][0], each.releases[-1][1]) == (first[0][0], last[0][1])


def test_rows_without_a_release_between_them_are_one_range() -> None:
    bug, *_ = listed(query("NODETREE-CURSOR", None, None, None))
    assert bug.releases == (("1.13.0", "1.18.6"),)
    # A patch release between two ranges does not have this bug.
    assert "1.24.0 to 1.27.13, 1.28.0 to 1.28.9, 1.29.0 to 1.29.4" in said("CYCLE-PREFILTER-NONEXISTENT-NODE")


@pytest.mark.parametrize("release", [None, "1.36.3"])
def test_the_first_line_counts_what_the_list_has(release: str | None) -> None:
    text = said(release=release)
    first = re.match(r"(\d+) bugs( in 1\.36\.3)?, of (\d+) nothing is known upstream\n", text)
    assert first is not None
    entries = [line.split()[0] for line in text.splitlines()[2:-2] if not line.startswith(" ")]
    assert int(first[1]) == len(entries) > 50
    assert int(first[3]) == text.count("; nothing is known upstream; ") > 10
    by_id = {bug.id: bug for bug in (*EVERY_BUG, *UNSHOWN_BUGS)}
    assert int(first[3]) == sum(not known_upstream(by_id[name]) for name in entries)


def test_one_bug_is_counted_in_the_singular() -> None:
    assert said("#91601").startswith("1 bug for '#91601', which is known upstream\n")
    assert said("permit-deleted-early").startswith("1 bug for 'permit-deleted-early', nothing is known upstream\n")


def test_a_change_without_a_report_is_known_upstream() -> None:
    (bug,) = (bug for bug in EVERY_BUG if bug.id == "CACHE-RECREATE-LEAK")
    assert bug.fixes
    assert known_upstream(bug)
    (bug,) = (bug for bug in EVERY_BUG if bug.id == "CPU-STALE-LAST-UPDATE")
    assert not known_upstream(bug)


def test_a_minor_is_told_apart_from_its_patch_releases_that_have_other_bugs() -> None:
    def noted(release: str, system: str) -> tuple[str, ...]:
        return release_note(query("", system, None, parse_release(release, EVERY_MINOR)))

    (line,) = noted("1.18", "node-listing")
    assert line.startswith("1.18 is taken as 1.18.20, ")
    assert line.endswith("; of these bugs 1.18.0 to 1.18.6 have others")
    (line,) = noted("1.19", "node-listing")
    assert line.endswith("that is modelled")
    assert noted("1.18.4", "node-listing") == ()


@pytest.mark.parametrize("release", sorted({bug.release for bug in EVERY_BUG if "-" not in bug.release}))
def test_a_release_has_the_bugs_that_are_reported_of_the_release(release: str) -> None:
    assert {bug.id for bug in EVERY_BUG if bug.release == release} <= ids(release)


def test_a_bug_is_left_out_where_its_page_says_that_it_is_gone() -> None:
    assert "NODETREE-CURSOR" in ids("1.18.4") == ids("v1.18.4-tke.4")
    assert "NODETREE-CURSOR" not in ids("1.36.3")
    assert "ASYNC-PREEMPT-REPEAT" in ids("1.34.1") - ids("1.35.0")
    assert "ASYNC-PREEMPT-REPEAT-LATE" in ids("1.35.0") - ids("1.34.1")


def test_the_text_tells_apart_what_is_known_upstream() -> None:
    entries = dict(re.findall(r"^(\S+)  .*\n    (.*)$", said(release="1.36.3"), re.MULTILINE))
    assert "; nothing is known upstream; seen on the real Go code of 1.36.2" in entries["PERMIT-DELETED-EARLY"]
    stuck = entries["ASYNC-PREEMPT-STUCK"]
    assert stuck.endswith("; issues #141694; changes #142294; seen on the real Go code of 1.36.2")
    assert "; seen in the model alone, whose rules are read" in entries["QH-UPDATE-POP-RACE"]
    # A change that nobody reported before is known too.
    assert "nothing is known upstream" not in entries["CPU-DISTRIBUTE-HANG"]


def test_a_gate_that_may_be_off_is_named() -> None:
    def gates(release: str, bug: str) -> tuple[str, ...]:
        return next(each.gates for each in wrong_in(release) if each.bug.id == bug)

    assert gates("1.36.3", "API-LATE-PATCH") == ("SchedulerAsyncAPICalls",)
    assert gates("1.31.13", "QH-UPDATE-POP-RACE") == ("SchedulerQueueingHints",)
    assert gates("1.36.3", "QH-UPDATE-POP-RACE") == ()
    assert "; needs the gate SchedulerAsyncAPICalls; " in said(release="1.36.3")


def test_what_was_seen_was_seen_in_a_release_of_the_minor() -> None:
    for each in wrong_in("1.34.9"):
        assert all(release.startswith("1.34.") for release in each.seen_on)


def test_json_has_the_same_bugs() -> None:
    asked = query("", None, None, parse_release("1.36.3", EVERY_MINOR))
    document = json.loads(json.dumps(listing_json(asked, listed(asked))))
    # In the order of the pages.
    assert [each["id"] for each in document["bugs"]] == [bug.id for bug in EVERY_BUG if bug.id in ids("1.36.3")]
    systems = {each["id"]: each["system"] for each in document["bugs"]}
    for each in wrong_in("1.36.3"):
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


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("--property", "listed-exactly-onc"), 2, "--property: 'listed-exactly-onc' is not a property: did you mean "),
        (("--system", "nodes"), 2, "'nodes' is not a system"),
        (("qqqq",), 0, ""),
    ],
)
def test_a_name_that_is_not_there_is_refused_and_an_empty_list_is_an_answer(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], status: int, said: str
) -> None:
    assert run(lambda: app(["bugs", *args], prog_name="kubeproof", standalone_mode=False)) == status
    assert said in capsys.readouterr().err
