"""A pod, its node, and the calls of a handler, for the tests of the event handlers."""

from typing import Any

from attrs import evolve

from model.objects import Node, Pod
from model.releases import known_release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.calls import Calls
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import after

POD = Pod("p1", "p1#1", cpu_milli=1000, resource_version=1)
BOUND = evolve(POD, node_name="n1", resource_version=2)
NODE = Node("n1", "z1", 4000)
INFO = NodeInfo("n1", NODE, (BOUND,), 1000)


def rules_of(release: str) -> EventRules:
    return rules_for(EventRules, known_release(release))


def run(rules: EventRules, calls: Calls, **answers: Any) -> list[str]:
    """The functions called, in order, when the components answer so (a function without an answer says None)."""
    made: list[str] = []
    while calls:
        made.append(calls[0].function)
        calls = after(rules, calls, answers.get(calls[0].function))
    return made
