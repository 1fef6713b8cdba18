"""The plugins that a release has by default, by the gates on which that depends.

Go: pkg/scheduler/algorithmprovider (to 1.17 defaults/, to 1.21 registry.go), pkg/scheduler/apis/config/VERSION/
default_plugins.go (1.22 on), of a Policy framework/plugins/legacy_registry.go. Read of every patch release at hand of
1.13 to 1.36: within a minor they do not differ.
"""

from collections.abc import Iterable, Iterator, Mapping

from kubeproof.advise.scheduler_config.api_versions import Version
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK
from model.gates import GATES as ALL_GATES
from model.releases import known_release

# A plugin and its weight, 0 for none.
Weighted = tuple[str, int]
# Point -> its plugins; from v1beta3 on all of them under `multiPoint`.
Points = dict[str, tuple[Weighted, ...]]
# The gates that are set.
Gates = Mapping[str, bool]
# Those that decide which plugins there are by default.
GATES = (
    "EvenPodsSpread", "DefaultPodTopologySpread", "PreferNominatedNode", "VolumeCapacityPriority",
    "StorageCapacityScoring", "PodSchedulingReadiness", "DynamicResourceAllocation", "NodeDeclaredFeatures",
    "GangScheduling", "TopologyAwareWorkloadScheduling",
)  # fmt: skip


def gate_on(name: str, minor: int, gates: Gates) -> bool:
    """Whether a gate of `GATES` is on: as it is set, else as it is by default."""
    if name == "DefaultPodTopologySpread" and minor < 19:
        return True  # There is nothing to switch: SelectorSpread does not score.
    return ALL_GATES[name].is_on(known_release(f"1.{minor}"), gates)


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


def default_predicates(minor: int, gates: Gates) -> tuple[str, ...]:
    """Of a Policy that has none of its own, and to 1.17 of every scheduler. Their order is that of Go's Filter."""
    spread = ("EvenPodsSpread",) if gate_on("EvenPodsSpread", minor, gates) else ()
    return (*_PREDICATES[:-1], *spread, _PREDICATES[-1])


def default_priorities(minor: int, gates: Gates) -> tuple[Weighted, ...]:
    """Of a Policy that has none of its own, and to 1.17 of every scheduler, with their weights."""
    weight = 1 if minor <= 18 else 2
    spread = (("EvenPodsSpreadPriority", weight),) if gate_on("EvenPodsSpread", minor, gates) else ()
    return (*_PRIORITIES, *spread)


def defaults(version: Version, minor: int, gates: Gates) -> Points:
    """What a configuration of this version that names no plugin gets in this minor, with these gates set."""
    if version == "v1alpha1" and minor < FIRST_FRAMEWORK:
        return {
            "filter": tuple((name, 0) for name in default_predicates(minor, gates)),
            "score": default_priorities(minor, gates),
        }
    if version in ("v1beta3", "v1"):
        return {"multiPoint": tuple(_multi_point(version, minor, gates))}
    return _by_point(version, minor, gates)


def _multi_point(version: Version, minor: int, gates: Gates) -> Iterator[Weighted]:
    """v1beta3 and v1: 1.23 on."""
    ready = gate_on("PodSchedulingReadiness", minor, gates)
    if minor >= 30:
        yield "SchedulingGates", 0
    yield from (
        ("PrioritySort", 0), ("NodeUnschedulable", 0), ("NodeName", 0), ("TaintToleration", 3), ("NodeAffinity", 2),
        ("NodePorts", 0), ("NodeResourcesFit", 1), ("VolumeRestrictions", 0),
    )  # fmt: skip
    if minor < 31:
        yield from (("EBSLimits", 0), ("GCEPDLimits", 0))
    yield "NodeVolumeLimits", 0
    if minor < 31:
        yield "AzureDiskLimits", 0
    yield from (("VolumeBinding", 0), ("VolumeZone", 0), ("PodTopologySpread", 2), ("InterPodAffinity", 2))
    if version == "v1" and gate_on("DynamicResourceAllocation", minor, gates):
        yield "DynamicResources", 2 if minor >= 35 else 0
    yield from (
        ("DefaultPreemption", 0), ("NodeResourcesBalancedAllocation", 1), ("ImageLocality", 1), ("DefaultBinder", 0),
    )  # fmt: skip
    if not gate_on("DefaultPodTopologySpread", minor, gates):
        yield "SelectorSpread", 1
    if ready and minor < 30:
        yield "SchedulingGates", 0
    if gate_on("NodeDeclaredFeatures", minor, gates):
        yield "NodeDeclaredFeatures", 0
    if gate_on("GangScheduling", minor, gates):
        yield "GangScheduling", 0
    if gate_on("TopologyAwareWorkloadScheduling", minor, gates):
        yield from (("TopologyPlacementGenerator", 0), ("PodGroupPodsCount", 1))


def _without_weight(names: Iterable[str]) -> tuple[Weighted, ...]:
    return tuple((name, 0) for name in names)


def _by_point(version: Version, minor: int, gates: Gates) -> Points:
    """v1alpha1 of 1.18, v1alpha2, v1beta1 and v1beta2: point by point."""
    # In 1.18 the gate puts PodTopologySpread behind all others.
    at_the_end = ["PodTopologySpread"] if minor == 18 and gate_on("EvenPodsSpread", minor, gates) else []
    last = ["InterPodAffinity", *at_the_end] if minor == 18 else ["PodTopologySpread", "InterPodAffinity"]
    pre_filter = ["NodeResourcesFit", "NodePorts"]
    if minor >= 22:
        pre_filter.append("VolumeRestrictions")
    pre_filter += last
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
    limits = ["EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits"]
    filters += [*limits, "VolumeBinding", "VolumeZone", *last]
    found = {
        "queueSort": _without_weight(["PrioritySort"]),
        "preFilter": _without_weight(pre_filter),
        "filter": _without_weight(filters),
        "preScore": _without_weight(_pre_score(minor, gates, at_the_end)),
        "score": tuple(_score(version, minor, gates, at_the_end)),
        "bind": _without_weight(["DefaultBinder"]),
    }
    if minor >= 19:
        found["postFilter"] = _without_weight(["DefaultPreemption"])
        found["reserve"] = found["preBind"] = _without_weight(["VolumeBinding"])
    if gate_on("PodSchedulingReadiness", minor, gates):
        found["preEnqueue"] = _without_weight(["SchedulingGates"])
    return found


def _pre_score(minor: int, gates: Gates, at_the_end: list[str]) -> Iterator[str]:
    yield "InterPodAffinity"
    yield "DefaultPodTopologySpread" if minor == 18 else "PodTopologySpread"
    yield "TaintToleration"
    yield from at_the_end
    if minor >= 21:
        yield "NodeAffinity"
    if minor >= 27:
        yield from ("NodeResourcesFit", "NodeResourcesBalancedAllocation")
    if not gate_on("DefaultPodTopologySpread", minor, gates):
        yield "SelectorSpread"


def _score(version: Version, minor: int, gates: Gates, at_the_end: list[str]) -> Iterator[Weighted]:
    yield from (("NodeResourcesBalancedAllocation", 1), ("ImageLocality", 1), ("InterPodAffinity", 1))
    yield "NodeResourcesFit" if version == "v1beta2" else "NodeResourcesLeastAllocated", 1
    yield "NodeAffinity", 1
    if version != "v1beta2":
        yield "NodePreferAvoidPods", 10000
    if minor == 18:
        yield "DefaultPodTopologySpread", 1
    else:
        yield "PodTopologySpread", 2
    yield "TaintToleration", 1
    yield from ((name, 1) for name in at_the_end)
    if gate_on("VolumeCapacityPriority", minor, gates):
        yield "VolumeBinding", 1
    if not gate_on("DefaultPodTopologySpread", minor, gates):
        yield "SelectorSpread", 1
