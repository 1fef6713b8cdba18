"""Which plugins of the tree say Skip for a plain pod, release by release."""

import pytest

from model.releases import known_release, rules_for
from model.scheduler.framework.plain_pods import PlainPodRules


@pytest.mark.parametrize(
    ("release", "pre_filter", "pre_score"),
    [
        ("1.26.15", (), ()),
        ("1.27.0", ("NodeAffinity", "VolumeZone"), ()),
        ("1.28.0", ("NodePorts", "PodTopologySpread"), ("InterPodAffinity", "PodTopologySpread")),
        ("1.29.14", ("VolumeRestrictions", "EBSLimits"), ("InterPodAffinity", "PodTopologySpread")),
        ("1.30.0", ("NodeVolumeLimits",), ("NodeAffinity", "VolumeBinding")),
        ("1.36.3", ("NodeDeclaredFeatures",), ("NodeAffinity", "VolumeBinding")),
    ],
)
def test_who_says_skip(release: str, pre_filter: tuple[str, ...], pre_score: tuple[str, ...]) -> None:
    rules = rules_for(PlainPodRules, known_release(release))
    for found, said in ((rules.skip_at_pre_filter(), pre_filter), (rules.skip_at_pre_score(), pre_score)):
        assert bool(found) == bool(said)
        assert found >= set(said)
        # It looks at the pod's requests, and every pod has some.
        assert "NodeResourcesFit" not in found
