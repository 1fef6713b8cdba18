"""The queue and the cache called in any order: what a fix changes where no run of the system leads."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree
from model.scheduler.cache.nodes import remove_node_keeping_ghost
from model.scheduler.cache.state import OK, Cache
from model.scheduler.queue.move import get_unschedulable_pods_with_matching_affinity_term
from model.scheduler.queue.state import Infos, Queue
from model.systems.scheduling import SchedulingRules
from properties.effect import ALONE
from properties.scheduling.alone import COMPONENTS, effects_alone, first_calls

RELEASES = ("1.13.0", "1.31.14")
RULES = {release: rules_for(SchedulingRules, parse_release(release)) for release in RELEASES}
CACHE, QUEUE = COMPONENTS


def wrapped(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: rule(*args)


@pytest.mark.parametrize("release", RELEASES)
def test_the_same_rules_in_other_words_have_no_effect_and_no_call_fails(release: str) -> None:
    rules = RULES[release]
    fields = CACHE.fields | QUEUE.fields
    assert effects_alone(rules, evolve(rules, **{name: wrapped(getattr(rules, name)) for name in fields})) == []
    for component in COMPONENTS:
        calls = first_calls(component, rules)
        assert {name for name, _, _ in calls} == component.calls.keys()
        assert [name for name, _, answers in calls if isinstance(answers, str)] == []


def test_only_the_component_whose_rules_change_is_called() -> None:
    rules = RULES["1.31.14"]
    assert effects_alone(rules, evolve(rules, skip_pod_schedule=lambda pod: ())) == []


def test_a_node_that_the_tree_keeps_is_an_error_that_no_run_meets() -> None:
    rules = RULES["1.31.14"]

    def without_error(rules: Any, cache: Cache, node: Any) -> Any:
        outcome, changed = remove_node_keeping_ghost(rules, cache, node)
        return (outcome, cache) if changed is cache else (OK, changed)

    (effect,) = effects_alone(rules, evolve(rules, remove_known_node=without_error))
    assert (effect.subject, effect.of) == (CACHE.subject, ALONE)
    assert effect.example is not None
    assert effect.example.startswith("RemoveNode of n1 by name: ")
    assert 0 < effect.changed < effect.total


def test_a_pod_with_spread_constraints_is_told_of_though_no_scope_has_one() -> None:
    rules = RULES["1.31.14"]

    def by_affinity_only(queue: Queue, pod: Any) -> Infos:
        return get_unschedulable_pods_with_matching_affinity_term(queue, pod)

    (effect,) = effects_alone(rules, evolve(rules, pods_for_assigned_pod=by_affinity_only))
    assert (effect.subject, effect.of) == (QUEUE.subject, ALONE)
    assert effect.example is not None
    assert effect.example.startswith("AssignedPodAdded of c: Queue.")


def test_an_error_of_a_rule_is_an_answer() -> None:
    rules = RULES["1.31.14"]

    def add_node(tree: NodeTree, name: str, zone: str) -> NodeTree:
        raise KeyError(name)

    (effect,) = effects_alone(rules, evolve(rules, add_node=add_node))
    assert effect.example is not None
    assert "-> \"KeyError: 'n1'\"" in effect.example
