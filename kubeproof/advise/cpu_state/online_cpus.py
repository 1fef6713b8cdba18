"""A machine made of its online CPUs, as cAdvisor tells a kubelet of it. Pure functions.

cAdvisor: GetNodesInfo and addCacheInfo in utils/sysinfo/sysinfo.go. A kubelet does not use a CPU that is offline.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from attrs import frozen

from kubeproof.errors import InputError
from model.cpu.cpuset import CPUSet
from model.cpu.discover import Core, Discover, MachineInfo, Node, discover_nodes_as_sockets
from model.cpu.topology import CPUTopology
from model.go.errors import GoError

MAX_ID = 8191
"""The highest CPU id that Linux can have (NR_CPUS). It is also the limit of other ids."""


@frozen
class OnlineCPU:
    """A logical CPU that is online."""

    cpu: int
    # The core's id: unique within a socket, or within the machine.
    core: int
    socket: int
    node: int
    # The L3 cache; None: not known.
    l3: int | None = None


def machine(cpus: Iterable[OnlineCPU], file: str, rule: Discover) -> CPUTopology:
    """The machine that a release with the rule `discover` sees. Raises InputError if there is no CPU."""
    found = sorted(cpus, key=lambda each: each.cpu)
    if not found:
        raise InputError(f"{file}: no CPU is online: expected at least one")
    cores: dict[tuple[int, int, int], list[OnlineCPU]] = {}
    for each in found:
        cores.setdefault((each.node, each.socket, each.core), []).append(each)
    if rule is discover_nodes_as_sockets:
        # There cAdvisor's nodes are sockets, and NUMA nodes are read beside cAdvisor.
        return CPUTopology.of(
            (each.cpu, threads[0].cpu, each.socket, each.node) for threads in cores.values() for each in threads
        )
    sharing = Counter(each.l3 for each in found)
    nodes: dict[int, list[list[OnlineCPU]]] = {}
    for (node, _, _), threads in cores.items():
        nodes.setdefault(node, []).append(threads)
    topology = tuple(
        Node(node, tuple(_core(threads, len(of_node), sharing) for threads in of_node))
        for node, of_node in sorted(nodes.items())
    )
    made = rule(MachineInfo(len(found), len({each.socket for each in found}), topology))
    assert not isinstance(made, GoError), "there is a CPU, and each core has one"
    return made


def _core(threads: list[OnlineCPU], cores_of_node: int, sharing: Counter[int | None]) -> Core:
    """A core. Its L3 cache is an uncore cache unless it has as many CPUs as the node seems to have."""
    ids, l3 = tuple(each.cpu for each in threads), threads[0].l3
    uncore = () if l3 is None or sharing[l3] == cores_of_node * len(ids) else (l3,)
    return Core(ids, threads[0].socket, uncore)


# --- What stands in a file


def id_in(value: Any, place: str, limit: int = MAX_ID) -> int:
    """The id of a CPU, core, socket or node: a number, or a number as text, as lscpu before 2.34 prints it in JSON."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,10}", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
        raise InputError(f"{place} is {value_shown(value)}: expected a number from 0 to {limit}")
    return value


def value_shown(value: Any) -> str:
    """A value for an error, in one short line."""
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def cpus_in(listed: str, place: str) -> CPUSet:
    """A list of CPUs in the kernel's format. Raises InputError."""
    cpus: set[int] = set()
    for part in listed.split(",") if listed not in ("", "null", "-") else []:
        ends = [id_in(end.strip(), place) for end in part.split("-")]
        if len(ends) > 2 or ends[0] > ends[-1]:
            raise InputError(f"{place}: {value_shown(part)} is not a range: expected a list such as 0-3,8")
        cpus.update(range(ends[0], ends[-1] + 1))
    return frozenset(cpus)
