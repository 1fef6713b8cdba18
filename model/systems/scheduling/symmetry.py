"""What is interchangeable in scheduling, and the representative of a state's orbit. Pure.

Pods of one priority and size are interchangeable, each being created once, and nodes, being all alike. A representative
is the least of all renamings, component by component; components are renamed once each and remembered.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import Any

from attrs import fields, frozen

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import Queue
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup
from model.systems.scheduling.scope import SchedulingScope
from model.world.api_server import CPU, node_name, pod_name
from model.world.goroutines import REMEMBERED, order
from model.world.users import cpu_of, priority_of, zone_of

Names = tuple[tuple[str, str], ...]

# The sorts of pods, by priority and whether they are big.
_SORTS = {
    (2, False): "top_pod",
    (1, False): "high_pod",
    (0, False): "pod",
    (2, True): "big_top_pod",
    (1, True): "big_high_pod",
    (0, True): "big_pod",
}
# Fields of the state that are tuples by the place of a pod or of a node.
BY_POD = frozenset({"pods", "incarnations", "lister"})
BY_NODE = frozenset({"nodes"})
# Fields in which several goroutines run beside each other, in no order.
UNORDERED = frozenset({"bindings", "retries"})
# Fields that name no pod and no node.
NAMELESS = frozenset({"used", "crashed"})


def sorts(scope: SchedulingScope) -> dict[str, tuple[str, ...]]:
    """Pods of each priority and size apart from the others; nodes of each zone.

    The sort `pod` has the pods that most scopes have: of the lowest priority and small, or else alike.
    """
    nodes = _nodes_by_zone(scope)
    alike: dict[tuple[int, int], list[str]] = {}
    for at in range(scope.pods):
        alike.setdefault((priority_of(scope, at), cpu_of(scope, at)), []).append(pod_name(at))
    if len(alike) == 1:
        return {"pod": tuple(*alike.values()), **nodes}
    found = {_SORTS[priority, cpu > CPU]: tuple(names) for (priority, cpu), names in alike.items()}
    return found | nodes


def _nodes_by_zone(scope: SchedulingScope) -> dict[str, tuple[str, ...]]:
    by_zone: dict[int, list[str]] = {}
    for at in range(scope.nodes):
        by_zone.setdefault(zone_of(scope, at), []).append(node_name(at))
    return {f"node of z{zone + 1}" if len(by_zone) > 1 else "node": tuple(names) for zone, names in by_zone.items()}


@frozen(eq=False)
class Renaming:
    """The new name for each name of the scope. Equal to itself alone, which is quick to look things up by."""

    names: Mapping[str, str]
    identity: bool


def rename(setup: Setup, state: Scheduling, names: Mapping[str, str]) -> Scheduling:
    """`state` under the renaming; what `names` does not name stays."""
    return _state(setup, state, _renaming(setup.scope, tuple(sorted(names.items()))))


def canonical(setup: Setup, state: Scheduling, fixed: frozenset[str]) -> Scheduling:
    """The least renaming of `state`, comparing field after field, that leaves the names in `fixed` alone."""
    group = _renamings(setup.scope, fixed)
    left: Sequence[int] = range(len(group)) if len(group) > 1 else ()
    for name in _NAMED:
        if len(left) < 2:
            break
        value = getattr(state, name)
        if value:
            texts = _texts(setup, group, name, value)
            least = min([texts[i] for i in left])
            left = [i for i in left if texts[i] == least]
    by = group[left[0]] if left else group[0]
    return state if by.identity else _state(setup, state, by)


_FIELDS = tuple(field.name for field in fields(Scheduling))
_NAMED = tuple(name for name in _FIELDS if name not in NAMELESS)


@lru_cache(maxsize=64)
def _renamings(scope: SchedulingScope, fixed: frozenset[str]) -> tuple[Renaming, ...]:
    """All permutations within the sorts, the identity first."""
    choices = []
    for names in sorts(scope).values():
        free = [name for name in names if name not in fixed]
        choices.append([tuple(zip(free, order, strict=True)) for order in permutations(free)])
    return tuple(
        _renaming(scope, tuple(sorted(pair for pairs in chosen for pair in pairs))) for chosen in product(*choices)
    )


@lru_cache(maxsize=REMEMBERED)
def _renaming(scope: SchedulingScope, names: Names) -> Renaming:
    every = {name: name for sort in sorts(scope).values() for name in sort} | dict(names)
    return Renaming(every, all(old == new for old, new in every.items()))


def _state(setup: Setup, state: Scheduling, by: Renaming) -> Scheduling:
    return Scheduling(*(_field(setup, name, getattr(state, name), by) for name in _FIELDS))


@lru_cache(maxsize=4 * REMEMBERED)
def _texts(setup: Setup, group: tuple[Renaming, ...], name: str, value: Any) -> tuple[str, ...]:
    """What each renaming makes of the field, as something with an order."""
    return tuple(_text(_field(setup, name, value, by)) for by in group)


@lru_cache(maxsize=REMEMBERED)
def _text(value: object) -> str:
    return repr(value)


def _field(setup: Setup, name: str, value: Any, by: Renaming) -> Any:
    if by.identity or name in NAMELESS or not value:
        return value
    return _renamed_field(setup, name, value, by)


@lru_cache(maxsize=4 * REMEMBERED)
def _renamed_field(setup: Setup, name: str, value: Any, by: Renaming) -> Any:
    names = by.names
    if name in BY_POD or name in BY_NODE:
        sort = pod_name if name in BY_POD else node_name
        placed = {names[sort(at)]: _renamed(setup, each, names) for at, each in enumerate(value)}
        return tuple(placed[sort(at)] for at in range(len(value)))
    if name in UNORDERED:
        return tuple(sorted((_renamed(setup, each, names) for each in value), key=order))
    return _renamed(setup, value, names)


def _renamed(setup: Setup, value: Any, names: Mapping[str, str]) -> Any:
    """`value` with every name in it replaced, and what is kept sorted by name sorted anew."""
    if isinstance(value, str):
        name, mark, incarnation = value.partition("#")
        return names.get(name, name) + mark + incarnation
    if isinstance(value, tuple):
        return tuple(_renamed(setup, each, names) for each in value)
    if not hasattr(value, "__attrs_attrs__"):
        return value
    if isinstance(value, Pod):
        return _pod(value, names)
    found = type(value)(*(_renamed(setup, getattr(value, f.name), names) for f in fields(type(value))))
    return _sorted_anew(setup, found)


def _pod(pod: Pod, names: Mapping[str, str]) -> Pod:
    """Only these fields of a pod hold names."""
    name, mark, incarnation = pod.uid.partition("#")
    return evolve(
        pod,
        name=names[pod.name],
        uid=names.get(name, name) + mark + incarnation,
        node_name=names.get(pod.node_name, ""),
        nominated_node_name=names.get(pod.nominated_node_name, ""),
    )


def _sorted_anew(setup: Setup, value: Any) -> Any:
    match value:
        case Cache():
            nodes = tuple(sorted(value.nodes, key=lambda info: info.name))
            states = tuple(sorted(value.pod_states, key=lambda state: state.key))
            return Cache(nodes, states, value.node_tree, value.generation)
        case CacheSnapshot():
            infos = tuple(sorted(value.node_info_map, key=lambda info: info.name))
            return CacheSnapshot(infos, tuple(sorted(value.node_info_list)), value.generation)
        case NodeArray() if setup.scope.node_zones < 2:
            return NodeArray(tuple(sorted(value.nodes)), value.last_index)
        case NodeInfo():
            pods = tuple(sorted(value.pods, key=lambda pod: pod.uid))
            return NodeInfo(value.name, value.node, pods, value.requested_cpu, value.generation)
        case Nominator():
            return Nominator(
                tuple(sorted(value.nominated_pods, key=_first)), tuple(sorted(value.nominated_pod_to_node))
            )
        case Queue():
            return _queue(setup, value)
        case Goroutine():
            return _goroutine(value)
    return value


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _queue(setup: Setup, queue: Queue) -> Queue:
    """Sub-queues are kept in an order that names decide where times do not (1.13)."""
    entries = tuple(sorted(queue.pod_backoff, key=lambda entry: entry.name))
    if setup.keeps_times:
        return evolve(queue, pod_backoff=entries)
    by = setup.rules.active_q_order
    active, unschedulable = tuple(sorted(queue.active, key=by)), tuple(sorted(queue.unschedulable, key=by))
    return evolve(queue, pod_backoff=entries, active=active, unschedulable=unschedulable)


def _goroutine(goroutine: Goroutine) -> Goroutine:
    return evolve(goroutine, candidates=tuple(sorted(goroutine.candidates)))
