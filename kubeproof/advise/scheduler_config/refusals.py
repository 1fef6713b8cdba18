"""What kube-scheduler itself says of a configuration, and does not start: the texts of its own validation.

Go: `ValidateKubeSchedulerConfiguration`, `ValidatePolicy` in pkg/scheduler/apis/config/validation/validation.go (to
1.16 pkg/scheduler/api/validation), read of every patch release at hand of 1.13 to 1.31; within a minor they do not
differ.
"""

import re
from collections.abc import Iterator

from kubeproof.advise.scheduler_config.api_versions import GROUP, KIND, LAST_WITH_POLICY, MINORS, accepted
from kubeproof.advise.scheduler_config.configuration import Configuration, ExtenderGiven
from kubeproof.advise.scheduler_config.framework_refusals import framework_refusals
from kubeproof.advise.scheduler_config.plugin_args import has_arguments, invalid, not_decoded
from kubeproof.advise.scheduler_config.plugins import POINTS
from kubeproof.advise.scheduler_config.policies import policy_not_made, policy_refused
from kubeproof.advise.scheduler_config.profiles import MergedProfile
from kubeproof.advise.scheduler_config.refusal import Refusal
from kubeproof.advise.scheduler_config.serving import lock_refused, serving_refused
from model.go.formats import quote
from model.scheduler.framework.plugin_sets import PluginSet

_PROVIDERS = ("DefaultProvider", "ClusterAutoscalerProvider")
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII)


def version_refused(version: str, minor: int) -> Refusal | None:
    """A version that the minor does not take, or a Policy after 1.22."""
    takes = accepted(minor)
    if version == "Policy":
        if minor <= LAST_WITH_POLICY:
            return None
        return Refusal(
            "unknown flag: --policy-config-file",
            f"a Policy ends with 1.{LAST_WITH_POLICY}: write its extenders into a {KIND} {GROUP}/{takes[0]}",
        )
    if version in takes:
        return None
    known = next((minors for each, minors in MINORS.items() if each == version), None)
    by = (
        "no release does"
        if known is None
        else f"1.{known[0]} to 1.{known[1]} do"
        if known[0] < known[1]
        else f"1.{known[0]} does"
    )
    return Refusal(
        f'no kind "{KIND}" is registered for version "{_api(version)}" in scheme …',
        f"1.{minor} takes {' and '.join(f'{GROUP}/{each}' for each in takes)}; {_api(version)}: {by}",
    )


def _api(version: str) -> str:
    return version if "/" in version else f"{GROUP}/{version}"


def refusals(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> tuple[Refusal, ...]:
    """All that the scheduler says before it starts: of the decoding, then of its validation, then of its profiles."""
    undecoded = tuple(_undecoded(configuration, minor))
    if undecoded:
        return undecoded
    validation = tuple(_validation(configuration, profiles, minor))
    if not validation and configuration.policy is not None:
        validation = tuple(policy_not_made(configuration.policy, minor, configuration.gates))
    validation = validation or tuple(_algorithm_source(configuration, minor))
    return validation or (*lock_refused(configuration.top, minor), *framework_refusals(configuration, profiles, minor),
                          *_in_new(configuration, profiles, minor))  # fmt: skip


def _undecoded(configuration: Configuration, minor: int) -> Iterator[Refusal]:
    for number, profile in enumerate(configuration.profiles):
        for at, (plugin, args) in enumerate(profile.args):
            place = f"profiles[{number}].pluginConfig[{at}]"
            yield from not_decoded(plugin, args, place, configuration.version, minor)


def _algorithm_source(configuration: Configuration, minor: int) -> Iterator[Refusal]:
    """A provider that there is not, and in 1.18 a Policy beside plugins. Go: `New` in pkg/scheduler/scheduler.go."""
    name = configuration.provider
    if name and name not in _PROVIDERS:
        what = "plugin" if minor <= 16 else "provider" if minor == 17 else "algorithm provider"
        said = "has not been registered" if minor <= 16 else "is not registered"
        text = f"couldn't create scheduler using provider {quote(name)}: {what} {quote(name)} {said}"
        yield Refusal(text, f"there are {' and '.join(_PROVIDERS)}")
    if minor == 18 and configuration.policy_elsewhere:
        profile = configuration.profiles[0]
        for given, kind in ((profile.points, "Plugins"), (profile.args, "PluginConfig")):
            if given:
                yield Refusal(
                    f"couldn't create scheduler from policy: using {kind} and Policy simultaneously is not supported"
                )
                return


def _in_new(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> Iterator[Refusal]:
    """What NodeResourcesFit says of its arguments, if it is enabled."""
    for profile in profiles:
        enabled = any("NodeResourcesFit" in each.names for each in profile.merged.values())
        args = profile.args.get("NodeResourcesFit")
        if minor > 22 and enabled and args is not None:
            yield from invalid("NodeResourcesFit", args, "", profile.name, minor, configuration.gates)


def _validation(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> Iterator[Refusal]:
    if configuration.policy is not None:
        yield from policy_refused(configuration.policy, minor)
        yield from _extenders(configuration.extenders, minor)
        return
    yield from serving_refused(configuration.top, minor)
    yield from _numbers(configuration, profiles, minor)
    if minor >= 18:
        yield from _profiles(configuration, profiles, minor)
        yield from _extenders(configuration.extenders, minor)


def _numbers(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> Iterator[Refusal]:
    parallelism, first, longest = configuration.parallelism, configuration.initial_backoff, configuration.max_backoff
    if parallelism is not None and parallelism <= 0:
        text = "should be an integer value greater than zero"
        yield Refusal(f"parallelism: Invalid value: {parallelism}: {text}")
    percentages = [("percentageOfNodesToScore", configuration.percentage)]
    percentages += [
        (f"profiles[{number}].percentageOfNodesToScore", profile.percentage) for number, profile in enumerate(profiles)
    ]
    span = "[0-100]" if minor >= 17 else "0-100"
    for place, percentage in percentages:
        if percentage is not None and not 0 <= percentage <= 100:
            yield Refusal(f"{place}: Invalid value: {percentage}: not in valid range {span}")
    if first is not None and first <= 0:
        yield Refusal(f"podInitialBackoffSeconds: Invalid value: {first}: must be greater than 0")
    if (10 if longest is None else longest) < (1 if first is None else first):
        found = 10 if longest is None else longest
        text = "must be greater than or equal to PodInitialBackoffSeconds"
        yield Refusal(f"podMaxBackoffSeconds: Invalid value: {found}: {text}")


def _profiles(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> Iterator[Refusal]:
    seen: dict[str, int] = {}
    for number, profile in enumerate(profiles):
        place = f"profiles[{number}]"
        if not profile.name:
            yield Refusal(f"{place}.schedulerName: Required value")
        yield from _plugins(configuration, profile, place, minor)
        if profile.name in seen:
            text = f"{place}.schedulerName: Duplicate value: …"
            yield Refusal(text, f"give each profile a name of its own: profiles[{seen[profile.name]}] has this one too")
        seen[profile.name] = number
    yield from _common_queue_sort(configuration, profiles, minor)


# Minor -> the versions in the order of Go's table, and the plugins that each of them no longer takes.
_BEFORE_1_23 = (
    ("v1beta1", ()),
    ("v1beta2", ("NodeLabel", "ServiceAffinity", "NodePreferAvoidPods", "NodeResourcesLeastAllocated",
                 "NodeResourcesMostAllocated", "RequestedToCapacityRatio")),
)  # fmt: skip


def _removed(minor: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Go: `removedPluginsByVersion`, 1.25 on `invalidPluginsByVersion`."""
    if minor == 22:
        return _BEFORE_1_23
    if 25 <= minor <= 28:
        return (("v1beta2", ()), ("v1beta3", ()), ("v1", ("SelectorSpread",)))
    return (("v1", ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")),) if minor >= 31 else ()


def _removed_in(plugin: str, version: str, minor: int) -> str:
    """The version from which on the plugin is refused, if that is this one or an earlier one; "" if it is not."""
    for each, plugins in _removed(minor):
        if plugin in plugins:
            return each
        if each == version:
            break
    return ""


def _plugins(configuration: Configuration, profile: MergedProfile, place: str, minor: int) -> Iterator[Refusal]:
    if minor < 22:
        return
    version, was = configuration.version, "invalid" if minor >= 25 else "removed"
    for point in POINTS:
        enabled = profile.merged.get(point, PluginSet()).enabled
        for number, (name, _) in enumerate(enabled):
            gone = _removed_in(name, version, minor)
            if gone:
                where = f"{place}.plugins.{point}.enabled[{number}]: Invalid value: {quote(name)}"
                yield Refusal(f"{where}: {_was(was, gone, version)}")
            rivals = [other for other, _ in enabled if other in _RIVALS_OF_FIT]
            if point == "score" and version == "v1beta1" and name == "NodeResourcesFit" and rivals:
                listed = " ".join(quote(each) for each in rivals)
                where = f"{place}.plugins.score.enabled[{number}]: Invalid value: {quote(name)}"
                api = quote(_api(version))
                yield Refusal(f"{where}: was conflict with [{listed}] in version {api} ({KIND} is version {api})")
    seen: set[str] = set()
    for number, (name, args) in enumerate(_configured(configuration, place)):
        where = f"{place}.pluginConfig[{number}]"
        if name in seen:
            yield Refusal(f"{where}: Duplicate value: {quote(name)}")
        seen.add(name)
        gone = _removed_in(name, version, minor)
        if gone:
            yield Refusal(f"{where}: Invalid value: {quote(name)}: {_was(was, gone, version)}")
        elif has_arguments(name, version) and (name != "NodeResourcesFit" or minor == 22):
            yield from invalid(name, args, where, profile.name, minor, configuration.gates)


_RIVALS_OF_FIT = ("NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio")


def _was(was: str, gone: str, version: str) -> str:
    return f"was {was} in version {quote(_api(gone))} ({KIND} is version {quote(_api(version))})"


def _configured(configuration: Configuration, place: str) -> tuple[tuple[str, dict[str, object]], ...]:
    return configuration.profiles[int(place.partition("[")[2].rstrip("]"))].args


def _common_queue_sort(
    configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int
) -> Iterator[Refusal]:
    def canon(number: int) -> PluginSet:
        # To 1.21 the file's own text is compared, and later what comes of the merge.
        if minor <= 21:
            return configuration.profiles[number].points.get("queueSort", PluginSet())
        return profiles[number].merged.get("queueSort", PluginSet())

    first = canon(0)
    if minor >= 22 and len(first.enabled) > 1:
        text = "only one queue sort plugin can be enabled"
        yield Refusal(f"profiles[0].plugins.queueSort.Enabled: Invalid value: {len(first.enabled)}: {text}")
    said = "must be the same for all profiles" if minor >= 30 else "has to match for all profiles"
    said = f"queueSort {said}" if 30 <= minor < 34 else said
    for number in range(1, len(profiles)):
        if canon(number) != first:
            yield Refusal(f"profiles[{number}].plugins.queueSort: Invalid value: {_go(canon(number))}: {said}")


def _go(plugins: PluginSet) -> str:
    """As Go's %#v prints a PluginSet."""

    def listed(found: tuple[tuple[str, int], ...]) -> str:
        if not found:
            return "[]config.Plugin(nil)"
        inner = ", ".join(f"config.Plugin{{Name:{quote(name)}, Weight:{weight}}}" for name, weight in found)
        return f"[]config.Plugin{{{inner}}}"

    disabled = tuple((name, 0) for name in plugins.disabled)
    return f"config.PluginSet{{Enabled:{listed(plugins.enabled)}, Disabled:{listed(disabled)}}}"


def _extenders(extenders: tuple[ExtenderGiven, ...], minor: int) -> Iterator[Refusal]:
    legacy = minor <= 17
    managed: set[str] = set()
    for number, extender in enumerate(extenders):
        place = f"extenders[{number}]"
        if extender.prioritize_verb and extender.weight <= 0:
            if legacy:
                yield Refusal(f"Priority for extender {extender.url} should have a positive weight applied to it")
            else:
                text = "must have a positive weight applied to it"
                yield Refusal(f"{place}.weight: Invalid value: {extender.weight}: {text}")
        for index, resource in enumerate(extender.resources):
            where = f"{place}.managedResources[{index}].name: Invalid value: {quote(resource.name)}"
            if not is_extended_resource(resource.name):
                text = f"{resource.name} is an invalid extended resource name"
                yield Refusal(text if legacy else f"{where}: {text if minor < 23 else text[len(resource.name) + 1 :]}")
            if resource.name in managed:
                text = f"Duplicate extender managed resource name {resource.name}"
                yield Refusal(text if legacy else f"{where}: duplicate extender managed resource name")
            managed.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        if legacy:
            yield Refusal(f"Only one extender can implement bind, found {binders}")
        else:
            found = quote(f"found {binders} extenders implementing bind")
            yield Refusal(f"extenders: Invalid value: {found}: only one extender can implement bind")


def is_extended_resource(name: str) -> bool:
    """Go: `IsQualifiedName` and `IsExtendedResourceName`: a domain of its own, a slash and a name.

    >>> is_extended_resource("aliyun.com/gpu-mem"), is_extended_resource("cpu"), is_extended_resource("kubernetes.io/x")
    (True, False, False)
    """
    prefix, slash, last = name.partition("/")
    if not slash or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return len(f"requests.{prefix}") <= 253 and bool(_PREFIX.fullmatch(prefix)) and bool(_NAME.fullmatch(last))
