"""What a user gives `kubeproof go record` to play is checked before anything is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.go.cases.kept_queue_runs import queue_runs
from kubeproof.go.record import kept_operations, read_operations
from kubeproof.go.registry import DRIVERS

ADD = {"op": "add", "pod": {"uid": "p1#1"}}


def read(path: Path, lines: list[Any], component: str = "scheduling_queue") -> list[Any]:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(read_operations(path, component))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "no case: expected operations"),
        ([{"component": "scheduling_queue"}], "no case: expected operations"),
        ([{"component": "cache"}, {"case": 0, "ops": []}], "line 1: operations of 'cache': expected those of"),
        ([{"case": 0, "ops": [], "system": "cache"}], "line 1: operations of cache: expected those of"),
        ([7], "line 1: expected a mapping, found the number 7"),
        ([{"case": 0, "ops": 3}], "line 1: ops: expected a list"),
        ([{"case": 0, "ops": [ADD, {"op": "fly"}]}], "line 1: operation 1: op: expected one of add, "),
        ([{"case": 0, "ops": [{"op": "add"}]}], "line 1: operation 0: not an operation add: pod: missing"),
        ([{"case": 0, "config": {"queueing_hints": 3}, "ops": []}], "line 1: 'config' is not a config of"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(tmp_path: Path, lines: list[Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path / "operations.jsonl", lines)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_operations_of_an_earlier_run_are_read_without_their_header(tmp_path: Path) -> None:
    case = {"case": 0, "config": {}, "ops": [ADD]}
    assert read(tmp_path / "operations.jsonl", [{"component": "scheduling_queue"}, case]) == [case]


@pytest.mark.parametrize(
    "component",
    sorted(name for name in DRIVERS if name in ("api_dispatcher", "cache", "node_tree", "scheduling_queue")),
)
def test_the_operations_that_come_along_can_be_given(tmp_path: Path, component: str) -> None:
    kept = list(kept_operations(component))
    assert [case["ops"] for case in read(tmp_path / "operations.jsonl", kept, component)] == [
        case["ops"] for case in kept
    ]


def test_the_kept_runs_that_the_queue_can_play_are_among_the_operations() -> None:
    kept = [(case["config"], case["ops"]) for case in kept_operations("scheduling_queue")]
    runs = list(queue_runs())
    assert {config["name"] for config, _ in runs} >= {"QH-DUP-ELEMENT", "QH-MARKER-REMOVED", "QH-RECREATE-LEAK"}
    assert kept[-len(runs) :] == runs
