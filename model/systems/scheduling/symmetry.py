"""What is interchangeable in scheduling. Pure.

Pods of one priority and size are interchangeable, each being created once, and nodes, being all alike.
"""

from functools import lru_cache
from typing import Any

from model.evolve import evolve
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.scope import SchedulingScope
from model.world.api_server import CPU, node_name, pod_name
from model.world.start import is_bound_at_start
from model.world.symmetry import Naming
from model.world.users import cpu_of, priority_of, zone_of

# The sorts of pods, by priority and whether they are big.
_SORTS = {
    (2, False): "top_pod",
    (1, False): "high_pod",
    (0, False): "pod",
    (2, True): "big_top_pod",
    (1, True): "big_high_pod",
    (0, True): "big_pod",
}


@lru_cache(maxsize=64)
def sorts(scope: SchedulingScope) -> dict[str, tuple[str, ...]]:
    """Pods of each priority and size apart from the others; nodes of each zone.

    The sort `pod` has the pods that most scopes have: of the lowest priority and small, or else alike.
    """
    nodes = _nodes_by_zone(scope)
    alike: dict[tuple[int, int], list[str]] = {}
    bound: dict[str, tuple[str, ...]] = {}
    for at in range(scope.pods):
        if is_bound_at_start(scope, at):
            # Not two of them are alike: each has its node, and its place in the first list.
            bound[f"{pod_name(at)}, bound at the start"] = (pod_name(at),)
        else:
            alike.setdefault((priority_of(scope, at), cpu_of(scope, at)), []).append(pod_name(at))
    if len(alike) == 1:
        return {"pod": tuple(*alike.values()), **bound, **nodes}
    found = {_SORTS[priority, cpu > CPU]: tuple(names) for (priority, cpu), names in alike.items()}
    return found | bound | nodes


def _nodes_by_zone(scope: SchedulingScope) -> dict[str, tuple[str, ...]]:
    by_zone: dict[int, list[str]] = {}
    for at in range(scope.nodes):
        by_zone.setdefault(zone_of(scope, at), []).append(node_name(at))
    return {f"node of z{zone + 1}" if len(by_zone) > 1 else "node": tuple(names) for zone, names in by_zone.items()}


def _goroutine_sorted_anew(value: Any) -> Any:
    if isinstance(value, Goroutine):
        return evolve(value, candidates=tuple(sorted(value.candidates)))
    return value


NAMING = Naming(
    record=Scheduling,
    by_pod=frozenset({"pods", "incarnations", "lister"}),
    by_node=frozenset({"nodes"}),
    unordered=frozenset({"bindings", "retries"}),
    nameless=frozenset({"used", "crashed"}),
    sorted_anew=_goroutine_sorted_anew,
)
