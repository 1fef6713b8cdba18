"""How plugins are merged and expanded. The cases of the expansion are those of Go's own tests of the framework."""

from pathlib import Path

import pytest

from kubeproof.conform.conform import replay_file
from model.releases import known_release, rules_for
from model.scheduler.framework.plugin_sets import (
    PluginSet,
    PluginSetRules,
    merge_plugin_set,
    merge_plugin_sets,
)
from tests.conftest import DATA

ORDER = ("preFilter", "filter", "postFilter", "reserve", "preScore", "score", "preBind", "bind", "postBind", "permit")


def rules(release: str) -> PluginSetRules:
    return rules_for(PluginSetRules, known_release(release))


def named(*names: str, disabled: tuple[str, ...] = ()) -> PluginSet:
    return PluginSet(tuple((name, 0) for name in names), disabled)


@pytest.mark.parametrize(
    ("own", "multi", "old", "meant"),
    [
        ((), ("test", "score1"), ("test", "score1"), ("test", "score1")),
        # A plugin of the point alone stands in front of all others at first (#108083), and then behind.
        (("mine",), ("test", "score1"), ("mine", "test", "score1"), ("test", "score1", "mine")),
        # A plugin that both name keeps the place that the point gives.
        (("score1", "test"), ("test", "score1"), ("score1", "test"), ("score1", "test")),
        (("test", "mine"), ("score1", "test"), ("test", "mine", "score1"), ("test", "score1", "mine")),
    ],
)  # fmt: skip
def test_in_which_order_plugins_are_asked(
    own: tuple[str, ...], multi: tuple[str, ...], old: tuple[str, ...], meant: tuple[str, ...]
) -> None:
    assert rules("1.23.6").expand_multi_point(own, multi) == old
    for release in ("1.23.7", "1.24.0", "1.28.5", "1.28.6", "1.36.3"):
        assert rules(release).expand_multi_point(own, multi) == meant


@pytest.mark.parametrize(
    ("own", "twice"),
    [
        # Of #122068.
        (("score1", "score2", "test"), ("score1", "test", "test", "score2")),
        # Three that are all there by multiPoint, as in #122066.
        (("score1", "other", "test"), ("score1", "test", "test", "other")),
        (("a", "score1", "test"), ("score1", "test", "a")),
    ],
)
def test_a_plugin_stands_there_twice(own: tuple[str, ...], twice: tuple[str, ...]) -> None:
    multi = ("test", "score1", "other")
    for release in ("1.23.7", "1.24.17", "1.26.12", "1.27.9", "1.28.5", "1.29.0"):
        found = rules(release).expand_multi_point(own, multi)
        assert [name for name in found if name in own] == [*twice]
    for release in ("1.26.13", "1.27.10", "1.28.6", "1.29.1", "1.30.0"):
        found = rules(release).expand_multi_point(own, multi)
        assert len({*found}) == len(found)
        assert {*found} == {*own, *multi}


def test_the_weight_of_the_last_point_counts_to_1_21() -> None:
    """#100613."""
    points = {"score": PluginSet((("Mine", 6), ("Other", 0))), "postBind": named("Mine"), "preScore": named("Other")}
    for release in ("1.18.20", "1.21.9"):
        assert rules(release).score_weights(points, ORDER, ()) == {"Mine": 1, "Other": 1}
    assert rules("1.22.3").score_weights(points, ORDER, ()) == {"Mine": 6, "Other": 1}


def test_the_weight_at_score_counts_before_that_of_multi_point() -> None:
    points = {"score": PluginSet((("a", 5),))}
    found = rules("1.31.13").score_weights(points, ORDER, (("a", 2), ("b", 3), ("c", 0)))
    assert found == {"a": 5, "b": 3, "c": 1}


@pytest.mark.parametrize(
    ("custom", "appended", "in_place"),
    [
        (named(), ("a", "b"), ("a", "b")),
        (named("c"), ("a", "b", "c"), ("a", "b", "c")),
        (named("c", disabled=("a",)), ("b", "c"), ("b", "c")),
        (named("b", "a", disabled=("*",)), ("b", "a"), ("b", "a")),
        # A default that is named again: twice, or in place.
        (named("c", "b"), ("a", "b", "c", "b"), ("a", "b", "c")),
        # Named twice, it is there twice in both.
        (named("b", "b"), ("a", "b", "b", "b"), ("a", "b", "b")),
        # What is disabled and enabled is at the end.
        (named("a", disabled=("a",)), ("b", "a"), ("b", "a")),
    ],
)
def test_merging_with_the_defaults(custom: PluginSet, appended: tuple[str, ...], in_place: tuple[str, ...]) -> None:
    assert merge_plugin_sets(named("a", "b"), custom).names == appended
    assert merge_plugin_set(named("a", "b"), custom).names == in_place
    assert merge_plugin_set(named("a", "b"), custom).disabled == custom.disabled


@pytest.mark.parametrize("path", sorted(DATA.glob("plugin_sets-*.jsonl")), ids=lambda path: path.stem)
def test_the_recordings_of_the_real_framework_replay(path: Path) -> None:
    replay = replay_file(path)
    assert replay.cases > 0
    assert (replay.divergences, replay.uncovered) == ([], 0)
