"""The arguments of plugins of the tree: whether kube-scheduler decodes them, and what its validation says of them.

Go: `decodeNestedObjects` in staging/src/k8s.io/kube-scheduler/config/VERSION/types.go with types_pluginargs.go beside
it, `validation_pluginargs.go` in pkg/scheduler/apis/config/validation. Read of every patch release at hand of 1.22 to
1.36. Up to 1.21 the plugins themselves decode their arguments, with other texts: there nothing is judged here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeproof.advise.scheduler_config.api_versions import GROUP, Field, Form, ListOf, accepted, of
from kubeproof.advise.scheduler_config.decoding import check
from kubeproof.advise.scheduler_config.default_plugins import Gates, gate_on
from kubeproof.advise.scheduler_config.refusal import Refusal
from kubeproof.errors import InputError
from model.go.formats import quote

FIRST_JUDGED = 22

_SHAPE: Form = of("number32", "utilization", "score")
_RESOURCES = Field(ListOf(of("string", "name") | of("number", "weight")))
_STRATEGY: Form = {
    **of("string", "type"),
    "resources": _RESOURCES,
    "requestedToCapacityRatio": Field({"shape": Field(ListOf(_SHAPE))}),
}
_CONSTRAINT: Form = {
    **of("number32", "maxSkew", "minDomains"),
    **of("string", "topologyKey", "whenUnsatisfiable", "nodeAffinityPolicy", "nodeTaintsPolicy"),
    **of("anything", "labelSelector"),
    **of("strings", "matchLabelKeys"),
}
_META: Form = of("string", "apiVersion", "kind")
# Plugin -> the fields of its arguments.
FORMS: Mapping[str, Form] = {
    "DefaultPreemption": of("number32", "minCandidateNodesPercentage", "minCandidateNodesAbsolute"),
    "InterPodAffinity": {
        **of("number32", "hardPodAffinityWeight"), "ignorePreferredTermsOfExistingPods": Field("flag", 27),
    },
    "NodeAffinity": of("anything", "addedAffinity"),
    "NodeResourcesBalancedAllocation": {"resources": _RESOURCES},
    "NodeResourcesFit": {
        **of("strings", "ignoredResources", "ignoredResourceGroups"), "scoringStrategy": Field(_STRATEGY),
    },
    "PodTopologySpread": {**of("string", "defaultingType"), "defaultConstraints": Field(ListOf(_CONSTRAINT))},
    "VolumeBinding": {**of("number", "bindTimeoutSeconds"), "shape": Field(ListOf(_SHAPE))},
    "NodeLabel": of(
        "strings", "presentLabels", "absentLabels", "presentLabelsPreference", "absentLabelsPreference"
    ),
    "ServiceAffinity": of("strings", "affinityLabels", "antiAffinityLabelsPreference"),
    "NodeResourcesLeastAllocated": {"resources": _RESOURCES},
    "NodeResourcesMostAllocated": {"resources": _RESOURCES},
    "RequestedToCapacityRatio": {"shape": Field(ListOf(_SHAPE)), "resources": _RESOURCES},
}  # fmt: skip
_ONLY_V1BETA1 = (
    "NodeLabel", "ServiceAffinity", "NodeResourcesLeastAllocated", "NodeResourcesMostAllocated",
    "RequestedToCapacityRatio",
)  # fmt: skip
_STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")


def has_arguments(plugin: str, version: str) -> bool:
    """Whether a plugin of the tree takes arguments in this version."""
    return plugin in FORMS and (version == "v1beta1" or plugin not in _ONLY_V1BETA1)


def not_decoded(plugin: str, args: Mapping[str, Any], place: str, version: str, minor: int) -> Iterator[Refusal]:
    """Why the arguments are not decoded. `place`: such as `profiles[0].pluginConfig[1]`."""
    if minor < FIRST_JUDGED or not has_arguments(plugin, version):
        return
    start, kind = f"decoding .{place}: ", f"{plugin}Args"
    given, api = args.get("kind"), args.get("apiVersion")
    if api is not None and api not in [f"{GROUP}/{each}" for each in accepted(minor)]:
        text = f"no kind {quote(str(given or kind))} is registered for version {quote(str(api))} in scheme …"
        yield Refusal(
            f"{start}decoding args for plugin {plugin}: {text}", f"leave apiVersion out of args, or {version}"
        )
        return
    if given is not None and given != kind:
        yield Refusal(f"{start}args for plugin {plugin} were not of type {kind}.{GROUP}, got {given}.{GROUP}")
        return
    try:
        check(dict(args), {**FORMS[plugin], **_META}, kind, minor, f"{place}.args")
    except InputError as error:
        yield Refusal(f"{start}decoding args for plugin {plugin}: strict decoding error: …", str(error))


def invalid(
    plugin: str, args: Mapping[str, Any], place: str, profile: str, minor: int, gates: Gates
) -> Iterator[Refusal]:
    """What the validation says of arguments that are decoded. `profile`: the name of the profile."""
    if minor < FIRST_JUDGED:
        return
    # NodeResourcesFit stands in Go's table under a wrong name up to now: the plugin itself looks at its arguments.
    at = "" if plugin == "NodeResourcesFit" and minor > 22 else f"{place}.args."
    start = f"initializing profiles: creating profile for scheduler name {profile}: initializing plugin {quote(plugin)}"
    for text in _said(plugin, args, minor, gates):
        yield Refusal(f"{at}{text}" if at else f"{start}: {text}")


def _said(plugin: str, args: Mapping[str, Any], minor: int, gates: Gates) -> Iterator[str]:
    match plugin:
        case "DefaultPreemption":
            yield from _default_preemption(args)
        case "InterPodAffinity":
            yield from _within("hardPodAffinityWeight", _or(args, "hardPodAffinityWeight", 1), 0, 100)
        case "NodeResourcesBalancedAllocation":
            yield from _balanced(_or(args, "resources", []))
        case "NodeResourcesFit":
            yield from _fit(_or(args, "scoringStrategy", {"type": "LeastAllocated"}))
        case "PodTopologySpread":
            yield from _spread(args, minor)
        case "VolumeBinding":
            yield from _volume_binding(args, minor, gates)
        case "RequestedToCapacityRatio":
            yield from _shape(_or(args, "shape", []), "shape")


def _or(args: Mapping[str, Any], key: str, default: Any) -> Any:
    found = args.get(key)
    return default if found is None else found


def _within(path: str, value: int, least: int, most: int | None) -> Iterator[str]:
    if value < least or (most is not None and value > most):
        span = f"[{least}, {'inf)' if most is None else f'{most}]'}"
        yield f"{path}: Invalid value: {value}: not in valid range {span}"


def _default_preemption(args: Mapping[str, Any]) -> Iterator[str]:
    share, count = _or(args, "minCandidateNodesPercentage", 10), _or(args, "minCandidateNodesAbsolute", 100)
    yield from _within("minCandidateNodesPercentage", share, 0, 100)
    yield from _within("minCandidateNodesAbsolute", count, 0, None)
    if share == count == 0:
        for one, other in (("Percentage", "Absolute"), ("Absolute", "Percentage")):
            text = f"cannot be zero at the same time as minCandidateNodes{other}"
            yield f"minCandidateNodes{one}: Invalid value: 0: {text}"


def _balanced(resources: list[dict[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for number, each in enumerate(resources):
        name, weight = each.get("name") or "", each.get("weight") or 1
        if name in seen:
            yield f"resources[{number}].name: Duplicate value: {quote(name)}"
        seen.add(name)
        if weight != 1:
            yield f"resources[{number}].weight: Invalid value: {weight}: must be 1"


def _fit(strategy: Mapping[str, Any]) -> Iterator[str]:
    kind, at = strategy.get("type") or "", "scoringStrategy"
    if kind not in _STRATEGIES:
        supported = ", ".join(quote(each) for each in _STRATEGIES)
        yield f"{at}.type: Unsupported value: {quote(kind)}: supported values: {supported}"
    for number, each in enumerate(_or(strategy, "resources", [])):
        weight = each.get("weight") or 1
        if not 0 < weight <= 100:
            text = f"resource weight of {each.get('name') or ''} not in valid range (0, 100]"
            yield f"{at}.resources[{number}].weight: Invalid value: {weight}: {text}"
    ratio = strategy.get("requestedToCapacityRatio")
    if kind == "RequestedToCapacityRatio":
        if ratio is None:
            yield f"{at}.requestedToCapacityRatio: Required value: must be specified when type is {kind}"
        else:
            yield from _shape(_or(ratio, "shape", []), f"{at}.requestedToCapacityRatio.shape")
    elif ratio is not None:
        text = "must be nil when type is not RequestedToCapacityRatio"
        yield f"{at}.requestedToCapacityRatio: Forbidden: {text}"


def _shape(points: list[dict[str, Any]], path: str) -> Iterator[str]:
    if not points:
        yield f"{path}: Required value: at least one point must be specified"
        return
    used = [each.get("utilization") or 0 for each in points]
    for number in range(1, len(used)):
        if used[number - 1] >= used[number]:
            text = "values must be sorted in increasing order"
            yield f"{path}[{number}].utilization: Invalid value: {used[number]}: {text}"
            break
    for number, each in enumerate(points):
        yield from _within(f"{path}[{number}].utilization", used[number], 0, 100)
        yield from _within(f"{path}[{number}].score", each.get("score") or 0, 0, 10)


def _spread(args: Mapping[str, Any], minor: int) -> Iterator[str]:
    kind, constraints = args.get("defaultingType") or "System", _or(args, "defaultConstraints", [])
    if kind not in ("System", "List"):
        yield f'defaultingType: Unsupported value: {quote(kind)}: supported values: "System", "List"'
    elif kind == "System" and constraints:
        yield 'defaultingType: Invalid value: "System": when .defaultConstraints are not empty'
    seen: set[tuple[str, str]] = set()
    for number, each in enumerate(constraints):
        at, skew = f"defaultConstraints[{number}]", each.get("maxSkew") or 0
        key, when = each.get("topologyKey") or "", each.get("whenUnsatisfiable") or ""
        if skew <= 0:
            yield f"{at}.maxSkew: Invalid value: {skew}: not in valid range (0, inf)"
        if not key:
            yield f"{at}.topologyKey: Required value: can not be empty"
        if not when:
            yield f"{at}.whenUnsatisfiable: Required value: can not be empty"
        elif when not in ("DoNotSchedule", "ScheduleAnyway"):
            supported = '"DoNotSchedule", "ScheduleAnyway"'
            yield f"{at}.whenUnsatisfiable: Unsupported value: {quote(when)}: supported values: {supported}"
        if each.get("labelSelector") is not None:
            text = "constraint must not define a selector, as they deduced for each pod"
            yield f"{at}.labelSelector: Forbidden: {text}"
        if (key, when) in seen:
            yield f"{at}: Duplicate value: {quote(f'{{{key}, {when}}}')}"
        seen.add((key, when))


def _volume_binding(args: Mapping[str, Any], minor: int, gates: Gates) -> Iterator[str]:
    seconds, shape = _or(args, "bindTimeoutSeconds", 600), args.get("shape")
    if seconds < 0:
        text = "invalid BindTimeoutSeconds, should not be a negative value"
        yield f"bindTimeoutSeconds: Invalid value: {seconds}: {text}"
    gate = "VolumeCapacityPriority" if minor < 33 else "StorageCapacityScoring"
    if gate_on(gate, minor, gates):
        # Without a shape there is a default one.
        yield from _shape(shape, "shape") if shape else ()
    elif shape is not None:
        text = f"unexpected field `shape`, remove it or turn on the feature gate {gate}"
        yield f"shape: Invalid value: …: {text}"
