"""A tutorial in docs/tutorials as a reader follows it: files are written and changed, and commands are typed."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "tutorials"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w./-]+\.(?:py|log|txt))`")


@frozen
class Block:
    """A block of code of a page."""

    language: str
    text: str
    # The file that the page has named last above it; "" for none.
    file: str


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, in their order."""
    text = (FOLDER / page).read_text("utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        named = _FILE.findall(_FENCE.sub("", text[: fence.start()]))
        found.append(Block(fence[1], fence[2], named[-1] if named else ""))
    return found


def changed(text: str, diff: str) -> str:
    """`text` with a diff: its lines that are not new stand in the text once, and the others take their place."""
    lines = diff.splitlines(keepends=True)
    old, new = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
    assert text.count(old) == 1, f"not in the file, or not once:\n{old}"
    return text.replace(old, new)


def said(command: str, lines: list[str], printed: str) -> None:
    """Hold what a command printed against the lines below it on a page. "..." stands for any text.

    Numbers at the end of a line, which are seconds, may be left out.
    """
    left = iter(printed.splitlines())
    for line in lines:
        wanted = re.compile(".*".join(map(re.escape, line.rstrip().split("..."))) + r"[ \d.]*")
        assert line == "..." or any(wanted.fullmatch(each) for each in left), (
            f"{command} does not print, here or at all: {line}\n{printed}"
        )


def commands_in(block: Block) -> list[tuple[str, list[str]]]:
    """Each command of a block, which begins with a prompt, and what it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def follow(page: str, folder: Path, run: Callable[..., str]) -> int:
    """Follow a page in `folder`, and return how many commands it has. `run` runs a command and gives what it prints."""
    count = 0
    for block in blocks_of(page):
        path = folder / block.file
        if block.language == "python" or (block.language == "text" and path.suffix == ".log"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.language == "diff":
            path.write_text(changed(path.read_text(), block.text))
        for command, lines in commands_in(block) if not block.language else ():
            said(command, lines, run(*shlex.split(command)))
            count += 1
    return count
