"""Image counts, in the cache and in its snapshot (CACHE-IMAGESTATE-STALE)."""

import pytest

from model.releases import newest, parse_release, rules_for
from model.scheduler.cache.image_states import (
    ImageStateRules,
    ImageStates,
    remove_node_images,
    set_node_images,
    touch_node,
    update_image_snapshot,
)

IMAGE = frozenset({"i"})


def two_nodes() -> ImageStates:
    return set_node_images(set_node_images(ImageStates(), "n1", IMAGE), "n2", IMAGE)


@pytest.mark.parametrize(("release", "first"), [("1.13", 1), ("1.28", 1), ("1.29", 2), ("1.31", 2)])
def test_two_nodes_with_one_image(release: str, first: int) -> None:
    rules = rules_for(ImageStateRules, parse_release(release))
    assert update_image_snapshot(rules, two_nodes()).snapshot == (("n1", (("i", first),)), ("n2", (("i", 2),)))


def test_a_snapshot_between_the_two_keeps_the_old_count_in_each_release() -> None:
    rules = newest(ImageStateRules, "scheduling")
    states = update_image_snapshot(rules, set_node_images(ImageStates(), "n1", IMAGE))
    states = update_image_snapshot(rules, set_node_images(states, "n2", IMAGE))
    assert states.count("i") == 2
    assert dict(states.snapshot)["n1"] == (("i", 1),)
    assert dict(update_image_snapshot(rules, touch_node(states, "n1")).snapshot)["n1"] == (("i", 2),)


def test_a_removed_node_leaves_counts_and_snapshot() -> None:
    states = update_image_snapshot(newest(ImageStateRules, "scheduling"), two_nodes())
    states = update_image_snapshot(
        newest(ImageStateRules, "scheduling"), touch_node(remove_node_images(states, "n2"), "n1")
    )
    assert states.nodes_of == (("i", ("n1",)),)
    assert states.snapshot == (("n1", (("i", 1),)),)
    assert remove_node_images(states, "n1").nodes_of == ()
