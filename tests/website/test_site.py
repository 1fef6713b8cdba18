"""The site as `make site` builds it, and as Chromium shows it from disk. Skipped without the extra `site`."""

import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS
from tests.conftest import ROOT
from tests.kubeproof.report.test_viewer import needs_chromium, seen
from website import build
from website.__main__ import NEEDED
from website.catalogue import entries

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED),
    reason="Zensical is not installed: pip install -e .[site] for the tests of the site",
)
MOST_BYTES = 8_000_000
FRAME = ("bugs/nodetree-cursor.html", "index.html", "docs/fixes.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, in a folder of its own."""
    out = tmp_path_factory.mktemp("site") / "out"
    build.build_site(ROOT, out)
    return out


class _Page(HTMLParser):
    """What a page has and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.ids |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag in ("script", "img", "iframe") and "src" in has:
            self.loaded.append(has["src"])
        if tag == "link" and "href" in has:
            self.loaded.append(has["href"])


@pytest.mark.slow
def test_all_links_lead_somewhere_and_nothing_is_loaded_from_the_network(site: Path) -> None:
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 200
    wrong = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            address, anchor = urldefrag(link)
            if re.match(r"\w+:", address):
                if link in page.loaded:
                    wrong.append(f"{path.relative_to(site)} loads {link}")
                continue
            to = (path.parent / unquote(address)).resolve() if address else path
            if not to.is_file() or (anchor and to in pages and anchor not in pages[to].ids):
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert wrong == []


@pytest.mark.slow
def test_the_site_is_light_and_has_each_bug(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) <= MOST_BYTES
    for bug in (*EVERY_BUG, *UNSHOWN_BUGS):
        text = (site / "bugs" / f"{bug.id.lower()}.html").read_text(encoding="utf-8")
        assert f"{bug.id}: " in text
    flagship = (site / "bugs" / "nodetree-cursor.html").read_text(encoding="utf-8")
    assert "1.13.0 to 1.18.6; cured in 1.18.7; until then: Restart the scheduler." in flagship
    assert '<li id="NODETREE-CURSOR/5">A scheduling cycle begins' in flagship, "without script the list says it all"


@pytest.mark.slow
def test_each_page_of_the_frame_is_whole(site: Path) -> None:
    for name in FRAME:
        text = (site / name).read_text(encoding="utf-8")
        assert text.count("<article") == text.count("</article>") == 1
        assert text.rstrip().endswith("</html>")
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "--checkout-results" in commands
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert "The arguments with their names, in the order of declaration." in python, "the comment above a field"
    assert not (site.parent / "out-source").exists()


@pytest.mark.slow
@needs_chromium
def test_the_filters_of_the_catalogue(site: Path) -> None:
    script = """
const form = document.getElementById('filters');
const shown = '#catalogue > li:not([hidden]) a > b';
const left = () => [...document.querySelectorAll(shown)].map((each) => each.textContent);
const after = (change) => {
  form.reset(); change(form.elements); form.dispatchEvent(new Event('input'));
  return left();
};
const choose = (name, value) => after((elements) => { elements[name].value = value; });
const tick = (name) => after((elements) => { elements[name].checked = true; });
seen.push(left(), form.hidden, location.hash);
for (const [name, value] of [['release', '1.18.4'], ['release', '1.18'], ['system', 'cpu-manager'],
  ['upstream', 'nothing'], ['symptoms', 'panic'], ['words', 'daemonset pending'], ['words', '#91601']]) {
  seen.push(choose(name, value));
}
seen.push(tick('seen'), tick('today'));
seen.push(choose('release', 'x').length, form.querySelector('output').textContent, location.hash);
"""
    page = (site / "bugs" / "index.html").read_text(encoding="utf-8")
    at_first, is_hidden, asked, *found = seen(
        page, site / "bugs", "#release=1.36.3&today=on", script, name="tried.html"
    )
    bugs = {each.bug.id: each for each in entries()}
    patch, minor, system, unknown, panic, words, number, on_real_code, today, all_bugs, said, address = found
    assert not is_hidden
    assert asked == "#release=1.36.3&today=on"
    assert set(at_first) == {name for name, each in bugs.items() if each.spans and each.spans[-1][1] == "1.36.3"}
    assert "NODETREE-CURSOR" in patch
    assert set(patch) < set(minor), "a minor stands for all its patch releases"
    assert set(system) == {name for name, each in bugs.items() if each.system == "cpu-manager"}
    assert set(unknown) == {name for name, each in bugs.items() if not (each.bug.issues or each.bug.fixes)}
    assert set(panic) == {name for name, each in bugs.items() if "panic" in each.symptoms}
    assert "NODETREE-CURSOR" in words
    assert "NODETREE-CURSOR" in number
    assert len(number) < 4
    assert set(on_real_code) == {name for name, each in bugs.items() if each.seen}
    assert set(today) == {name for name, each in bugs.items() if each.today}
    assert all_bugs == len(bugs)
    assert "'x' is not a release" in said
    assert address == "#release=x"


@pytest.mark.slow
@needs_chromium
def test_a_run_is_played_on_the_page_of_its_bug(site: Path) -> None:
    script = "seen.push(at()); press('End'); seen.push(at(), chips('snapshot'));"
    page = (site / "bugs" / "nodetree-cursor.html").read_text(encoding="utf-8")
    start, end, snapshot = seen(page, site / "bugs", "", script, name="tried.html")
    assert start["count"] == "start, 5 actions"
    assert end["hash"] == "#NODETREE-CURSOR/5"
    assert "n2 missing from the scheduler's node list" in end["said"]
    assert snapshot[:4] == ["n3 (new)", "n1", "n3 (new)", "n2 (gone)"]


@pytest.mark.slow
@needs_chromium
def test_the_search_finds_a_bug_from_disk(site: Path) -> None:
    script = """
const roots = () => [document, ...[...document.querySelectorAll('*')].flatMap((each) => each.shadowRoot ?? [])];
const field = () => roots().flatMap((each) => [...each.querySelectorAll('input[placeholder=Search]')])[0];
const type = (text) => { field().value = text; field().dispatchEvent(new Event('input', { bubbles: true })); };
const note = (...what) => { seen.push(...what); document.getElementById('seen').textContent = JSON.stringify(seen); };
document.querySelector('.md-search__button').click();
setTimeout(() => type('d'), 1500);
setTimeout(() => { note(field().value); type('daemonset'); }, 2500);
setTimeout(() => note(field().value, roots().flatMap((each) => [...each.querySelectorAll('a[href]')])
  .map((each) => each.getAttribute('href')).filter((each) => each.includes('nodetree-cursor.html'))), 4000);
"""
    page = (site / "bugs" / "index.html").read_text(encoding="utf-8")
    first, whole, links = seen(page, site / "bugs", "", script, name="tried.html")
    assert (first, whole) == ("d", "daemonset"), "what is typed stays"
    assert any(link.endswith("nodetree-cursor.html?h=daemonset") for link in links)
