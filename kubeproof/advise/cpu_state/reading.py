"""Reads the state file in bounded memory, and refuses what is not a CPU manager state file. Raises InputError only.

An empty file or a file that was cut is not refused here: the model of the kubelet says later what the kubelet says.
"""

import os
import re
import sys
from pathlib import Path

from kubeproof.advise.nodes.text_format import shown
from kubeproof.errors import InputError
from model.cpu.state.inspect import Inspection, inspect
from model.go.errors import GoError

# Ten thousand exclusive containers: the kubelet writes about 100 bytes for each.
MAX_STATE_BYTES = 1024 * 1024
# A MachineInfo lists disks and file systems too.
MAX_TOPOLOGY_BYTES = 16 * 1024 * 1024

KEYS = ("policyName", "defaultCpuSet", "entries", "checksum")
EXPECTED = "expected the kubelet's cpu_manager_state"

_KEY = re.compile(rf'"(?:{"|".join(KEYS)})"'.encode(), re.IGNORECASE)
# A file that was cut before the end of its first key: only an opening brace and the beginning of a string.
_CUT_EARLY = re.compile(rb'\s*(?:\{\s*(?:"(?P<key>\w*))?)?')
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def read_state_file(path: str | os.PathLike[str]) -> tuple[bytes, Inspection]:
    """The bytes of the state file at `path`, and what is in them; `-` reads standard input."""
    raw = _read(path, MAX_STATE_BYTES, EXPECTED)
    return raw, inspect_state(raw, shown(path))


def inspect_state(raw: bytes, name: str) -> Inspection:
    """What is in `raw`. Raises InputError if `raw` is not even a broken state file. Errors begin with `name`."""
    found = inspect(raw)
    if found.known_fields:
        return found
    is_binary = _CONTROL.search(raw) is not None or not _is_utf8(raw)
    if is_binary and not (raw.lstrip().startswith(b"{") and _KEY.search(raw)):
        raise InputError(f"{name}: not a text file: {EXPECTED}")
    if not isinstance(found.v2, GoError) or not (_KEY.search(raw) or _is_cut_early(raw)):
        raise InputError(f"{name}: has none of the keys {', '.join(KEYS)}: {EXPECTED}")
    return found


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of the file at `path`, which describes a machine; `-` reads standard input."""
    name = shown(path)
    raw = _read(path, MAX_TOPOLOGY_BYTES, "expected the output of lscpu or a cAdvisor MachineInfo")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start + 1}: not UTF-8 text: expected JSON") from None


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


def _read(path: str | os.PathLike[str], limit: int, expected: str) -> bytes:
    name = shown(path)
    try:
        if os.fspath(path) == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{name}: cannot be read: {reason}") from None
    if len(data) > limit:
        raise InputError(f"{name}: larger than {limit >> 20} MiB: {expected}")
    return data
