"""From what a profile says to its plugins at each point, as the release merges and expands them: see the model's
plugin_sets.py.
"""

from attrs import field, frozen

from kubeproof.advise.scheduler_config.configuration import Configuration, PolicyGiven, ProfileGiven
from kubeproof.advise.scheduler_config.default_plugins import Gates, defaults
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK, LOOKED_FOR, POINTS, acts_at, in_tree
from kubeproof.advise.scheduler_config.policies import policy_points, predicates_of, priorities_of
from model.releases import Release, parse_release, rules_for
from model.scheduler.framework.plugin_sets import (
    ALL,
    PluginSet,
    PluginSetRules,
    Weighted,
    merge_plugin_set,
    merge_plugin_sets,
)
from model.scheduler.score_weights import ScoreWeightRules, weight_of_plugin

MULTI_POINT = "multiPoint"


@frozen
class MergedProfile:
    """The plugins of a profile."""

    name: str
    # Point -> the plugins in the order in which they are asked. To 1.17, and of a Policy, `filter` has predicates and
    # `score` has priorities.
    points: dict[str, tuple[str, ...]]
    # Of those that score.
    weights: dict[str, int]
    # Plugins that the release's own registry does not have.
    unknown: tuple[str, ...] = ()
    # Of the unknown ones, those that are named under multiPoint: nobody can tell at which points they act.
    anywhere: tuple[str, ...] = ()
    percentage: int | None = None
    args: dict[str, dict[str, object]] = field(factory=dict)
    # Point -> the plugins that stand there by default.
    given: dict[str, tuple[str, ...]] = field(factory=dict)
    # Whether the expansion of multiPoint is told what a point disables.
    tells_disabled: bool = False
    # What the merge has of each point, before the expansion of multiPoint.
    merged: dict[str, PluginSet] = field(factory=dict)

    def at(self, point: str) -> tuple[str, ...]:
        return self.points.get(point, ())


def merged_profiles(configuration: Configuration, release: Release) -> tuple[MergedProfile, ...]:
    """The profiles of a configuration that the release takes."""
    if configuration.policy is not None:
        return (_of_policy(configuration.policy, release.minor, configuration.gates),)
    return tuple(_merged(profile, configuration, release) for profile in configuration.profiles)


def _merged(profile: ProfileGiven, configuration: Configuration, release: Release) -> MergedProfile:
    version, minor = configuration.version, release.minor
    given = defaults(version, minor, configuration.gates)  # type: ignore[arg-type]  # A version that the release takes.
    if configuration.provider == "ClusterAutoscalerProvider":
        given = {point: _for_autoscaler(plugins) for point, plugins in given.items()}
    points = dict.fromkeys([*given, *profile.points])
    merged = {
        point: _merge(given.get(point, ()), profile.points.get(point, PluginSet()), version, minor) for point in points
    }
    named = dict.fromkeys(name for each in merged.values() for name in each.names)
    legacy = {name for plugins in given.values() for name, _ in plugins} if minor < FIRST_FRAMEWORK else set()
    unknown = tuple(name for name in named if name not in legacy and not in_tree(name, minor))
    multi = merged.get(MULTI_POINT, PluginSet())
    rules = rules_for(PluginSetRules, release)
    expanded = {
        point: _expand(rules, point, merged.get(point, PluginSet()), tuple(dict.fromkeys(multi.names)), minor)
        for point in POINTS
    }
    found = rules.score_weights(merged, LOOKED_FOR, multi.enabled)
    weights = {name: found[name] for name in found if name in expanded["score"]}
    return MergedProfile(
        name=profile.name,
        points={point: plugins for point, plugins in expanded.items() if plugins},
        weights=weights,
        unknown=unknown,
        anywhere=tuple(name for name in multi.names if name in unknown),
        percentage=profile.percentage,
        args={name: dict(args) for name, args in rules.plugin_arguments(profile.args).items()},
        given={point: tuple(name for name, _ in plugins) for point, plugins in given.items()},
        tells_disabled=_tells_disabled(version),
        merged=merged,
    )


def _merge(given: tuple[Weighted, ...], custom: PluginSet, version: str, minor: int) -> PluginSet:
    # To 1.17 predicates and priorities cannot be disabled here.
    own = custom if minor >= FIRST_FRAMEWORK else PluginSet(custom.enabled)
    if version not in ("v1beta2", "v1beta3", "v1"):
        return merge_plugin_sets(PluginSet(given), own)
    merged = merge_plugin_set(PluginSet(given), own)
    # Only where the defaults stand under multiPoint, the expansion is told what is disabled.
    return merged if _tells_disabled(version) else PluginSet(merged.enabled)


def _tells_disabled(version: str) -> bool:
    return version in ("v1beta3", "v1")


def _expand(rules: PluginSetRules, point: str, own: PluginSet, multi: tuple[str, ...], minor: int) -> tuple[str, ...]:
    mine = tuple(dict.fromkeys(own.names))
    if ALL in own.disabled:
        return mine
    here = tuple(name for name in multi if point in acts_at(name, minor) and name not in own.disabled)
    return rules.expand_multi_point(mine, here)


_FOR_AUTOSCALER = {
    "NodeResourcesLeastAllocated": "NodeResourcesMostAllocated",
    "LeastRequestedPriority": "MostRequestedPriority",
}


def _for_autoscaler(plugins: tuple[Weighted, ...]) -> tuple[Weighted, ...]:
    return tuple((_FOR_AUTOSCALER.get(name, name), weight) for name, weight in plugins)


def _of_policy(policy: PolicyGiven, minor: int, gates: Gates) -> MergedProfile:
    """A Policy has one profile: its predicates and priorities, from 1.18 on as plugins."""
    if minor < FIRST_FRAMEWORK:
        taken = rules_for(ScoreWeightRules, parse_release(f"1.{minor}.0")).weight_of_priority
        weights = {name: taken(weight) for name, weight in priorities_of(policy, minor, gates)}
        legacy = {"filter": predicates_of(policy, minor, gates), "score": tuple(weights)}
        return MergedProfile("default-scheduler", {point: names for point, names in legacy.items() if names}, weights)
    merged = policy_points(policy, minor, gates)
    points = {point: tuple(dict.fromkeys(plugins.names)) for point, plugins in merged.items() if plugins.enabled}
    scored = merged["score"].enabled
    # Of a plugin that is there twice, as no release starts with, the last weight is kept.
    weights = {name: weight_of_plugin(weight) for name, weight in scored}
    return MergedProfile("default-scheduler", points, weights, merged=merged)
