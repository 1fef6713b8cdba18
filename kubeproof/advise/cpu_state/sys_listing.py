"""The online CPUs of a machine from files of /sys, as `grep . FILES` or `tail FILES` prints them, and `numactl -H`.

Pure; a text that cannot be read ends in one line of an `InputError`.
"""

import re
from collections import defaultdict

from kubeproof.advise.cpu_state.online_cpus import OnlineCPU, cpus_in, id_in
from kubeproof.errors import InputError
from model.cpu.cpuset import CPUSet

ASK = "grep . /sys/devices/system/cpu/cpu*/topology/* /sys/devices/system/node/node*/cpulist"
# Ids of packages and cores are numbers that the hardware has.
_MAX_HARDWARE_ID = 2**31 - 1

_OF_CPU = re.compile(
    r"cpu(?P<cpu>\d+)/(?:topology/|cache/)?"
    r"(?P<name>core_id|physical_package_id|thread_siblings_list|core_cpus_list|online|index3/id|index3/shared_cpu_list)"
    r"[:=\s]\s*(?P<value>[\d,-]+)\s*$",
    re.ASCII,
)
_OF_NODE = re.compile(r"node/?(?P<node>\d+)/cpulist[:=\s]\s*(?P<cpus>[\d,-]*)\s*$", re.ASCII)
_ONLINE = re.compile(r"\bcpu/online[:=\s]\s*(?P<cpus>[\d,-]+)\s*$", re.ASCII)
_NUMACTL = re.compile(r"^\s*node (?P<node>\d+) cpus:(?P<cpus>[\d\s]*)$", re.ASCII)
# `tail` prints the name of a file, and after it what is in it.
_TAIL = re.compile(r"^==> (?P<path>\S+) <==$")


def from_sys(lines: list[str], file: str) -> list[OnlineCPU] | None:
    """The online CPUs; None: the text names no core. The NUMA nodes may be those of numactl."""
    of_cpu: dict[int, dict[str, str]] = defaultdict(dict)
    nodes: dict[int, int] = {}
    online: CPUSet | None = None
    named = ""
    for number, line in enumerate(lines, 1):
        tail = _TAIL.match(line.strip())
        if tail:
            named = tail["path"]
            continue
        text, named = (f"{named}:{line.strip()}", "") if named and line.strip() else (line, named)
        place = f"{file}: line {number}"
        if found := _OF_CPU.search(text):
            of_cpu[id_in(found["cpu"], place)][found["name"]] = found["value"]
        elif found := _OF_NODE.search(text) or _NUMACTL.search(text):
            node = id_in(found["node"], place)
            nodes |= dict.fromkeys(cpus_in(",".join(found["cpus"].replace(",", " ").split()), place), node)
        elif found := _ONLINE.search(text):
            online = cpus_in(found["cpus"], place)
    cores = {cpu: of for cpu, of in of_cpu.items() if of.keys() & {"core_id", "thread_siblings_list", "core_cpus_list"}}
    if not cores:
        return None
    cpus = [
        _cpu(cpu, of, nodes, file)
        for cpu, of in cores.items()
        if (online is None or cpu in online) and of.get("online") != "0"
    ]
    if not nodes and len({each.socket for each in cpus}) > 1:
        raise InputError(f"{file}: several sockets, and no NUMA nodes: expected the output of `{ASK}`")
    return cpus


def _cpu(cpu: int, of: dict[str, str], nodes: dict[int, int], file: str) -> OnlineCPU:
    place = f"{file}: cpu{cpu}"
    if "physical_package_id" not in of:
        raise InputError(f"{place} has no physical_package_id: expected the output of `{ASK}`")
    if nodes and cpu not in nodes:
        raise InputError(f"{place} is on no node: expected the output of `{ASK}`")
    siblings = of.get("thread_siblings_list") or of.get("core_cpus_list")
    core = min(cpus_in(siblings, place), default=cpu) if siblings else id_in(of["core_id"], place, _MAX_HARDWARE_ID)
    sharing = of.get("index3/shared_cpu_list")
    l3 = of.get("index3/id") or (str(min(cpus_in(sharing, place), default=cpu)) if sharing else None)
    # On a board that does not say its packages each CPU has package -1.
    package = of["physical_package_id"]
    return OnlineCPU(
        cpu,
        core,
        0 if package == "-1" else id_in(package, place, _MAX_HARDWARE_ID),
        nodes.get(cpu, 0),
        None if l3 is None else id_in(l3, place, _MAX_HARDWARE_ID),
    )


def nodes_alone(lines: list[str], file: str) -> CPUSet:
    """The CPUs in the text of `numactl -H`, which names no cores; empty: it is none."""
    found = (_NUMACTL.search(line) for line in lines)
    return frozenset().union(*(cpus_in(",".join(each["cpus"].split()), file) for each in found if each))
