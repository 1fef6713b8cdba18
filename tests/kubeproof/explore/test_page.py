"""The page of the explorer, as a reader uses it in a browser. Skipped where Chromium or Playwright is not there."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.explore.link import fragment, run_of_link
from kubeproof.explore.page import page_files
from kubeproof.explore.site import write_site
from tests.conftest import ROOT
from tests.kubeproof.explore.test_explorer import of

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: no page is played")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not on the PATH: no page is played"),
]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page of the command, without a run. At the end the command ends at once."""
    command = [sys.executable, "-m", "kubeproof", "explore", "node-listing", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        yield process.stdout.readline().partition("#")[0]
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)
        assert time.monotonic() - began < 0.5
        assert (process.returncode, said) == (130, ("", "kubeproof: interrupted\n"))


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with opened(browser) as found:
        yield found


def opened(browser: Any, **options: Any) -> Any:
    """A page of which no error is left unheard."""

    class Opened:
        def __enter__(self) -> Any:
            self.context = browser.new_context(**options)
            self.heard: list[str] = []
            found = self.context.new_page()
            found.on("pageerror", lambda error: self.heard.append(str(error)))
            found.set_default_timeout(15_000)
            return found

        def __exit__(self, kind: Any, *_: Any) -> None:
            self.context.close()
            assert kind is not None or not self.heard, self.heard

    return Opened()


def said(page: Any) -> str:
    return str(page.locator(".status").inner_text())


def wait(page: Any, text: str) -> None:
    """Until the page says this of the state."""
    page.locator(".status", has_text=text).wait_for()


def enabled(page: Any) -> list[str]:
    return [str(each) for each in page.locator(".acts .name").all_inner_texts()]


def begin(page: Any, address: str, bug: str, **others: Any) -> list[str]:
    """The page in the first state of the bug's run; the actions of that run."""
    run = of(bug, **others)
    page.goto(address + fragment({**run, "actions": []}))  # type: ignore[typeddict-item]
    wait(page, "After 0 of 0 actions")
    actions: list[str] = run["actions"]
    return actions


@pytest.mark.parametrize("bug", ["NODETREE-CURSOR", "NOM-EXT-LEAK"])
def test_a_run_is_played_to_its_end_by_keyboard(page: Any, address: str, bug: str) -> None:
    actions = begin(page, address, bug)
    for number, action in enumerate(actions, 1):
        page.keyboard.press("1234567890"[enabled(page).index(action)])
        wait(page, f"After {number} of {number} actions")
    assert "Violated: " in said(page)
    assert page.locator(".viewer output").first.inner_text() == f"action {len(actions)} of {len(actions)}"
    page.keyboard.press("u")
    wait(page, f"After {len(actions) - 1} of {len(actions) - 1} actions")


def test_with_tab_and_enter_an_action_is_taken(page: Any, address: str) -> None:
    begin(page, address, "NODETREE-CURSOR")
    page.locator(".acts .act").first.focus()
    page.keyboard.press("Enter")
    wait(page, "After 1 of 1 actions")
    # The next Tab goes to the actions that are enabled now.
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "act"


def test_a_run_built_by_clicks_violates_and_its_link_shows_it_again(browser: Any, page: Any, address: str) -> None:
    actions = begin(page, address, "NODETREE-CURSOR", against={"release": "1.18.7", "fix": False})
    for number, action in enumerate(actions, 1):
        page.locator(".acts li").nth(enabled(page).index(action)).locator("button").click()
        wait(page, f"After {number} of {number} actions")
    assert "Violated: listed-exactly-once" in said(page)
    assert "They differ: other facts after action 5." in page.locator(".beside").inner_text()
    link = page.url
    assert run_of_link(link)["actions"] == actions
    with opened(browser) as other:
        other.goto(link)
        wait(other, "After 5 of 5 actions")
        assert said(other) == said(page)
        assert other.locator("ol.trace").inner_text() == page.locator("ol.trace").inner_text()
    # The browser's Back takes the last action back.
    page.go_back()
    wait(page, "After 4 of 4 actions")


def test_from_an_earlier_state_another_run_begins(page: Any, address: str) -> None:
    run = of("NODETREE-CURSOR")
    page.goto(address + fragment(run))  # type: ignore[arg-type]
    wait(page, "After 5 of 5 actions")
    page.locator("ol.trace li").nth(1).click()
    wait(page, "After 2 of 5 actions")
    assert page.url.endswith("&at=2")
    page.keyboard.press("ArrowLeft")
    wait(page, "After 1 of 5 actions")
    page.keyboard.press("1")
    wait(page, "After 2 of 2 actions")
    assert run_of_link(page.url)["actions"][0] == run["actions"][0]


def test_a_search_goes_to_a_violation_and_to_a_fact(page: Any, address: str) -> None:
    begin(page, address, "NOM-EXT-LEAK")
    page.locator(".search summary").click()
    page.select_option("#property", "nominated-pod-is-pending")
    page.locator(".search form").nth(0).locator("button").click()
    wait(page, "A shortest run from here takes 17 actions")
    assert "nominated-pod-is-pending" in page.locator(".wrong").inner_text()
    begin(page, address, "NODETREE-CURSOR")
    page.fill("#fact", "nodeTree: zones")
    page.fill("#value", "z2")
    page.keyboard.press("Enter")
    wait(page, "A shortest run from here takes 1 action: then nodeTree: zones = z2")


def test_a_run_is_kept_as_itf_as_a_test_and_as_a_page(page: Any, address: str, tmp_path: Path) -> None:
    page.goto(address + fragment(of("NODETREE-CURSOR")))  # type: ignore[arg-type]
    wait(page, "After 5 of 5 actions")
    page.locator(".save summary").click()
    files = {}
    for button in ("ITF trace", "pytest", "Page"):
        with page.expect_download() as found:
            page.get_by_role("button", name=button).click()
        files[button] = tmp_path / found.value.suggested_filename
        found.value.save_as(files[button])
    assert len(json.loads(files["ITF trace"].read_text("utf-8"))["states"]) == 6
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", files["pytest"]], capture_output=True, text=True, cwd=ROOT
    )
    assert "1 passed" in done.stdout
    page.goto(files["Page"].as_uri())
    assert page.locator(".viewer output").inner_text() == "start, 5 actions"
    page.keyboard.press("Tab")
    page.locator(".viewer").press("End")
    assert "listed-exactly-once" in page.locator(".viewer .said").inner_text()


def test_wrong_input_is_said_and_the_page_stays(page: Any, address: str) -> None:
    begin(page, address, "NODETREE-CURSOR")
    page.fill("#scope", "nodes=x")
    page.get_by_role("button", name="Start", exact=True).click()
    assert "nodes: 'x' is not a number" in page.get_by_role("alert").inner_text()
    page.fill("#scope", "nodes=2")
    page.keyboard.press("Enter")
    wait(page, "After 0 of 0 actions")
    assert not page.get_by_role("alert").is_visible()
    page.goto(address + "#system=node-listing&do=fly+n1")
    page.get_by_role("alert").wait_for()
    assert "'fly n1' is not enabled" in page.get_by_role("alert").inner_text()


@pytest.mark.parametrize("bug", ["NODETREE-CURSOR", "NOM-EXT-LEAK", "CPU-INIT-OVERLAP", "PREEMPT-TWICE"])
def test_a_phone_has_no_line_that_is_too_wide(browser: Any, address: str, bug: str) -> None:
    with opened(browser, viewport={"width": 360, "height": 740}, color_scheme="dark", reduced_motion="reduce") as page:
        page.goto(address + fragment(of(bug, against={"release": "", "fix": False})))  # type: ignore[arg-type]
        wait(page, "actions: ")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.new') ?? document.body).animationName") == "none"
        )


def test_each_field_and_button_has_a_name(page: Any, address: str) -> None:
    page.goto(address + fragment(of("NODETREE-CURSOR", against={"release": "", "fix": False})))  # type: ignore[arg-type]
    wait(page, "After 5 of 5 actions")
    for summary in page.locator(".left summary").all():
        summary.click()
    tree = page.locator("#explorer").aria_snapshot()
    assert re.search(r'button "', tree)
    assert not re.search(r"- (button|combobox|textbox|spinbutton|slider|checkbox|link)(:|$)", tree, re.MULTILINE), tree


def test_of_many_actions_those_with_a_text_are_shown(page: Any, address: str) -> None:
    page.goto(address + "#system=preemption&do=run_pod+n1+0+1")
    wait(page, "After 1 of 1 actions")
    every = enabled(page)
    assert len(every) > 10
    page.fill("#only", "n2")
    shown = enabled(page)
    assert 0 < len(shown) < len(every)
    # A digit takes one of those that are shown.
    page.locator("h2").first.focus()
    page.keyboard.press("1")
    wait(page, "After 2 of 2 actions")
    assert run_of_link(page.url)["actions"][1] == shown[0]


def test_what_was_chosen_stays_chosen(page: Any, address: str) -> None:
    begin(page, address, "NODETREE-CURSOR")
    page.locator(".search summary").click()
    page.select_option("#property", "list-as-long-as-tree")
    page.locator(".acts .act").first.click()
    wait(page, "After 1 of 1 actions")
    assert page.input_value("#property") == "list-as-long-as-tree"
    page.select_option("#bug", label="NODETREE-CURSOR")
    wait(page, "After 5 of 5 actions")
    page.select_option("#system", "cpu-manager")
    page.select_option("#bug", label="CPU-INIT-OVERLAP")
    wait(page, "After 2 of 2 actions")
    assert "Violated: cpus-partition-machine" in said(page)


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on the PATH: Pyodide is not fetched")
def test_without_a_server_of_ours_the_browser_runs_the_models(page: Any, tmp_path: Path) -> None:
    try:
        size = write_site(tmp_path / "site")
    except InputError as error:
        pytest.skip(f"Pyodide was not fetched: {error}")
    assert size < 17_000_000
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(
        command, cwd=tmp_path / "site", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = re.search(r"port (\d+)", process.stdout.readline())
            assert port
            elsewhere: list[str] = []
            page.on("request", lambda asked: None if "//127.0.0.1:" in asked.url else elsewhere.append(asked.url))
            page.set_default_timeout(90_000)
            run = of("NODETREE-CURSOR", against={"release": "1.18.7", "fix": False})
            page.goto(f"http://127.0.0.1:{port[1]}/{fragment({**run, 'actions': run['actions'][:4]})}")  # type: ignore[typeddict-item]
            wait(page, "After 4 of 4 actions")
            page.keyboard.press("1234567890"[enabled(page).index("update_snapshot")])
            wait(page, "After 5 of 5 actions")
            assert "Violated: listed-exactly-once" in said(page)
            page.get_by_role("button", name="From the start").click()
            wait(page, "After 0 of 0 actions")
            page.locator(".search summary").click()
            page.select_option("#property", "listed-exactly-once")
            page.locator(".search form").nth(0).locator("button").click()
            wait(page, "A shortest run from here takes 5 actions")
            assert elsewhere == []
        finally:
            process.terminate()


def test_from_a_file_the_page_says_what_it_needs(page: Any, tmp_path: Path) -> None:
    for name, text in page_files("worker").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page.goto((tmp_path / "index.html").as_uri())
    assert "python -m http.server" in page.get_by_role("alert").inner_text()
