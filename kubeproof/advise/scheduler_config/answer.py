"""What a scheduler's configuration brings: the answer as data. `rendering` makes text of it."""

from collections.abc import Iterator
from typing import Literal

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.wording import listed, number_of
from kubeproof.advise.scheduler_config.api_versions import accepted
from kubeproof.advise.scheduler_config.configuration import Configuration
from kubeproof.advise.scheduler_config.extender_hazards import asks_extenders_in_preemption
from kubeproof.advise.scheduler_config.flags import flag_notes, flag_refused, policy_of_flags
from kubeproof.advise.scheduler_config.framework_refusals import kind_of
from kubeproof.advise.scheduler_config.hazards import Hazard, found_hazards, preempts
from kubeproof.advise.scheduler_config.no_effect import no_effect
from kubeproof.advise.scheduler_config.numbers import (
    SIZES,
    CycleTime,
    ProfileNumbers,
    cycle_time,
    names_of,
    permit_timeout,
    profile_numbers,
)
from kubeproof.advise.scheduler_config.plugins import LOOKED_FOR, meant
from kubeproof.advise.scheduler_config.profiles import MergedProfile, merged_profiles
from kubeproof.advise.scheduler_config.question import ConfigQuestion
from kubeproof.advise.scheduler_config.reading import Given, decoded
from kubeproof.advise.scheduler_config.refusal import Refusal
from kubeproof.advise.scheduler_config.refusals import refusals, version_refused
from kubeproof.advise.scheduler_config.runs import how_whole
from kubeproof.systems.releases import newer_note
from model.go.formats import quote
from model.releases import rules_for
from model.scheduler.filtering import FilteringRules

# From this minor on a pod with one named node sets nextStartNodeIndex back.
FIRST_RESET = 22
# A number of the configuration shows these hazards, and no run.
WITHOUT_RUN = (
    "no-timeout", "short-timeout", "other-arguments", "plugin-twice", "lost-weight", "negative-weight", "overflow",
    "unseen-load",
)  # fmt: skip
Verdict = Literal["refused", "hazards", "unknown", "none"]


@frozen
class UnknownPlugin:
    """A plugin that the release's own registry does not have: it may fail at each of its points, and wait at Permit."""

    name: str
    profile: str
    # Where it is named.
    points: tuple[str, ...]
    # Whether it is named under multiPoint, too: then it may act at any point.
    anywhere: bool
    # Seconds for which its arguments let a pod wait at Permit; None: they do not say.
    permit_wait: float | None


@frozen
class ExtenderRead:
    """An extender, in the order in which the scheduler asks."""

    name: str
    verbs: tuple[str, ...]
    ignorable: bool
    node_cache_capable: bool
    weight: int
    # The resources that it manages; (): it is asked about every pod.
    resources: tuple[str, ...]


@frozen
class ProfileRead:
    """A profile with its plugins as the release expands them."""

    name: str
    points: dict[str, tuple[str, ...]]


@frozen
class ConfigAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    verdict: Verdict
    # Why, in a sentence.
    why: str
    release: str
    release_by: str
    # (name, what it is).
    files: tuple[tuple[str, str], ...]
    # Such as v1beta3, "Policy", or "" for the defaults.
    version: str
    profiles: tuple[ProfileRead, ...]
    extenders: tuple[ExtenderRead, ...]
    # What the scheduler says, and does not start.
    refusals: tuple[Refusal, ...]
    # Whether it is known for how many nodes `seen` is asked.
    nodes_known: bool
    # None: the scheduler does not start.
    cycle: CycleTime | None
    # Seconds of the longest cycle; None: it may last for ever, or nothing makes it long.
    longest: float | None
    # Pods per second that the longest cycle leaves; None: extenders set no bound.
    pods_per_second: float | None
    numbers: tuple[ProfileNumbers, ...]
    unknown: tuple[UnknownPlugin, ...]
    hazards: tuple[Hazard, ...]
    # What the file says that changes nothing, a sentence each.
    no_effect: tuple[str, ...]
    # What would tell more, or "".
    would_decide: str
    notes: tuple[str, ...]


def analyse(given: Given, asked: ConfigQuestion) -> ConfigAnswer:
    """The answer. Raises InputError for a field that the release's version does not have."""
    minor = asked.release.minor
    version = "" if given.document is None else given.document.version
    refused = None if given.document is None else version_refused(version, minor)
    flag = None if given.flags is None else flag_refused(given.flags, asked.gates, asked.release)
    if refused is not None or flag is not None:
        return _answer(given, asked, version, tuple(each for each in (refused, flag) if each is not None))
    if given.document is not None:
        configuration = decoded(given.document, minor)
    else:
        provider = "" if given.flags is None else given.flags.get("algorithm-provider")
        configuration = Configuration("", accepted(minor)[0], provider=provider)
    upstream = given.flags is not None and given.flags.upstream_image
    configuration = evolve(configuration, gates=asked.gates, upstream_image=upstream)
    profiles = merged_profiles(configuration, asked.release)
    says = refusals(configuration, profiles, minor)
    if says:
        return _answer(given, asked, version, says, configuration, profiles)
    return _answer(
        given, asked, version, (), configuration, profiles, found_hazards(configuration, profiles, asked.release)
    )  # fmt: skip


def exit_status(answer: ConfigAnswer) -> int:
    """1 for a hazard of this configuration or a refusal, 0 for none, 3 if the files do not tell."""
    return {"refused": 1, "hazards": 1, "unknown": 3, "none": 0}[answer.verdict]


def _answer(
    given: Given,
    asked: ConfigQuestion,
    version: str,
    says: tuple[Refusal, ...],
    configuration: Configuration | None = None,
    profiles: tuple[MergedProfile, ...] = (),
    hazards: tuple[Hazard, ...] = (),
) -> ConfigAnswer:
    minor = asked.release.minor
    starts = configuration is not None and not says
    cycle: CycleTime | None = None
    numbers: tuple[ProfileNumbers, ...] = ()
    if configuration is not None and starts:
        asks = any(preempts(configuration, each, minor) for each in profiles)
        cycle = cycle_time(configuration, minor, asks and asks_extenders_in_preemption(asked.release))
        sizes = asked.nodes or SIZES
        numbers = tuple(profile_numbers(configuration, each, asked.release, sizes) for each in profiles)
    unknown = tuple(_unknown(profiles, minor))
    missing = _missing(given, configuration, minor)
    verdict, why = _verdict(says, hazards, unknown, missing, asked)
    return ConfigAnswer(
        verdict=verdict,
        why=why,
        release=str(asked.release),
        release_by=asked.release_by,
        files=given.files,
        version=version,
        profiles=tuple(ProfileRead(each.name, each.points) for each in profiles),
        extenders=() if configuration is None else _extenders(configuration),
        refusals=says,
        nodes_known=bool(asked.nodes),
        cycle=cycle,
        longest=None if cycle is None else cycle.longest,
        pods_per_second=None if cycle is None else cycle.pods_per_second,
        numbers=numbers,
        unknown=unknown,
        hazards=hazards,
        no_effect=() if configuration is None else tuple(no_effect(configuration, profiles, minor)),
        would_decide=missing or _points_of(unknown),
        notes=(
            *asked.notes,
            *_flags_note(given, minor),
            *_registry_note(() if says else unknown, minor),
            *_model_notes(asked, hazards),
        ),
    )


def _verdict(
    says: tuple[Refusal, ...],
    hazards: tuple[Hazard, ...],
    unknown: tuple[UnknownPlugin, ...],
    missing: str,
    asked: ConfigQuestion,
) -> tuple[Verdict, str]:
    own = [each for each in hazards if not each.default_too]
    if says:
        return "refused", f"kube-scheduler {asked.release} does not start with it"
    if own:
        return "hazards", f"it brings {number_of(len(own), 'hazard')} that the default configuration does not have"
    if missing:
        return "unknown", "what decides is in another file"
    if unknown:
        names = list(dict.fromkeys(each.name for each in unknown))
        return "unknown", f"{listed(names)} {'is' if len(names) == 1 else 'are'} not in the tree"
    return "none", "no hazard was found that the default configuration does not have"


def _missing(given: Given, configuration: Configuration | None, minor: int) -> str:
    """The file that the given ones name and that was not given."""
    if configuration is not None and configuration.policy_elsewhere:
        return f"the Policy {configuration.policy_elsewhere}, which algorithmSource names"
    if given.flags is None:
        return ""
    policy = policy_of_flags(given.flags, minor)
    if given.document is not None:
        if not policy or given.document.version == "Policy":
            return ""
        return f"the Policy that {policy} names in {given.flags.file}: it takes the place of the profiles"
    for flag in ("config", "policy-config-file", "policy-configmap"):
        if given.flags.get(flag):
            return f"the file that --{flag}={given.flags.get(flag)} names in {given.flags.file}: give it too"
    return ""


def _points_of(unknown: tuple[UnknownPlugin, ...]) -> str:
    names = list(dict.fromkeys(each.name for each in unknown if each.anywhere))
    return f"the points at which {listed(names)} acts: name them in place of multiPoint" if names else ""


def _flags_note(given: Given, minor: int) -> Iterator[str]:
    if given.flags is not None:
        yield from flag_notes(given.flags, minor)
    document = given.document
    if document is not None and document.version == "Policy" and document.key not in ("", "policy.cfg"):
        yield f"with --policy-configmap kube-scheduler reads the key policy.cfg alone, and this is {document.key}"


def _registry_note(unknown: tuple[UnknownPlugin, ...], minor: int) -> Iterator[str]:
    for plugin in unknown[:1]:
        first = next((point for point in LOOKED_FOR if point in plugin.points), LOOKED_FOR[0])
        yield (
            "a kube-scheduler that was built without that plugin does not start: initializing profiles: creating "
            f"profile for scheduler name {plugin.profile}: {kind_of(first)} {quote(plugin.name)} does not exist"
            f"{meant(plugin.name, minor)}"
        )


def _unknown(profiles: tuple[MergedProfile, ...], minor: int) -> list[UnknownPlugin]:
    return [
        UnknownPlugin(
            name,
            profile.name,
            tuple(point for point, plugins in profile.points.items() if name in plugins),
            name in profile.anywhere,
            permit_timeout(profile, name),
        )
        for profile in profiles
        for name in profile.unknown
    ]


def _extenders(configuration: Configuration) -> tuple[ExtenderRead, ...]:
    found = []
    for name, each in zip(names_of(configuration.extenders), configuration.extenders, strict=True):
        verbs = {
            "Filter": each.filter_verb,
            "Preempt": each.preempt_verb,
            "Prioritize": each.prioritize_verb,
            "Bind": each.bind_verb,
        }
        resources = tuple(resource.name for resource in each.resources)
        called = tuple(verb for verb, path in verbs.items() if path)
        found.append(ExtenderRead(name, called, each.ignorable, each.node_cache_capable, each.weight, resources))
    return tuple(sorted(found, key=lambda each: each.ignorable))


def _model_notes(asked: ConfigQuestion, hazards: tuple[Hazard, ...]) -> Iterator[str]:
    minor = asked.release.minor
    yield from newer_note(asked.release)
    if minor >= FIRST_RESET and rules_for(FilteringRules, asked.release).start_goes_round(2, 1) == 1:
        yield (
            f"in {asked.release} a pod that is tried on one node alone, such as one of a DaemonSet or one with a "
            "nominated node, sets the search back to the first nodes (FILTER-START-RESET): every node is examined later"
        )
    if how_whole(asked.release) == "search" and not all(each.run for each in hazards if each.kind not in WITHOUT_RUN):
        yield (
            f"of {asked.release} no whole cycle is run here (those from 1.17 on are): a hazard "
            "without a run was read in the source"
        )
