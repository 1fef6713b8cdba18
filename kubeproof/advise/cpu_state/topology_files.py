"""Reads the CPUs of the machine from what `lscpu` prints, or from a cAdvisor MachineInfo. Pure functions on text.

The kubelet does not use a CPU that is offline, so such a CPU is left out. A text that cannot be read ends in one line
of an `InputError`.
"""

import json
import re
from typing import Any

from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from model.cpu.cpuset import CPUSet
from model.cpu.discover import Core, Discover, MachineInfo, Node, discover
from model.cpu.topology import CPUTopology, Row
from model.go.errors import GoError

ASK = "lscpu -J -e=CPU,CORE,SOCKET,NODE,ONLINE"
MAX_ID = 8191
"""The highest CPU id that Linux can have (NR_CPUS). It is also the limit of other ids."""

# lscpu may print a bare dash for what it does not know of an offline CPU. That is not JSON (util-linux #3758).
_BARE_DASH = re.compile(r'(":\s*)-(?=\s*[,}\n])')
_EXPECTED = f"expected the output of `{ASK}` or a cAdvisor MachineInfo"


def from_topology_text(text: str, file: str = "the topology", rule: Discover = discover) -> CPUTopology:
    """The machine that `text` describes, a text of either kind. Raises InputError for any other text.

    `rule` is the `Discover` of a release, for a MachineInfo.
    """
    top = _json_object(text, file)
    if "cpus" in top or "lscpu" in top:
        return _from_lscpu(top, file)
    if "topology" in top:
        return _from_machine_info(top, file, rule)
    raise InputError(f"{file}: no 'cpus' and no 'topology': {_EXPECTED}")


def _json_object(text: str, file: str) -> dict[str, Any]:
    try:
        try:
            top = json_value(text)
        except json.JSONDecodeError:
            top = json_value(_BARE_DASH.sub(r"\1null", text))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{file}: {place}: not JSON ({error.msg}): {_EXPECTED}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{file}: not JSON that can be read: {_EXPECTED}") from None
    if not isinstance(top, dict):
        raise InputError(f"{file}: not a JSON object: {_EXPECTED}")
    return top


def _id(value: Any, place: str) -> int:
    """The id of a CPU, core, socket or node: a number, or a number in quotes as lscpu before 2.34 prints it."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,5}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_ID:
        raise InputError(f"{place} is {_shown(value)}: expected a number from 0 to {MAX_ID}")
    return value


def _shown(value: Any) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def _list(value: Any, place: str, expected: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{place} is {_shown(value)}: expected a list of {expected}")
    return value


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{place} is {_shown(value)}: expected an object")
    return value


def _from_lscpu(top: dict[str, Any], file: str) -> CPUTopology:
    """The machine from `lscpu -J -e`, with any columns among which CPU, CORE and SOCKET are.

    A bare `lscpu -J` names no cores. Its text is read only if its counts are one thread per core and one socket: then
    each CPU is a core. Such a text has the NUMA nodes.
    """
    if "cpus" not in top:
        return _from_summary(top, file)
    cores: dict[tuple[int, int, int], list[int]] = {}
    seen: set[int] = set()
    for number, entry in enumerate(_list(top["cpus"], f"{file}: 'cpus'", "CPUs"), 1):
        place = f"{file}: entry {number} of 'cpus'"
        row = {str(key).lower(): value for key, value in _object(entry, place).items()}
        for column in ("cpu", "core", "socket"):
            if column not in row:
                raise InputError(f"{place} has no '{column}': expected the output of `{ASK}`")
        cpu = _id(row["cpu"], f"{place}: 'cpu'")
        if cpu in seen:
            raise InputError(f"{place}: CPU {cpu} is there twice: expected each CPU once")
        seen.add(cpu)
        if not _is_online(row, place):
            continue
        # A machine without NUMA names no nodes. The kubelet sees node 0.
        node = 0 if row.get("node") in (None, "", "-") else _id(row["node"], f"{place}: 'node'")
        # Core ids are unique within a socket or within the machine. This key is unique in both cases.
        key = (_id(row["socket"], f"{place}: 'socket'"), node, _id(row["core"], f"{place}: 'core'"))
        cores.setdefault(key, []).append(cpu)
    rows = [(cpu, min(cpus), socket, node) for (socket, node, _), cpus in cores.items() for cpu in cpus]
    return _machine(rows, file)


def _is_online(row: dict[str, Any], place: str) -> bool:
    match row.get("online", True):
        case True | "yes":
            return True
        case False | "no":
            return False
        case None | "-":
            return row["core"] not in (None, "-")
        case unknown:
            raise InputError(f"{place}: 'online' is {_shown(unknown)}: expected true or false (LC_ALL=C lscpu ...)")


def _machine(rows: list[Row], file: str) -> CPUTopology:
    if not rows:
        raise InputError(f"{file}: no CPU is online: expected at least one")
    return CPUTopology.of(rows)


def _from_summary(top: dict[str, Any], file: str) -> CPUTopology:
    fields: dict[str, str] = {}
    waiting = list(_list(top.get("lscpu"), f"{file}: 'lscpu'", "fields"))
    while waiting:
        entry = _object(waiting.pop(), f"{file}: an entry of 'lscpu'")
        fields[str(entry.get("field")).rstrip(":")] = str(entry.get("data"))
        waiting += _list(entry.get("children", []), f"{file}: 'children'", "fields")
    if fields.get("Thread(s) per core") != "1" or fields.get("Socket(s)") != "1":
        raise InputError(
            f"{file}: a bare lscpu -J does not say which CPUs share a core or a socket: expected the output of `{ASK}`"
        )
    nodes = {
        cpu: int(found[1])
        for name, listed in fields.items()
        if (found := re.fullmatch(r"NUMA node([0-9]{1,4}) CPU\(s\)", name))
        for cpu in _cpus(listed, f"{file}: '{name}'")
    }
    online = _cpus(fields.get("On-line CPU(s) list", ""), f"{file}: 'On-line CPU(s) list'")
    return _machine([(cpu, cpu, 0, nodes.get(cpu, 0)) for cpu in sorted(online)], file)


def _cpus(listed: str, place: str) -> CPUSet:
    """A list in the kernel's format."""
    cpus: set[int] = set()
    for part in listed.split(",") if listed not in ("", "null") else []:
        ends = [_id(end.strip(), place) for end in part.split("-")]
        if len(ends) > 2 or ends[0] > ends[-1]:
            raise InputError(f"{place}: {_shown(part)} is not a range: expected a list such as 0-3,8")
        cpus.update(range(ends[0], ends[-1] + 1))
    return frozenset(cpus)


def _from_machine_info(top: dict[str, Any], file: str, rule: Discover) -> CPUTopology:
    """The machine from the JSON of cAdvisor's MachineInfo (`/api/v1.3/machine`), as a release's `Discover` takes it.

    Older cAdvisors name no sockets: then a node is a socket. Of a MachineInfo that `Discover` refuses an error has the
    kubelet's own words.
    """
    nodes: list[Node] = []
    for n, entry in enumerate(_list(top.get("topology"), f"{file}: 'topology'", "NUMA nodes"), 1):
        place = f"{file}: entry {n} of 'topology'"
        node = _object(entry, place)
        node_id = _id(node.get("node_id"), f"{place}: 'node_id'")
        cores: list[Core] = []
        # Go writes an empty list as null.
        for c, core_entry in enumerate(_list(node.get("cores") or [], f"{place}: 'cores'", "cores"), 1):
            at = f"{place}: core {c}"
            core = _object(core_entry, at)
            threads = _list(core.get("thread_ids") or [], f"{at}: 'thread_ids'", "CPUs")
            ids = tuple(_id(cpu, f"{at}: 'thread_ids'") for cpu in threads)
            cores.append(Core(ids, _id(core.get("socket_id", node_id), f"{at}: 'socket_id'")))
        nodes.append(Node(node_id, tuple(cores)))
    sockets = len({core.socket_id for node in nodes for core in node.cores})
    info = MachineInfo(
        _id(top.get("num_cores"), f"{file}: 'num_cores'"),
        _id(top.get("num_sockets", sockets), f"{file}: 'num_sockets'"),
        tuple(nodes),
    )
    found = rule(info)
    if isinstance(found, GoError):
        raise InputError(f"{file}: the kubelet refuses this machine: {found.text}")
    return found
