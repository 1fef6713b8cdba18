"""An error of which nobody thought has an exit status of its own, its place, and a file to send."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kubeproof.check.check import check_system
from kubeproof.cli import app, run
from kubeproof.engines.table import ENGINES
from kubeproof.errors import ESTABLISHED

FAILS = """
import sys
sys.argv = ["kubeproof", "list"]
import kubeproof.report.inventory as inventory
from kubeproof.errors import established
from kubeproof.start import main

def overview_text():
    with established(lambda: ["a part of the answer"]):
        raise {error}

inventory.overview_text = overview_text
main()
"""


def failed(error: str, folder: Path, full: bool = False) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", FAILS.format(error=error)],
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))) if full else None,
    )


@pytest.mark.parametrize("error", ["ValueError('odd\\n\\ud800')", "MemoryError", "RecursionError('x')"])
def test_what_nobody_foresaw_is_told_in_a_line_and_kept_in_a_file(error: str, tmp_path: Path) -> None:
    done = failed(error, tmp_path)
    (file,) = tmp_path.glob("kubeproof-error-*.txt")
    *notes, said = done.stderr.splitlines()
    assert done.returncode == 70
    assert notes == [f"note: {ESTABLISHED}a part of the answer"]
    assert said.startswith(f"kubeproof: not foreseen: {error.partition('(')[0]}")
    assert "(kubeproof/cli/pages.py, line " in said
    assert str(file) in said
    assert "Traceback" in file.read_text()
    assert "['kubeproof', 'list']" in file.read_text()


def test_where_no_file_can_be_written_the_traceback_is_on_stderr(tmp_path: Path) -> None:
    done = failed("MemoryError", tmp_path, full=True)
    assert done.returncode == 70
    assert done.stderr.startswith("Traceback")
    assert done.stderr.splitlines()[-1].endswith("send the traceback above to the maintainers of kubeproof")


def test_an_engine_that_fails_takes_along_what_others_established(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(asked: Any) -> Any:
        raise ValueError("odd")

    monkeypatch.setitem(ENGINES, "z3", fails)
    with pytest.raises(ValueError, match="odd") as raised:
        check_system("node-listing", "1.18.4", scope="only nodes=2,zones=2", engines=["explicit", "z3"])
    assert f"{ESTABLISHED}listed-exactly-once by explicit: holds" in raised.value.__notes__


@pytest.mark.parametrize("args", [("report", "--out", "x"), ("go", "record", "node_tree", "--checkout", "x")])
def test_a_working_directory_that_was_deleted_is_one_line(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False)) == 2
    assert capsys.readouterr() == ("", "kubeproof: the working directory was deleted: expected one that is there\n")
