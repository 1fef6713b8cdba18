"""From the plugins' raw scores to one total for each node. Pure.

Go: `prioritizeNodes` in pkg/scheduler/core/generic_scheduler.go (1.24 on schedule_one.go), `RunPreScorePlugins` and
`RunScorePlugins` in framework/v1alpha1/framework.go (1.19 on framework/runtime/framework.go), `DefaultNormalizeScore`
in framework/plugins/helper/normalize_score.go. One worker does all, as in the recordings: with more of them another
error may be the first. Sums and products are int64, and wrap around as in Go.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from attrs import frozen

from model.go.errors import GoError
from model.go.formats import quote
from model.go.integers import int64, quotient
from model.scheduler.framework.status import Code, Status

MIN_NODE_SCORE, MAX_NODE_SCORE, MAX_EXTENDER_PRIORITY = 0, 100, 10
Scores = Mapping[str, int]
# A plugin's NormalizeScore: (the score of each node) -> the new ones, or the text of an error.
Normalize = Callable[[Scores], Scores | str]
Phase = Literal["PreScore", "Score", "NormalizeScore", "weights"]
_NEGATIVE_CAPACITY = GoError("runtime error: makeslice: cap out of range", panic=True)


@frozen
class ScorePlugin:
    """A plugin at the points PreScore and Score."""

    name: str
    weight: int
    # Node -> the raw score, or the text of an error.
    raw: Mapping[str, int | str]
    # None: the plugin has no ScoreExtensions.
    normalize: Normalize | None = None
    # What the plugin answers at PreScore. None: the plugin is not configured there.
    prescore: Status | None = None


@frozen
class PrioritizeExtender:
    """An extender that is interested in the pod, and answers Prioritize without an error."""

    name: str
    weight: int
    # Node -> 0 to MAX_EXTENDER_PRIORITY. An extender may leave nodes out, and name others.
    scores: Scores


@frozen
class NodeScore:
    """What a node gets (Go: `NodePluginScores`)."""

    name: str
    total: int
    # The weighted score of each plugin in order, then of each extender by name.
    parts: tuple[tuple[str, int], ...]


def default_normalize_score(reverse: bool, most: int = MAX_NODE_SCORE) -> Normalize:
    """So that the highest score is `most`, or with `reverse` 0. Scores that are all 0 or less stay.

    `most`: Go's maxPriority, for which every plugin gives the highest score of the release.
    """

    def normalize(scores: Scores) -> Scores:
        highest = max(scores.values(), default=0)
        if highest <= 0:
            return dict.fromkeys(scores, most) if reverse else scores
        found = {node: quotient(int64(most * score), highest) for node, score in scores.items()}
        return {node: int64(most - score) for node, score in found.items()} if reverse else found

    return normalize


def says_for_which_pod(phase: Phase, plugin: str, reason: str, pod: str) -> str:
    """To 1.19."""
    start = {
        "PreScore": f"error while running {quote(plugin)} prescore plugin for pod {quote(pod)}: ",
        "Score": f"error while running score plugin for pod {quote(pod)}: ",
        "NormalizeScore": f"error while running normalize score plugin for pod {quote(pod)}: "
        f"normalize score plugin {quote(plugin)} failed with error ",
        "weights": f"error while applying score defaultWeights for pod {quote(pod)}: score plugin {quote(plugin)} ",
    }
    return start[phase] + reason


def says_which_plugin(phase: Phase, plugin: str, reason: str, pod: str) -> str:
    """1.20 on."""
    start = {
        "PreScore": f"running PreScore plugin {quote(plugin)}: ",
        "Score": f"running Score plugins: plugin {quote(plugin)} failed with: ",
        "NormalizeScore": f"running Normalize on Score plugins: plugin {quote(plugin)} failed with: ",
        "weights": f"applying score defaultWeights on Score plugins: plugin {quote(plugin)} ",
    }
    return start[phase] + reason


def plugin_by_plugin(plugins: Sequence[str], nodes: Sequence[str]) -> list[tuple[str, str]]:
    """To 1.25: the scores of one plugin are weighted on all nodes, then those of the next."""
    return [(plugin, node) for plugin in plugins for node in nodes]


def node_by_node(plugins: Sequence[str], nodes: Sequence[str]) -> list[tuple[str, str]]:
    """1.26 on: all scores of one node are weighted, then those of the next."""
    return [(plugin, node) for node in nodes for plugin in plugins]


def skip_is_an_error(status: Status) -> bool:
    """To 1.26: whether a plugin is left out at Score after this answer at PreScore."""
    return False


def skip_leaves_the_plugin_out(status: Status) -> bool:
    """1.27 on: a plugin that says Skip at PreScore is not asked at Score."""
    return status.code is Code.SKIP


def any_number_may_skip(plugins: int, skipped: int) -> GoError | None:
    """To 1.26, and from #121632 on."""
    return None


def panics_if_more_skip(plugins: int, skipped: int) -> GoError | None:
    """#115652 (1.27.0) on: a slice for the Score plugins less those that say Skip, also those without Score."""
    return _NEGATIVE_CAPACITY if skipped > plugins else None


def nodes_of_the_snapshot() -> bool:
    """To 1.32: a Score plugin is given the name of a node, and looks the node up in the snapshot."""
    return True


def nodes_of_the_search() -> bool:
    """1.33 on (#130537): a Score plugin is given the node as the last Filter leaves it.

    An extender that answers with Node objects leaves nodes without pods, requests and images (#141781).
    """
    return False


def ten_at_most() -> int:
    """To 1.16 (Go: `MaxPriority`): what a priority or a plugin may answer at most; extenders may answer as much."""
    return MAX_EXTENDER_PRIORITY


def a_hundred_at_most() -> int:
    """1.17 on."""
    return MAX_NODE_SCORE


@frozen(slots=False, kw_only=True)
class ScoringRules:
    """What releases do differently."""

    # The highest score that a plugin may give after normalizing.
    max_node_score: Callable[[], int]
    # (where, the plugin, what the plugin says, the pod) -> the error text of the cycle.
    score_error: Callable[[Phase, str, str, str], str]
    # (plugins, nodes) -> in which order an invalid score is looked for.
    order_of_weighting: Callable[[Sequence[str], Sequence[str]], list[tuple[str, str]]]
    # Whether a plugin with this answer at PreScore is left out at Score.
    left_out_at_score: Callable[[Status], bool]
    # (number of Score plugins, number of plugins that said Skip at PreScore) -> how Go panics, or None.
    skips_panic: Callable[[int, int], GoError | None]


@frozen(slots=False, kw_only=True)
class ScoredNodeRules:
    """What releases do differently with the nodes that are scored."""

    # Whether a Score plugin sees what runs on a node, whoever has filtered the nodes.
    scores_nodes_of_snapshot: Callable[[], bool]


def _raw_scores(
    rules: ScoringRules, pod: str, nodes: Sequence[str], plugins: Sequence[ScorePlugin]
) -> dict[str, Scores] | GoError:
    """Of each plugin its raw scores. The first error ends the search: node by node, and on a node plugin by plugin."""
    found: dict[str, dict[str, int]] = {plugin.name: {} for plugin in plugins}
    for node in nodes:
        for plugin in plugins:
            score = plugin.raw[node]
            if isinstance(score, str):
                return GoError(rules.score_error("Score", plugin.name, score, pod))
            found[plugin.name][node] = score
    return dict(found)


def run_score_plugins(
    rules: ScoringRules, pod: str, nodes: Sequence[str], plugins: Sequence[ScorePlugin]
) -> dict[str, Scores] | GoError:
    """Of each plugin its weighted scores; or the error that ends the cycle."""
    scores = _raw_scores(rules, pod, nodes, plugins)
    if isinstance(scores, GoError):
        return scores
    for plugin in plugins:
        if plugin.normalize is None:
            continue
        normalized = plugin.normalize(scores[plugin.name])
        if isinstance(normalized, str):
            return GoError(rules.score_error("NormalizeScore", plugin.name, normalized, pod))
        scores[plugin.name] = normalized
    most = rules.max_node_score()
    for name, node in rules.order_of_weighting([plugin.name for plugin in plugins], nodes):
        score = scores[name][node]
        if not MIN_NODE_SCORE <= score <= most:
            reason = f"returns an invalid score {score}, it should in the range of [0, {most}] after normalizing"
            return GoError(rules.score_error("weights", name, reason, pod))
    return {
        plugin.name: {node: int64(score * plugin.weight) for node, score in scores[plugin.name].items()}
        for plugin in plugins
    }


def prioritize_nodes(
    rules: ScoringRules,
    pod: str,
    nodes: Sequence[str],
    plugins: Sequence[ScorePlugin],
    extenders: Sequence[PrioritizeExtender],
    has_extenders: bool,
) -> tuple[NodeScore, ...] | GoError:
    """The total of each node, in the order of `nodes`; or the error that ends the cycle.

    `has_extenders`: whether any extender is configured, also one that gives no scores. Without plugins and extenders
    each node gets 1.
    """
    if not plugins and not has_extenders:
        return tuple(NodeScore(node, 1, ()) for node in nodes)
    asked = []
    for plugin in plugins:
        status = plugin.prescore
        left_out = status is not None and rules.left_out_at_score(status)
        if status is not None and not status.ok and not left_out:
            return GoError(rules.score_error("PreScore", plugin.name, status.message, pod))
        if not left_out:
            asked.append(plugin)
    scores = run_score_plugins(rules, pod, nodes, asked)
    if isinstance(scores, GoError):
        return scores
    share = rules.max_node_score() // MAX_EXTENDER_PRIORITY
    found = []
    for node in nodes:
        parts = [(plugin.name, scores[plugin.name][node]) for plugin in asked]
        for each in sorted(extenders, key=lambda extender: extender.name):
            if node in each.scores:
                parts.append((each.name, int64(each.scores[node] * each.weight * share)))
        found.append(NodeScore(node, int64(sum(score for _, score in parts)), tuple(parts)))
    return tuple(found)
