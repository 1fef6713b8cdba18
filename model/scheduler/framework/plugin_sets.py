"""From what a profile names at each point to the plugins that are asked there, and the weights of their scores. Pure.

Go: `mergePluginSet` in pkg/scheduler/apis/config/VERSION/default_plugins.go, `mergePluginSets` in
pkg/scheduler/apis/config/types.go (to 1.21), `NewFramework`, `expandMultiPointPlugins` and `getScoreWeights` in
pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from model.scheduler.score_weights import weight_of_plugin

# A plugin and its weight, 0 for none.
Weighted = tuple[str, int]
ALL = "*"
SCORE = "score"


@frozen
class PluginSet:
    """What is said of one point."""

    enabled: tuple[Weighted, ...] = ()
    disabled: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The plugins that are enabled, in order."""
        return tuple(name for name, _ in self.enabled)


# Point -> what is said of it.
Points = Mapping[str, PluginSet]


def merge_plugin_sets(given: PluginSet, custom: PluginSet) -> PluginSet:
    """v1alpha2 and v1beta1: the defaults that are not disabled, then what is enabled, also what is there already."""
    return PluginSet((*_left(given, custom), *custom.enabled))


def merge_plugin_set(given: PluginSet, custom: PluginSet) -> PluginSet:
    """v1beta2 on (#99582): a default that is enabled too is replaced in place. What is disabled is passed on.

    Of a plugin that is enabled twice the last one replaces the default, and the first one is there too.
    """
    at = {name: number for number, name in enumerate(custom.names)}
    left = _left(given, custom)
    replaced = {at[name] for name, _ in left if name in at}
    kept = tuple(custom.enabled[at[name]] if name in at else (name, weight) for name, weight in left)
    added = tuple(plugin for number, plugin in enumerate(custom.enabled) if number not in replaced)
    return PluginSet((*kept, *added), custom.disabled)


def _left(given: PluginSet, custom: PluginSet) -> tuple[Weighted, ...]:
    if ALL in custom.disabled:
        return ()
    return tuple(plugin for plugin in given.enabled if plugin[0] not in custom.disabled)


# --- which plugins are asked ------------------------------------------------------------------------------------------


def own_first(own: Sequence[str], multi: Sequence[str]) -> tuple[str, ...]:
    """1.23.0 to 1.23.6: what multiPoint has more stands behind what the point names (#108083)."""
    return (*own, *(name for name in multi if name not in own))


def overrides_while_deleting(own: Sequence[str], multi: Sequence[str]) -> tuple[str, ...]:
    """#108613 (1.23.7, 1.24.0) on: as `overrides_first` is meant, but the loop deletes from the list it goes over.

    Go's `range` goes over as many places as the list had, and each deletion moves the rest of the list one place to
    the left. So a name may be passed over, and the last one comes again (#122066).
    """
    places, length, deleted = list(own), len(own), 0
    left = {name: number for number, name in enumerate(own)}
    first: list[str] = []
    for place in range(len(own)):
        name = places[place]
        if name not in multi:
            continue
        first.append(name)
        if name in left:
            at = left.pop(name) - deleted
            places[at : length - 1] = places[at + 1 : length]
            length, deleted = length - 1, deleted + 1
    return (*first, *(name for name in multi if name not in own), *places[:length])


def overrides_first(own: Sequence[str], multi: Sequence[str]) -> tuple[str, ...]:
    """#122068 on: what the point and multiPoint name, in the point's order; then multiPoint's; then the point's own."""
    both = [name for name in own if name in multi]
    return (*both, *(name for name in multi if name not in own), *(name for name in own if name not in multi))


# --- by what a score is multiplied ------------------------------------------------------------------------------------


def weight_of_last_point(points: Points, order: Sequence[str], multi: Sequence[Weighted]) -> dict[str, int]:
    """To 1.21: a plugin has one weight, that of the last point that names the plugin, in Go's order (#100613)."""
    last = {name: weight for point in order if point in points for name, weight in points[point].enabled}
    return {name: weight_of_plugin(last[name]) for name in points.get(SCORE, PluginSet()).names}


def weight_at_score(points: Points, order: Sequence[str], multi: Sequence[Weighted]) -> dict[str, int]:
    """1.22 on: the weight at score; from 1.23 on, if score does not name the plugin, that under multiPoint."""
    found: dict[str, int] = {}
    for name, weight in (*points.get(SCORE, PluginSet()).enabled, *multi):
        found.setdefault(name, weight_of_plugin(weight))
    return found


# --- with which arguments a plugin is made ----------------------------------------------------------------------------

# (plugin, its arguments), in order.
Arguments = Sequence[tuple[str, Mapping[str, object]]]


def last_for_all(given: Arguments) -> dict[str, Mapping[str, object]]:
    """1.15 and 1.16: Go keeps the address of the loop's variable, so that each plugin gets what stands last."""
    return {name: given[-1][1] for name, _ in given}


def each_its_own(given: Arguments) -> dict[str, Mapping[str, object]]:
    """1.17 on (#82483)."""
    return dict(given)


@frozen(slots=False, kw_only=True)
class PluginSetRules:
    """What releases do differently."""

    # (what the point names, what multiPoint names and the point does not disable) -> the plugins that are asked.
    expand_multi_point: Callable[[Sequence[str], Sequence[str]], tuple[str, ...]]
    # (the merged points, Go's order of them, multiPoint) -> the weights of plugins that score.
    score_weights: Callable[[Points, Sequence[str], Sequence[Weighted]], dict[str, int]]
    # (pluginConfig) -> the arguments that each plugin gets.
    plugin_arguments: Callable[[Arguments], dict[str, Mapping[str, object]]]
