"""The machine as a kubelet itself logs it: `Detected CPU topology`, which it writes at a start with the static policy.

Go: NewManager in pkg/kubelet/cm/cpumanager/cpu_manager.go prints its CPUTopology: up to 1.20 without names (up to 1.15
without NUMA nodes), then with names, and as JSON where the log is JSON or the logger knows the type. Pure.
"""

import re
from collections.abc import Callable

from kubeproof.advise.cpu_state.online_cpus import id_in
from kubeproof.errors import InputError
from model.cpu.topology import CPUTopology

_HEAD = "etected CPU topology"
# Ids are numbers that the hardware has.
_MAX_ID = 2**31 - 1

_NAMED = re.compile(
    r'\b(?P<cpu>\d+)"?:\s*\{"?NUMANodeID"?:\s*(?P<node>\d+)[,\s]+"?SocketID"?:\s*(?P<socket>\d+)[,\s]+'
    r'"?CoreID"?:\s*(?P<core>\d+)(?:[,\s]+"?UncoreCacheID"?:\s*(?P<uncore>\d+))?\}',
    re.ASCII,
)
_BARE = re.compile(r"\b(?P<cpu>\d+):\{(?:(?P<node>\d+) )?(?P<socket>\d+) (?P<core>\d+)\}", re.ASCII)
_COUNTS = re.compile(r"&\{(?P<NumCPUs>\d+) (?P<NumCores>\d+) (?P<NumSockets>\d+) map\[", re.ASCII)


def from_kubelet_log(text: str, file: str) -> CPUTopology | None:
    """The machine in the last such line; None: there is none. Raises InputError for a line that was cut."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if _HEAD in line]
    if not lines:
        return None
    number, line = lines[-1]
    place = f"{file}: line {number}"
    line = line.replace("\\", "")
    found = [*_NAMED.finditer(line)] or [*_BARE.finditer(line)]
    rows = {id_in(each["cpu"], place): _row(each, lambda value: id_in(value, place, _MAX_ID)) for each in found}
    count = _count(line, "NumCPUs")
    if not rows or count not in (None, len(rows)):
        of = "" if count is None else f" of {count}"
        raise InputError(f"{place}: {len(rows)}{of} CPUs in the topology: expected the whole line of the log")
    made = CPUTopology.of((cpu, *row) for cpu, row in rows.items())
    return CPUTopology(
        made.rows,
        made.num_cpus,
        _count(line, "NumCores") or made.num_cores,
        _count(line, "NumSockets") or made.num_sockets,
        _count(line, "NumNUMANodes") or made.num_numa_nodes,
        made.uncore,
    )


def _row(found: re.Match[str], number: Callable[[str], int]) -> tuple[int, ...]:
    """Core, socket, NUMA node, and the uncore cache if there is one. Up to 1.15 a node is a socket."""
    socket, uncore = number(found["socket"]), found.groupdict().get("uncore")
    row = number(found["core"]), socket, socket if found["node"] is None else number(found["node"])
    return row if uncore is None else (*row, number(uncore))


def _count(line: str, name: str) -> int | None:
    named = re.search(rf'"?{name}"?:\s*(\d{{1,9}})', line, re.ASCII)
    bare = _COUNTS.search(line) if name in _COUNTS.groupindex else None
    return int(named[1]) if named else int(bare[name][:9]) if bare else None
