"""A node that is not there: named by an extender, and named by an error."""

import pytest

from model.objects import Node
from model.releases import newest, parse_release, rules_for
from model.scheduler.cache.cache import add_node
from model.scheduler.cache.state import Cache, CacheRules
from model.scheduler.not_found import NotFoundRules


@pytest.mark.parametrize(
    ("release", "nodes", "error"),
    [
        ("1.15.12", ("n1", None), False),
        ("1.16.0", (), True),
        ("1.31.0", (), True),
    ],
)
def test_an_unknown_node_in_an_answer_is_nil_or_an_error(release: str, nodes: tuple, error: bool) -> None:
    rules = rules_for(NotFoundRules, parse_release(release))
    found, text = rules.nodes_of_answer(("n1", "n2"), frozenset({"n1"}))
    assert (found, text is not None) == (nodes, error)
    assert rules.nodes_of_answer(("n1",), frozenset({"n1"})) == (("n1",), None)


@pytest.mark.parametrize(("zone", "in_tree"), [("A", True), ("", False)])
def test_a_missing_node_leaves_the_cache_and_only_without_a_zone_the_tree(zone: str, in_tree: bool) -> None:
    rules = newest(CacheRules, "scheduling")
    cache = add_node(rules, Cache(), Node("n1", zone=zone))[1]
    after = rules_for(NotFoundRules, parse_release("1.29.9")).remove_missing_node(rules, cache, "n1")
    assert after.nodes == ()
    assert ("n1" in after.node_tree.names()) == in_tree
    assert rules_for(NotFoundRules, parse_release("1.30.0")).remove_missing_node(rules, cache, "n1") == cache
