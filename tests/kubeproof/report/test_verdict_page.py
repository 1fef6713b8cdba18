"""The verdict on a fix as a page, in Markdown and HTML: what the text says, with the whole run."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kubeproof.report.mermaid import sequence_diagram
from kubeproof.report.told import told_run
from kubeproof.report.validation import validation_text
from kubeproof.report.verdict_lines import Asked, first_lines
from kubeproof.report.verdict_page import verdict_html, verdict_markdown
from kubeproof.report.verdict_runs import told_runs
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from tests.kubeproof.report.test_verdict_lines import RESUMING, SMALL, judged
from tests.kubeproof.test_cli import Captured, document, kubeproof

ASKED = Asked(["node-listing"], SMALL, None, ["explicit"])
WORDS = ("--release", "1.18.8", "--system", "node-listing", "--scope", SMALL, "--engine", "explicit")


def of_file(folder: Path, text: str, name: str = "my_fix.py") -> Validation:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return validate(path, "1.18.8", systems=["node-listing"], scope=SMALL, engines=["explicit"])


def plain(markdown: str) -> str:
    """What a reader sees of a line."""
    return re.sub(r"\\(.)", r"\1", markdown.replace("**", ""))


@pytest.fixture(scope="module")
def verdict() -> Validation:
    """A fix that is refused."""
    return judged(RESUMING, "1.18.8")


def test_the_page_says_what_the_text_says(verdict: Validation) -> None:
    page = plain(verdict_markdown(verdict, ASKED))
    for line in first_lines(verdict, ASKED):
        # The last actions are rows of the table of all actions.
        said = re.sub(r"^ *\d+  ", "", line).strip()
        said = said.removeprefix("list_nodes=list_from_resuming_cursors on node-listing 1.18.8: ")
        assert said in page, line


def test_the_whole_run_is_drawn(verdict: Validation) -> None:
    (part,) = verdict.parts
    run = told_runs(part)[0]
    property = NODE_LISTING.property_named(run.result.property)
    told = told_run(NODE_LISTING, verdict.release, property, run.trace, run.result.explanation or "", "", "")
    page = verdict_markdown(verdict, ASKED)
    assert f"```mermaid\n{sequence_diagram(told)}```\n" in page
    assert page.count("```mermaid") == 1
    assert "| 5 | A scheduling cycle begins: its node list has 3 entries, none of them n2.<br>" in page


def test_full_folds_all_that_was_established(verdict: Validation) -> None:
    rest = validation_text(verdict, ASKED, full=True)
    page = verdict_markdown(verdict, ASKED, rest, full=True)
    assert f"<details><summary>The rest</summary>\n\n```\n{rest}\n```\n\n</details>\n" in page
    assert "--full" not in page


@pytest.mark.slow
def test_a_fix_that_fails_is_drawn_until_there(tmp_path: Path) -> None:
    verdict = of_file(tmp_path, "def list_nodes(tree):\n    return tree.names()[9], tree\n")
    page = verdict_markdown(verdict, ASKED)
    raised = "list_nodes raised IndexError: tuple index out of range (my_fix.py, line 2: return tree.names()[9], tree)"
    assert raised in plain(page)
    diagram = page.partition("```mermaid\n")[2].partition("```")[0]
    assert "A scheduling cycle begins" in diagram or "Note over" in diagram
    assert "listed-exactly-once" not in diagram


WILD = "</pre><script>alert(1)</script> ``` ![x](y) | *b* `c` #1 \\n::error::no"


@pytest.mark.slow
def test_what_a_fix_says_is_no_markup(tmp_path: Path) -> None:
    """A fix may name an error as it likes; no page and no runner takes the text for more than a text."""
    verdict = of_file(tmp_path, f"def list_nodes(tree):\n    raise ValueError({WILD!r})\n")
    rest = validation_text(verdict, ASKED, full=True)
    html = verdict_html(verdict, ASKED, rest)
    assert "<script" not in html
    assert "<img" not in html
    assert "alert(1)" in html
    markdown = verdict_markdown(verdict, ASKED, rest)
    outside = re.sub(r"^(`{3,}).*?^\1$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    assert "alert(1)" in outside
    assert not re.search(r"(?<!\\)<script|(?<!\\)!?\[x(?<!\\)\]\(|^::", outside, re.MULTILINE)


class Tags(HTMLParser):
    """Whether each tag that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_one_file_without_a_script(verdict: Validation) -> None:
    html = verdict_html(verdict, ASKED, validation_text(verdict, ASKED, full=True))
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert {"style", "table", "details", "h2"} <= tags.seen
    assert not {"script", "link", "img"} & tags.seen
    assert "none of them n2.<br>cache.go " in html
    assert "mermaid" not in html


@pytest.mark.slow
def test_several_systems_have_a_heading_each_and_quiet_ones_a_line() -> None:
    verdict = validate(
        None, "1.18.8", rules=[RESUMING], systems=["node-listing", "scheduling"], engines=["explicit"], further=None,
        scope="nodes=2",
    )  # fmt: skip
    page = plain(verdict_markdown(verdict, Asked(scope="nodes=2", engines=["explicit"])))
    for part in verdict.parts:
        loud = f"\n### {part.system.name}\n" in page
        assert loud is bool(part.reasons or part.open)
        assert loud or f"- {part.system.name}: " in page


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "markdown", "html", "github", "json"])
def test_every_format_has_the_status_and_the_verdict(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    status, out, _ = kubeproof(capsys, "validate", "--rule", RESUMING, *WORDS, "--format", form)
    assert status == 1
    assert ("REFUSED" in out) is (form != "json")
    if form == "json":
        same, plain_json = document(capsys, "validate", "--rule", RESUMING, *WORDS)
        assert (same, plain_json["verdict"]) == (1, json.loads(out)["verdict"])


def test_two_formats_are_refused(capsys: Captured) -> None:
    status, out, err = kubeproof(capsys, "validate", "--rule", RESUMING, "--json", "--format", "html")
    assert (status, out) == (2, "")
    assert err == "kubeproof: --json: --format html is there too: expected one of the two\n"
    status, _, err = kubeproof(capsys, "validate", "--rule", RESUMING, "--format", "pdf")
    assert status == 2
    assert len(err.splitlines()) == 1
