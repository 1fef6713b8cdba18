"""The representative of a state's orbit under renaming of pods and nodes, for any record with queue and cache. Pure.

A representative is the least of all renamings, field by field; fields are renamed once each and remembered. A system
says by `Naming` what its record is and which names are interchangeable.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import permutations, product
from typing import Any, Protocol, TypeVar

from attrs import define, fields, frozen, has

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.node_tree import NodeArray
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import Queue
from model.variables import REMEMBERED, text
from model.world.api_server import node_name, pod_name

Names = tuple[tuple[str, str], ...]
# Interchangeable names, by sort.
Sorts = Mapping[str, tuple[str, ...]]
S = TypeVar("S")


class NamingSetup(Protocol):
    """What renaming asks of a system's scope and rules. Equal to itself alone."""

    def __hash__(self) -> int: ...
    @property
    def rules(self) -> Any: ...
    @property
    def several_zones(self) -> bool:
        """Whether nodes are in several zones, so that the order of a zone's nodes is kept."""
        ...

    @property
    def node_order_is_read(self) -> bool:
        """Whether it shows in which order a snapshot lists the nodes."""
        ...


def _as_it_is(value: Any) -> Any:
    return value


@define(frozen=True, slots=False, eq=False, kw_only=True)
class Naming:
    """Where a system's record has names. Equal to itself alone, which is quick to look things up by."""

    # The record: an attrs class.
    record: type[Any]
    # Fields of the record that are tuples by the place of a pod or of a node.
    by_pod: frozenset[str]
    by_node: frozenset[str] = frozenset()
    # Fields in which several goroutines run beside each other, in no order.
    unordered: frozenset[str]
    # Fields that name no pod and no node.
    nameless: frozenset[str]
    # What of the system's own values is kept sorted by name is sorted anew here.
    sorted_anew: Callable[[Any], Any] = _as_it_is

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields of the record, in order."""
        return tuple(field.name for field in fields(self.record))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Those of the fields that hold names."""
        return tuple(name for name in self.names if name not in self.nameless)


def fields_named(naming: Naming, pods: int, nodes: int = 0) -> Mapping[str, tuple[str, ...]]:
    """The fields with names, and of those that are by place the names of the places; as `Machine.named`."""
    by_pod, by_node = tuple(map(pod_name, range(pods))), tuple(map(node_name, range(nodes)))
    return {
        name: by_pod if name in naming.by_pod else by_node if name in naming.by_node else () for name in naming.named
    }


@frozen(eq=False)
class Renaming:
    """The new name for each name of the scope. Equal to itself alone, which is quick to look things up by."""

    names: Mapping[str, str]
    identity: bool


def rename(naming: Naming, setup: NamingSetup, sorts: Sorts, state: S, names: Mapping[str, str]) -> S:
    """`state` under the renaming; what `names` does not name stays."""
    return _state(naming, setup, state, _renaming(_every(sorts), tuple(sorted(names.items()))))


def canonical(naming: Naming, setup: NamingSetup, sorts: Sorts, state: S, fixed: frozenset[str]) -> S:
    """The least renaming of `state`, comparing field after field, that leaves the names in `fixed` alone."""
    group = _renamings(tuple(sorts.values()), fixed)
    left: Sequence[int] = range(len(group)) if len(group) > 1 else ()
    for name in naming.named:
        if len(left) < 2:
            break
        value = getattr(state, name)
        if value:
            texts = _texts(naming, setup, group, name, value)
            least = min([texts[i] for i in left])
            left = [i for i in left if texts[i] == least]
    by = group[left[0]] if left else group[0]
    return state if by.identity else _state(naming, setup, state, by)


def _every(sorts: Sorts) -> tuple[str, ...]:
    return tuple(name for names in sorts.values() for name in names)


@lru_cache(maxsize=64)
def _renamings(sorts: tuple[tuple[str, ...], ...], fixed: frozenset[str]) -> tuple[Renaming, ...]:
    """All permutations within the sorts, the identity first."""
    every = tuple(name for names in sorts for name in names)
    choices = []
    for names in sorts:
        free = [name for name in names if name not in fixed]
        choices.append([tuple(zip(free, order, strict=True)) for order in permutations(free)])
    return tuple(
        _renaming(every, tuple(sorted(pair for pairs in chosen for pair in pairs))) for chosen in product(*choices)
    )


@lru_cache(maxsize=REMEMBERED)
def _renaming(every: tuple[str, ...], names: Names) -> Renaming:
    found = {name: name for name in every} | dict(names)
    return Renaming(found, all(old == new for old, new in found.items()))


def _state(naming: Naming, setup: NamingSetup, state: S, by: Renaming) -> S:
    renamed: S = naming.record(*(_field(naming, setup, name, getattr(state, name), by) for name in naming.names))
    return renamed


@lru_cache(maxsize=4 * REMEMBERED)
def _texts(naming: Naming, setup: NamingSetup, group: tuple[Renaming, ...], name: str, value: Any) -> tuple[str, ...]:
    """What each renaming makes of the field, as something with an order."""
    return tuple(text(_field(naming, setup, name, value, by)) for by in group)


def _field(naming: Naming, setup: NamingSetup, name: str, value: Any, by: Renaming) -> Any:
    if by.identity or name in naming.nameless or not value:
        return value
    return _renamed_field(naming, setup, name, value, by)


# Typed: a channel is equal to the tuple of its messages, but is to stay a channel.
@lru_cache(maxsize=4 * REMEMBERED, typed=True)
def _renamed_field(naming: Naming, setup: NamingSetup, name: str, value: Any, by: Renaming) -> Any:
    names = by.names
    if name in naming.by_pod or name in naming.by_node:
        sort = pod_name if name in naming.by_pod else node_name
        placed = {names[sort(at)]: _renamed(naming, setup, each, names) for at, each in enumerate(value)}
        return type(value)(placed[sort(at)] for at in range(len(value)))
    if name in naming.unordered:
        return type(value)(sorted((_renamed(naming, setup, each, names) for each in value), key=text))
    return _renamed(naming, setup, value, names)


def _renamed(naming: Naming, setup: NamingSetup, value: Any, names: Mapping[str, str]) -> Any:
    """`value` with every name in it replaced, and what is kept sorted by name sorted anew."""
    if isinstance(value, str):
        name, mark, incarnation = value.partition("#")
        return names.get(name, name) + mark + incarnation
    if isinstance(value, tuple):
        return type(value)(_renamed(naming, setup, each, names) for each in value)
    if isinstance(value, Pod):
        return _pod(value, names)
    cls: Any = type(value)
    parts = _field_names(cls)
    if not parts:
        return value
    found = cls(*[_renamed(naming, setup, getattr(value, part), names) for part in parts])
    return _sorted_anew(naming, setup, found)


@lru_cache(maxsize=1024)
def _field_names(cls: type[Any]) -> tuple[str, ...]:
    """Of a record; none of what is no record."""
    return tuple(field.name for field in fields(cls)) if has(cls) else ()


def _pod(pod: Pod, names: Mapping[str, str]) -> Pod:
    """Only these fields of a pod hold names."""
    name, mark, incarnation = pod.uid.partition("#")
    return evolve(
        pod,
        name=names.get(pod.name, pod.name),
        uid=names.get(name, name) + mark + incarnation,
        node_name=names.get(pod.node_name, pod.node_name),
        nominated_node_name=names.get(pod.nominated_node_name, pod.nominated_node_name),
    )


def _sorted_anew(naming: Naming, setup: NamingSetup, value: Any) -> Any:
    match value:
        case Cache():
            nodes = tuple(sorted(value.nodes, key=lambda info: info.name))
            states = tuple(sorted(value.pod_states, key=lambda state: state.key))
            return Cache(nodes, states, value.node_tree, value.generation)
        case CacheSnapshot():
            infos = tuple(sorted(value.node_info_map, key=lambda info: info.name))
            listed = value.node_info_list if setup.node_order_is_read else tuple(sorted(value.node_info_list))
            return CacheSnapshot(infos, listed, value.generation)
        case NodeArray() if not setup.several_zones:
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
    return naming.sorted_anew(value)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _queue(setup: NamingSetup, queue: Queue) -> Queue:
    """Sub-queues are kept in an order that names may decide (1.13.0). An order by times stays: sorting is stable."""
    by = setup.rules.active_q_order
    return evolve(
        queue,
        pod_backoff=tuple(sorted(queue.pod_backoff, key=lambda entry: entry.name)),
        in_flight_pods=tuple(sorted(queue.in_flight_pods, key=lambda pod: pod.uid)),
        active=tuple(sorted(queue.active, key=by)),
        backoff=tuple(sorted(queue.backoff, key=by)),
        unschedulable=tuple(sorted(queue.unschedulable, key=by)),
    )
