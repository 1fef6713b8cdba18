"""The queue and the cache called in any order: what a fix changes where no run of the system leads."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from model.go.errors import with_errors_met
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree
from model.scheduler.cache.nodes import remove_node_keeping_ghost
from model.scheduler.cache.state import OK, Cache
from model.scheduler.queue.move import get_unschedulable_pods_with_matching_affinity_term
from model.scheduler.queue.state import Infos, Queue
from model.systems.scheduling import SchedulingRules
from properties.effect import ALONE
from properties.scheduling.alone import COMPONENTS, Component, effects_alone, first_calls

RELEASES = ("1.13.0", "1.31.14")
RULES = {release: rules_for(SchedulingRules, parse_release(release)) for release in RELEASES}
CACHE, QUEUE = COMPONENTS


def wrapped(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: rule(*args)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_same_rules_in_other_words_have_no_effect_and_no_call_fails(release: str) -> None:
    rules = RULES[release]
    fields = CACHE.fields | QUEUE.fields
    assert effects_alone(rules, evolve(rules, **{name: wrapped(getattr(rules, name)) for name in fields})) == []
    for component in COMPONENTS:
        calls = first_calls(component, rules)
        assert {name for name, *_ in calls} == component.calls.keys()
        assert [name for name, _, answers, _ in calls if isinstance(answers, str)] == []


@pytest.mark.parametrize(
    ("component", "field", "other"),
    [
        (CACHE, "remove_known_node", lambda rules, cache, node: (OK, cache)),
        (QUEUE, "pods_for_assigned_pod", get_unschedulable_pods_with_matching_affinity_term),
    ],
)
def test_a_call_that_looks_up_another_rule_is_asked_and_no_other_can_differ(
    component: Component, field: str, other: Callable[..., Any]
) -> None:
    asked = []

    def noting(*args: Any) -> Any:
        asked.append(args)
        return other(*args)

    rules = RULES["1.31.14"]
    after = evolve(rules, **{field: noting})
    changed = 0
    for name, state, expected, looked_up in first_calls(component, rules):
        before = len(asked)
        try:
            got: Any = with_errors_met(lambda name=name, state=state: component.calls[name](after, state))
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
        assert field in looked_up or (len(asked), got) == (before, expected), name
        changed += got != expected
    (effect,) = effects_alone(rules, after)
    assert effect.changed == changed


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
