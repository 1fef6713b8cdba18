"""What a Policy becomes: predicates and priorities by name, as plugins at their points; and what is refused of it.

Go: `ProcessPredicatePolicy`, `ProcessPriorityPolicy`, `NewLegacyRegistry` in pkg/scheduler/framework/plugins/
legacy_registry.go (1.18 on), `RegisterCustomFitPredicate`, `RegisterCustomPriorityFunction` in pkg/scheduler/factory/
plugins.go (1.17 algorithm_factory.go) with pkg/scheduler/algorithmprovider/defaults, `ValidatePolicy`,
`validateCustomPriorities` in apis/config/validation/validation.go. Read of 1.13 to 1.22; within a minor they do not
differ.
"""

from collections.abc import Iterator

from kubeproof.advise.scheduler_config.configuration import NamedGiven, PolicyGiven
from kubeproof.advise.scheduler_config.default_plugins import (
    MANDATORY_PREDICATES,
    Gates,
    default_predicates,
    default_priorities,
    gate_on,
)
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK, acts_at
from kubeproof.advise.scheduler_config.refusal import Refusal
from kubeproof.errors import nearest
from model.go.formats import quote
from model.releases import parse_release, rules_for
from model.scheduler.framework.plugin_sets import PluginSet, Weighted
from model.scheduler.score_weights import ScoreWeightRules

# The predicates in the order in which Go makes plugins of them, with these plugins (Go: `predicateOrdering`).
_PREDICATES: dict[str, tuple[str, ...]] = {
    "CheckNodeUnschedulable": ("NodeUnschedulable",),
    "GeneralPredicates": ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"),
    "HostName": ("NodeName",),
    "PodFitsHostPorts": ("NodePorts",),
    "MatchNodeSelector": ("NodeAffinity",),
    "PodFitsResources": ("NodeResourcesFit",),
    "NoDiskConflict": ("VolumeRestrictions",),
    "PodToleratesNodeTaints": ("TaintToleration",),
    "CheckNodeLabelPresence": ("NodeLabel",),
    "CheckServiceAffinity": ("ServiceAffinity",),
    "MaxEBSVolumeCount": ("EBSLimits",),
    "MaxGCEPDVolumeCount": ("GCEPDLimits",),
    "MaxCSIVolumeCountPred": ("NodeVolumeLimits",),
    "MaxAzureDiskVolumeCount": ("AzureDiskLimits",),
    "MaxCinderVolumeCount": ("CinderLimits",),
    "CheckVolumeBinding": ("VolumeBinding",),
    "NoVolumeZoneConflict": ("VolumeZone",),
    "EvenPodsSpread": ("PodTopologySpread",),
    "MatchInterPodAffinity": ("InterPodAffinity",),
}
_PRIORITIES: dict[str, str] = {
    "InterPodAffinityPriority": "InterPodAffinity",
    "LeastRequestedPriority": "NodeResourcesLeastAllocated",
    "MostRequestedPriority": "NodeResourcesMostAllocated",
    "BalancedResourceAllocation": "NodeResourcesBalancedAllocation",
    "NodePreferAvoidPodsPriority": "NodePreferAvoidPods",
    "NodeAffinityPriority": "NodeAffinity",
    "TaintTolerationPriority": "TaintToleration",
    "ImageLocalityPriority": "ImageLocality",
    "EvenPodsSpreadPriority": "PodTopologySpread",
    "ResourceLimitsPriority": "NodeResourceLimits",
    "SelectorSpreadPriority": "",  # Another plugin in 1.18, in 1.19, and from 1.20 on.
}
# Another name of a predicate or priority.
_ALSO = {"PodFitsPorts": "PodFitsHostPorts", "ServiceSpreadingPriority": "SelectorSpreadPriority"}
# What a kind of argument makes of a predicate or a priority, whatever its name is.
_BY_ARGUMENT = {
    "serviceAffinity": "CheckServiceAffinity",
    "labelsPresence": "CheckNodeLabelPresence",
    "serviceAntiAffinity": "ServiceAffinity",
    "labelPreference": "NodeLabel",
    "requestedToCapacityRatioArguments": "RequestedToCapacityRatio",
}
# Known by name from 1.18 on, but of no use without arguments.
_OF_ARGUMENTS = ("RequestedToCapacityRatio", "NodeLabel", "ServiceAffinity")
_OF_CONDITIONS = (
    "CheckNodeCondition", "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure",
)  # fmt: skip
_NIL = "panic: runtime error: invalid memory address or nil pointer dereference"
# The first minor in which a plugin that two predicates bring stands there once.
_FIRST_ONCE = 20


# --- names ------------------------------------------------------------------------------------------------------------


def known_predicates(minor: int, gates: Gates) -> tuple[str, ...]:
    """The names of predicates that need no argument."""
    known = [name for name in _PREDICATES if name not in _BY_ARGUMENT.values()]
    if minor < FIRST_FRAMEWORK:
        conditions = minor <= 16 and not gate_on("TaintNodesByCondition", minor, gates)
        known += _OF_CONDITIONS if conditions else ()
        gone = {"CheckNodeUnschedulable"} if conditions else set()
        gone |= {"MaxCinderVolumeCount"} if minor == 13 else set()
    else:
        known += ["CheckNodeLabelPresence", "CheckServiceAffinity"]
        gone = set()
    gone |= set() if _spreads(minor, gates) else {"EvenPodsSpread"}
    return ("PodFitsPorts", *(name for name in known if name not in gone))


def known_priorities(minor: int, gates: Gates) -> tuple[str, ...]:
    """The names of priorities that need no argument."""
    gone = set() if _spreads(minor, gates) else {"EvenPodsSpreadPriority"}
    gone |= set() if gate_on("ResourceLimitsPriorityFunction", minor, gates) else {"ResourceLimitsPriority"}
    more = _OF_ARGUMENTS if minor >= FIRST_FRAMEWORK else ("RequestedToCapacityRatioPriority",)
    return ("ServiceSpreadingPriority", "EqualPriority", *(name for name in _PRIORITIES if name not in gone), *more)


def _spreads(minor: int, gates: Gates) -> bool:
    return minor > 18 or gate_on("EvenPodsSpread", minor, gates)


# --- refusals ---------------------------------------------------------------------------------------------------------


def policy_refused(policy: PolicyGiven, minor: int) -> Iterator[Refusal]:
    """What the validation says, all of it."""
    refuses = rules_for(ScoreWeightRules, parse_release(f"1.{minor}.0")).refuses_priorities
    seen: dict[str, NamedGiven] = {}
    for each in policy.priorities or ():
        reason = refuses((each.weight,))
        if reason is not None:
            yield Refusal(f"{'priority' if minor >= 20 else 'Priority'} {each.name} {reason}")
        if minor >= 17:
            yield from _custom(each, seen, minor)
    hard = policy.hard_affinity
    if minor >= FIRST_FRAMEWORK and not 0 <= hard <= 100:
        yield Refusal(f"hardPodAffinitySymmetricWeight: Invalid value: {hard}: not in valid range [0-100]")


def _custom(priority: NamedGiven, seen: dict[str, NamedGiven], minor: int) -> Iterator[Refusal]:
    """Go: `validateCustomPriorities`. Of two kinds of arguments the first one counts."""
    if priority.arguments is None:
        return
    capital, blank = (str.capitalize, "") if minor < 20 else (str, " ")
    kinds = {"labelPreference": "LabelPreference", "serviceAntiAffinity": "ServiceAntiAffinity"}
    kind = next((said for key, said in kinds.items() if key in priority.arguments), "")
    ratio = "RequestedToCapacityRatio"
    if kind:
        other = seen.setdefault(kind, priority)
        if other.weight != priority.weight:
            text = f"priority {quote(priority.name)} has a different weight with {quote(other.name)}"
            yield Refusal(f"{kind}  {text}", "give them one weight: they become one plugin")
    elif "requestedToCapacityRatioArguments" in priority.arguments:
        if ratio in seen:
            text = f"{capital('priority')} {quote(priority.name)} redeclares custom priority {quote(ratio)}"
            yield Refusal(f"{text}, from:{blank}{quote(seen[ratio].name)}")
        seen.setdefault(ratio, priority)
    else:
        yield Refusal(f"{capital('no')} priority arguments set for priority {priority.name}")


def policy_not_made(policy: PolicyGiven, minor: int, gates: Gates) -> Iterator[Refusal]:
    """What ends the process when the predicates and priorities are looked up: the first one only."""
    for kind, given, known in (
        ("Predicate", policy.predicates, known_predicates(minor, gates)),
        ("Priority", policy.priorities, known_priorities(minor, gates)),
    ):
        for each in given or ():
            if each.name == "EqualPriority" and kind == "Priority" and minor >= 17:
                continue
            refusal = _not_made(kind, each, known, minor)
            if refusal is not None:
                yield refusal
                return
    yield from _without_arguments(policy, minor)
    hard = policy.hard_affinity
    if minor < FIRST_FRAMEWORK and hard != 0 and not 1 <= hard <= 100:
        yield Refusal(f"invalid hardPodAffinitySymmetricWeight: {hard}, must be in the range 1-100")
    if minor == 17:
        yield from _twice_in_1_17(policy, gates)


def _not_made(kind: str, each: NamedGiven, known: tuple[str, ...], minor: int) -> Refusal | None:
    start = "couldn't create scheduler from policy: " if minor == 22 else ""
    word = kind.lower() if minor == 22 else kind
    if each.arguments is not None and len(each.arguments) != 1:
        what = f"{kind}: {each.name}" if minor < 22 else f"{word} …"
        exactly = "exactly" if minor == 22 else "Exactly"
        return Refusal(
            f"{start}{exactly} 1 {kind.lower()} argument is required, numArgs: {len(each.arguments)}, {what}",
            f"give {each.name} one kind of argument, or none",
        )
    # From 1.18 on a name that is known wins over an argument.
    if each.name in known or each.arguments:
        return None
    shown = quote(_ALSO.get(each.name, each.name)) if minor >= FIRST_FRAMEWORK else each.name
    text = f"{word} type not found for {shown}"
    close = nearest(each.name, known)
    by = next((argument for argument, name in _BY_ARGUMENT.items() if each.name.startswith(name)), "")
    mend = f"1.{minor} knows {' and '.join(close)}" if close else f"1.{minor} has no such {kind.lower()}"
    if by:
        mend = f"{each.name} needs argument.{by}"
    elif each.name in _OF_CONDITIONS:
        mend = "take it out: taints say what it looked at (TaintNodesByCondition)"
    return Refusal(f"{start}{text}" if start else f"Invalid configuration: {text}", mend)


def _without_arguments(policy: PolicyGiven, minor: int) -> Iterator[Refusal]:
    """From 1.18 on three priorities are known by name, and break without an argument."""
    if minor < FIRST_FRAMEWORK:
        return
    named = {each.name for each in policy.priorities or () if not each.arguments}
    every = (*(policy.predicates or ()), *(policy.priorities or ()))
    arguments = {argument for each in every for argument in each.arguments or ()}
    for name, enough in (("NodeLabel", ("labelPreference", "labelsPresence")),
                         ("ServiceAffinity", ("serviceAntiAffinity", "serviceAffinity"))):  # fmt: skip
        if name in named and not arguments & {*enough}:
            yield Refusal(_NIL, f"priority {name} needs argument.{enough[0]}")
            return
    if "RequestedToCapacityRatio" in named and "requestedToCapacityRatioArguments" not in arguments:
        plugin = quote("RequestedToCapacityRatio")
        yield Refusal(
            f"initializing profiles: creating profile for scheduler name default-scheduler: "
            f"{'error ' if minor < 22 else ''}initializing plugin {plugin}: at least one point must be specified",
            "priority RequestedToCapacityRatio needs argument.requestedToCapacityRatioArguments with a shape",
        )  # fmt: skip


def _twice_in_1_17(policy: PolicyGiven, gates: Gates) -> Iterator[Refusal]:
    names = policy_points(policy, 17, gates)["filter"].names
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        text = f"plugin {quote(twice)} already registered as {quote('FilterPlugin')}"
        yield Refusal(f"error initializing the scheduling framework: {text}", twice_mend(policy))


def twice_mend(policy: PolicyGiven) -> str:
    """Which predicates bring a plugin twice."""
    named = [each.name for each in policy.predicates or ()]
    part = [name for name in ("HostName", "PodFitsHostPorts", "PodFitsPorts", "MatchNodeSelector", "PodFitsResources")
            if name in named]  # fmt: skip
    return f"GeneralPredicates has {' and '.join(part)} in it: name one of them only" if part else ""


# --- plugins ----------------------------------------------------------------------------------------------------------


def predicates_of(policy: PolicyGiven, minor: int, gates: Gates) -> tuple[str, ...]:
    """The predicates, each by the name under which Go keeps it, with those that every Policy gets."""
    if policy.predicates is None:
        names = default_predicates(minor, gates)
    else:
        names = tuple(_named(each, minor) for each in policy.predicates)
    return tuple(dict.fromkeys((*names, *MANDATORY_PREDICATES)))


def priorities_of(policy: PolicyGiven, minor: int, gates: Gates) -> tuple[Weighted, ...]:
    """The priorities by the name under which Go keeps each. Of a name that is there twice the last weight counts."""
    if policy.priorities is None:
        return default_priorities(minor, gates)
    found: dict[str, int] = {}
    for each in policy.priorities:
        if each.name != "EqualPriority":
            found[_named(each, minor)] = each.weight
    return tuple(found.items())


def _named(each: NamedGiven, minor: int) -> str:
    """To 1.16 whoever has arguments keeps the own name; the other names of a predicate or priority are own ones."""
    argument = next(iter(each.arguments or ()), "") if minor >= 17 else ""
    name = _ALSO.get(each.name, each.name) if minor >= FIRST_FRAMEWORK else each.name
    return _BY_ARGUMENT.get(argument, name)


def policy_points(policy: PolicyGiven, minor: int, gates: Gates) -> dict[str, PluginSet]:
    """The plugins of a Policy, from 1.17 on. Up to 1.19 a plugin that two predicates bring is there twice."""
    found: dict[str, list[Weighted]] = {"filter": [], "score": []}

    def add(plugin: str, points: tuple[str, ...], weight: int = 0) -> None:
        for point in acts_at(plugin, minor):
            here = found.setdefault(point, []) if point in points else None
            if here is None or (minor >= _FIRST_ONCE and plugin in [name for name, _ in here]):
                continue
            here.append((plugin, weight if point == "score" else 0))

    named = predicates_of(policy, minor, gates)
    for predicate in [*(name for name in _PREDICATES if name in named),
                      *sorted(name for name in named if name not in _PREDICATES)]:  # fmt: skip
        for plugin in _PREDICATES.get(predicate, ()):
            # The predicate NoDiskConflict brings no PreFilter, which VolumeRestrictions has in 1.22.
            before = () if plugin == "VolumeRestrictions" else ("preFilter",)
            add(plugin, (*before, "filter", "reserve", "preBind"))
    taken = rules_for(ScoreWeightRules, parse_release(f"1.{minor}.0")).weight_of_priority
    labels = [argument for each in policy.priorities or () for argument in each.arguments or ()]
    for priority, weight in sorted(priorities_of(policy, minor, gates)):
        plugin = _PRIORITIES.get(priority) or (_spreading(minor, gates) if priority in _PRIORITIES else priority)
        # Of n labels the plugin has n times the weight.
        times = {"NodeLabel": labels.count("labelPreference"), "ServiceAffinity": labels.count("serviceAntiAffinity")}
        add(plugin, ("preScore", "score"), taken(weight * times.get(plugin, 1)))
    sets = {point: PluginSet(tuple(plugins)) for point, plugins in found.items()}
    if minor >= FIRST_FRAMEWORK:
        sets |= {"queueSort": PluginSet((("PrioritySort", 0),)), "bind": PluginSet((("DefaultBinder", 0),))}
    if minor >= 19:
        sets["postFilter"] = PluginSet((("DefaultPreemption", 0),))
    return sets


def _spreading(minor: int, gates: Gates) -> str:
    if minor <= 18:
        return "DefaultPodTopologySpread"
    return (
        "PodTopologySpread" if minor >= 20 and gate_on("DefaultPodTopologySpread", minor, gates) else "SelectorSpread"
    )
