"""Recordings of the real nodeTree replay; what diverges or is no recording is said in one place."""

import gzip
import io
import json
import os
import pickle
import sys
import tracemalloc
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kubeproof.conform import conform
from kubeproof.conform.conform import exit_status, read_recordings, replay_file, replay_files
from kubeproof.errors import InputError
from kubeproof.report.conformance import conformance_text
from model.releases import EVERY_MINOR
from tests.conftest import DATA, modelled

EXCERPTS = sorted(DATA.glob("node_tree-*.jsonl"))


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.cases > 0
    assert replay.divergences == []


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "scheduler", "node_tree", EVERY_MINOR)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert sum(replay.cases for replay in replays) == 34_470


def test_a_release_that_is_not_modelled_is_not_covered(tmp_path: Path) -> None:
    case = _a_case() | {"release": "1.99.0"}
    replay = replay_file(_with(tmp_path / "newer.jsonl", case))
    assert replay.not_covered == {"release '1.99.0' is outside the modelled range 1.13 to 1.36": 1}
    assert exit_status([replay]) == 3


def _with(path: Path, case: dict[str, object]) -> Path:
    path.write_text(json.dumps(case) + "\n", encoding="utf-8")
    return path


def _a_case() -> dict[str, object]:
    lines = EXCERPTS[0].read_text(encoding="utf-8").splitlines()
    case: dict[str, object] = json.loads(lines[0])
    return case


def test_a_divergence_names_file_case_operation_expected_and_got(tmp_path: Path) -> None:
    case = _a_case()
    case["observed"][1]["num_nodes"] = 77  # type: ignore[index]
    path = _with(tmp_path / "changed.jsonl", case)
    replay = replay_file(path)
    assert [(d.case, d.operation, d.differing()) for d in replay.divergences] == [(0, 1, ["num_nodes"])]
    text = conformance_text([replay])
    assert "changed.jsonl: case 0, operation 1" in text
    assert "num_nodes: expected 77, got 2" in text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "not a recording, since there is no case"),
        (b"{not json\n", "line 1: not a JSON object"),
        (b"[1]\n", "line 1: expected a mapping, found a list"),
        (b"\x1f\x8bxxxx", "Not a gzipped file|damaged"),
        (gzip.compress(b"{}" * 500, mtime=0)[:-9], "damaged or ends early"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (
            b'{"system":"etcd","release":"1.20.0","case":1,"ops":[],"observed":[]}\n',
            "'etcd' is not a recorded system: expected one of node_tree",
        ),
        (
            b'{"system":"node_tree","release":"0.9","case":1,"ops":[],"observed":[]}\n',
            "'0.9' is not a Kubernetes release",
        ),
        (b'{"system":"node_tree","release":"1.20.0","case":1,"ops":[{}],"observed":[{}]}\n', "operation 0"),
        (
            b'{"system":"node_tree","release":"1.20.0","case":1,"ops":[1],"observed":[{}]}\n',
            r"ops\[0\]: expected a mapping",
        ),
        (b'{"system":"node_tree","release":"1.20.0","case":1,"ops":[{}],"observed":[]}\n', "1 ops and 0 observed"),
    ],
)
def test_what_is_no_recording_gets_one_line(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=expected) as caught:
        replay_file(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_recording_is_read_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """2.9 MB of gzip became 3.9 GB."""
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(b"x" * (64 << 20), 1))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="line 1: longer than 4 MiB"):
            replay_file(bomb)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    monkeypatch.setattr(conform, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="larger than 1000 bytes so far"):
        replay_file(EXCERPTS[0])
    empty_lines = tmp_path / "empty.jsonl"
    empty_lines.write_bytes(b"\n" * 20)
    with pytest.raises(InputError, match="larger than 1000 bytes so far"):
        replay_file(empty_lines)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("zipped", [False, True])
def test_a_pipe_is_as_good_as_a_file(tmp_path: Path, zipped: bool) -> None:
    """`<(…)`: what is opened twice is empty the second time."""
    data = EXCERPTS[0].read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(gzip.compress(data) if zipped else data))
    writer.start()
    replay = replay_file(pipe)
    writer.join()
    assert replay.cases == replay_file(EXCERPTS[0]).cases


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EXCERPTS[0].read_bytes())))
    (replay,) = replay_files(["-"])
    assert (replay.file, replay.divergences) == ("standard input", [])
    with pytest.raises(InputError, match="only once"):
        replay_files(["-", "-"])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"op": 5}, "op: expected one of add, remove, update, list, found the number 5"),
        ({"op": "destroy"}, "op: expected one of add, remove, update, list, found 'destroy'"),
        ({"node": ["n1"]}, "not an operation add: node: expected a string, found a list"),
        ({"zone": None}, "not an operation add: zone: expected a string, found nothing"),
    ],
)
def test_a_value_of_another_type_in_an_operation_is_named(
    tmp_path: Path, change: dict[str, object], expected: str
) -> None:
    case: Any = _a_case()
    case["ops"][0] = {"op": "add", "node": "n1", "zone": "z1"} | change
    with pytest.raises(InputError, match="line 1: operation 0: ") as caught:
        replay_file(_with(tmp_path / "changed.jsonl", case))
    assert expected in str(caught.value)


def test_the_orders_of_many_reserved_cpus_are_those_of_the_machine(tmp_path: Path) -> None:
    """As many orders as reserved CPUs were tried, where the model answers something else: 2^40 took for ever."""
    case = json.loads((DATA / "static_policy-1.31.13.jsonl").read_text(encoding="utf-8").splitlines()[0])
    case["config"] |= {"num_reserved": 2**40, "reserved_cpus": ""}
    case["observed"][0] = {"reserved": "0-99"}
    assert len(replay_file(_with(tmp_path / "reserved.jsonl", case)).divergences) == 1


@pytest.mark.parametrize(
    "cpus", [[[0, 0, 0]], [[n, n, 0, n] for n in range(9)], [[n, n, 0, 0] for n in range(513)]], ids=len
)
def test_a_machine_that_is_none_or_too_large_gets_one_line(tmp_path: Path, cpus: list[list[int]]) -> None:
    case = json.loads((DATA / "static_policy-1.31.13.jsonl").read_text(encoding="utf-8").splitlines()[0])
    case["config"]["topology"]["cpus"] = cpus
    with pytest.raises(InputError, match=r"'config' is not a config of static_policy: ValueError: .*'topology'"):
        replay_file(_with(tmp_path / "machine.jsonl", case))


def test_a_missing_file_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        replay_file(tmp_path / "none.jsonl")


@pytest.mark.parametrize("zipped", [False, True])
def test_to_another_machine_a_recording_goes_as_its_content(tmp_path: Path, zipped: bool) -> None:
    file, content = tmp_path / "recording", EXCERPTS[0].read_bytes()
    file.write_bytes(gzip.compress(content) if zipped else content)
    replay = replay_file(file)
    sent = pickle.dumps(read_recordings([file]))
    file.unlink()
    assert [replay_file(each) for each in pickle.loads(sent)] == [replay]
    with pytest.raises(InputError, match="recording: cannot be read: No such file"):
        read_recordings([file])
