"""Kept runs of TLC: read where TLC reads the same, and nowhere else."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kubeproof.engines import tlc
from kubeproof.engines.tlc import launch
from kubeproof.engines.tlc.java import MissingError, find_jar
from kubeproof.processes.command import Finished
from model.systems.node_listing import NodeListingScope
from properties.tla.node_listing.system import form
from tests.agreement import tlc_runs
from tests.agreement.tlc_runs import FILE, RECORD, digest_of, kept_or_run, write_kept
from tests.conftest import node_listing_rules

SMALL = form(NodeListingScope(nodes=2, zones=1), node_listing_rules())


@pytest.fixture(autouse=True)
def jar() -> None:
    try:
        find_jar()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Finished]:
    """The runs that are taken for kept."""
    runs: dict[str, Finished] = {}
    monkeypatch.setattr(tlc_runs, "_kept", lambda: runs)
    monkeypatch.delenv(RECORD, raising=False)
    return runs


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The digests of the runs in which TLC itself is asked."""
    digests: list[str] = []
    real = launch.run

    def run(argv: Sequence[str], folder: Path, timeout: float, *hear: Any) -> Finished:
        digests.append(digest_of(argv, folder))
        return real(argv, folder, timeout, *hear)

    monkeypatch.setattr(launch, "run", kept_or_run(run))
    return digests


def test_a_run_is_recorded_without_the_machine_and_read_again(
    kept: dict[str, Finished], asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as recording:
        recording.setenv(RECORD, str(tmp_path))
        counts = tlc.count(SMALL)
    (recorded,) = tmp_path.glob("*.json")
    document = json.loads(recorded.read_text())
    assert [document["digest"]] == asked
    assert str(Path.home()) not in document["output"]
    assert "Parsing file" not in document["output"]
    kept[document["digest"]] = Finished(document["returncode"], document["output"], "")
    # Any first digit but 0: a kept run is read.
    monkeypatch.setattr(tlc_runs, "ASKED_AGAIN", "-")
    assert tlc.count(SMALL) == counts
    assert len(asked) == 1
    # Another question is asked.
    assert tlc.count(SMALL, symmetry=True) != counts
    assert len(asked) == 2
    monkeypatch.setattr(tlc_runs, "FILE", tmp_path / "runs.gz")
    write_kept(tmp_path)
    assert gzip.decompress((tmp_path / "runs.gz").read_bytes()).decode() == recorded.read_text() + "\n"


def test_a_kept_run_that_tlc_does_not_repeat_is_found(
    kept: dict[str, Finished], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tlc.count(SMALL)
    kept[asked[0]] = Finished(0, "", "")
    monkeypatch.setattr(tlc_runs, "ASKED_AGAIN", asked[0][0])
    with pytest.raises(AssertionError, match="TLC answers otherwise: run `make tlc-runs`"):
        tlc.count(SMALL)


def test_what_is_kept_says_something() -> None:
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    assert len({each["digest"] for each in documents}) == len(documents)
    assert {each["returncode"] for each in documents} <= {0, 12, 13}
    again = [each for each in documents if each["digest"].startswith(tlc_runs.ASKED_AGAIN)]
    assert len(documents) > 16 * len(again) / 2 > 0
