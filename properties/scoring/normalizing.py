"""What `DefaultNormalizeScore` makes of raw scores.

Go: pkg/scheduler/framework/plugins/helper/normalize_score.go. Nobody looks at a raw score before; a score that is out
of range after normalizing ends the cycle with an error.
"""

from itertools import product

from model.go.errors import GoError
from model.go.integers import MAX_INT64
from model.scheduler.scoring import MAX_NODE_SCORE, ScorePlugin, default_normalize_score, run_score_plugins
from properties.scoring.claim import Claim, Judged, ScoreRules, holds, violated

# The raw scores of a grid of three nodes: small ones, those around the range, and the greatest that is safe.
RAW = (0, 1, 2, 99, 100, 101, 1000, MAX_INT64 // MAX_NODE_SCORE)
GRID = f"3 nodes with scores from 0 to {MAX_INT64 // MAX_NODE_SCORE}"


def normalized(rules: ScoreRules, raw: tuple[int, ...], reverse: bool) -> tuple[int, ...] | GoError:
    """The scores of the nodes after a plugin of weight 1, or the error that ends the cycle."""
    nodes = [f"n{at}" for at in range(len(raw))]
    plugin = ScorePlugin(
        "S", 1, dict(zip(nodes, raw, strict=True)), default_normalize_score(reverse, rules.max_node_score())
    )
    found = run_score_plugins(rules, "p", nodes, [plugin])
    return found if isinstance(found, GoError) else tuple(found["S"][node] for node in nodes)


def _over_grid(rules: ScoreRules, wrong: str) -> Judged | None:
    """The first case of the grid that gives another answer than its claim says."""
    for reverse, raw in product((False, True), product(RAW, repeat=3)):
        found = normalized(rules, raw, reverse)
        case = f"raw scores {list(raw)}{' reversed' if reverse else ''}"
        if isinstance(found, GoError):
            return violated(f"{case}: {found.text}")
        for (one, first), (other, second) in product(zip(raw, found, strict=True), repeat=2):
            less, more = (second, first) if reverse else (first, second)
            if wrong == "order" and one < other and less > more:
                return violated(f"{case} become {list(found)}")
            if wrong == "told apart" and one != other and first == second:
                return violated(f"{case} become {list(found)}")
    return None


def _order(rules: ScoreRules) -> Judged:
    return _over_grid(rules, "order") or holds(GRID)


def _told_apart(rules: ScoreRules) -> Judged:
    return _over_grid(rules, "told apart") or holds(GRID)


def first_raw_score_with_error(most: int) -> int:
    """The least score of a best node whose product with `most` overflows: the quotient is no score."""
    return MAX_INT64 // most + 1


def first_raw_score_lost(most: int) -> int:
    """The least score of a best node whose product wraps around to a number that is no less than 0 again."""
    return -(-(2**64) // most)


def _every_raw_score(rules: ScoreRules) -> Judged:
    most = rules.max_node_score()
    for best in (first_raw_score_with_error(most), first_raw_score_lost(most)):
        found = normalized(rules, (best, 0), False)
        if found != (most, 0):
            said = found.text if isinstance(found, GoError) else f"become {list(found)}"
            return violated(f"raw scores [{best}, 0]: {said}")
    return holds("every int64")


NORMALIZING: tuple[Claim, ...] = (
    Claim("normalizing-keeps-the-order", "Of raw scores below the first that overflows, none overtakes another.",
          _order),
    Claim("normalizing-tells-apart", "Nodes of different raw scores have different scores.", _told_apart),
    Claim("every-raw-score-is-normalized", "The best node gets the highest score, whatever its raw score is.",
          _every_raw_score),
)  # fmt: skip
