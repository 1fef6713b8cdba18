"""The plugins in the tree: at which points each of them acts, which of them a release has by default, and what they
pass from one point to the next.

Go: the assertions `var _ framework.FilterPlugin = &Fit{}` in pkg/scheduler/framework/plugins, the defaults in
pkg/scheduler/algorithmprovider (to 1.21: registry.go, to 1.17: defaults/) and in pkg/scheduler/apis/config/VERSION/
default_plugins.go (1.22 on), read of every patch release at hand of 1.13 to 1.31; within a minor they do not differ.
Gates have their defaults.
"""

from collections.abc import Iterable

from attrs import frozen

from kubeproof.advise.scheduler_config.api_versions import Version

# The points of a configuration, in the order in which a pod meets them.
POINTS = (
    "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "unreserve",
    "permit", "preBind", "bind", "postBind",
)  # fmt: skip
# The order in which the framework looks for the plugins of a profile (Go: `getExtensionPoints`).
LOOKED_FOR = (
    "preFilter", "filter", "postFilter", "reserve", "preScore", "score", "preBind", "bind", "postBind", "unreserve",
    "permit", "preEnqueue", "queueSort",
)  # fmt: skip
FIRST_FRAMEWORK = 18  # Before, predicates and priorities do the work, and a plugin is something extra.
_EVER = 99

# Plugin -> point -> the first and the last minor in which it acts there.
_ACTS: dict[str, dict[str, tuple[int, int]]] = {
    "PrioritySort": {"queueSort": (18, _EVER)},
    "SchedulingGates": {"preEnqueue": (26, _EVER)},
    "NodeUnschedulable": {"filter": (17, _EVER)},
    "NodeName": {"filter": (17, _EVER)},
    "TaintToleration": {"filter": (17, _EVER), "preScore": (18, _EVER), "score": (17, _EVER)},
    "NodeAffinity": {
        "preFilter": (21, _EVER), "filter": (17, _EVER), "preScore": (21, _EVER), "score": (17, _EVER),
    },
    "NodePorts": {"preFilter": (18, _EVER), "filter": (17, _EVER)},
    "NodeResourcesFit": {
        "preFilter": (18, _EVER), "filter": (17, _EVER), "preScore": (27, _EVER), "score": (22, _EVER),
    },
    "VolumeRestrictions": {"preFilter": (22, _EVER), "filter": (17, _EVER)},
    "EBSLimits": {"preFilter": (28, _EVER), "filter": (17, _EVER)},
    "GCEPDLimits": {"preFilter": (28, _EVER), "filter": (17, _EVER)},
    "AzureDiskLimits": {"preFilter": (28, _EVER), "filter": (17, _EVER)},
    "CinderLimits": {"preFilter": (28, _EVER), "filter": (17, _EVER)},
    "NodeVolumeLimits": {"preFilter": (28, _EVER), "filter": (17, _EVER)},
    "VolumeBinding": {
        "preFilter": (19, _EVER), "filter": (17, _EVER), "preScore": (30, _EVER), "score": (21, _EVER),
        "reserve": (19, _EVER), "preBind": (19, _EVER),
    },
    "VolumeZone": {"preFilter": (27, _EVER), "filter": (17, _EVER)},
    "PodTopologySpread": {
        "preFilter": (18, _EVER), "filter": (17, _EVER), "preScore": (18, _EVER), "score": (17, _EVER),
    },
    "InterPodAffinity": {
        "preFilter": (18, _EVER), "filter": (17, _EVER), "preScore": (18, _EVER), "score": (17, _EVER),
    },
    "DynamicResources": {
        "preEnqueue": (28, _EVER), "preFilter": (26, _EVER), "filter": (26, _EVER), "postFilter": (26, _EVER),
        "preScore": (26, _EVER), "reserve": (26, _EVER), "preBind": (30, _EVER), "postBind": (26, _EVER),
    },
    "DefaultPreemption": {"postFilter": (19, _EVER)},
    "NodeResourcesBalancedAllocation": {"preScore": (27, _EVER), "score": (17, _EVER)},
    "ImageLocality": {"score": (17, _EVER)},
    "DefaultBinder": {"bind": (18, _EVER)},
    "SelectorSpread": {"preScore": (19, 28), "score": (19, 28)},
    "DefaultPodTopologySpread": {"preScore": (18, 18), "score": (17, 18)},
    "NodePreferAvoidPods": {"score": (17, 22)},
    "NodeResourcesLeastAllocated": {"score": (17, 22)},
    "NodeResourcesMostAllocated": {"score": (17, 22)},
    "RequestedToCapacityRatio": {"score": (17, 22)},
    "NodeResourceLimits": {"preScore": (18, 18), "score": (18, 18)},
    "NodeLabel": {"filter": (17, 22), "score": (17, 22)},
    "ServiceAffinity": {"preFilter": (18, 22), "filter": (17, 22), "score": (17, 22)},
}  # fmt: skip

Weighted = tuple[str, int]


@frozen
class Defaults:
    """The plugins without a word of the operator: point -> (name, weight), or all of them under `multiPoint`."""

    points: dict[str, tuple[Weighted, ...]]


@frozen
class Passes:
    """A plugin reads at one point what it wrote at another, and fails without."""

    plugin: str
    writes: str
    reads: str
    # The error of the plugin.
    error: str
    since: int = 18


# What NodeAffinity, VolumeZone, NodeResourcesFit and NodeResourcesBalancedAllocation compute anew at Filter or Score,
# if it was not prepared, is not here.
PASSES = (
    Passes("InterPodAffinity", "preFilter", "filter",
           'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
    Passes("InterPodAffinity", "preScore", "score",
           'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    Passes("NodePorts", "preFilter", "filter", 'reading "PreFilterNodePorts" from cycleState: not found'),
    Passes("NodeResourcesFit", "preFilter", "filter",
           'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
    Passes("PodTopologySpread", "preFilter", "filter",
           'reading "PreFilterPodTopologySpread" from cycleState: not found'),
    Passes("PodTopologySpread", "preScore", "score",
           'error reading "PreScorePodTopologySpread" from cycleState: not found'),
    Passes("TaintToleration", "preScore", "score",
           'failed to read "PreScoreTaintToleration" from cycleState: not found'),
    Passes("SelectorSpread", "preScore", "score", 'reading "PreScoreSelectorSpread" from cycleState: not found', 19),
    Passes("VolumeBinding", "preFilter", "filter", "not found", 19),
    Passes("VolumeBinding", "preFilter", "reserve", "not found", 19),
    Passes("VolumeRestrictions", "preFilter", "filter",
           'cannot read "PreFilterVolumeRestrictions" from cycleState', 27),
    Passes("DynamicResources", "preFilter", "filter", "not found", 26),
)  # fmt: skip


def in_tree(plugin: str, minor: int) -> bool:
    """Whether the release's own registry has the plugin."""
    return any(first <= minor <= last for first, last in _ACTS.get(plugin, {}).values())


def acts_at(plugin: str, minor: int) -> tuple[str, ...]:
    """The points at which a plugin of the tree acts, in the order of the points."""
    acts = _ACTS.get(plugin, {})
    return tuple(point for point in POINTS if point in acts and acts[point][0] <= minor <= acts[point][1])


_PREDICATES = (
    "CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints", "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "CheckVolumeBinding",
    "NoVolumeZoneConflict", "MatchInterPodAffinity",
)  # fmt: skip
MANDATORY_PREDICATES = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
_PRIORITIES: tuple[Weighted, ...] = (
    ("SelectorSpreadPriority", 1), ("InterPodAffinityPriority", 1), ("LeastRequestedPriority", 1),
    ("BalancedResourceAllocation", 1), ("NodePreferAvoidPodsPriority", 10000), ("NodeAffinityPriority", 1),
    ("TaintTolerationPriority", 1), ("ImageLocalityPriority", 1),
)  # fmt: skip


def default_predicates(minor: int) -> tuple[str, ...]:
    """Of a Policy that has none of its own, and to 1.17 of every scheduler. Their order is that of Go's Filter."""
    return (*_PREDICATES[:-1], *(("EvenPodsSpread",) if minor >= 18 else ()), _PREDICATES[-1])


def default_priorities(minor: int) -> tuple[Weighted, ...]:
    """Of a Policy that has none of its own, and to 1.17 of every scheduler, with their weights."""
    spread = (("EvenPodsSpreadPriority", 1 if minor == 18 else 2),) if minor >= 18 else ()
    return (*_PRIORITIES, *spread)


def defaults(version: Version, minor: int) -> Defaults:
    """What a configuration of this version that names no plugin gets in this minor."""
    if version == "v1alpha1" and minor < FIRST_FRAMEWORK:
        return Defaults({
            "filter": tuple((name, 0) for name in default_predicates(minor)),
            "score": default_priorities(minor),
        })  # fmt: skip
    if version in ("v1beta3", "v1"):
        return Defaults({"multiPoint": _multi_point(minor)})
    return Defaults(_by_point(version, minor))


def _multi_point(minor: int) -> tuple[Weighted, ...]:
    """v1beta3 and v1: 1.23 on."""
    limits = (
        ("EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits") if minor < 31 else ("NodeVolumeLimits",)
    )
    listed = [
        ("PrioritySort", 0), ("NodeUnschedulable", 0), ("NodeName", 0), ("TaintToleration", 3), ("NodeAffinity", 2),
        ("NodePorts", 0), ("NodeResourcesFit", 1), ("VolumeRestrictions", 0), *((name, 0) for name in limits),
        ("VolumeBinding", 0), ("VolumeZone", 0), ("PodTopologySpread", 2), ("InterPodAffinity", 2),
        ("DefaultPreemption", 0), ("NodeResourcesBalancedAllocation", 1), ("ImageLocality", 1), ("DefaultBinder", 0),
    ]  # fmt: skip
    if minor >= 30:
        return (("SchedulingGates", 0), *listed)
    # The gate PodSchedulingReadiness is on from 1.27 on.
    return (*listed, ("SchedulingGates", 0)) if minor >= 27 else tuple(listed)


def _without_weight(names: Iterable[str]) -> tuple[Weighted, ...]:
    return tuple((name, 0) for name in names)


def _by_point(version: Version, minor: int) -> dict[str, tuple[Weighted, ...]]:
    """v1alpha1 of 1.18, v1alpha2, v1beta1 and v1beta2: point by point."""
    pre_filter = ["NodeResourcesFit", "NodePorts"]
    if minor >= 22:
        pre_filter.append("VolumeRestrictions")
    pre_filter += (
        ["InterPodAffinity", "PodTopologySpread"] if minor == 18 else ["PodTopologySpread", "InterPodAffinity"]
    )
    if minor >= 19:
        pre_filter.append("VolumeBinding")
    if minor >= 27:
        pre_filter.append("VolumeZone")
    if minor >= 21:
        pre_filter.append("NodeAffinity")
    if minor >= 20:
        filters = ["NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
                   "VolumeRestrictions"]  # fmt: skip
    else:
        filters = ["NodeUnschedulable", "NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity",
                   "VolumeRestrictions", "TaintToleration"]  # fmt: skip
    last = ["InterPodAffinity", "PodTopologySpread"] if minor == 18 else ["PodTopologySpread", "InterPodAffinity"]
    csi = ["EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits"]
    filters += [*csi, "VolumeBinding", "VolumeZone", *last]
    fit = ("NodeResourcesFit" if version == "v1beta2" else "NodeResourcesLeastAllocated", 1)
    scores: list[Weighted] = [
        ("NodeResourcesBalancedAllocation", 1), ("ImageLocality", 1), ("InterPodAffinity", 1), fit, ("NodeAffinity", 1),
    ]  # fmt: skip
    if version != "v1beta2":
        scores.append(("NodePreferAvoidPods", 10000))
    if minor == 18:
        # The gate EvenPodsSpread is on in 1.18.
        scores += [("DefaultPodTopologySpread", 1), ("TaintToleration", 1), ("PodTopologySpread", 1)]
        pre_score = ["InterPodAffinity", "DefaultPodTopologySpread", "TaintToleration", "PodTopologySpread"]
    else:
        scores += [("PodTopologySpread", 2), ("TaintToleration", 1)]
        pre_score = ["InterPodAffinity", "PodTopologySpread", "TaintToleration"]
    if minor == 19:
        # The gate DefaultPodTopologySpread is off in 1.19.
        scores.append(("SelectorSpread", 1))
        pre_score.append("SelectorSpread")
    if minor >= 21:
        pre_score.append("NodeAffinity")
    if minor >= 27:
        pre_score += ["NodeResourcesFit", "NodeResourcesBalancedAllocation"]
    found = {
        "queueSort": _without_weight(["PrioritySort"]),
        "preFilter": _without_weight(pre_filter),
        "filter": _without_weight(filters),
        "preScore": _without_weight(pre_score),
        "score": tuple(scores),
        "bind": _without_weight(["DefaultBinder"]),
    }
    if minor >= 19:
        found["postFilter"] = _without_weight(["DefaultPreemption"])
        found["reserve"] = found["preBind"] = _without_weight(["VolumeBinding"])
    if minor >= 27:
        found["preEnqueue"] = _without_weight(["SchedulingGates"])
    return found
