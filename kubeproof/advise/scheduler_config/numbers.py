"""What a configuration costs: how long a cycle may last, how many nodes a pod sees, what each score can move.

Go: `DefaultExtenderTimeout`, `NewHTTPExtender` in pkg/scheduler/extender.go (to 1.21 core/extender.go),
`numFeasibleNodesToFind`, `findNodesThatPassExtenders`, `evaluateNominatedNode`, `prioritizeNodes` in
pkg/scheduler/schedule_one.go (to 1.23 core/generic_scheduler.go), `callExtenders` of preemption.
"""

from collections.abc import Sequence

from attrs import frozen

from kubeproof.advise.scheduler_config.configuration import Configuration, ExtenderGiven
from kubeproof.advise.scheduler_config.default_plugins import gate_on
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK, acts_at
from kubeproof.advise.scheduler_config.profiles import MergedProfile
from model.releases import Release, rules_for
from model.scheduler.filtering import FilteringRules
from model.scheduler.framework.runtime import MAX_TIMEOUT
from model.scheduler.http_extender import DEFAULT_TIMEOUT

# Where --nodes says nothing.
SIZES = (100, 1000, 5000)
MAX_PERMIT = MAX_TIMEOUT / 1000


@frozen
class CallTime:
    """The longest that one kind of call to an extender lasts. Seconds; None: it may last for ever."""

    extender: str
    verb: str
    seconds: float | None
    # Who says so: "httpTimeout", or "the default".
    by: str


@frozen
class CycleTime:
    """The longest scheduling cycle, as far as extenders make it long. Seconds; None: it may last for ever."""

    calls: tuple[CallTime, ...]
    # A pod that fits, one that does not and preempts, and one with a nominated node that no longer fits.
    fits: float | None
    preempts: float | None
    nominated: float | None
    # Bind has its own goroutine: other pods are scheduled meanwhile.
    bind: float | None

    @property
    def longest(self) -> float | None:
        spans = [self.fits, self.preempts, self.nominated]
        return None if None in spans else max(span for span in spans if span is not None)

    @property
    def pods_per_second(self) -> float | None:
        """What the longest cycle leaves; None: extenders set no bound."""
        longest = self.longest
        if longest is None:
            return 0.0
        return 1 / longest if longest else None


@frozen
class Seen:
    """How many nodes a pod of a profile sees in a cluster of this size."""

    nodes: int
    # How many feasible nodes are enough.
    enough: int
    # After so many pods every node was examined at least once.
    pods: int


@frozen
class Share:
    """What a score can move of the total."""

    name: str
    # "plugin", "priority" or "extender".
    kind: str
    weight: int
    # In points of a node's total.
    points: int
    # Of all points, from 0 to 1.
    share: float


@frozen
class ProfileNumbers:
    """The numbers of a profile."""

    profile: str
    seen: tuple[Seen, ...]
    shares: tuple[Share, ...]
    # Plugins that are not in the tree and may have a pod wait at Permit.
    permit: tuple[str, ...]
    # In seconds: what the framework allows at most.
    permit_at_most: float


def span_text(seconds: float | None) -> str:
    """A time as an answer has it; None: no end."""
    if seconds is None:
        return "no end"
    return f"{seconds:,.4g} s" if seconds == 0 or seconds >= 0.0001 else f"{seconds * 1e9:.0f} ns"


def percentage_of(configuration: Configuration, minor: int) -> int:
    """The scheduler's percentageOfNodesToScore where the file may be silent: 50 in 1.13, and 0 from 1.14 on.

    Go: `SetDefaults_KubeSchedulerConfiguration` in pkg/scheduler/apis/config/VERSION/defaults.go.
    """
    return configuration.percentage or (50 if minor == 13 else 0)


def names_of(extenders: Sequence[ExtenderGiven]) -> tuple[str, ...]:
    """What extenders are called: by their URL, and where two have the same one, by their place too."""
    urls = [extender.url or "(no urlPrefix)" for extender in extenders]
    return tuple(f"{url} [{number}]" if urls.count(url) > 1 else url for number, url in enumerate(urls))


def timeout_of(extender: ExtenderGiven) -> tuple[float | None, str]:
    """Seconds until a call is given up, and who says so. Go takes a negative timeout for none."""
    if extender.timeout == 0:
        return DEFAULT_TIMEOUT / 1000, "the default"
    return (None if extender.timeout < 0 else extender.timeout / 1e9), "httpTimeout"


def _sum(spans: Sequence[float | None]) -> float | None:
    return None if None in spans else sum(span for span in spans if span is not None)


def _max(spans: Sequence[float | None]) -> float | None:
    return None if None in spans else max((span for span in spans if span is not None), default=0.0)


def cycle_time(configuration: Configuration, minor: int, preempts: bool) -> CycleTime:
    """The longest cycle of a pod in which every extender is interested.

    Filter and Preempt ask one extender after the other, Prioritize all of them at the same time. `preempts`: whether
    any profile does.
    """
    calls = []
    for name, extender in zip(names_of(configuration.extenders), configuration.extenders, strict=True):
        seconds, by = timeout_of(extender)
        verbs = {
            "Filter": extender.filter_verb,
            "Preempt": extender.preempt_verb,
            "Prioritize": extender.prioritize_verb,
            "Bind": extender.bind_verb,
        }
        calls += [CallTime(name, verb, seconds, by) for verb, path in verbs.items() if path]

    def spans(verb: str) -> list[float | None]:
        return [call.seconds for call in calls if call.verb == verb]

    filters, prioritize = _sum(spans("Filter")), _max(spans("Prioritize"))
    preempt = _sum(spans("Preempt")) if preempts else 0.0
    # The nominated node is tried first, by all filters and extenders, and if it does not fit, all nodes.
    tries_it_first = preempts and gate_on("PreferNominatedNode", minor, configuration.gates)
    once_more = filters if tries_it_first else 0.0
    return CycleTime(
        calls=tuple(calls),
        fits=_sum([filters, prioritize]),
        preempts=_sum([filters, preempt]),
        nominated=_sum([filters, once_more, _max([prioritize, preempt])]),
        bind=_max(spans("Bind")),
    )


def profile_numbers(
    configuration: Configuration, profile: MergedProfile, release: Release, sizes: Sequence[int]
) -> ProfileNumbers:
    """What a pod of this profile sees, what moves its scores, and how long it may wait in Permit."""
    rules = rules_for(FilteringRules, release)
    chooses = bool(profile.at("score")) or any(extender.filter_verb for extender in configuration.extenders)
    percentage = percentage_of(configuration, release.minor)
    seen = []
    for nodes in sizes:
        enough = rules.num_feasible_nodes_to_find(nodes, percentage, profile.percentage)
        enough = max(1, min(nodes, rules.enough_to_choose(enough, chooses)))
        seen.append(Seen(nodes, enough, -(-nodes // enough)))
    return ProfileNumbers(
        profile=profile.name,
        seen=tuple(seen),
        shares=shares(configuration, profile, release.minor),
        permit=waits_at_permit(profile, release.minor),
        permit_at_most=MAX_PERMIT,
    )


def permit_timeout(profile: MergedProfile, plugin: str) -> float | None:
    """The seconds that the arguments of a plugin name, if they name any as coscheduling does."""
    found = profile.args.get(plugin, {}).get("permitWaitingTimeSeconds")
    if not isinstance(found, int) or isinstance(found, bool) or found <= 0:
        return None
    return float(min(found, MAX_PERMIT))


def waits_at_permit(profile: MergedProfile, minor: int) -> tuple[str, ...]:
    """The plugins at Permit that are not in the tree, and of those under multiPoint the ones whose arguments say so."""
    named = [name for name in profile.at("permit") if "permit" not in acts_at(name, minor)]
    return (*named, *(name for name in profile.anywhere if name not in named and permit_timeout(profile, name)))


def shares(configuration: Configuration, profile: MergedProfile, minor: int) -> tuple[Share, ...]:
    """How many points each plugin and extender can give a node, and which part of all points that is.

    A plugin gives 0 to 100, an extender 0 to 10, which count ten times; both times the weight. (To 1.16 a priority
    gives 0 to 10 too, and nothing counts ten times: the parts are the same.)
    """
    legacy = minor < FIRST_FRAMEWORK and (configuration.policy is not None or configuration.version == "v1alpha1")
    kind = "priority" if legacy else "plugin"
    # Without the gate VolumeBinding gives 0 to every node.
    gate = "VolumeCapacityPriority" if minor < 33 else "StorageCapacityScoring"
    silent = "" if gate_on(gate, minor, configuration.gates) else "VolumeBinding"
    # A plugin that is asked twice counts twice.
    asked = profile.at("score")
    found = [(name, kind, weight * asked.count(name)) for name, weight in profile.weights.items() if name != silent]
    found += [
        (name, "extender", extender.weight)
        for name, extender in zip(names_of(configuration.extenders), configuration.extenders, strict=True)
        if extender.prioritize_verb
    ]
    total = sum(max(weight, 0) for _, _, weight in found)
    return tuple(
        Share(name, kind, weight, weight * 100, max(weight, 0) / total if total else 0.0)
        for name, kind, weight in sorted(found, key=lambda each: -each[2])
    )
