"""The total of a node beside what it should be, and what `DefaultNormalizeScore` makes of raw scores.

Go: `prioritizeNodes`, with the weights that `ScoreWeightRules` admits; and, for raw scores,
pkg/scheduler/framework/plugins/helper/normalize_score.go. A total should be the sum of weights by scores, as integers
of any size. A total is greatest where each score is, and so the first weight that overflows is found by arithmetic, and
then tried on `prioritize_nodes`. Nobody looks at a raw score before it is normalized; a score that is out of range
after that ends the cycle with an error.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from model.go.errors import GoError
from model.go.integers import MAX_INT32, MAX_INT64
from model.scheduler.score_weights import ScoreWeightRules
from model.scheduler.scoring import (
    MAX_EXTENDER_PRIORITY,
    MAX_NODE_SCORE,
    PrioritizeExtender,
    ScorePlugin,
    ScoringRules,
    default_normalize_score,
    prioritize_nodes,
    run_score_plugins,
)
from model.scheduler.select_host import SelectHostRules
from properties.components.claim import ComponentClaim
from properties.components.ties import TIES


@frozen(slots=False, kw_only=True)
class ScoreRules(ScoringRules, SelectHostRules, ScoreWeightRules):
    """All that releases do differently with scores."""


# --- totals -----------------------------------------------------------------------------------------------------------

# More plugins than any configuration has.
MANY = 10_000
# Where a weight is cut off, or a check begins to refuse it.
_WEIGHTS = (1, MAX_INT32, MAX_INT32 + 1, 2**32, MAX_INT64 // 100, MAX_INT64 // 100 + 1, MAX_INT64 // 10 - 1)


def points_of_plugin(rules: ScoringRules, weight: int) -> int:
    """How many points a plugin or priority can add to a total at most."""
    return rules.max_node_score() * weight


def points_of_extender(rules: ScoringRules, score: int = MAX_EXTENDER_PRIORITY) -> int:
    """How many points an extender of weight 1 adds that answers `score`. Nobody checks that this is 0 to 10."""
    return score * (rules.max_node_score() // MAX_EXTENDER_PRIORITY)


def most_plugins(rules: ScoringRules) -> int:
    """How many plugins of any int32 weights there may be so that no sum of their scores overflows."""
    return MAX_INT64 // points_of_plugin(rules, MAX_INT32 + 1)


def first_extender_weight(rules: ScoringRules, plugin_weights: Sequence[int] = ()) -> int:
    """The least weight of an extender that answers 10 for which a total overflows."""
    left = MAX_INT64 - sum(points_of_plugin(rules, weight) for weight in plugin_weights)
    return left // points_of_extender(rules) + 1


def totals(
    rules: ScoringRules, plugin_weights: Sequence[int] = (), extender_weight: int = 0, extender_score: int = 10
) -> tuple[int, int]:
    """What a release computes for two nodes. An extender of weight 0 is none.

    Every plugin gives the first node its highest score and the second one 0, and so does the extender.
    """
    most = rules.max_node_score()
    plugins = [ScorePlugin(f"S{at}", weight, {"n0": most, "n1": 0}) for at, weight in enumerate(plugin_weights)]
    extenders = [PrioritizeExtender("ext", extender_weight, {"n0": extender_score, "n1": 0})]
    found = prioritize_nodes(rules, "p", ("n0", "n1"), plugins, extenders if extender_weight else (), True)
    assert not isinstance(found, GoError)
    return found[0].total, found[1].total


def _too_many(rules: ScoreRules, number: int) -> str | None:
    most = most_plugins(rules)
    return f"{most + 1} plugins of weight {MAX_INT32}" if most < number else None


def _overflows(rules: ScoreRules, weight: int) -> str | None:
    if rules.refuses_extender(weight) is not None:
        return None
    best, other = totals(rules, extender_weight=weight)
    return None if best > other else f"an extender of weight {weight} gives a node 10 points: the total is {best}"


def _more_than_a_plugin(rules: ScoreRules, score: int) -> str | None:
    most = points_of_extender(rules)
    best, _ = totals(rules, extender_weight=1, extender_score=score)
    if best <= most:
        return None
    return f"an extender of weight 1 answers {score}: {best} points, and a plugin of weight 1 has {most}"


def _cut(rules: ScoreRules, weight: int) -> str | None:
    if rules.refuses_priorities((weight,)) is not None or (taken := rules.weight_of_priority(weight)) == weight:
        return None
    best, other = totals(rules, (taken,))
    return f"a priority of weight {weight} is taken with {taken}: totals {best} and {other}"


def _turned(rules: ScoreRules, weight: int) -> str | None:
    if rules.refuses_plugins((weight,)) is not None:
        return None
    best, other = totals(rules, (weight,))
    if best >= other:
        return None
    return f"a plugin of weight {weight} is admitted: the node that it likes best has {best}, another {other}"


def _every_admitted_weight(rules: ScoreRules) -> str:
    return "every weight that is admitted"


def _no_plugins(rules: ScoreRules) -> str | None:
    return rules.refuses_plugins((1,))


TOTALS: tuple[ComponentClaim[ScoreRules, int], ...] = (
    ComponentClaim(
        "plugins-do-not-overflow", "The weighted scores of plugins have a sum that is an int64.", lambda rules: (MANY,),
        _too_many, lambda rules: f"up to {most_plugins(rules)} plugins of any weights, each an int32", _no_plugins,
    ),
    ComponentClaim(
        "extenders-do-not-overflow", "With an extender of an admitted weight, the total is an int64.",
        lambda rules: (first_extender_weight(rules),), _overflows, _every_admitted_weight,
    ),
    ComponentClaim(
        "extenders-keep-to-ten", "An extender adds no more points than a plugin of the same weight can.",
        lambda rules: (MAX_EXTENDER_PRIORITY + 1,), _more_than_a_plugin, lambda rules: "every answer",
    ),
    ComponentClaim(
        "a-priority-has-its-weight", "A priority of a Policy counts with the weight that the Policy gives.",
        lambda rules: _WEIGHTS, _cut, lambda rules: "weights at the limits of int32 and of the checks",
        lambda rules: rules.refuses_priorities((1,)),
    ),
    ComponentClaim(
        "more-is-better", "No plugin of an admitted weight makes a node worse that the plugin likes more.",
        lambda rules: (-1,), _turned, _every_admitted_weight, _no_plugins,
    ),
)  # fmt: skip


# --- raw scores -------------------------------------------------------------------------------------------------------

# The raw scores of a grid of three nodes: small ones, those around the range, and the greatest that is safe.
RAW = (0, 1, 2, 99, 100, 101, 1000, MAX_INT64 // MAX_NODE_SCORE)
# Raw scores, and whether the least is the best.
Raw = tuple[bool, tuple[int, ...]]


def normalized(rules: ScoringRules, raw: tuple[int, ...], reverse: bool) -> tuple[int, ...] | GoError:
    """The scores of the nodes after a plugin of weight 1, or the error that ends the cycle."""
    nodes = [f"n{at}" for at in range(len(raw))]
    plugin = ScorePlugin(
        "S", 1, dict(zip(nodes, raw, strict=True)), default_normalize_score(reverse, rules.max_node_score())
    )
    found = run_score_plugins(rules, "p", nodes, [plugin])
    return found if isinstance(found, GoError) else tuple(found["S"][node] for node in nodes)


def _wrong_pair(wrong: Callable[[int, int, int, int], bool]) -> Callable[[ScoringRules, Raw], str | None]:
    """What is wrong where `wrong` says so of two nodes: their raw scores, then the worse and the better score."""

    def wrong_in(rules: ScoringRules, case: Raw) -> str | None:
        reverse, raw = case
        found = normalized(rules, raw, reverse)
        said = f"raw scores {list(raw)}{' reversed' if reverse else ''}"
        if isinstance(found, GoError):
            return f"{said}: {found.text}"
        for (one, first), (other, second) in product(zip(raw, found, strict=True), repeat=2):
            if wrong(one, other, *((second, first) if reverse else (first, second))):
                return f"{said} become {list(found)}"
        return None

    return wrong_in


def first_raw_score_with_error(most: int) -> int:
    """The least score of a best node whose product with `most` overflows: the quotient is no score."""
    return MAX_INT64 // most + 1


def first_raw_score_lost(most: int) -> int:
    """The least score of a best node whose product wraps around to a number that is no less than 0 again."""
    return -(-(2**64) // most)


def _best_is_not_highest(rules: ScoringRules, best: int) -> str | None:
    found = normalized(rules, (best, 0), False)
    if found == (rules.max_node_score(), 0):
        return None
    said = found.text if isinstance(found, GoError) else f"become {list(found)}"
    return f"raw scores [{best}, 0]: {said}"


def _raw_scores(rules: ScoringRules) -> Iterator[Raw]:
    return product((False, True), product(RAW, repeat=3))


def _of_three_nodes(rules: ScoringRules) -> str:
    return f"3 nodes with scores from 0 to {RAW[-1]}"


NORMALIZING: tuple[ComponentClaim[ScoringRules, Any], ...] = (
    ComponentClaim(
        "normalizing-keeps-the-order", "Of raw scores below the first that overflows, none overtakes another.",
        _raw_scores, _wrong_pair(lambda one, other, less, more: one < other and less > more), _of_three_nodes,
    ),
    ComponentClaim(
        "normalizing-tells-apart", "Nodes of different raw scores have different scores.",
        _raw_scores, _wrong_pair(lambda one, other, less, more: one != other and less == more), _of_three_nodes,
    ),
    ComponentClaim(
        "every-raw-score-is-normalized", "The best node gets the highest score, whatever its raw score is.",
        lambda rules: (each(rules.max_node_score()) for each in (first_raw_score_with_error, first_raw_score_lost)),
        _best_is_not_highest, lambda rules: "every int64",
    ),
)  # fmt: skip

CLAIMS: tuple[ComponentClaim[ScoreRules, Any], ...] = (*TOTALS, *NORMALIZING, *TIES)
