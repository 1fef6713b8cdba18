"""Event handlers of nodes: which calls a notification makes, and which pods are told."""

from typing import Any

import pytest
from attrs import evolve

from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.eventhandlers import after
from model.scheduler.node_handlers import on_node, passes_pre_check
from tests.model.scheduler.handlers import BOUND, INFO, NODE, POD, rules_of, run


def test_a_node_is_in_the_cache_before_pods_are_moved():
    for release in ("1.13", "1.31"):
        made = run(rules_of(release), on_node(rules_of(release), None, NODE))
        assert made == ["add_node", "move_all_to_active_or_backoff_queue"]
        assert run(rules_of(release), on_node(rules_of(release), NODE, None)) == ["remove_node"], "and no pod moves"


@pytest.mark.parametrize(
    ("release", "waiting", "change", "moves"),
    [
        ("1.13", 1, {}, ["Unknown"]),
        ("1.20", 0, {}, ["Unknown"]),
        ("1.20", 1, {}, []),
        ("1.20", 1, {"cpu_milli": 1}, ["NodeAllocatableChange"]),
        ("1.21", 0, {}, []),
        ("1.29", 1, {"cpu_milli": 1, "zone": "z2"}, ["NodeAllocatableChange"]),
        ("1.30", 1, {"cpu_milli": 1, "zone": "z2"}, ["NodeAllocatableChange", "NodeLabelChange"]),
    ],
)
def test_which_updates_of_a_node_move_pods(release: str, waiting: int, change: dict[str, Any], moves: list[str]):
    rules = rules_of(release)
    calls, seen = on_node(rules, NODE, evolve(NODE, **change)), []
    while calls:
        if calls[0].function == "move_all_to_active_or_backoff_queue":
            seen.append(calls[0].args[0].label)
        calls = after(rules, calls, waiting if calls[0].function == "num_unschedulable_pods" else None)
    assert seen == moves


@pytest.mark.parametrize(("release", "checked"), [("1.21", None), ("1.22", INFO)])
def test_the_move_of_a_node_event_carries_what_the_cache_answered(release: str, checked: NodeInfo | None):
    rules = rules_of(release)
    for calls in (on_node(rules, None, NODE), on_node(rules, evolve(NODE, cpu_milli=1), NODE)):
        left = after(rules, calls, INFO)
        while left[0].function == "num_unschedulable_pods":
            left = after(rules, left, 1)
        assert left[0].args[1] == checked


def test_the_pre_check_counts_pods_that_preemption_could_remove():
    assert passes_pre_check(evolve(POD, cpu_milli=3000), INFO)
    assert not passes_pre_check(evolve(POD, cpu_milli=3001), INFO)
    assert passes_pre_check(evolve(POD, cpu_milli=0), NodeInfo("n1", NODE, (BOUND,), 5000))
