"""Names a file that is something else than was asked for, by its structure. Pure; it never raises.

Go: the checkpoints of the kubelet in pkg/kubelet/cm/memorymanager/state, cm/devicemanager/checkpoint, cm/dra/state,
status/state (1.27 to 1.32), allocation/state (from 1.33 on) and nodeshutdown, read in 1.23 and from 1.26 to 1.36.
"""

import re
from typing import Any

from kubeproof.input.documents import json_value

LSCPU = "the output of lscpu"
MACHINE_INFO = "a cAdvisor MachineInfo"
LISTING = "a listing of /sys/devices/system"
NUMACTL = "the output of numactl -H"
CPU_STATE = "a cpu_manager_state"
KUBELET_CONFIGURATION = "a kubelet's configuration"

_MEMORY = "a memory_manager_state"
_DEVICES = "a kubelet_internal_checkpoint, the state of the device manager"
_CLAIMS = "a dra_manager_state"
_POD_STATUS = "a pod_status_manager_state"
_PODS = "an allocated_pods_state, an actuated_pods_state or a pod_status_manager_state"
_SHUTDOWN = "a graceful_node_shutdown_state"
_SANDBOX = "a sandbox checkpoint of dockershim"

# Keys in lower case, as Go finds them, that a JSON object has on top: all of them.
_BY_KEYS: tuple[tuple[frozenset[str], str], ...] = tuple(
    (frozenset(keys.split()), what)
    for keys, what in (
        ("machinestate", _MEMORY),
        ("allocationentries", _POD_STATUS),
        ("resizestatusentries", _POD_STATUS),
        ("version name namespace data checksum", _SANDBOX),
        ("version checksum", _CLAIMS),
        ("starttime endtime", _SHUTDOWN),
        ("kubeletconfig", f"{KUBELET_CONFIGURATION} (/configz)"),
        ("policyname defaultcpuset", CPU_STATE),
        ("num_cores topology", MACHINE_INFO),
        ("lscpu", f"{LSCPU} -J"),
        ("cpus", f"{LSCPU} -J -e"),
    )
)
# Signs in a text that is no JSON, or is cut.
_BY_TEXT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE | re.IGNORECASE), what)
    for pattern, what in (
        (r'\A\s*\{[\s\S]*"machineState"', _MEMORY),
        (r'\A\s*\{[\s\S]*"(PodDeviceEntries|RegisteredDevices)"', _DEVICES),
        (r'\A\s*\{[\s\S]*"(allocationEntries|resizeStatusEntries)"', _POD_STATUS),
        (r"\A\s*\{[\s\S]*ClaimInfoStateList", _CLAIMS),
        (r"^# ?(\w+,)*CPU,|^# ?(\w+,)+CPU\b", f"{LSCPU} -p"),
        (r"\A\s*(?-i:(?=[^\n]*\bCPU\b)[^\n]*\b(CORE|SOCKET|NODE)\b)", f"{LSCPU} -e"),
        (r"^\S*/sys/devices/system/(cpu|node)/|^cpu\d+/topology/", LISTING),
        (r"^Architecture:|^(On-line )?CPU\(s\)( list)?:", LSCPU),
        (r"^available: \d+ nodes|^node \d+ cpus:", NUMACTL),
        (r"^processor\s*:\s*\d+$", "/proc/cpuinfo"),
        (r"^[A-Z_]*KUBELET[A-Z_]*(ARGS|OPTS)=|^ExecStart=", "the flags of a kubelet"),
        (r"^[IWEF]\d{4} \d\d:\d\d:\d\d|\bkubelet\[\d+\]:", "a log"),
    )
)  # fmt: skip
_KIND = re.compile(r"""^kind:\s*["']?([A-Za-z]+)["']?\s*$""", re.MULTILINE)
_VERSION = re.compile(r"^apiVersion:\s*\S+", re.MULTILINE)
# So much of a text shows what it is.
_LOOKED_AT = 64 * 1024


def what_it_is(text: str) -> str | None:
    """What the file with this text is, with its article; None: none of those that are known here."""
    text = text.removeprefix("\ufeff")
    try:
        value = json_value(text)
    except (ValueError, RecursionError):
        return _by_text(text[:_LOOKED_AT])
    return _of_object({str(key).lower(): each for key, each in value.items()}) if isinstance(value, dict) else None


def _by_text(text: str) -> str | None:
    kind = _KIND.search(text)
    if kind is not None and _VERSION.search(text):
        return _of_kind(kind[1])
    return next((what for pattern, what in _BY_TEXT if pattern.search(text)), None)


def _of_kind(kind: str) -> str:
    return KUBELET_CONFIGURATION if kind == "KubeletConfiguration" else f"a {kind} of the Kubernetes API"


def _of_object(top: dict[str, Any]) -> str | None:
    if isinstance(top.get("kind"), str) and "apiversion" in top:
        return _of_kind(top["kind"])
    if {"data", "checksum"} == top.keys():
        return _of_data(top["data"])
    return next((what for keys, what in _BY_KEYS if keys <= top.keys()), None)


def _of_data(data: Any) -> str | None:
    """A checkpoint that is an object `data`, or its JSON as a string, and a checksum of it."""
    if isinstance(data, dict):
        return _DEVICES if {str(key).lower() for key in data} & {"poddeviceentries", "registereddevices"} else None
    try:
        inner = json_value(data) if isinstance(data, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(inner, dict):
        return None
    if "ClaimInfoStateList" in inner:
        return _CLAIMS
    # Without an entry the data is {}, whichever file of pods it is.
    return _POD_STATUS if "allocationEntries" in inner else _PODS
