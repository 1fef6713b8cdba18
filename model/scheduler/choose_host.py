"""One of the feasible nodes: plugins and extenders score the nodes, and the highest total wins.

Go: `prioritizeNodes`, `selectHost` in pkg/scheduler/core/generic_scheduler.go of 1.17, schedule_one.go of 1.28 to 1.31.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.errors import GoError
from model.objects import Pod
from model.scheduler.extenders import Extenders, ask_to_prioritize
from model.scheduler.filtering import FilteringRules, select_host
from model.scheduler.framework.calls import Ask, PluginAnswer, PluginCall, Steps
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Status
from model.scheduler.scoring import ScorePlugin, ScoringRules, prioritize_nodes


@frozen(slots=False, kw_only=True)
class ChoiceRules(FilteringRules, ScoringRules):
    """What releases do differently when they look for nodes, and choose one."""


@frozen
class Scorers:
    """Who scores."""

    rules: ChoiceRules
    profile: Profile
    extenders: Extenders
    # The text of a plugin's status that is no success.
    error_text: Callable[[Status], str]


def choose_host(asked: Scorers, pod: Pod, feasible: tuple[str, ...]) -> Steps[str | GoError]:
    """The only feasible node, or one of the highest total."""
    if len(feasible) == 1:
        return feasible[0]
    plugins = yield from _raw_scores(asked, pod, feasible)
    if isinstance(plugins, GoError):
        return plugins
    scores = prioritize_nodes(asked.rules, pod.name, feasible, plugins, (), bool(asked.extenders))
    if isinstance(scores, GoError):
        return scores
    extenders = yield from ask_to_prioritize(asked.extenders, feasible)
    scores = prioritize_nodes(asked.rules, pod.name, feasible, plugins, extenders, bool(asked.extenders))
    if isinstance(scores, GoError):
        return scores
    hosts = select_host(asked.rules, [(score.name, score.total) for score in scores])
    if isinstance(hosts, GoError):
        return hosts
    chosen: str = hosts[0] if len(hosts) == 1 else (yield Ask("host", nodes=hosts))
    return chosen


def _raw_scores(scorers: Scorers, pod: Pod, nodes: tuple[str, ...]) -> Steps[list[ScorePlugin] | GoError]:
    """PreScore, Score and NormalizeScore, as far as Go asks. What they answer goes to `prioritize_nodes`."""
    rules, profile = scorers.rules, scorers.profile
    if not profile.at("Score") and not scorers.extenders:
        return []
    left_out = set()
    for plugin in profile.at("PreScore"):
        answer: PluginAnswer = yield PluginCall(plugin, "PreScore")
        if rules.left_out_at_score(answer.status):
            left_out.add(plugin)
        elif not answer.status.ok:
            return GoError(rules.score_error("PreScore", plugin, scorers.error_text(answer.status), pod.name))
    panic = rules.skips_panic(len(profile.at("Score")), len(left_out))
    if panic is not None:
        return panic
    asked = [plugin for plugin in profile.at("Score") if plugin not in left_out]
    raw: dict[str, dict[str, int | str]] = {plugin: {} for plugin in asked}
    for node in nodes:
        for plugin in asked:
            answer = yield PluginCall(plugin, "Score", node)
            if not answer.status.ok:
                text = scorers.error_text(answer.status)
                return GoError(rules.score_error("Score", plugin, text, pod.name))
            raw[plugin][node] = answer.score
    for plugin in profile.at("NormalizeScore"):
        if plugin not in asked:
            continue
        answer = yield PluginCall(plugin, "NormalizeScore")
        if not answer.status.ok:
            text = scorers.error_text(answer.status)
            return GoError(rules.score_error("NormalizeScore", plugin, text, pod.name))
    return [ScorePlugin(plugin, 1, raw[plugin]) for plugin in asked]
