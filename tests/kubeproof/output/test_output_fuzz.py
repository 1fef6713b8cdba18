"""`report` and the options of the pytest plugin, on valid input and on mutations of it: an error is one line.

Nothing is explored here: the report is of no system and of no bug, and the plugin collects its items only.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from kubeproof.processes import pool
from kubeproof.report import build, tasks
from kubeproof.systems import registry
from tests.conftest import DATA
from tests.kubeproof.test_input_fuzz import (
    HARMFUL,
    RECORDED,
    TEXTS,
    as_json,
    budget,
    damaged,
    each_example,
    kubeproof,
    mutated,
    text_of,
)
from tests.kubeproof.test_pytest_plugin import LOAD

pytest_plugins = ["pytester"]


@pytest.fixture
def nothing_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SYSTEMS", "EVERY_BUG", "COMPONENT_BUGS", "UNSHOWN_BUGS"):
        monkeypatch.setattr(build, name, type(getattr(build, name))())
    monkeypatch.setattr(tasks, "BUGS", ())
    monkeypatch.setattr(registry, "SYSTEMS", {})
    monkeypatch.setattr(pool, "processors", lambda: 1)


@pytest.mark.slow
@budget
def test_report(examples: int, tmp_path: Path, nothing_to_report: None) -> None:
    written = sorted(DATA.glob("node_tree-*.jsonl"))[0].read_bytes()
    (tmp_path / "a file").write_text("of the user")
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "of the user").write_text("")
    ended = set[int]()

    def test(draw: Callable[[Any], Any]) -> None:
        recording = tmp_path / f"recording{HARMFUL}".replace("/", "")
        document = mutated(draw, draw(st.sampled_from(RECORDED["node_tree"])))
        data = draw(st.sampled_from([text_of(document) + b"\n", written, b""]))
        recording.write_bytes(damaged(draw, draw(st.sampled_from([data, gzip.compress(data, mtime=0)]))))
        names = ["new", "a file", "a folder", f"new{HARMFUL}", "new/below/new", "a file/below", "x" * 300, "\x00", ""]
        out = str(tmp_path / draw(st.sampled_from(names)))
        given = ("--recordings", draw(st.sampled_from([str(recording), out, "-"]))) if draw(st.booleans()) else ()
        engine = draw(st.sampled_from([(), ("--engine", "explicit"), (f"--engine={draw(TEXTS)}",)]))
        ended.add(kubeproof("report", f"--out={out}", *given, *engine, *as_json(draw), stdin=data)[0])
        assert (tmp_path / "a file").read_text() == "of the user"
        assert (tmp_path / "a folder" / "of the user").is_file()

    each_example(examples, test)
    assert ended == {0, 2}


@pytest.mark.slow
@budget
def test_counterexamples_of_a_report(examples: int, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("of the user")
    ended = set[int]()

    def test(draw: Callable[[Any], Any]) -> None:
        folder = str(tmp_path / draw(st.sampled_from(["new", f"new{HARMFUL}", "new", "a file", "x" * 300, "\x00"])))
        bug = draw(st.sampled_from(["QUEUE-HOL", "NODETREE-CURSOR"]) if draw(st.booleans()) else TEXTS)
        given = () if draw(st.integers(0, 4)) == 0 else (f"--counterexamples={folder}",)
        ended.add(kubeproof("report", *given, f"--bug={bug}", *as_json(draw))[0])

    each_example(examples, test)
    assert ended == {0, 2}


VALID = {
    "release": ["1.18.4", "1.31.14"],
    "system": ["node-listing", "scheduling"],
    "rule": ["list_nodes=list_stateless"],
    "engine": ["explicit", "all"],
    "scope": ["nodes=3,zones=2", "0,nodes=3,zones=2"],
}


@pytest.mark.slow
@budget
def test_the_options_of_the_plugin(
    examples: int, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    fixes = (f"fix{HARMFUL}.py", "none.py", ".", "")
    for name in fixes[:1]:
        (pytester.path / name).write_text("def list_nodes(tree):\n    return tree.names(), tree\n")
    ended = set[int]()

    def test(draw: Callable[[Any], Any]) -> None:
        options = []
        for name, valid in VALID.items():
            match draw(st.sampled_from(["no", "no", "valid", "valid", "any"])):
                case "valid":
                    options.append(f"--kubeproof-{name}={draw(st.sampled_from(valid))}")
                case "any":
                    options.append(f"--kubeproof-{name}={draw(TEXTS)}")
        if draw(st.integers(0, 4)) == 0:
            options.append(f"--kubeproof-fix={draw(st.sampled_from(fixes))}")
        result = pytester.runpytest_inprocess(*LOAD, "--collect-only", "-q", "-p", "no:cacheprovider", *options)
        assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR)
        ended.add(result.ret)
        every = [*result.outlines, *result.errlines]
        assert all(line.isprintable() for line in every), every
        assert not any("Traceback" in line or "INTERNALERROR" in line for line in every)
        if result.ret == pytest.ExitCode.USAGE_ERROR:
            said = [line for line in result.errlines if line]
            assert len(said) == 1
            assert said[0].startswith("ERROR: kubeproof: ")

    each_example(examples, test)
    assert {pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR} <= ended


def test_the_name_of_a_fix_and_of_a_system_are_shown_so_that_no_terminal_obeys_them(pytester: pytest.Pytester) -> None:
    name = "fix\x1b[31m\u202e.py"
    (pytester.path / name).write_text("def list_nodes(tree):\n    return tree.names(), tree\n")
    args = [*LOAD, "--collect-only", "-p", "no:cacheprovider"]
    fixed = pytester.runpytest_inprocess(*args, f"--kubeproof-fix={name}", "--kubeproof-system=node-listing")
    assert any(line.endswith("with fix\\x1b[31m\\u202e.py") for line in fixed.outlines)
    wrong = pytester.runpytest_inprocess(*args, "--kubeproof-system=\x1b[31m")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    expected = ", ".join(registry.SYSTEMS)
    assert [line for line in wrong.errlines if line] == [
        f"ERROR: kubeproof: '\\x1b[31m' is not a system: expected one of {expected}"
    ]
