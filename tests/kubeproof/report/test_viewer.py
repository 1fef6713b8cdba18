"""The viewer in a page from disk, as a browser shows it. What needs Chromium or Node is skipped where these are not."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubeproof.report import build
from kubeproof.report.tasks import Checked, CheckTask
from kubeproof.systems.registry import SYSTEMS
from tests.conftest import ROOT

WEB = ROOT / "kubeproof" / "report" / "web"
NODE, CHROMIUM = (shutil.which(name) for name in ("node", "chromium"))
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not on the PATH: no page is opened")

# What a reader does, and what the page then says: `at` asks for the shown step.
SCRIPT = """
const seen = [];
const shown = () => document.querySelector('.viewer:not([hidden])');
const press = (key) => shown().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const text = (root, selector) => root.querySelector(selector)?.textContent ?? '';
const views = () => document.querySelectorAll('.viewer:not([hidden])').length;
const at = () => ({ hash: location.hash, count: text(shown(), 'output'), said: text(shown(), '.said'),
  now: text(document, 'ol.trace li[aria-current]') });
const chips = (title) => [...shown().querySelectorAll('.picture section')]
  .filter((each) => text(each, 'h4') === title)
  .flatMap((each) => [...each.querySelectorAll('.chip, .slot, .cursor')].map((chip) => chip.textContent));
setTimeout(() => {
  try { %s } catch (error) { seen.push('failed: ' + error); }
  const told = document.createElement('pre');
  told.id = 'seen';
  told.textContent = JSON.stringify(seen);
  document.body.append(told);
}, 50);
"""


@pytest.mark.skipif(NODE is None, reason="Node is not on the PATH: the functions of the viewer are not tried")
def test_the_functions_of_the_viewer() -> None:
    done = subprocess.run(
        [str(NODE), "--test", str(Path(__file__).with_name("viewer.test.mjs"))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_viewer_is_small_and_loads_nothing() -> None:
    script, style = (WEB / "viewer.mjs").read_text("utf-8"), (WEB / "viewer.css").read_text("utf-8")
    assert len(script) + len(style) < 32_000
    assert "</script" not in script
    assert not re.search(r"\bimport\b.*from|fetch\(|url\(|@import", script + style)


def test_nothing_in_the_data_ends_the_script() -> None:
    data = {"a": "</script><b>", "é": "…"}
    text = build.in_script(data)
    assert "<" not in text
    assert json.loads(text) == data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of three systems, of which nothing is checked and no kept run is played in other releases."""

    def unchecked(asked: CheckTask, store: Any = None) -> Checked:
        return Checked(asked.system, asked.first, asked.last, asked.engine, (), {}, frozenset(), (), (), 0.0)

    folder = tmp_path_factory.mktemp("viewer")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "checked", unchecked)
        patch.setattr(build, "newest_questions", lambda *_: [])
        patch.setattr(build, "replayed", lambda bug: [])
        systems = [SYSTEMS[name] for name in ("node-listing", "scheduling", "cpu-manager")]
        build.write_report(lambda f, asked: map(f, asked), folder / "out", ("explicit",), (), systems)
    return (folder / "out" / "index.html").read_text(encoding="utf-8")


def seen(page: str, folder: Path, address: str, script: str, width: int = 1400, name: str = "index.html") -> list[Any]:
    """What `script` notes in the page at `address`. The page is written into the folder under `name`."""
    file = folder / name
    file.write_text(page.replace("</body>", f"<script>{SCRIPT % script}</script></body>"), encoding="utf-8")
    done = subprocess.run(
        [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
         f"--window-size={width},900", "--virtual-time-budget=5000", "--dump-dom", f"{file.as_uri()}{address}"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    noted: list[Any] = json.loads(html.unescape(found[1]))
    assert not any(str(each).startswith("failed") for each in noted), noted
    return noted


@pytest.mark.slow
@needs_chromium
def test_the_flagship_is_played_to_the_end_by_keyboard(page: str, tmp_path: Path) -> None:
    keys = "; ".join(["press('ArrowRight')"] * 5)
    script = (
        f"seen.push(at()); {keys}; seen.push(at(), chips('nodeTree: zones'), chips('snapshot'));"
        "press('Home'); press('End'); press('ArrowLeft'); seen.push(at());"
    )
    start, end, zones, snapshot, before = seen(page, tmp_path, "#NODETREE-CURSOR/0", script)
    assert start["count"] == "start, 5 actions"
    assert (end["hash"], end["count"]) == ("#NODETREE-CURSOR/5", "action 5 of 5")
    assert "n2 missing from the scheduler's node list" in end["said"]
    assert "lastIndex of z2 0 -> 1" in end["now"]
    assert zones == ["n1", "lastIndex 1", "n2", "n3", "lastIndex 1, behind the last", "zoneIndex 2, behind the last"]
    assert snapshot[:4] == ["n3 (new)", "n1", "n3 (new)", "n2 (gone)"]
    assert before["hash"] == "#NODETREE-CURSOR/4"


@pytest.mark.slow
@needs_chromium
def test_a_long_run_goes_to_where_it_breaks(page: str, tmp_path: Path) -> None:
    script = """
const buttons = [...shown().querySelectorAll('.bar button')];
seen.push(buttons.map((each) => each.getAttribute('aria-label')));
buttons[4].click(); seen.push(at());
seen.push(text(shown(), '.props li'), views());
const box = shown().querySelector('.lanes input');
const rows = () => shown().querySelectorAll('.seq line.line').length;
seen.push(rows()); box.click(); seen.push(rows());
"""
    labels, broken, property, open_views, lanes, fewer = seen(page, tmp_path, "#NOM-EXT-LEAK/3", script)
    assert labels == ["first state", "one action back", "one action on", "last state", "to where it breaks", None]
    assert broken["hash"].startswith("#NOM-EXT-LEAK/")
    assert property.startswith("✗ violated")
    assert open_views == 1, "only the run that is asked for is drawn"
    assert fewer == lanes - 1


@pytest.mark.slow
@needs_chromium
def test_cpus_are_a_grid_of_their_owners(page: str, tmp_path: Path) -> None:
    (cells,) = seen(page, tmp_path, "#CPU-INIT-OVERLAP/9", "seen.push(chips('CPUs by the state file'));")
    assert cells == ["CPU 0shared pool", "CPU 1p1/i0 and shared pool (changed)"]


@pytest.mark.slow
@needs_chromium
def test_a_run_plays_by_itself_to_its_end(page: str, tmp_path: Path) -> None:
    script = """
const play = shown().querySelectorAll('.bar button')[5];
play.click();
seen.push(play.textContent, at());
const note = () => { document.getElementById('seen').textContent = JSON.stringify([...seen, play.textContent, at()]); };
setTimeout(note, 4500);
"""
    paused, begin, ended, end = seen(page, tmp_path, "#CPU-INIT-OVERLAP/9", script)
    assert (paused, begin["count"]) == ("pause", "start, 2 actions")
    assert (ended, end["count"]) == ("play", "action 2 of 2")


@pytest.mark.slow
@needs_chromium
def test_without_a_bug_in_the_address_nothing_is_drawn(page: str, tmp_path: Path) -> None:
    script = """
seen.push(views(), document.querySelectorAll('button.copy').length > 100);
document.querySelector('details.bug').open = true;
setTimeout(() => { document.getElementById('seen').textContent = JSON.stringify([...seen, views()]); }, 200);
"""
    assert seen(page, tmp_path, '#X"]/1', script) == [0, True, 1]


@pytest.mark.slow
def test_without_script_the_list_says_it_all(page: str) -> None:
    without = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    bug = without.partition('<p id="nodetree-cursor">')[2].partition("</details>")[0]
    assert '<li id="NODETREE-CURSOR/5">A scheduling cycle begins' in bug
    assert '<div class="viewer" hidden' in bug
    link = "https://github.com/kubernetes/kubernetes/blob/v1.18.4/pkg/scheduler/internal/cache/node_tree.go"
    assert f'<a href="{link}">node_tree.go next</a>' in bug
    for command in ("reproduce NODETREE-CURSOR", "show NODETREE-CURSOR --itf", "show NODETREE-CURSOR --pytest"):
        assert f'<code class="command">kubeproof {command}</code>' in bug
    assert "<b>1.13.0 to 1.18.6; cured in 1.18.7; until then: Restart the scheduler." in bug
    assert '<a href="https://github.com/kubernetes/kubernetes/issues/91601">#91601</a>' in bug
    assert bug.index("<td>1.36.0") < bug.index("<td>1.13.0"), "the newest release comes first"


@pytest.mark.slow
def test_no_reason_hides_in_a_title(page: str) -> None:
    assert not re.findall(r'<(?!svg)\w+[^>]* title="', page.partition('<script type="module">')[0])
