"""The table of feature gates: what Kubernetes promises of stages, and what is known of single releases."""

import pytest

from model.feature_gates import STAGES, stage_in
from model.gates import GATES
from model.releases import known_release, row_in


@pytest.mark.parametrize("gate", STAGES)
def test_the_stages_of_a_gate_are_in_order_and_have_the_defaults_that_kubernetes_promises(gate: str) -> None:
    """https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/#feature-stages"""
    stages = STAGES[gate]
    assert [each.version for each in stages] == sorted({each.version for each in stages})
    order = ("alpha", "beta", "GA", "gone")
    assert [each.stage for each in stages] == sorted((each.stage for each in stages), key=order.index)
    for each in stages:
        assert each.stage in order
        assert not each.on or each.stage != "alpha"
        assert each.on or each.stage != "GA"
        assert not each.locked or each.stage == "GA"


@pytest.mark.parametrize(
    ("gate", "release", "default", "locked"),
    [
        ("InPlacePodVerticalScaling", "1.26.15", None, False), ("InPlacePodVerticalScaling", "1.32.13", False, False),
        ("InPlacePodVerticalScaling", "1.33.0", True, False), ("InPlacePodVerticalScaling", "1.35.0", True, True),
        ("PodOverhead", "1.17.17", False, False), ("PodOverhead", "1.18.0", True, False),
        ("PodOverhead", "1.26.0", True, True), ("EvenPodsSpread", "1.17.0", False, False),
        ("VolumeCapacityPriority", "1.33.0", False, True), ("SchedulerAsyncAPICalls", "1.34.2", False, False),
        ("SchedulerAsyncAPICalls", "1.35.0", True, False), ("SidecarContainers", "1.29.0", True, False),
    ],
)  # fmt: skip
def test_the_default_of_a_release(gate: str, release: str, default: bool | None, locked: bool) -> None:
    at = known_release(release)
    assert (GATES[gate].default_in(at), GATES[gate].is_locked(at)) == (default, locked)


def test_rules_of_defaults_follow_the_table() -> None:
    for release in ("1.28.4", "1.28.5", "1.31.14", "1.32.0", "1.36.3"):
        at = known_release(release)
        stage = stage_in("SchedulerQueueingHints", at.version)
        assert stage is not None
        assert row_in("queueing_hints_default", at).rule() is stage.on
    assert row_in("clears_nomination_of_bound", known_release("1.34.9")).rule is not (
        row_in("clears_nomination_of_bound", known_release("1.35.0")).rule
    )
