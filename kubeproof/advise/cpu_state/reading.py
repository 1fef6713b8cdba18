"""Reads the state file in bounded memory, and refuses what is not a CPU manager state file. Raises InputError only.

An empty file or a file that was cut is not refused here: the model of the kubelet says later what the kubelet says.
"""

import os
import re

from kubeproof.advise.cpu_state.other_files import CPU_STATE, what_it_is
from kubeproof.errors import InputError
from kubeproof.input.files import read_bytes, read_text, shown
from model.cpu.state.inspect import Inspection, inspect
from model.go.errors import GoError

# Ten thousand exclusive containers: the kubelet writes about 100 bytes for each.
MAX_STATE_BYTES = 1024 * 1024
# A MachineInfo lists disks and file systems too.
MAX_TOPOLOGY_BYTES = 16 * 1024 * 1024

KEYS = ("policyName", "defaultCpuSet", "entries", "checksum")
STATE_FILE = "the kubelet's cpu_manager_state"
EXPECTED = f"expected {STATE_FILE}"

_KEY = re.compile(rf'"(?:{"|".join(KEYS)})"'.encode(), re.IGNORECASE)
# A file that was cut before the end of its first key: only an opening brace and the beginning of a string.
_CUT_EARLY = re.compile(rb'\s*(?:\{\s*(?:"(?P<key>\w*))?)?')
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def read_state_file(path: str | os.PathLike[str]) -> tuple[bytes, Inspection]:
    """The bytes of the state file at `path`, and what is in them; `-` reads standard input."""
    raw = read_bytes(path, MAX_STATE_BYTES, STATE_FILE)
    return raw, inspect_state(raw, shown(path))


def inspect_state(raw: bytes, name: str) -> Inspection:
    """What is in `raw`. Raises InputError if `raw` is not even a broken state file. Errors begin with `name`."""
    other = what_it_is(raw.decode("utf-8", "replace"))
    if other not in (None, CPU_STATE):
        raise InputError(f"{name}: this is {other}: {EXPECTED}")
    found = inspect(raw)
    if found.known_fields:
        return found
    is_binary = _CONTROL.search(raw) is not None or not _is_utf8(raw)
    if is_binary and not (raw.lstrip().startswith(b"{") and _KEY.search(raw)):
        raise InputError(f"{name}: not a text file: {EXPECTED}")
    if not isinstance(found.v2, GoError) or not (_KEY.search(raw) or _is_cut_early(raw)):
        raise InputError(f"{name}: has none of the keys {', '.join(KEYS)}: {EXPECTED}")
    return found


def read_machine(path: str | os.PathLike[str]) -> str:
    """The text of the file at `path`, which describes a machine; `-` reads standard input."""
    return read_text(path, MAX_TOPOLOGY_BYTES, "the output of lscpu, a listing of /sys, or a cAdvisor MachineInfo")


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_cut_early(raw: bytes) -> bool:
    cut = _CUT_EARLY.fullmatch(raw)
    if cut is None:
        return False
    key = (cut["key"] or b"").decode().lower()
    return any(each.lower().startswith(key) for each in KEYS)
