"""The machine from the JSON of cAdvisor's MachineInfo (`/api/v1.3/machine`), as a release's `Discover` takes it.

cAdvisor: info/v1/machine.go. Pure; a text that cannot be read ends in one line of an `InputError`.
"""

from typing import Any

from kubeproof.advise.cpu_state.online_cpus import MAX_ID, id_in, value_shown
from kubeproof.errors import InputError
from model.cpu.discover import Core, Discover, MachineInfo, Node
from model.cpu.topology import CPUTopology
from model.go.errors import GoError

# The id of a cache is a number that the hardware has.
_MAX_CACHE = 2**31 - 1


def from_machine_info(top: dict[str, Any], file: str, rule: Discover) -> CPUTopology:
    """The machine. Older cAdvisors name no sockets: then a node is a socket.

    Of a MachineInfo that `Discover` refuses an error has the kubelet's own words.
    """
    nodes = tuple(_node(entry, f"{file}: entry {n} of 'topology'") for n, entry in numbered(top, "topology", file))
    sockets = len({core.socket_id for node in nodes for core in node.cores})
    info = MachineInfo(
        id_in(top.get("num_cores"), f"{file}: 'num_cores'", MAX_ID + 1),
        id_in(top.get("num_sockets", sockets), f"{file}: 'num_sockets'"),
        nodes,
    )
    found = rule(info)
    if isinstance(found, GoError):
        raise InputError(f"{file}: the kubelet refuses this machine: {found.text}")
    return found


def _node(entry: Any, place: str) -> Node:
    node = object_in(entry, place)
    node_id = id_in(node.get("node_id"), f"{place}: 'node_id'")
    cores: list[Core] = []
    # Go writes an empty list as null.
    for c, core_entry in enumerate(list_in(node.get("cores") or [], f"{place}: 'cores'", "cores"), 1):
        at = f"{place}: core {c}"
        core = object_in(core_entry, at)
        threads = list_in(core.get("thread_ids") or [], f"{at}: 'thread_ids'", "CPUs")
        caches = list_in(core.get("uncore_caches") or [], f"{at}: 'uncore_caches'", "caches")
        cores.append(
            Core(
                tuple(id_in(cpu, f"{at}: 'thread_ids'") for cpu in threads),
                id_in(core.get("socket_id", node_id), f"{at}: 'socket_id'"),
                tuple(_cache(each, f"{at}: 'uncore_caches'") for each in caches),
            )
        )
    return Node(node_id, tuple(cores))


def _cache(entry: Any, place: str) -> int:
    return id_in(object_in(entry, place).get("id", 0), f"{place}: 'id'", _MAX_CACHE)


def numbered(top: dict[str, Any], key: str, file: str, what: str = "NUMA nodes") -> list[tuple[int, Any]]:
    """The entries of a list, each with its number."""
    return list(enumerate(list_in(top.get(key), f"{file}: '{key}'", what), 1))


def list_in(value: Any, place: str, expected: str) -> list[Any]:
    """The value, which must be a list."""
    if not isinstance(value, list):
        raise InputError(f"{place} is {value_shown(value)}: expected a list of {expected}")
    return value


def object_in(value: Any, place: str) -> dict[str, Any]:
    """The value, which must be an object."""
    if not isinstance(value, dict):
        raise InputError(f"{place} is {value_shown(value)}: expected an object")
    return value
