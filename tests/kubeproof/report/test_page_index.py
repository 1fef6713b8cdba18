"""counterexamples/README.md: the pages of all bugs, the newest first."""

import re
from collections import Counter
from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG, any_bug_named
from kubeproof.errors import InputError
from kubeproof.report.bug_list import listed, query
from kubeproof.report.page_index import INDEX, index_text
from tests.conftest import ROOT

PAGES = ROOT / "counterexamples"


def linked(text: str) -> list[tuple[str, str]]:
    """The bugs of the tables: the id and the file of each."""
    return re.findall(r"^\| \[([A-Z0-9-]+)\]\((\S+)\) \|", text, re.MULTILINE)


def test_the_index_is_up_to_date() -> None:
    assert (PAGES / INDEX).read_text() == index_text(PAGES), "out of date: run `make counterexamples`"


def test_each_bug_with_a_page_is_there_once_as_the_list_has_it() -> None:
    bugs = linked(index_text(PAGES))
    shown = [each for each in listed(query("", None, None, None)) if each.releases]
    assert [name for name, _ in bugs] == [each.bug.id for each in shown]
    assert {name for name, _ in bugs} == {bug.id for bug in EVERY_BUG}
    assert all((PAGES / file).is_file() for _, file in bugs)


def test_a_row_says_what_a_user_sees_the_releases_and_where_it_is_reported() -> None:
    text = index_text(PAGES)
    bug = any_bug_named("NODETREE-CURSOR")
    address = bug.issues[0]
    row = (
        f"| [NODETREE-CURSOR](nodetree-cursor/README.md) | {bug.title} | 1.13.0 to 1.18.6 | node-listing | "
        f"[#91601]({address}) |"
    )
    under = text.partition(row)[0].rpartition("\n## ")[2]
    assert under.startswith("1.18\n")
    component = next(line for line in text.splitlines() if line.startswith("| [CPU-HINTS]"))
    assert "| cpu-manager |" in component


def test_the_first_table_counts_the_others() -> None:
    text = index_text(PAGES)
    parts = re.split(r"^## (1\.\d+)$", text, flags=re.MULTILINE)
    counted = {minor: len(linked(part)) for minor, part in zip(parts[1::2], parts[2::2], strict=True)}
    first = dict(re.findall(r"^\| \[(1\.\d+)\]\(#1\d+\) \| (\d+) \|$", parts[0], re.MULTILINE))
    assert first == {minor: str(count) for minor, count in counted.items()}
    assert max(Counter(name for name, _ in linked(text)).values()) == 1


def test_a_page_without_its_releases_is_named(tmp_path: Path) -> None:
    assert linked(index_text(tmp_path)) == []
    (tmp_path / "nodetree-cursor").mkdir()
    with pytest.raises(InputError, match=r"nodetree-cursor/releases.json: missing or damaged"):
        index_text(tmp_path)
