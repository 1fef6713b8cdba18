"""Which configurations end the scheduler's process: `kubeproof scheduler-config` names the hazard `panic`."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config.hazards import Hazard
from tests.kubeproof.advise.scheduler_configs import (
    Ask,
    asker,
    command,
    configuration,
    disabled,
    enabled,
    extender,
    plugins,
)

ALL = disabled("*")
# Of #121630: one Score plugin is left.
ONE_SCORES = plugins(score=ALL | enabled("NodeResourcesFit"))
NAMES = ("TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity",
         "NodeResourcesBalancedAllocation", "ImageLocality")  # fmt: skip
BARE = "no Service, ReplicaSet or StatefulSet selects"


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


def panic(ask: Ask, release: str, profile: dict[str, Any], version: str = "v1", **fields: Any) -> Hazard | None:
    answer = ask(configuration(version, profiles=[profile], **fields), release)
    return next((each for each in answer.hazards if each.kind == "panic"), None)


@pytest.mark.parametrize(
    ("release", "ends"),
    [
        # 1.27 has the fault, and no plugin of the tree that says Skip at PreScore.
        ("1.26.15", False), ("1.27.4", False), ("1.28.0", True), ("1.28.4", True), ("1.28.5", False),
        ("1.29.0", False), ("1.31.13", False), ("1.36.3", False),
    ],
)  # fmt: skip
def test_one_score_plugin_is_left(ask: Ask, release: str, ends: bool) -> None:
    found = panic(ask, release, ONE_SCORES)
    assert (found is not None) == ends
    if found is not None:
        assert BARE in found.what
        assert "makeslice: cap out of range" in found.what
        assert found.run[-1] == "the process ends: panic: runtime error: makeslice: cap out of range"
        assert not found.default_too


def test_no_score_plugin_and_an_extender(ask: Ask) -> None:
    """Almost every pod ends the process: InterPodAffinity alone says Skip."""
    asked = [extender(prioritizeVerb="p", weight=1)]
    found = panic(ask, "1.28.3", plugins(score=ALL), extenders=asked)
    assert found is not None
    assert BARE not in found.what
    # Nobody asks for scores without a Score plugin and without an extender.
    assert panic(ask, "1.28.3", plugins(score=ALL)) is None


@pytest.mark.parametrize(
    ("profile", "ends"),
    [
        # Two score, and two say Skip.
        (plugins(score=ALL | enabled("NodeResourcesFit", "ImageLocality")), False),
        # The same by the name of each plugin that is not to score. VolumeBinding scores 0 without its gate, and counts.
        (plugins(score=disabled(*NAMES)), False),
        (plugins(score=disabled(*NAMES, "VolumeBinding")), True),
        # What is not asked at PreScore either says no Skip.
        (plugins(score=ALL | enabled("NodeResourcesFit"), preScore=disabled("PodTopologySpread")), False),
        (plugins(score=ALL | enabled("NodeResourcesFit"), preScore=ALL), False),
        # Only those that say Skip score.
        (plugins(score=ALL | enabled("InterPodAffinity")), True),
        (plugins(score=ALL | enabled("InterPodAffinity", "PodTopologySpread")), False),
        # By multiPoint, which has neither at Score.
        (
            plugins(
                multiPoint=ALL | enabled("PrioritySort", "DefaultBinder", "NodeResourcesFit", "InterPodAffinity"),
                score=disabled("InterPodAffinity", "NodeResourcesFit") | enabled("ImageLocality"),
            ),
            False,
        ),
    ],
)  # fmt: skip
def test_what_is_asked_at_both_points_decides(ask: Ask, profile: dict[str, Any], ends: bool) -> None:
    assert (panic(ask, "1.28.3", profile) is not None) == ends
    assert (panic(ask, "1.28.3", profile, "v1beta3") is not None) == ends


def test_a_plugin_that_is_not_in_the_tree_may_say_skip(ask: Ask) -> None:
    own = plugins(preScore=ALL | enabled("Mine", "Other"), score=ALL | enabled("Mine"))
    for release, ends in (("1.26.15", False), ("1.27.8", True), ("1.27.9", False), ("1.28.4", True)):
        found = panic(ask, release, own)
        assert (found is not None) == ends
        if found is not None:
            assert "If Mine and Other say Skip too," in found.what


def test_only_the_profile_with_the_hazard_is_named(ask: Ask) -> None:
    profiles = [{"schedulerName": "usual"}, {"schedulerName": "bin-packing"} | ONE_SCORES]
    (found,) = [each for each in ask(configuration(profiles=profiles), "1.28.3").hazards if each.kind == "panic"]
    assert found.profiles == ("bin-packing",)


def test_the_command_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps(configuration(profiles=[ONE_SCORES])))
    status, out = command(capsys, str(file), "--release", "1.28.3")
    assert status == 1
    assert "panic: default-scheduler" in out
    assert "SCORE-SKIP-PANIC" in out
    # What the other hazards tell is about a pod for which all plugins have something to do.
    assert "Bind (DefaultBinder, n1): Error" in out
