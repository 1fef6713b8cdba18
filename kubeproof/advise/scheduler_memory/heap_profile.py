"""Reads the text of `go tool pprof -top` of a heap. Raises InputError only.

In the scheduler nearly nothing but the list of pods in flight and events allocates in
`container/list.(*List).insertValue`, 48 bytes for each element: so its bytes in use estimate the length of the list.
Go samples one allocation in 512 KiB (`runtime.MemProfileRate`), so a few samples estimate badly.
"""

import re
from datetime import datetime
from math import inf, sqrt

from kubeproof.advise.scheduler_memory.picture import HeapProfile
from kubeproof.bugs.signatures import LIST_INSERT
from kubeproof.errors import InputError
from kubeproof.growth.run import ELEMENT_BYTES
from kubeproof.visible import shortened

COMMAND = "go tool pprof -top -sample_index=inuse_space"
EXPECTED = f"the output of {COMMAND} of kube-scheduler's /debug/pprof/heap"
TABLE = re.compile(r"^ *flat +flat% +sum% +cum +cum%", re.MULTILINE)
SAMPLE_BYTES = 512 * 1024
# How pprof scales bytes.
_UNITS = {"": 1.0, "B": 1.0, "kB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}

_HEAD = re.compile(r"^(File|Type|Time): (.*)$", re.MULTILINE)
# A time as pprof writes it, in its earlier and in its later form, and the time zone.
_TIME = re.compile(r"(.{10,40}?) \(?([A-Z]{1,6}|[+-]\d{2,4})\)?", re.ASCII)
_TIME_FORMS = ("%b %d, %Y at %I:%M%p", "%Y-%m-%d %H:%M:%S")
_DROPPED = re.compile(r"^Dropped \d+ nodes? \(cum <= (\S{1,40})\)", re.MULTILINE)
_AMOUNT = re.compile(r"(-?\d{1,20}(?:\.\d{1,9})?)([kMGT]?B?)", re.ASCII)


def read_profile(text: str, name: str) -> HeapProfile:
    """What the listing in `text` says of the list. Errors begin with `name`."""
    head = dict(_HEAD.findall(text[:4000]))
    binary, kind = head.get("File", "").strip(), head.get("Type", "").strip()
    if kind not in ("inuse_space", "inuse_objects"):
        found = f"a profile of type {shortened(kind)}" if kind else "no line `Type: inuse_space`"
        raise InputError(f"{name}: {found}: expected {EXPECTED}")
    if binary.startswith(("kube-", "kubelet", "etcd")) and not binary.startswith("kube-scheduler"):
        raise InputError(f"{name}: File: a profile of {shortened(binary)}: expected {EXPECTED}")
    table = TABLE.search(text)
    assert table is not None
    first = text.count("\n", 0, table.start()) + 2
    inserted, rows = 0.0, 0
    for number, line in enumerate(text[table.end() :].split("\n")[1:], first):
        if not line.strip():
            continue
        cells = line.split(None, 5)
        flat = _amount(cells[0])
        if len(cells) < 6 or flat is None:
            raise InputError(f"{name}: line {number}: not a line of the table: expected {EXPECTED}")
        rows += 1
        if cells[5].removesuffix(" (inline)").strip() == LIST_INSERT:
            inserted += flat
    if not rows:
        raise InputError(f"{name}: line {first}: no function: expected {EXPECTED}")
    size = 1.0 if kind == "inuse_objects" else float(ELEMENT_BYTES)
    dropped = _DROPPED.search(text, 0, table.start())
    below = _amount(dropped[1]) if dropped else None
    left_out = None if below is None else round(max(0.0, below) / size)
    return HeapProfile(name, round(max(0.0, inserted) / size), left_out, *_taken(head.get("Time", "").strip()))


def relative_error(elements: int) -> float:
    """How far the estimate of so many elements may be off, as a part of it: one standard deviation."""
    samples = elements * ELEMENT_BYTES / SAMPLE_BYTES
    return 1 / sqrt(samples) if samples > 0 else inf


def error_of(profile: HeapProfile) -> float:
    """How many elements the estimate of a profile may be off: one standard deviation.

    Of a list without a sample nothing is known but that the list is hardly longer than what one sample stands for.
    """
    if profile.elements:
        return profile.elements * relative_error(profile.elements)
    return max(SAMPLE_BYTES / ELEMENT_BYTES, float(profile.left_out or 0))


def _taken(text: str) -> tuple[datetime | None, str]:
    """The time of a profile, and its zone.

    >>> _taken("Jan 12, 2024 at 2:00pm (UTC)")
    (datetime.datetime(2024, 1, 12, 14, 0), 'UTC')
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None, ""
    for form in _TIME_FORMS:
        try:
            return datetime.strptime(found[1], form), found[2]
        except ValueError:
            continue
    return None, ""


def _amount(text: str) -> float | None:
    found = _AMOUNT.fullmatch(text)
    return float(found[1]) * _UNITS[found[2]] if found and found[2] in _UNITS else None
