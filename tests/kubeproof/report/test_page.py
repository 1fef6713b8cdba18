"""`kubeproof show`: the page of every bug, in a pipe, on a terminal and as JSON."""

import json
import re

import pytest
from rich.console import Console

from kubeproof.bugs.bug import UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS
from kubeproof.bugs.load import AnyBug
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from kubeproof.report.page import page_json, page_markdown, page_of, rendered
from tests.conftest import ROOT

WIDTH = 80


def shown(name: str) -> str:
    console = Console(width=WIDTH, force_terminal=True, no_color=True, color_system=None, legacy_windows=False)
    with console.capture() as found:
        console.print(rendered(page_markdown(page_of(name))), crop=False)
    return re.sub(r"\x1b\]8;[^\x1b]*\x1b\\", "", found.get())


@pytest.mark.parametrize("bug", [*EVERY_BUG, *UNSHOWN_BUGS], ids=lambda bug: bug.id)
def test_every_page_is_laid_out_at_80_columns_without_a_cut_word(bug: AnyBug) -> None:
    said = shown(bug.id)
    page = page_markdown(page_of(bug.id))
    words = set(re.findall(r"[A-Za-z]+", page))
    # A scope within a sentence may be wider than the terminal.
    wider = " ".join(word for word in page.split() if len(word) > WIDTH)
    assert {word for word in re.findall(r"[A-Za-z]+", said) if word not in words and word not in wider} == set()
    assert all(len(line) <= WIDTH or max(map(len, line.split())) > WIDTH // 2 for line in said.splitlines())
    assert bug.id in said
    for part in (bug.title, bug.mitigation):
        assert all(word in said for word in re.findall(r"\w+", part))


def test_the_text_for_upstream_follows_the_page() -> None:
    page = page_of("cpu-stale-last-update")
    assert page.upstream == (ROOT / "counterexamples/cpu-stale-last-update/upstream.md").read_text("utf-8")
    assert page_markdown(page) == f"{page.text}\n---\n\n{page.upstream}"
    assert "Text for an issue" in shown("CPU-STALE-LAST-UPDATE")
    assert page_json(page)["upstream"] == page.upstream
    assert page_json(page_of("NODETREE-CURSOR"))["upstream"] is None


def test_a_diagram_is_for_who_draws_it() -> None:
    assert "```mermaid\nsequenceDiagram\n" in page_markdown(page_of("NODETREE-CURSOR"))
    assert "sequenceDiagram" not in shown("NODETREE-CURSOR")
    assert "kubeproof reproduce NODETREE-CURSOR" in shown("NODETREE-CURSOR")


def test_the_lines_of_a_cell_stay_lines() -> None:
    assert re.search(r"^ *1 +Node n1 joins in zone z1\. +nodeTree: zones \+ z1 *$", shown("91601"), re.MULTILINE)


@pytest.mark.parametrize("bug", UNSHOWN_BUGS, ids=lambda bug: bug.id)
def test_a_bug_that_nothing_shows_has_a_page_with_the_reason(bug: UnshownBug) -> None:
    text = page_of(bug.id).text
    assert all(part in text for part in (bug.title, bug.consequence, bug.mechanism, bug.reason, bug.mitigation))
    assert all(address in text for address in (*bug.issues, *bug.fixes))


@pytest.mark.parametrize("name", ["NODETREE-CURSOR", UNSHOWN_BUGS[0].id, "CPU-HINTS"])
def test_json_is_one_document_with_the_page(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(lambda: app(["show", name, "--json"], prog_name="kubeproof", standalone_mode=False)) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["id"] == name
    assert document["page"].lstrip().startswith(f"# {name}: {document['title']}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("node-listing", "is a system: expected a bug; `kubeproof list node-listing`"),
        ("bound-once", "is a property of scheduling.*`kubeproof bugs --property bound-once`"),
        ("NODETREE-CURSER", "did you mean NODETREE-CURSOR"),
    ],
)
def test_what_is_no_bug_is_said_to_be_something_else(name: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        page_of(name)
