"""In which releases two goroutines of the CPU manager touch containerMap without a common lock."""

import pytest

from model.cpu.locking import LockingRules
from model.releases import parse_release, rules_for
from properties.locks import explain_race, races


def races_in(release):
    return races(rules_for(LockingRules, parse_release(release)).manager_accesses())


@pytest.mark.parametrize("release", ["1.13.0", "1.16.0", "1.17.17", "1.18.15", "1.19.7", "1.20.2", "1.21.0", "1.31.13"])
def test_no_race(release):
    assert not races_in(release)


@pytest.mark.parametrize("release", ["1.18.0", "1.18.4", "1.18.14", "1.19.0", "1.19.6", "1.20.1"])
def test_race(release):
    """The issue behind #97427: `fatal error: concurrent map read and map write`."""
    found = races_in(release)
    assert found
    texts = [explain_race(pair) for pair in found]
    assert any("reconcileState" in text and "removeStaleState on syncLoop" in text for text in texts)
    assert any("RemoveContainer" in text for text in texts) == (release == "1.18.0")
