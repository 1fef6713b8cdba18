"""From what a profile says to its plugins at each point, as the release merges and expands them.

Go: `mergePlugins` in pkg/scheduler/apis/config/VERSION/default_plugins.go (1.22 on), `Append` and `Apply` of `Plugins`
in pkg/scheduler/apis/config/types.go (to 1.21), `expandMultiPointPlugins` and `getScoreWeights` in
pkg/scheduler/framework/runtime/framework.go (1.23 on).
"""

from collections.abc import Iterable

from attrs import field, frozen

from kubeproof.advise.scheduler_config.configuration import Configuration, PluginSet, PolicyGiven, ProfileGiven
from kubeproof.advise.scheduler_config.default_plugins import (
    MANDATORY_PREDICATES,
    Gates,
    Weighted,
    default_predicates,
    default_priorities,
    defaults,
)
from kubeproof.advise.scheduler_config.plugins import FIRST_FRAMEWORK, POINTS, acts_at, in_tree
from model.releases import parse_release, rules_for
from model.scheduler.score_weights import ScoreWeightRules

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
    # What the merge has of each point, before the expansion of multiPoint.
    merged: dict[str, PluginSet] = field(factory=dict)

    def at(self, point: str) -> tuple[str, ...]:
        return self.points.get(point, ())


def merged_profiles(configuration: Configuration, minor: int) -> tuple[MergedProfile, ...]:
    """The profiles of a configuration that the minor takes."""
    if configuration.policy is not None:
        return (_of_policy(configuration.policy, minor, configuration.gates),)
    return tuple(_merged(profile, configuration, minor) for profile in configuration.profiles)


def _merged(profile: ProfileGiven, configuration: Configuration, minor: int) -> MergedProfile:
    version = configuration.version
    given = defaults(version, minor, configuration.gates)  # type: ignore[arg-type]  # A version that the release takes.
    if configuration.provider == "ClusterAutoscalerProvider":
        given = {point: _for_autoscaler(plugins) for point, plugins in given.items()}
    points = dict.fromkeys([*given, *profile.points])
    merged = {
        point: _merge(given.get(point, ()), profile.points.get(point, PluginSet()), version, minor) for point in points
    }
    named = dict.fromkeys(name for each in merged.values() for name, _ in each.enabled)
    legacy = {name for plugins in given.values() for name, _ in plugins} if minor < FIRST_FRAMEWORK else set()
    unknown = tuple(name for name in named if name not in legacy and not in_tree(name, minor))
    multi = merged.get(MULTI_POINT, PluginSet()).enabled
    expanded = {
        point: _expand(point, merged.get(point, PluginSet()), [name for name, _ in multi], minor) for point in POINTS
    }
    weights: dict[str, int] = {}
    for name, weight in (*merged.get("score", PluginSet()).enabled, *multi):
        if name in expanded["score"]:
            # 0 is no weight: 1 is taken.
            weights.setdefault(name, weight or 1)
    return MergedProfile(
        name=profile.name,
        points={point: plugins for point, plugins in expanded.items() if plugins},
        weights=weights,
        unknown=unknown,
        anywhere=tuple(name for name, _ in multi if name in unknown),
        percentage=profile.percentage,
        args=dict(profile.args),
        merged=merged,
    )


def _merge(given: tuple[Weighted, ...], custom: PluginSet, version: str, minor: int) -> PluginSet:
    """The defaults without those that are disabled, then what is enabled; from v1beta2 on, a default in place."""
    in_place = version in ("v1beta2", "v1beta3", "v1")
    # To 1.17 predicates and priorities cannot be disabled here.
    gone = custom.disabled if minor >= FIRST_FRAMEWORK else ()
    left = [plugin for plugin in given if "*" not in gone and plugin[0] not in gone]
    replaced: set[int] = set()
    if in_place:
        # Of a plugin that is enabled twice the last one counts.
        at = {name: number for number, (name, _) in enumerate(custom.enabled)}
        replaced = {at[name] for name, _ in left if name in at}
        left = [custom.enabled[at[name]] if name in at else (name, weight) for name, weight in left]
    added = [plugin for number, plugin in enumerate(custom.enabled) if number not in replaced]
    # Only where the defaults stand under multiPoint, the expansion is told what is disabled.
    return PluginSet((*left, *added), custom.disabled if version in ("v1beta3", "v1") else ())


def _expand(point: str, own: PluginSet, multi: Iterable[str], minor: int) -> tuple[str, ...]:
    """First those that the point and multiPoint name, then those of multiPoint alone, then those of the point alone."""
    mine = list(dict.fromkeys(name for name, _ in own.enabled))
    if "*" in own.disabled:
        return tuple(mine)
    here = [name for name in dict.fromkeys(multi) if point in acts_at(name, minor) and name not in own.disabled]
    both = [name for name in mine if name in here]
    return (*both, *(name for name in here if name not in both), *(name for name in mine if name not in both))


_FOR_AUTOSCALER = {
    "NodeResourcesLeastAllocated": "NodeResourcesMostAllocated",
    "LeastRequestedPriority": "MostRequestedPriority",
}


def _for_autoscaler(plugins: tuple[Weighted, ...]) -> tuple[Weighted, ...]:
    return tuple((_FOR_AUTOSCALER.get(name, name), weight) for name, weight in plugins)


def _of_policy(policy: PolicyGiven, minor: int, gates: Gates) -> MergedProfile:
    """A Policy has one profile: its predicates and priorities, and the plugins that were neither."""
    predicates = default_predicates(minor, gates) if policy.predicates is None else policy.predicates
    predicates = tuple(dict.fromkeys((*predicates, *MANDATORY_PREDICATES)))
    priorities = default_priorities(minor, gates) if policy.priorities is None else policy.priorities
    taken = rules_for(ScoreWeightRules, parse_release(f"1.{minor}.0")).weight_of_priority
    weights = {name: taken(weight) for name, weight in priorities if name != "EqualPriority"}
    points: dict[str, tuple[str, ...]] = {"filter": predicates, "score": tuple(weights)}
    if minor >= FIRST_FRAMEWORK:
        points |= {"queueSort": ("PrioritySort",), "bind": ("DefaultBinder",)}
    if minor >= 19:
        points["postFilter"] = ("DefaultPreemption",)
    return MergedProfile("default-scheduler", {point: names for point, names in points.items() if names}, weights)
