"""The total of a node beside what it should be: the sum of weights by scores, as integers of any size.

Go: `prioritizeNodes`, with the weights that `ScoreWeightRules` admits. A total is greatest where each score is, and so
the first weight that overflows is found by arithmetic, and then tried on `prioritize_nodes`.
"""

from collections.abc import Sequence

from attrs import frozen

from model.go.errors import GoError
from model.go.integers import MAX_INT32, MAX_INT64
from model.scheduler.scoring import MAX_EXTENDER_PRIORITY, PrioritizeExtender, ScorePlugin, prioritize_nodes
from properties.scoring.claim import Claim, Judged, ScoreRules, holds, violated

# More plugins than any configuration has.
MANY = 10_000


def points_of_plugin(rules: ScoreRules, weight: int) -> int:
    """How many points a plugin or priority can add to a total at most."""
    return rules.max_node_score() * weight


def points_of_extender(rules: ScoreRules, weight: int) -> int:
    """How many points an extender can add that answers 0 to 10. Nobody checks that."""
    return MAX_EXTENDER_PRIORITY * (rules.max_node_score() // MAX_EXTENDER_PRIORITY) * weight


def most_plugins(rules: ScoreRules) -> int:
    """How many plugins of any int32 weights there may be so that no sum of their scores overflows."""
    return MAX_INT64 // points_of_plugin(rules, MAX_INT32 + 1)


def first_extender_weight(rules: ScoreRules, plugin_weights: Sequence[int] = (), score: int = 10) -> int:
    """The least weight of an extender that answers `score` for which a total overflows."""
    left = MAX_INT64 - sum(points_of_plugin(rules, weight) for weight in plugin_weights)
    return left // (score * (rules.max_node_score() // MAX_EXTENDER_PRIORITY)) + 1


@frozen
class TwoNodes:
    """Two nodes. Every plugin gives the first one its highest score and the second one 0, and so does the extender."""

    plugin_weights: tuple[int, ...] = ()
    extender_weight: int = 0
    extender_score: int = 10


def totals(rules: ScoreRules, asked: TwoNodes) -> tuple[int, int]:
    """What the release computes."""
    most = rules.max_node_score()
    plugins = [ScorePlugin(f"S{at}", weight, {"n0": most, "n1": 0}) for at, weight in enumerate(asked.plugin_weights)]
    extenders = [PrioritizeExtender("ext", asked.extender_weight, {"n0": asked.extender_score, "n1": 0})]
    found = prioritize_nodes(rules, "p", ("n0", "n1"), plugins, extenders if asked.extender_weight else (), True)
    assert not isinstance(found, GoError)
    return found[0].total, found[1].total


def _plugins_alone(rules: ScoreRules) -> Judged:
    if (refused := rules.refuses_plugins((1,))) is not None:
        return Judged("not-applicable", refused)
    most = most_plugins(rules)
    if most < MANY:
        return violated(f"{most + 1} plugins of weight {MAX_INT32}")
    return holds(f"up to {most} plugins of any weights, each an int32")


def _extender(rules: ScoreRules) -> Judged:
    weight = first_extender_weight(rules)
    if rules.refuses_extender(weight) is not None:
        return holds("every weight that is admitted")
    best, other = totals(rules, TwoNodes(extender_weight=weight))
    if best > other:
        return holds("every weight that is admitted")
    return violated(f"an extender of weight {weight} gives a node 10 points: the total is {best}")


def _score_of_extender(rules: ScoreRules) -> Judged:
    share = rules.max_node_score() // MAX_EXTENDER_PRIORITY
    best, _ = totals(rules, TwoNodes(extender_weight=1, extender_score=MAX_EXTENDER_PRIORITY + 1))
    if best <= MAX_EXTENDER_PRIORITY * share:
        return holds("every answer")
    return violated(f"an extender of weight 1 answers 11: {best} points, and a plugin of weight 1 has {share * 10}")


# Where a weight is cut off, or a check begins to refuse it.
_WEIGHTS = (1, MAX_INT32, MAX_INT32 + 1, 2**32, MAX_INT64 // 100, MAX_INT64 // 100 + 1, MAX_INT64 // 10 - 1)


def _priority(rules: ScoreRules) -> Judged:
    for weight in _WEIGHTS:
        refused = rules.refuses_priorities((weight,))
        if refused is not None:
            if weight == 1:
                return Judged("not-applicable", refused)
            continue
        taken = rules.weight_of_priority(weight)
        if taken != weight:
            best, other = totals(rules, TwoNodes((taken,)))
            return violated(f"a priority of weight {weight} is taken with {taken}: totals {best} and {other}")
    return holds("weights at the limits of int32 and of the checks")


def _negative(rules: ScoreRules) -> Judged:
    if (refused := rules.refuses_plugins((1,))) is not None:
        return Judged("not-applicable", refused)
    if rules.refuses_plugins((-1,)) is not None:
        return holds("every weight that is admitted")
    best, other = totals(rules, TwoNodes((-1,)))
    if best >= other:
        return holds("every weight that is admitted")
    return violated(f"a plugin of weight -1 is admitted: the node that it likes best has {best}, another {other}")


TOTALS: tuple[Claim, ...] = (
    Claim("plugins-do-not-overflow", "The weighted scores of plugins have a sum that is an int64.", _plugins_alone),
    Claim("extenders-do-not-overflow", "With an extender of an admitted weight, the total is an int64.", _extender),
    Claim("extenders-keep-to-ten", "An extender adds no more points than a plugin of the same weight can.",
          _score_of_extender),
    Claim("a-priority-has-its-weight", "A priority of a Policy counts with the weight that the Policy gives.",
          _priority),
    Claim("more-is-better", "No plugin of an admitted weight makes a node worse that the plugin likes more.",
          _negative),
)  # fmt: skip
