"""What a command says reaches a person whole and harmless, or the exit status says that it did not."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubeproof.cli import app, run
from kubeproof.output import checked_streams, out, print_json
from kubeproof.visible import LONGEST_LINE, one_line, shell_word, visible
from tests.conftest import DATA

HOSTILE = "a\x1b[31mb\rc\x9bd\u202ee\nf[bold]g:smile:"
ANSWERS = (
    ("nodes", str(DATA / "nodes-report.json"), "-r", "1.18.4"),
    ("nodes", str(DATA / "nodes-report.json"), "-r", "1.18.4", "--json"),
    ("list",),
    ("nodes", "--help"),
)


def kubeproof(*args: str) -> int:
    return run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False))


def full() -> Any:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    return open("/dev/full", "w", encoding="utf-8")


def without_reader() -> Any:
    read, write = os.pipe()
    os.close(read)
    return os.fdopen(write, "w", encoding="utf-8")


def closed() -> Any:
    return None


@pytest.mark.parametrize("args", ANSWERS, ids=" ".join)
@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (full, "kubeproof: standard output: No space left on device: the answer was not written\n"),
        (closed, "kubeproof: standard output: closed: the answer was not written\n"),
        (without_reader, ""),
    ],
)
def test_an_answer_that_is_lost_has_an_exit_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stream: Callable[[], Any],
    says: str,
    args: tuple[str, ...],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream())
        assert kubeproof(*args) == 4
        assert sys.stdout is None  # so that Python does not write once more at its end
    assert capsys.readouterr().err == says


def test_an_error_that_nobody_can_read_keeps_its_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (None, without_reader(), full()):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            assert kubeproof("check", "nothing") == 2
            patch.setattr(sys, "stdout", full())
            assert kubeproof("list") == 4


def test_what_the_encoding_lacks_is_written_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", plain)
    with checked_streams():
        out.print("n1 … \ud800")
        print_json({"name": "é…\ud800😀"})
    text, _, document = plain.buffer.getvalue().decode("ascii").partition("\n")  # type: ignore[attr-defined]
    assert text == "n1 \\u2026 \\ud800"
    assert json.loads(document) == {"name": "é…\ud800😀"}


def test_a_document_has_no_character_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    with checked_streams():
        print_json({HOSTILE: ["\ud800", "\x7f", "é日本"]})
    text = capsys.readouterr().out
    assert all(line.isprintable() for line in text.splitlines())
    assert "é日本" in text
    assert json.loads(text) == {HOSTILE: ["\ud800", "\x7f", "é日本"]}


def test_a_text_is_no_markup_and_has_no_control_character(capsys: pytest.CaptureFixture[str]) -> None:
    with checked_streams():
        out.print(HOSTILE)
    assert capsys.readouterr().out == "a\\x1b[31mb\\rc\\x9bd\\u202ee\nf[bold]g:smile:\n"


@pytest.mark.parametrize(
    "args",
    [
        ("check", HOSTILE),
        ("check", "node-listing", "--release", HOSTILE),
        ("check", "node-listing", "--scope", HOSTILE),
        ("check", "node-listing", "--property", HOSTILE),
        ("check", "node-listing", "--rule", HOSTILE),
        ("check", "node-listing", f"--{HOSTILE}"),
        ("validate", HOSTILE),
        ("nodes", HOSTILE),
        ("cpu-state", HOSTILE),
        ("pod-events", HOSTILE),
        ("preemption", HOSTILE, "--pod", "a/b"),
        ("preemption", str(DATA / "preemption-cluster.json"), "--pod", HOSTILE),
        ("scheduler-memory", HOSTILE),
        ("scheduler-config", HOSTILE),
        ("conform", HOSTILE),
        ("growth", HOSTILE),
        ("growth", "queueing-hints", "--with", HOSTILE),
        ("reproduce", HOSTILE),
        ("reproduce", "x" * 100_000),
        (HOSTILE,),
    ],
    ids=lambda args: args[0][:9],
)
def test_a_name_in_an_error_is_written_out(capsys: pytest.CaptureFixture[str], args: tuple[str, ...]) -> None:
    assert kubeproof(*args) == 2
    said = capsys.readouterr().err
    assert said.startswith("kubeproof: ")
    assert said.endswith("\n")
    assert said[:-1].isprintable()
    assert len(said) < LONGEST_LINE + 100


def test_a_release_that_is_newer_than_every_model_is_no_note_beside_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert kubeproof("pod-events", "--release", "1.99", "nowhere.json") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_with_a_hostile_name_is_read_and_named_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / HOSTILE.replace("/", "")
    path.write_bytes((DATA / "node_tree-1.17.10.jsonl").read_bytes())
    assert kubeproof("conform", str(path)) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 2
    assert all(line.isprintable() for line in said.splitlines())


def test_visible_leaves_what_can_be_read() -> None:
    assert visible("é日本 [bold]") == "é日本 [bold]"
    assert visible("\t\u200b\xa0") == "\\t\\u200b\\xa0"
    assert len(one_line("x" * 10**6)) < LONGEST_LINE + 10


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize("name", ["my fix.py", "fix.py", "it's\\n\n\x1b[31m\u202e.py", HOSTILE])
def test_a_word_of_a_command_can_be_copied(name: str) -> None:
    word = shell_word(name)
    assert word.isprintable()
    command = f"LC_ALL=C.UTF-8; printf %s {word}"
    assert subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout.decode() == name
