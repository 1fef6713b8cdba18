"""What preemption writes and leaves behind, release by release, as the Go functions of these releases say."""

import pytest

from model.releases import parse_release, rules_for
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.writes import (
    DISRUPTION_TARGET,
    READY,
    PodStatus,
    WriteRules,
    fields_patched,
    with_condition,
)

VICTIM = PodStatus()
PREEMPTOR = PodStatus("Pending", "Burstable", ())


def patched(release: str) -> tuple[str, ...] | None:
    found = rules_for(WriteRules, parse_release(release)).status_of_victim(VICTIM, PREEMPTOR)
    return None if found is None else fields_patched(VICTIM, found)


@pytest.mark.parametrize("release", ["1.17.10", "1.20.0", "1.25.16"])
def test_a_victim_is_only_deleted(release: str) -> None:
    assert patched(release) is None


@pytest.mark.parametrize("release", ["1.26.10", "1.27.7", "1.28.3", "1.28.14", "1.29.9", "1.30.5", "1.31.1"])
def test_the_condition_alone_is_written(release: str) -> None:
    assert patched(release) == ("conditions",)
    found = rules_for(WriteRules, parse_release(release)).status_of_victim(VICTIM, PREEMPTOR)
    assert found == with_condition(VICTIM, DISRUPTION_TARGET)
    assert found is not None
    assert found.conditions == (DISRUPTION_TARGET, READY)


@pytest.mark.parametrize("release", ["1.26.11", "1.27.16", "1.28.4", "1.28.13", "1.29.8", "1.30.4", "1.31.0"])
def test_a_victim_gets_the_preemptors_status(release: str) -> None:
    assert patched(release) == ("phase", "qos_class", "conditions")


@pytest.mark.parametrize(
    ("release", "written"),
    [("1.18.20", True), ("1.19.12", False), ("1.19.13", True), ("1.20.8", False), ("1.21.2", False), ("1.21.3", True),
     ("1.22.0", True)],
)  # fmt: skip
def test_a_pod_with_an_unnamed_secret_hears_why_it_waits(release: str, written: bool) -> None:
    rules = rules_for(WriteRules, parse_release(release))
    assert rules.status_of_preemptor(True) is written
    assert rules.status_of_preemptor(False)


@pytest.mark.parametrize(
    ("release", "left"),
    [("1.19.14", 0), ("1.20.0", 1), ("1.22.12", 1), ("1.22.13", 0), ("1.23.9", 1), ("1.24.3", 1), ("1.24.4", 0),
     ("1.25.0", 0)],
)  # fmt: skip
def test_a_search_that_was_not_stopped_leaves_a_context(release: str, left: int) -> None:
    rules = rules_for(PreemptionRules, parse_release(release))
    assert rules.contexts_left(False) == left
    assert rules.contexts_left(True) == 0


@pytest.mark.parametrize(
    ("release", "asks"),
    [("1.18.20", True), ("1.19.0", False), ("1.19.14", False), ("1.20.9", False), ("1.20.10", True), ("1.21.3", False),
     ("1.21.4", True), ("1.22.0", True)],
)  # fmt: skip
def test_who_asks_extenders(release: str, asks: bool) -> None:
    assert rules_for(PreemptionRules, parse_release(release)).asks_extenders_to_preempt() is asks
