"""docs/tutorials: each page is followed, and its commands print what it shows."""

from pathlib import Path
from shutil import copy

import pytest

from tests.conftest import DATA, ROOT
from tests.docs.tutorials import FOLDER, blocks_of, changed, commands_in, follow, said
from tests.kubeproof.go.test_generated import OF_1_31, tree
from tests.kubeproof.test_cli import Captured, kubeproof

PAGES = sorted(path.name for path in FOLDER.glob("*.md"))
SLOW = ("a-wrong-and-a-right-fix.md", "from-a-symptom.md", "your-go-branch.md")


# What the tests of the checkout printed, without a patch and with one.
PLAYED = [DATA / f"go-played-cpumanager-1.31.13{patch}.txt" for patch in ("", "-told")]


@pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.slow if page in SLOW else ()) for page in PAGES])
def test_a_page_is_followed(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    # The part of a checkout by which its release is known.
    tree(tmp_path / "kubernetes", OF_1_31)
    played = iter(PLAYED)

    def run(program: str, *args: str) -> str:
        assert program == "kubeproof"
        if args[:2] == ("go", "played"):
            # The reader has run the test.
            copy(next(played), args[3])
        _, out, err = kubeproof(capsys, *args)
        return out + err

    assert follow(page, tmp_path, run) > 2


def test_what_a_page_shows_of_go_was_printed() -> None:
    printed = {line for path in PLAYED for line in path.read_text().splitlines()}
    shown = [block.text.splitlines() for block in blocks_of("your-go-branch.md") if block.language == "text"]
    assert len(shown) == 2
    assert [line for lines in shown for line in lines if line not in printed] == []


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [page for page in PAGES if f"(docs/tutorials/{page})" not in readme] == []


def test_every_command_of_a_page_is_one_of_kubeproof() -> None:
    commands = [command for page in PAGES for block in blocks_of(page) for command, _ in commands_in(block)]
    assert [command for command in commands if not command.startswith("kubeproof ")] == []


def test_a_line_that_is_not_printed_is_told() -> None:
    printed = "a  1.0\nb  2.0\nc\n"
    said("it", ["a", "...", "c"], printed)
    said("it", ["a  1...", "b"], printed)
    for lines in (["d"], ["b", "a"], ["a  2..."], ["c", "c"]):
        with pytest.raises(AssertionError, match="it does not print, here or at all"):
            said("it", lines, printed)


def test_a_diff_is_of_lines_that_are_there_once() -> None:
    assert changed("a\nb\nc\n", " a\n-b\n+d\n c\n") == "a\nd\nc\n"
    for text in ("a\n", "b\nb\n"):
        with pytest.raises(AssertionError, match="not in the file, or not once"):
            changed(text, "-b\n+d\n")
