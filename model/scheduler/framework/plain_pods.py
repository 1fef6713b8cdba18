"""Which plugins of the tree have nothing to do for a plain pod, and say Skip.

A plain pod asks for CPU and memory. It has no affinity, no spread constraints, no ports and no claims, no Service or
ReplicaSet selects it, and no affinity of another pod is about it. Go: `PreFilter` and `PreScore` of the plugins in
pkg/scheduler/framework/plugins, with their default arguments and gates.
"""

from collections.abc import Callable

from attrs import frozen

Plugins = frozenset[str]


def nobody_skips() -> Plugins:
    """PreFilter to 1.26, PreScore to 1.27: a plugin writes that it has nothing to do, and is asked all the same."""
    return frozenset()


def affinity_and_volumes_skip() -> Plugins:
    """PreFilter in 1.27."""
    return frozenset({"InterPodAffinity", "NodeAffinity", "VolumeBinding", "VolumeZone"})


def all_but_ports_skip() -> Plugins:
    """PreFilter in 1.28.0-alpha.2."""
    limits = {"EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits", "NodeVolumeLimits"}
    return affinity_and_volumes_skip() | {"PodTopologySpread", "VolumeRestrictions"} | limits


def all_but_fit_skip() -> Plugins:
    """PreFilter from 1.28.0-beta.0 on. NodeDeclaredFeatures is there from 1.35 on."""
    return all_but_ports_skip() | {"NodePorts", "DynamicResources", "NodeDeclaredFeatures"}


def affinity_skips() -> Plugins:
    """PreScore in 1.28.0-alpha.2."""
    return frozenset({"InterPodAffinity"})


def affinity_and_spread_skip() -> Plugins:
    """PreScore in 1.28 and 1.29."""
    return affinity_skips() | {"PodTopologySpread"}


def node_affinity_and_binding_skip() -> Plugins:
    """PreScore from 1.30 on."""
    return affinity_and_spread_skip() | {"NodeAffinity", "VolumeBinding"}


@frozen(slots=False, kw_only=True)
class PlainPodRules:
    """What releases do differently for a plain pod."""

    # The plugins that say Skip at PreFilter.
    skip_at_pre_filter: Callable[[], Plugins]
    # Those that say Skip at PreScore.
    skip_at_pre_score: Callable[[], Plugins]
