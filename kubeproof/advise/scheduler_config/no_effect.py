"""What a configuration says that changes nothing: a name that matches nothing, arguments that nobody reads.

Go: `mergePluginSet` and `expandMultiPointPlugins` pass over a name that they do not find, `NewFramework` over the
arguments of a plugin that is not enabled.
"""

from collections.abc import Iterator

from kubeproof.advise.scheduler_config.configuration import Configuration, ProfileGiven
from kubeproof.advise.scheduler_config.numbers import names_of
from kubeproof.advise.scheduler_config.plugin_args import FIRST_JUDGED, has_arguments
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK, acts_at, in_tree, meant
from kubeproof.advise.scheduler_config.profiles import MULTI_POINT, MergedProfile
from model.scheduler.framework.plugin_sets import ALL, SCORE


def no_effect(configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int) -> Iterator[str]:
    """A sentence for each name or value without effect."""
    if configuration.policy is None and minor >= FIRST_FRAMEWORK:
        for given, profile in zip(configuration.profiles, profiles, strict=True):
            whose = f" in profile {profile.name}" if len(profiles) > 1 else ""
            for text in (*_disabled(given, profile, minor), *_arguments(given, profile, configuration, minor),
                         *_weights(given, profile, minor)):  # fmt: skip
                yield f"{text}{whose}"
    yield from _ignored_resources(configuration, minor)
    for name, extender in zip(names_of(configuration.extenders), configuration.extenders, strict=True):
        verbs = (extender.filter_verb, extender.preempt_verb, extender.prioritize_verb, extender.bind_verb)
        if not any(verbs):
            yield f"{name} has no verb, and is asked nothing"
        elif extender.weight and not extender.prioritize_verb:
            yield f"the weight {extender.weight} of {name} counts nowhere: it has no prioritizeVerb"


def _ignored_resources(configuration: Configuration, minor: int) -> Iterator[str]:
    """From 1.22 on those of the extenders take the place of those of NodeResourcesFit."""
    resources = [each for extender in configuration.extenders for each in extender.resources]
    taken = minor >= FIRST_JUDGED and any(each.ignored_by_scheduler for each in resources)
    for profile in configuration.profiles if taken else ():
        for name, args in profile.args:
            if name == "NodeResourcesFit" and args.get("ignoredResources"):
                yield (
                    "ignoredResources of NodeResourcesFit: the resources that extenders manage with "
                    "ignoredByScheduler take their place"
                )


def _disabled(given: ProfileGiven, profile: MergedProfile, minor: int) -> Iterator[str]:
    """A disabled plugin that would not be asked there anyway."""
    multi = profile.given.get(MULTI_POINT, ())
    for point, plugins in given.points.items():
        for name in plugins.disabled:
            if name == ALL or name in profile.given.get(point, ()):
                continue
            expanded = point != MULTI_POINT and (name in multi or name in profile.anywhere)
            own = name in given.points.get(MULTI_POINT, type(plugins)()).names and point != MULTI_POINT
            acts = point in acts_at(name, minor) or not in_tree(name, minor)
            if (expanded or (own and profile.tells_disabled)) and acts:
                continue
            yield f"{name} is disabled at {point}, where it is not by default: nothing changes{meant(name, minor)}"


def _arguments(given: ProfileGiven, profile: MergedProfile, configuration: Configuration, minor: int) -> Iterator[str]:
    asked = {name for plugins in profile.points.values() for name in plugins} | {*profile.anywhere}
    for name, args in given.args:
        if name not in asked:
            yield f"pluginConfig has arguments of {name}, which is not enabled: nobody reads them{meant(name, minor)}"
        elif _takes_none(name, bool(args), configuration.version, minor):
            yield f"pluginConfig has arguments of {name}, which takes none"


def _takes_none(plugin: str, given: bool, version: str, minor: int) -> bool:
    # What DynamicResources takes is not read here.
    known = minor >= FIRST_JUDGED and in_tree(plugin, minor) and plugin != "DynamicResources"
    return given and known and not has_arguments(plugin, version)


def _weights(given: ProfileGiven, profile: MergedProfile, minor: int) -> Iterator[str]:
    for point, plugins in given.points.items():
        for name, weight in plugins.enabled:
            scores = point == SCORE or (point == MULTI_POINT and name in profile.at(SCORE))
            if weight and not scores and minor >= 22 and name not in profile.anywhere:
                yield f"the weight {weight} of {name} at {point} counts nowhere: only that of score does"
    for point, name in given.zero_weights:
        if name in profile.at(SCORE) and point in (SCORE, MULTI_POINT):
            yield f"the weight 0 of {name} counts as 1: disable {name} at score if it is not to count"
