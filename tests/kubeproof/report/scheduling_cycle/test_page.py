"""docs/scheduling-cycle.md: the page is what the models compute, and its sentences follow from the tables."""

import pytest

from kubeproof.report.scheduling_cycle.extenders import ALL
from kubeproof.report.scheduling_cycle.page import FILE, SECTIONS, page
from kubeproof.report.scheduling_cycle.section import by_release, cell, patches, table
from model.releases import parse_release
from tests.conftest import ROOT


@pytest.mark.slow
def test_the_page_is_what_the_models_compute() -> None:
    assert FILE.read_text("utf-8") == page(), "make docs"
    assert len({section.title for section in SECTIONS}) == len(SECTIONS)


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/scheduling-cycle.md)" in (ROOT / "README.md").read_text("utf-8")


def test_releases_in_a_row_that_answer_alike_are_one() -> None:
    among = [parse_release(text) for text in ("1.29.0", "1.29.1", "1.30.0", "1.30.1")]
    found = by_release(lambda release: "old" if release.minor < 30 else "new", among)
    assert found == [("to 1.29.1", "old"), ("1.30.0 on", "new")]
    assert cell(found) == "to 1.29.1: old; 1.30.0 on: new"
    assert cell(by_release(lambda release: "all", among)) == "all"
    only = by_release(lambda release: "x" if str(release) == "1.29.1" else "y", among)
    assert only == [("to 1.29.0", "y"), ("1.29.1", "x"), ("1.30.0 on", "y")]
    assert len(patches((13,))) == 13
    assert table(("a", "b"), [("1", "2")]) == "| a | b |\n|---|---|\n| 1 | 2 |"


def outcomes(verb: str, reply: str, *releases: str, ignorable: bool = False) -> list[str]:
    (asked,) = (each for each in ALL if each.verb == verb and each.reply.startswith(reply))
    return [asked.outcome(parse_release(release), ignorable) for release in releases]


def test_ignorable_speaks_of_errors_and_an_empty_answer_is_none() -> None:
    for verb in ("Filter", "Bind", "Preempt"):
        (plain,), (ignored,) = (outcomes(verb, "empty", "1.31.13", ignorable=each) for each in (False, True))
        assert plain == ignored
        (plain,), (ignored,) = (outcomes(verb, "no answer", "1.31.13", ignorable=each) for each in (False, True))
        assert plain != ignored
    assert outcomes("Filter", "empty", "1.31.13") == ["the pod does not fit; preemption is tried"]
    assert outcomes("Bind", "empty", "1.31.13") == ["counts as bound"]


def test_filter_widens_up_to_1_17_and_with_whole_nodes_always() -> None:
    by_name = outcomes("Filter", "the name of a node that a plugin refused", "1.17.17", "1.18.0")
    assert ["**" in each for each in by_name] == [True, False]
    assert "**" in outcomes("Filter", "the whole Node object of a node that is gone", "1.31.13")[0]
