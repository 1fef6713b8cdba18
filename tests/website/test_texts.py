"""What the pages of the site are made of, without building it."""

import re

import pytest
from jsonschema import ValidationError, validate

from kubeproof.bugs.catalogue import documented_bug
from model.releases import known_release
from tests.conftest import ROOT
from website.__main__ import main
from website.bug_page import bug_page, templates
from website.catalogue import CONSEQUENCES, OTHER, TODAY, entries, filters
from website.commands import commands_page
from website.documents import ASKED, answer, schema_of
from website.fixes import all_judged, judged
from website.layers import layers_picture
from website.links import page_of_text

BESIDES = ("NODETREE-CURSOR", "FILTER-START-RESET", "NOM-EXT-LEAK", "PERMIT-DELETED-EARLY")
PAGES = {"README.md": "index.md", "docs/a.md": "docs/a.md", "counterexamples/b/README.md": "bugs/b.md"}


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        ("docs/a.md", "[b](../counterexamples/b/README.md#why)", "[b](../bugs/b.md#why)"),
        ("README.md", "[the\npage](docs/a.md)", "[the\npage](docs/a.md)"),
        ("README.md", "[a module](model/machine.py)", "a module"),
        ("README.md", "![picture](docs/a.svg)", "![picture](docs/a.svg)"),
        ("README.md", "[out](https://example.org/x.md)", "[out](https://example.org/x.md)"),
        ("README.md", "```\n[b](model/x.py)\n- a\n```\n[b](model/x.py)", "```\n[b](model/x.py)\n- a\n```\nb"),
        ("README.md", "three:\n- a\n- b", "three:\n\n- a\n- b"),
        ("README.md", "- a\n  more\n- b", "- a\n  more\n- b"),
    ],
)
def test_a_text_as_a_page(place: str, text: str, expected: str) -> None:
    assert page_of_text(text, place, PAGES, ("docs/a.svg",)) == expected


def test_the_newest_bugs_come_first_and_all_are_there() -> None:
    bugs = entries()
    last = [known_release(each.spans[-1][1]).version for each in bugs if each.spans]
    assert last == sorted(last, reverse=True)
    assert all(not each.spans for each in bugs[len(last) :])
    assert {each.today for each in bugs if each.spans and each.spans[-1][1] in TODAY} == {True}
    assert len({each.bug.id for each in bugs}) == len(bugs)


def test_few_consequences_are_of_no_kind() -> None:
    bugs = entries()
    other = [each.bug.id for each in bugs if each.consequences == (OTHER,)]
    assert len(other) < len(bugs) / 10, other
    numbers = {name: number for of in filters(bugs) for name, _, number in of["choices"]}
    assert all(numbers[name] for name in CONSEQUENCES)


def test_each_fix_of_the_folder_that_cures_a_bug_stands_on_its_page() -> None:
    rows = all_judged(ROOT)
    files = {path.name for path in (ROOT / "examples" / "fixes").glob("*.py")}
    told = {name for row in rows for name in re.findall(r"`(\w+\.py)`", row.fix)}
    assert told <= files
    assert all(row.release.startswith("1.") for row in rows)
    assert {row.verdict.partition(":")[0] for row in rows} == {"accepted", "refused"}
    assert len(judged(ROOT, documented_bug("QH-DONE-SKIP"))) >= 2
    assert any("86230" in row.fix for row in judged(ROOT, documented_bug("NOM-EXT-LEAK")))


def test_the_page_of_a_bug() -> None:
    (entry,) = (each for each in entries() if each.bug.id == "PERMIT-DELETED-EARLY")
    text = bug_page(templates(), ROOT, entry)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [each.partition(" {")[0] for each in headings if "Notes" not in each][:7] == [
        "What happens", "Why", "Which releases", "Fixes", "What it leaves to be read", "Again",
        "Text for an issue upstream",
    ]  # fmt: skip
    assert "<b>accepted</b>" in text
    assert '<a href="permit-delete-missed.html">PERMIT-DELETE-MISSED</a>' in text


def test_the_page_has_the_builds_of_vendors_and_what_components_show_besides() -> None:
    pages = {each.bug.id: bug_page(templates(), ROOT, each) for each in entries() if each.bug.id in BESIDES}
    for bug in BESIDES:
        kept = (ROOT / "counterexamples" / bug.lower() / "README.md").read_text(encoding="utf-8")
        assert ("builds of" in pages[bug]) == ("Vendors: " in kept)
        assert ("## What components show besides" in pages[bug]) == ("## What components show besides" in kept)


def test_the_reference_has_each_command() -> None:
    text = commands_page()
    for command in ("kubeproof check", "kubeproof go test", "kubeproof fix new", "kubeproof cpu-state"):
        assert f"## `{command}`" in text


def test_a_schema_has_what_all_values_have() -> None:
    values = [{"a": 1, "of": [{"x": "1"}, {}]}, {"a": None, "of": [], "map": {"n-1": 2, "n-2": 3}}]
    schema = schema_of(values)
    assert schema["required"] == ["a", "of"]
    assert schema["properties"]["a"]["type"] == ["integer", "null"]
    assert schema["properties"]["of"]["items"]["required"] == []
    assert schema["properties"]["map"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert schema_of([{"limit": None}])["properties"] == {"limit": {}}
    for value in values:
        validate(value, schema)
    with pytest.raises(ValidationError):
        validate({"a": "1", "of": []}, schema)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("bugs", "bugs --release 1.28.3"),
        ("reproduce", "reproduce QH-DONE-SKIP"),
        ("hunt", "hunt node-listing --release 1.17.4 --time 1m --scope nodes=3,zones=2"),
    ],
)
def test_another_answer_fits_the_schema(name: str, asked: str) -> None:
    validate(answer(ROOT, asked), schema_of([answer(ROOT, each) for each in ASKED[name]]))


def test_the_picture_of_the_layers() -> None:
    picture = layers_picture(ROOT)
    assert picture.index(">cli<") < picture.index(">engines<") < picture.index(">model<")


def test_without_zensical_the_program_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("website.__main__.NEEDED", ("no_such_package",))
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("no_such_package is not installed: expected the extra `site`")
