"""Scores that count otherwise than a configuration says: `kubeproof scheduler-config` names these hazards."""

from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config.hazards import Hazard
from tests.kubeproof.advise.scheduler_configs import (
    GPU,
    Ask,
    asker,
    configuration,
    enabled,
    extender,
    plugins,
    policy,
)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


def weighted(**weights: int) -> dict[str, Any]:
    return {"enabled": [{"name": name, "weight": weight} for name, weight in weights.items()]}


def found(answer: Any, kind: str) -> list[Hazard]:
    return [each for each in answer.hazards if each.kind == kind]


THREE = plugins(score=weighted(NodeResourcesFit=1, TaintToleration=4, PodTopologySpread=3))


@pytest.mark.parametrize(
    ("version", "release", "twice"),
    [
        ("v1beta3", "1.23.5", False), ("v1beta3", "1.23.9", True), ("v1", "1.26.11", True), ("v1", "1.26.13", False),
        ("v1", "1.28.5", True), ("v1", "1.28.6", False), ("v1", "1.29.0", True), ("v1", "1.31.13", False),
        # Its defaults stand at their points: nothing is expanded.
        ("v1beta2", "1.25.16", False),
    ],
)  # fmt: skip
def test_the_expansion_of_multi_point_doubles_a_plugin(ask: Ask, version: str, release: str, twice: bool) -> None:
    """#122066: three defaults get other weights."""
    answer = ask(configuration(version, profiles=[THREE]), release)
    hazards = found(answer, "plugin-twice")
    score = answer.profiles[0].points["score"]
    assert [each.about for each in hazards] == (["PodTopologySpread"] if twice else [])
    assert score.count("PodTopologySpread") == (2 if twice else 1)
    shares = {share.name: share.weight for share in answer.numbers[0].shares}
    assert shares["PodTopologySpread"] == (6 if twice else 3)
    if twice:
        assert "no pod is scheduled" in hazards[0].what


def test_a_weight_that_another_point_takes_away(ask: Ask) -> None:
    """#100613: MyPlugin has the weight 6 at score, and stands at postBind too."""
    profile = plugins(score=weighted(MyPlugin=6), postBind=enabled("MyPlugin"))
    (lost,) = found(ask(configuration("v1beta1", profiles=[profile]), "1.21.9"), "lost-weight")
    assert "has the weight 6 at score, and 1 counts" in lost.what
    assert not found(ask(configuration("v1beta1", profiles=[profile]), "1.22.3"), "lost-weight")
    # At a point before score it takes nothing away.
    before = plugins(score=weighted(MyPlugin=6), preFilter=enabled("MyPlugin"))
    assert not found(ask(configuration("v1beta1", profiles=[before]), "1.21.9"), "lost-weight")


def test_a_negative_weight(ask: Ask) -> None:
    answer = ask(configuration(profiles=[plugins(score=weighted(ImageLocality=-5))]), "1.31")
    assert [each.about for each in found(answer, "negative-weight")] == ["ImageLocality"]


@pytest.mark.parametrize(
    ("release", "given", "blind"),
    [
        ("1.32.13", extender(), False),
        ("1.33.1", extender(), True),
        ("1.36.3", GPU, True),
        ("1.36.3", extender(nodeCacheCapable=True), False),
        # It is not asked to filter.
        ("1.36.3", {"urlPrefix": "http://x", "prioritizeVerb": "p", "weight": 1}, False),
    ],
)
def test_what_runs_on_a_node_is_not_seen_behind_an_extender(
    ask: Ask, release: str, given: dict[str, Any], blind: bool
) -> None:
    """#141781."""
    hazards = found(ask(configuration(extenders=[given]), release), "unseen-load")
    assert bool(hazards) == blind
    if blind:
        assert "NodeResourcesFit" in hazards[0].what


def test_weights_that_no_number_holds(ask: Ask) -> None:
    """SCORE-EXTENDER-OVERFLOW and SCORE-POLICY-WEIGHT."""
    heavy = {"urlPrefix": "http://x", "prioritizeVerb": "p", "weight": 2**60}
    (over,) = found(ask(configuration(extenders=[heavy]), "1.31"), "overflow")
    assert "SCORE-EXTENDER-OVERFLOW" in over.what
    assert not found(ask(configuration(extenders=[heavy | {"weight": 2**31 - 1}]), "1.31"), "overflow")
    cut = policy(priorities=[{"name": "LeastRequestedPriority", "weight": 2**32 + 3}])
    (lost,) = found(ask(cut, "1.20.4"), "lost-weight")
    assert "has the weight 4294967299, and 3 counts" in lost.what
    assert not found(ask(cut, "1.16.15"), "lost-weight")
