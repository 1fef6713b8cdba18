"""What a fix leaves otherwise in fields that no subject of a system speaks of."""

from attrs import evolve, frozen

from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate.effects import in_any_field
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree, add_node
from model.scheduler.queue.pop import heads_of_equal_priority
from model.systems.node_listing import NodeListingScope
from properties.effect import differing

SCOPE = NodeListingScope(nodes=2, zones=2, moves=0)
NODE_LISTING = SYSTEMS["node-listing"]
RULES = rules_for(NODE_LISTING.rules_class, parse_release("1.31"))


@frozen
class Inner:
    number: int
    names: tuple[str, ...] = ()


@frozen
class Outer:
    entries: tuple[Inner, ...]
    flag: bool = False


def test_the_innermost_field_that_differs_is_named() -> None:
    old = Outer((Inner(1), Inner(2, ("a", "b"))))
    assert list(differing(old, old)) == []
    assert list(differing(old, evolve(old, flag=True))) == [("Outer.flag", "False", "True")]
    assert list(differing(old, Outer((Inner(1), Inner(3, ("a", "c")))))) == [
        ("Inner.number", "2", "3"),
        ("Inner.names", "'b'", "'c'"),
    ]
    (shorter,) = differing(old, Outer((Inner(1),)))
    assert shorter[0] == "Outer.entries"


def test_a_node_that_is_never_added_is_named() -> None:
    def into_known_zones_only(tree: NodeTree, node: str, zone: str) -> NodeTree:
        return add_node(tree, node, zone) if not tree.zones or zone in tree.zones else tree

    effects = in_any_field(NODE_LISTING, [SCOPE], RULES, evolve(RULES, add_node=into_known_zones_only))
    assert "what a step leaves in NodeTree.zones" in {effect.subject for effect in effects}
    first = effects[0]
    assert 0 < first.changed <= first.total
    assert "add_node(" in str(first.example)


def test_an_action_that_comes_or_goes_is_named() -> None:
    """Up to 1.13 Pop may take any pod of the highest priority, from 1.14 on only the head of the heap."""
    scheduling = SYSTEMS["scheduling"]
    rules = rules_for(scheduling.rules_class, parse_release("1.14.0"))
    scope = scheduling.parse_scope("0,pods=2,nodes=1,room=1,goroutines=1")
    any_head = evolve(rules, active_q_heads=heads_of_equal_priority)
    for old, new, text in ((rules, any_head, "was not"), (any_head, rules, "is no more")):
        found = {effect.subject: effect for effect in in_any_field(scheduling, [scope], old, new)}
        effect = found["which actions are possible"]
        assert effect.changed <= effect.total
        assert str(effect.example).startswith("pop(")
        assert str(effect.example).endswith(text)


def test_the_same_rule_in_other_words_has_no_effect() -> None:
    same = evolve(RULES, add_node=lambda *args: add_node(*args))
    assert in_any_field(NODE_LISTING, [SCOPE], RULES, same) == []
    scheduling = SYSTEMS["scheduling"]
    rules = rules_for(scheduling.rules_class, parse_release("1.27"))
    own = rules.queue_update
    same = evolve(rules, queue_update=lambda *args: own(*args))
    scope = scheduling.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,updates=1,bind_errors=1")
    assert in_any_field(scheduling, [scope], rules, same) == []
