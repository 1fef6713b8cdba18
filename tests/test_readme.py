"""The README and docs/checking.md say what kubeproof says: of its systems, its commands and what they print."""

import re
import shlex
from html import unescape
from pathlib import Path

import pytest
import typer

from kubeproof.cli import app
from kubeproof.systems.registry import SYSTEMS
from tests.conftest import ROOT
from tests.docs.tutorials import said
from tests.kubeproof.test_cli import Captured, kubeproof

README = (ROOT / "README.md").read_text("utf-8")
PICTURE = ROOT / "docs/nodetree-cursor.svg"


def test_each_system_is_told_with_its_releases() -> None:
    page = (ROOT / "docs/checking.md").read_text("utf-8")
    told = [line for line in page.splitlines() if re.search(r"\| 1\.\d+ to 1\.\d+ \|$", line)]
    rows = [
        f"| `{name}` | {system.summary} | 1.{system.minors[0]} to 1.{system.minors[-1]} |"
        for name, system in SYSTEMS.items()
    ]
    assert told == rows


def shown_commands() -> list[tuple[str, list[str]]]:
    """Each command that the README shows with a prompt, and the lines that stand below it; "..." leaves lines out."""
    blocks = re.findall(r"^```\n\$ (kubeproof .+)\n((?:.*\n)*?)```$", README, re.MULTILINE)
    return [(command, lines.splitlines()) for command, lines in blocks]


def test_the_first_screen_shows_commands() -> None:
    assert [command.split()[1] for command, _ in shown_commands()] == ["reproduce", "bugs", "nodes"]


@pytest.mark.parametrize(("command", "lines"), shown_commands(), ids=str)
def test_a_command_prints_what_stands_below_it(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, command: str, lines: list[str]
) -> None:
    monkeypatch.chdir(ROOT)
    _, out, _ = kubeproof(capsys, *shlex.split(command)[1:])
    said(command, lines, out)


def test_the_picture_shows_the_run_as_the_terminal_does(capsys: Captured) -> None:
    texts = [
        unescape(text).replace("\xa0", " ") for text in re.findall(r"<text [^>]*>(.*)</text>", PICTURE.read_text())
    ]
    prompt, *lines = texts
    assert prompt == "$ kubeproof reproduce NODETREE-CURSOR"
    _, out, _ = kubeproof(capsys, *prompt.split()[2:])
    assert lines == [line for line in out.partition("\n  must hold: ")[0].splitlines() if line]


def test_each_command_that_is_named_exists() -> None:
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    row = next(line for line in README.splitlines() if line.startswith("| `kubeproof nodes`"))
    named = re.findall(r"(?:`|\$ )kubeproof ([a-z][a-z-]*)", README)
    assert len(named) > 10
    assert {*named, *re.findall(r"`([a-z-]+)`", row)} <= known


def test_each_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", README)
    assert len(links) > 10
    assert not [link for link in links if not (ROOT / Path(link)).exists()]
