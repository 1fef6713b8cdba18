"""Recordings of the scheduling cycle's parts: preemption, scoring, the search for feasible nodes."""

from pathlib import Path

import pytest

from kubeproof.conform.conform import replay_file
from tests.conftest import DATA, modelled

SYSTEMS = ("preemption_victims", "preemption_node", "preempt", "score", "find_nodes")
CYCLES = {"1.17.10": 1061, "1.28.14": 1102, "1.31.13": 1140}
EXCERPTS = [path for system in (*SYSTEMS, "cycle_calls") for path in sorted(DATA.glob(f"{system}-*.jsonl"))]


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.cases > 0
    assert (replay.divergences, replay.uncovered) == ([], 0)


def test_the_excerpts_have_what_is_hard() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in EXCERPTS)
    assert len(EXCERPTS) == 24
    for word in ('"alternatives"', '"panic"', "null_start", "min_candidate_nodes", '"nominated_node"', "disrupted"):
        assert word in text, word


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_recordings_replay(conformance: Path, system: str) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "cycle", system)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert [(replay.release, replay.cases, replay.uncovered) for replay in replays] == [
        ("1.17.10", 1000, 0),
        ("1.28.14", 1000, 0),
        ("1.31.13", 1000, 0),
    ]


@pytest.mark.slow
def test_all_recorded_cycles_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "cycle", "cycle_calls")]
    assert [d for replay in replays for d in replay.divergences] == []
    assert {replay.release: replay.cases for replay in replays if not replay.uncovered} == CYCLES
