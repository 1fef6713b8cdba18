"""The scheduling queue against the recordings of the real one, and against the release rows."""

from pathlib import Path

import pytest
from attrs import fields

from kubeproof.conform.conform import exit_status, replay_file
from kubeproof.conform.operations import NotCovered
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.errors import InputError
from kubeproof.report.conformance import conformance_text
from model.releases import known_release, parse_release, release_rows
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.nominator_locks import NominatorLockingRules
from model.scheduler.queue.rules import QueueRules
from model.scheduler.queue.scheduling_queue import order_by_priority, order_by_priority_and_timestamp
from tests.conftest import DATA

EXCERPTS = sorted(DATA.glob("scheduling_queue-*.jsonl"))


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.operations > 50
    assert replay.divergences == []


REPLAYED = {  # cases played, operations, cases left out
    "1.14.0-beta.1": (1545, 34_528, 0),
    "1.17.10": (1545, 34_542, 0),
    "1.18.6": (1545, 34_541, 0),
    "1.19.3": (1545, 34_541, 0),
    "1.19.12": (1545, 34_541, 0),
    "1.20.5": (1545, 34_541, 0),
    "1.20.8": (1545, 34_541, 0),
    "1.21.2": (2812, 61_617, 0),
    "1.22.3": (2873, 63_278, 0),
    "1.28.0": (2476, 41_390, 0),
    "1.28.4": (2476, 41_394, 0),
    "1.31.13": (2476, 40_928, 0),
    "1.32.0": (3350, 61_202, 0),
    "1.33.1": (3698, 67_469, 0),
    "1.34.1": (3124, 57_128, 0),
    "1.35.0": (3124, 57_128, 0),
    "1.36.2": (3124, 57_128, 0),
}


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    folder = conformance / "scheduler"
    replays = [replay_file(folder / f"scheduling_queue-{release}.jsonl.gz") for release in REPLAYED]
    assert [d for replay in replays for d in replay.divergences] == []
    assert {r.release: (r.cases - r.uncovered, r.operations, r.uncovered) for r in replays} == REPLAYED


def test_what_is_not_covered_is_no_pass(tmp_path: Path) -> None:
    newer = tmp_path / "newer.jsonl"
    recorded = (DATA / "scheduling_queue-1.32.0.jsonl").read_text(encoding="utf-8")
    newer.write_text(recorded.replace("1.32.0", "1.37.1"), encoding="utf-8")
    replay = replay_file(newer)
    reason = "release '1.37.1' is outside the modelled range 1.13 to 1.36"
    assert replay.not_covered == {reason: 11}
    assert exit_status([replay]) == 3
    text = conformance_text([replay])
    assert f"11 cases not covered: {reason}" in text
    assert text.endswith("11 cases in 1 file, 0 diverge, 11 not covered")
    assert exit_status([replay_file(DATA / "scheduling_queue-1.17.10.jsonl")]) == 0


def test_each_rule_replays_as_itself_whatever_was_in_its_place_before() -> None:
    recording = DATA / "scheduling_queue-1.17.10.jsonl"
    assert replay_file(recording).divergences == []
    with in_place_of(order_by_priority_and_timestamp, order_by_priority):
        assert replay_file(recording).divergences != []
    assert replay_file(recording).divergences == []


def test_without_a_word_the_gate_is_as_the_release_has_it() -> None:
    held = {"in_flight": ["p1#1"], "in_flight_events": ["pod:p1#1"]}
    nothing: dict[str, list[str]] = {"in_flight": [], "in_flight_events": []}
    for release, seen in (("1.28.4", held), ("1.28.5", nothing), ("1.31.13", nothing), ("1.32.0", held)):
        player = SchedulingQueuePlayer(known_release(release), {})
        player.play({"op": "add", "pod": {"uid": "p1#1"}})
        answer = player.play({"op": "pop"})
        assert {key: answer[key] for key in seen} == seen, release


@pytest.mark.parametrize("release", ["1.18.6", "1.27.3", "1.28.0-alpha.2"])
def test_a_release_without_the_gate_plays_no_case_with_the_gate_on(release: str) -> None:
    at = known_release(release)
    with pytest.raises(NotCovered, match=r"no gate SchedulerQueueingHints before 1\.28\.0-beta\.0"):
        SchedulingQueuePlayer(at, {"queueing_hints": True})
    for config in ({}, {"queueing_hints": False}):
        player = SchedulingQueuePlayer(at, config)
        assert "in_flight" not in player.play({"op": "add", "pod": {"uid": "p1#1"}})


@pytest.mark.parametrize(
    ("release", "config", "wrong"),
    [
        ("1.32.0", {"pop_from_backoff_q": True}, "no gate SchedulerPopFromBackoffQ in 1.32.0"),
        ("1.34.1", {"queueing_hints": False}, "the gate SchedulerQueueingHints is locked in 1.34.1"),
    ],
)
def test_a_gate_that_a_release_does_not_take_is_no_case(release: str, config: dict[str, bool], wrong: str) -> None:
    with pytest.raises(NotCovered, match=wrong):
        SchedulingQueuePlayer(known_release(release), config)


@pytest.mark.parametrize(
    ("op", "wrong"),
    [
        ('{"op":"pop"}', "pop cannot be played here: pop of an empty queue"),
        ('{"op":"add","pod":{"uid":7}}', "not an operation add: pod.uid: expected a string, found the number 7"),
        ('{"op":"add","pod":{"uid":"p#1","labels":[1]}}', "add: pod.labels: expected a mapping, found a list"),
        ('{"op":"move_all","event":"Nothing"}', "move_all cannot be played here: nobody knows 'Nothing'"),
        ('{"op":"fly"}', "op: expected one of add, add_if_not_present"),
    ],
)
def test_an_operation_that_is_none_gets_one_line(tmp_path: Path, op: str, wrong: str) -> None:
    path = tmp_path / "file.jsonl"
    case = '{"system":"scheduling_queue","release":"1.17.10","case":1,"ops":[OP],"observed":[{}]}'
    path.write_text(case.replace("OP", op), encoding="utf-8")
    with pytest.raises(InputError, match=rf"line 1: operation 0: .*{wrong}"):
        replay_file(path)


def test_every_rule_has_a_row_from_the_first_release_on() -> None:
    rules = [f.name for cls in (QueueRules, NominatorRules) for f in fields(cls)]
    assert set(rules) <= set(release_rows(parse_release("1.13.0")))


@pytest.mark.parametrize("rules_class", [QueueRules, NominatorRules, NominatorLockingRules])
def test_only_the_rows_say_which_rules_there_are(rules_class: type) -> None:
    with pytest.raises(TypeError, match="missing"):
        rules_class()
