"""From raw scores to totals: what the rules do differently."""

import pytest

from model.go.errors import GoError
from model.releases import parse_release, rules_for
from model.scheduler.framework.status import Code, Status
from model.scheduler.scoring import (
    NodeScore,
    PrioritizeExtender,
    ScorePlugin,
    ScoringRules,
    default_normalize_score,
    prioritize_nodes,
)

NODES = ("n0", "n1")


def rules(release: str) -> ScoringRules:
    return rules_for(ScoringRules, parse_release(release))


def totals(release: str, *plugins: ScorePlugin) -> tuple[NodeScore, ...] | GoError:
    return prioritize_nodes(rules(release), "p", NODES, plugins, (), False)


def test_scores_are_normalized_weighted_and_summed() -> None:
    plugin = ScorePlugin("S", 2, {"n0": 5, "n1": 20}, default_normalize_score(reverse=False))
    extender = PrioritizeExtender("ext", 3, {"n1": 4, "elsewhere": 10})
    found = prioritize_nodes(rules("1.31.13"), "p", NODES, (plugin,), (extender,), True)
    assert found == (
        NodeScore("n0", 50, (("S", 50),)),
        NodeScore("n1", 320, (("S", 200), ("ext", 120))),
    )


def test_scores_of_nothing() -> None:
    assert totals("1.31.13") == (NodeScore("n0", 1, ()), NodeScore("n1", 1, ()))
    found = prioritize_nodes(rules("1.31.13"), "p", NODES, (), (), True)
    assert found == (NodeScore("n0", 0, ()), NodeScore("n1", 0, ()))


@pytest.mark.parametrize(
    ("reverse", "scores", "normalized"),
    [
        (False, [0, 0], [0, 0]),
        (True, [0, 0], [100, 100]),
        (True, [-3, 0], [100, 100]),
        (False, [-3, 2], [-150, 100]),
        (False, [-1, 3], [-33, 100]),
        (True, [1, 3], [67, 0]),
    ],
)
def test_normalizing(reverse: bool, scores: list[int], normalized: list[int]) -> None:
    found = default_normalize_score(reverse)(dict(zip(NODES, scores, strict=True)))
    assert isinstance(found, dict)
    assert list(found.values()) == normalized


def test_which_invalid_score_is_found_first() -> None:
    first, second = ScorePlugin("S0", 1, {"n0": 0, "n1": 101}), ScorePlugin("S1", 1, {"n0": -1, "n1": 0})
    for release, score in (("1.25.0", 101), ("1.26.0", -1)):
        found = totals(release, first, second)
        assert isinstance(found, GoError)
        assert f"invalid score {score}," in found.text


def test_error_texts() -> None:
    failing = ScorePlugin("S", 1, {"n0": "boom", "n1": 0})
    assert totals("1.19.0", failing) == GoError('error while running score plugin for pod "p": boom')
    assert totals("1.20.0", failing) == GoError('running Score plugins: plugin "S" failed with: boom')


def test_a_plugin_that_is_skipped() -> None:
    skipped = ScorePlugin("S", 1, {"n0": 1, "n1": 1}, prescore=Status(Code.SKIP, ("not me",)))
    assert totals("1.26.0", skipped) == GoError('running PreScore plugin "S": not me')
    assert totals("1.27.0", skipped) == (NodeScore("n0", 0, ()), NodeScore("n1", 0, ()))


def test_the_process_ends_when_more_plugins_skip_than_score() -> None:
    """#121630."""
    for release in ("1.26.15", "1.27.9", "1.28.5", "1.29.0", "1.31.13"):
        assert rules(release).skips_panic(0, 5) is None
    for release in ("1.27.0", "1.27.8", "1.28.0", "1.28.4"):
        assert rules(release).skips_panic(2, 2) is None
        assert rules(release).skips_panic(1, 2) == GoError("runtime error: makeslice: cap out of range", panic=True)
