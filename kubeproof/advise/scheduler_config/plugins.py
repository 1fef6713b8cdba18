"""The plugins in the tree: at which points each of them acts, and what they pass from one point to the next.

Go: the assertions `var _ framework.FilterPlugin = &Fit{}` in pkg/scheduler/framework/plugins, read of every patch
release at hand of 1.17 to 1.36; within a minor they do not differ.
"""

from attrs import frozen

from kubeproof.errors import nearest

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
    "EBSLimits": {"preFilter": (28, 31), "filter": (17, 31)},
    "GCEPDLimits": {"preFilter": (28, 31), "filter": (17, 31)},
    "AzureDiskLimits": {"preFilter": (28, 31), "filter": (17, 31)},
    "CinderLimits": {"preFilter": (28, 31), "filter": (17, 31)},
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
        "preScore": (26, 31), "score": (35, _EVER), "reserve": (26, _EVER), "preBind": (30, _EVER),
        "postBind": (26, 31),
    },
    "NodeDeclaredFeatures": {"preFilter": (35, _EVER), "filter": (35, _EVER)},
    "GangScheduling": {"preEnqueue": (35, _EVER), "reserve": (35, 35), "permit": (35, _EVER)},
    "DefaultPreemption": {"preEnqueue": (32, _EVER), "postFilter": (19, _EVER)},
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


def ever_in_tree(plugin: str) -> bool:
    """Whether the registry of some release has the plugin."""
    return plugin in _ACTS


# What came in the place of a plugin that is gone.
_INSTEAD = {
    "NodeResourcesLeastAllocated": "NodeResourcesFit with scoringStrategy LeastAllocated",
    "NodeResourcesMostAllocated": "NodeResourcesFit with scoringStrategy MostAllocated",
    "RequestedToCapacityRatio": "NodeResourcesFit with scoringStrategy RequestedToCapacityRatio",
    "SelectorSpread": "PodTopologySpread", "DefaultPodTopologySpread": "SelectorSpread, later PodTopologySpread",
    "EBSLimits": "NodeVolumeLimits", "GCEPDLimits": "NodeVolumeLimits", "AzureDiskLimits": "NodeVolumeLimits",
    "CinderLimits": "NodeVolumeLimits",
}  # fmt: skip


def meant(name: str, minor: int) -> str:
    """What may be meant by the name of no plugin of the release, such as ` (1.31 has NodeResourcesFit)`; or ""."""
    if in_tree(name, minor):
        return ""
    if name in _ACTS:
        return f" (1.{minor} has {_INSTEAD[name]})" if name in _INSTEAD else f" (1.{minor} has it not)"
    close = nearest(name, [each for each in _ACTS if in_tree(each, minor)])
    return f" (did you mean {' or '.join(close)}?)" if close else f" (1.{minor} has no such plugin)"


def acts_at(plugin: str, minor: int) -> tuple[str, ...]:
    """The points at which a plugin of the tree acts, in the order of the points."""
    acts = _ACTS.get(plugin, {})
    return tuple(point for point in POINTS if point in acts and acts[point][0] <= minor <= acts[point][1])
