"""The online CPUs of a machine from what lscpu prints: `-e`, `-p`, both with any columns, `-J`, and the summary.

Pure; a text that cannot be read ends in one line of an `InputError`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubeproof.advise.cpu_state.machine_info import list_in, numbered, object_in
from kubeproof.advise.cpu_state.online_cpus import OnlineCPU, cpus_in, id_in, value_shown
from kubeproof.errors import InputError

ASK = "lscpu -e=CPU,CORE,SOCKET,NODE,ONLINE"

# A line, or an entry of a list: its place, and its cells by the name of the column in small letters.
Rows = Iterable[tuple[str, Mapping[str, Any]]]
_NEEDED = ("cpu", "core", "socket")
_MAX_CACHE = 2**31 - 1
_NUMA = re.compile(r"NUMA node([0-9]{1,4}) CPU\(s\)", re.ASCII)


def from_json(top: dict[str, Any], file: str) -> list[OnlineCPU]:
    """What `lscpu -J -e` and a bare `lscpu -J` print."""
    if "cpus" in top:
        entries = [(f"{file}: entry {n} of 'cpus'", entry) for n, entry in numbered(top, "cpus", file, "CPUs")]
        rows = ((place, object_in(entry, place)) for place, entry in entries)
        return _online((place, {str(key).lower(): value for key, value in row.items()}) for place, row in rows)
    fields: dict[str, str] = {}
    waiting = list(list_in(top.get("lscpu"), f"{file}: 'lscpu'", "fields"))
    while waiting:
        entry = object_in(waiting.pop(), f"{file}: an entry of 'lscpu'")
        fields[str(entry.get("field")).rstrip(":")] = str(entry.get("data"))
        waiting += list_in(entry.get("children", []), f"{file}: 'children'", "fields")
    return _from_summary(fields, file)


def from_table(lines: list[str], file: str) -> list[OnlineCPU] | None:
    """What `lscpu -e` prints, whatever stands around the table; None: there is no table."""
    begin = next((number for number, line in enumerate(lines) if _is_head({*line.split()})), None)
    if begin is None:
        return None
    titles = _with_columns(lines[begin].lower().split(), f"{file}: line {begin + 1}")
    return _online(_table(lines, begin + 1, titles, file))


def _is_head(words: set[str]) -> bool:
    return "CPU" in words and not words.isdisjoint({"CORE", "SOCKET", "NODE", "ONLINE"})


def _with_columns(titles: Iterable[str], place: str) -> list[str]:
    """The titles, which have the columns that are needed."""
    found = [*titles]
    for column in _NEEDED:
        if column not in found:
            raise InputError(f"{place} has no '{column}': expected the output of `{ASK}`")
    return found


def _table(lines: list[str], begin: int, titles: list[str], file: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(lines[begin:], begin + 1):
        cells = line.split()
        if not cells or (len(cells) != len(titles) and not cells[0].isdecimal()):
            # A blank line, or a prompt after the table.
            continue
        place = f"{file}: line {number}"
        if len(cells) != len(titles):
            raise InputError(f"{place}: {len(cells)} cells under {len(titles)} titles: expected the output of `{ASK}`")
        yield place, dict(zip(titles, cells, strict=True))


def from_parsable(lines: list[str], file: str) -> list[OnlineCPU] | None:
    """What `lscpu -p` prints; None: there is no line such as `# CPU,Core,Socket,Node`."""
    named = ((number, line[1:].strip().lower().split(",")) for number, line in enumerate(lines, 1) if line[:1] == "#")
    head = next(((number, each) for number, each in named if "cpu" in each and len(each) > 1), None)
    if head is None:
        return None
    titles = _with_columns(head[1], f"{file}: line {head[0]}")
    rows = (
        (f"{file}: line {number}", dict(zip(titles, map(str.strip, line.split(",")), strict=False)))
        for number, line in enumerate(lines, 1)
        if line.strip() and line.lstrip()[0].isdecimal()
    )
    return _online(rows)


def from_summary(lines: list[str], file: str) -> list[OnlineCPU]:
    """What a bare `lscpu` prints."""
    pairs = (line.partition(":") for line in lines)
    return _from_summary({name.strip(): text.strip() for name, _, text in pairs}, file)


def _from_summary(fields: Mapping[str, str], file: str) -> list[OnlineCPU]:
    """It names no cores. It is read if its counts are one thread per core and one socket: each CPU is a core then."""
    listed = fields.get("On-line CPU(s) list", "")
    if fields.get("Thread(s) per core") != "1" or fields.get("Socket(s)") != "1":
        alone = f", or --cpus {listed} for its CPUs alone" if listed and len(listed) < 60 else ""
        raise InputError(
            f"{file}: a bare lscpu does not say which CPUs share a core or a socket: expected the output of "
            f"`{ASK}`{alone}"
        )
    nodes = {
        cpu: int(found[1])
        for name, cpus in fields.items()
        if (found := _NUMA.fullmatch(name))
        for cpu in cpus_in(cpus, f"{file}: '{name}'")
    }
    online = cpus_in(listed, f"{file}: 'On-line CPU(s) list'")
    return [OnlineCPU(cpu, cpu, 0, nodes.get(cpu, 0)) for cpu in online]


def _online(rows: Rows) -> list[OnlineCPU]:
    """The online CPUs of the rows. Each row has the columns CPU, CORE and SOCKET."""
    seen: set[int] = set()
    found = []
    for place, row in rows:
        _with_columns(row, place)
        cpu = id_in(row["cpu"], f"{place}: 'cpu'")
        if cpu in seen:
            raise InputError(f"{place}: CPU {cpu} is there twice: expected each CPU once")
        seen.add(cpu)
        if _is_online(row, place):
            # A machine without NUMA names no nodes. The kubelet sees node 0.
            node = row.get("node")
            found.append(
                OnlineCPU(
                    cpu,
                    id_in(row["core"], f"{place}: 'core'"),
                    id_in(row["socket"], f"{place}: 'socket'"),
                    0 if node in _EMPTY else id_in(node, f"{place}: 'node'"),
                    _l3(row, place),
                )
            )
    return found


_EMPTY = (None, "", "-")


def _is_online(row: Mapping[str, Any], place: str) -> bool:
    """Yes and no are in the language of the machine. lscpu knows no core of a CPU that is offline."""
    said = row.get("online")
    if isinstance(said, str) and said.lower() in _SAID:
        return _SAID[said.lower()]
    if isinstance(said, bool):
        return said
    if said is None or isinstance(said, str):
        return row["core"] not in _EMPTY
    raise InputError(f"{place}: 'online' is {value_shown(said)}: expected true or false")


_SAID = {"yes": True, "y": True, "no": False, "n": False}


def _l3(row: Mapping[str, Any], place: str) -> int | None:
    """The id of the L3 cache: a column of its own, or the last cell under `L1d:L1i:L2:L3`."""
    for title, cell in row.items():
        ids = dict(zip(title.split(":"), str(cell).split(":"), strict=False))
        if ids.get("l3", "-") not in ("", "-", "None"):
            return id_in(ids["l3"], f"{place}: the L3 cache", _MAX_CACHE)
    return None
