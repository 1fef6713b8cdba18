"""Calls of the scheduler's cache and of its snapshot, in any order: two nodes, one of which changes its zone.

`remove_node` is also called with an object that has no more than a name, as a failed cycle does.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from attrs import evolve, frozen

from model.objects import Node, Pod
from model.scheduler.cache import cache as scheduler_cache
from model.scheduler.cache.canonical import compress_generations
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot

_LATER = 10**9  # ms: every deadline is over


@frozen(cache_hash=True)
class Cached:
    """A cache and the only snapshot of it."""

    cache: Cache = Cache()
    snapshot: CacheSnapshot = CacheSnapshot()


NEW = Cached()
Ends = tuple[tuple[Any, Cached], ...]

_NODE, _OTHER = Node("n1", "a", 2_000), Node("n2", "b", 1_000)
_MOVED = evolve(_NODE, zone="b")
_POD = Pod("p1", "p1#1", cpu_milli=1_000, node_name="n1")
_LABELED = evolve(_POD, labels=(("app", "1"),))
_ELSEWHERE = evolve(_POD, node_name="n2")
_SECOND = Pod("p2", "p2#1", cpu_milli=500, node_name="n1")


def _call(function: Any, *args: Any) -> Any:
    def call(rules: CacheRules, cached: Cached) -> Ends:
        outcome, cache = function(rules, cached.cache, *args)
        return ((outcome, evolve(cached, cache=cache)),)

    return call


def _update_snapshot(rules: CacheRules, cached: Cached) -> Ends:
    ends = scheduler_cache.update_snapshot(rules, cached.cache, cached.snapshot)
    return tuple((end.error, Cached(end.cache, end.snapshot)) for end in ends)


def _finish_binding(rules: CacheRules, cached: Cached) -> Ends:
    """Releases that give assumed pods no deadline have a rule for one all the same."""
    waiting = evolve(rules, assumed_pod_ttl=lambda: 10_000)
    outcome, cache = scheduler_cache.finish_binding(waiting, cached.cache, _POD, 0)
    return ((outcome, evolve(cached, cache=cache)),)


def _calls() -> Mapping[str, Any]:
    found = {"UpdateSnapshot": _update_snapshot}
    for name, node in (("n1", _NODE), ("n2", _OTHER)):
        found[f"AddNode of {name}"] = _call(scheduler_cache.add_node, node)
        found[f"RemoveNode of {name}"] = _call(scheduler_cache.remove_node, node)
    found["RemoveNode of n1 by name"] = _call(scheduler_cache.remove_node, Node("n1"))
    found["UpdateNode of n2"] = _call(scheduler_cache.update_node, _OTHER, evolve(_OTHER, cpu_milli=2_000))
    found["UpdateNode of n1 to another zone"] = _call(scheduler_cache.update_node, _NODE, _MOVED)
    found["UpdateNode of n1 back"] = _call(scheduler_cache.update_node, _MOVED, _NODE)
    for text, pod in (("p1", _POD), ("p1 on n2", _ELSEWHERE), ("p2", _SECOND)):
        found[f"AddPod of {text}"] = _call(scheduler_cache.add_pod, pod)
        found[f"RemovePod of {text}"] = _call(scheduler_cache.remove_pod, pod)
    found["AssumePod of p1"] = _call(scheduler_cache.assume_pod, _POD)
    found["FinishBinding of p1"] = _call(partial(scheduler_cache.finish_binding, now=0), _POD)
    found["FinishBinding of p1, which may wait for 10 s"] = _finish_binding
    found["ForgetPod of p1"] = _call(scheduler_cache.forget_pod, _POD)
    found["UpdatePod of p1"] = _call(scheduler_cache.update_pod, _POD, _LABELED)
    found["cleanupAssumedPods"] = _call(scheduler_cache.cleanup_assumed_pods, _LATER)
    return found


CALLS: Mapping[str, Any] = _calls()


def small(rules: CacheRules, cached: Cached) -> Cached:
    """With the ranks of generations in the place of generations."""
    return Cached(*compress_generations(rules, cached.cache, cached.snapshot, read_by_others=True))
