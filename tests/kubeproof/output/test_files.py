"""A report is replaced whole, and what is not of the report stays."""

import resource
import signal
from pathlib import Path

import pytest

from kubeproof.errors import InputError
from kubeproof.output.files import add_to, write_files, write_folder, write_whole

OLD = {Path("index.html"): "old", Path("kept/gone/page.md"): "old"}
NEW = {Path("index.html"): "new", Path("kept/page.md"): "new"}


def paths(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "a" / "report"
    write_folder(out, OLD)
    write_folder(out, NEW)
    assert (out / "index.html").read_text() == "new"
    assert paths(tmp_path) == {"a/report/index.html", "a/report/kept/page.md"}


def test_a_reader_never_sees_a_folder_without_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "report"
    write_folder(out, OLD)
    with pytest.raises(InputError, match="expected a place to write to"):
        write_folder(out, {**NEW, Path("index.html/below"): "a folder where a file is"})
    assert (out / "index.html").read_text() == "old"
    assert paths(tmp_path) == {"report/index.html", "report/kept/gone/page.md"}


def test_what_the_user_has_beside_the_report_stays(tmp_path: Path) -> None:
    write_folder(tmp_path, OLD)
    (tmp_path / "mine.txt").write_text("mine")
    write_folder(tmp_path, NEW)
    assert paths(tmp_path) == {"index.html", "kept/page.md", "mine.txt"}
    assert (tmp_path / "index.html").read_text() == "new"


def test_where_nothing_can_be_exchanged_the_folder_is_replaced_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubeproof.output.files._exchange", lambda one, other: False)
    write_folder(tmp_path / "report", OLD)
    write_folder(tmp_path / "report", NEW)
    assert paths(tmp_path) == {"report/index.html", "report/kept/page.md"}


def test_a_disk_that_is_full_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", "old")

    def limit(soft: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    # The kernel refuses a file beyond this size as it refuses one on a full disk.
    ignored, before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    limit(1000)
    try:
        with pytest.raises(InputError, match="two: File too large: expected a place to write to"):
            write_files({tmp_path / "one": "new", tmp_path / "two": "x" * 2000})
    finally:
        limit(before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert (tmp_path / "one").read_text() == "old"
    assert paths(tmp_path) == {"one"}


def test_a_place_that_is_a_file_gets_one_line(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "x")
    with pytest.raises(InputError, match="expected a place to write to"):
        write_folder(tmp_path / "file", NEW)


def test_what_is_added_stands_below_what_was_there(tmp_path: Path) -> None:
    for text in ("one\n", "two: ü\n"):
        add_to(tmp_path / "summary.md", text)
    assert (tmp_path / "summary.md").read_text("utf-8") == "one\ntwo: ü\n"
    with pytest.raises(InputError, match="expected a file to write to"):
        add_to(tmp_path, "text")
