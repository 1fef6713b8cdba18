"""Reads files of any mix, each recognised by its content, into a Picture, or refuses them in one line.

A name may have a time behind it: `FILE@2024-01-12T10:00Z` is the dump FILE, taken then.
"""

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from attrs import Factory, define

from kubeproof.advise.log_lines import AN_OBJECT, HEAD, is_log
from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.scheduler_memory import (
    exposition,
    heap_profile,
    query_range,
    scheduler_log,
    scheduler_pod,
)
from kubeproof.advise.scheduler_memory.picture import (
    Dump,
    FileRead,
    HeapProfile,
    Kind,
    Log,
    Picture,
    SchedulerPod,
    Skipped,
)
from kubeproof.bugs.signatures import SKIPPED
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, kind_text, parse, value_text
from kubeproof.input.files import read_bytes, several, shown

FILES = 64
MAX_BYTES = 64 * 1024 * 1024
KNOWN = "kube-scheduler's /metrics, log or heap (go tool pprof -top), or in JSON its pod, events or query_range"
DOCUMENT = Expected(scheduler_pod.COMMAND, KNOWN, MAX_BYTES, 4 << 20)

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
_EXPOSITION = re.compile(r"# (?:HELP|TYPE) |[A-Za-z_:][\w:]*(?:\{[^\n]*\})?[ \t]+[-+]?(?:\d|\.\d|NaN|Inf)", re.ASCII)
_HTML = re.compile(r"\s*<(?:!doctype|html|head|\?xml)", re.IGNORECASE)


@define
class _Read:
    files: list[FileRead] = Factory(list)
    dumps: list[Dump] = Factory(list)
    pods: list[SchedulerPod] = Factory(list)
    profiles: list[HeapProfile] = Factory(list)
    logs: list[Log] = Factory(list)
    skipped: list[Skipped] = Factory(list)


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Picture:
    """What all files together say; `-` is standard input. Raises InputError, one line."""
    given = [_with_time(os.fspath(path)) for path in paths]
    several((path for path, _ in given), FILES)
    read = _Read()
    for path, at in given:
        _take(read, read_bytes(path, MAX_BYTES, KNOWN), shown(path), at)
    return Picture(
        tuple(read.files),
        tuple(read.dumps),
        tuple(read.pods),
        tuple(read.profiles),
        tuple(read.logs),
        tuple(read.skipped),
    )


def _with_time(given: str) -> tuple[str, datetime | None]:
    """The path, and the time behind it."""
    path, mark, time = given.rpartition("@")
    if not mark or _TIME.fullmatch(time) is None:
        return given, None
    try:
        return path, datetime.fromisoformat(time).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(f"{shown(given)}: not a time: expected FILE@2024-01-12T10:00Z") from None


def _take(read: _Read, data: bytes, name: str, at: datetime | None) -> None:
    text = _text(data, name)
    head = text[:HEAD]
    kind: Kind = "metrics"
    if is_log(text):
        kind = "log"
        read.logs.append(scheduler_log.read_log(text, name))
    elif AN_OBJECT.match(head):
        kind = _document(read, data, name)
    elif heap_profile.TABLE.search(head):
        kind = "profile"
        read.profiles.append(heap_profile.read_profile(text, name))
    elif _EXPOSITION.match(head):
        read.dumps.append(exposition.read_dump(text, name, at))
    else:
        what = "an HTML page, perhaps of a login" if _HTML.match(head) else "not a file that scheduler-memory knows"
        raise InputError(f"{name}: {what}: expected {KNOWN}")
    if at is not None and kind != "metrics":
        raise InputError(f"{name}: a time stands behind a file that is not a dump: expected FILE@TIME for dumps only")
    read.files.append(FileRead(name, kind))


def _text(data: bytes, name: str) -> str:
    if data.startswith((b"\x1f\x8b", b"\x0a\x04")):
        raise InputError(f"{name}: binary data: expected text, of a profile that of {heap_profile.COMMAND} FILE")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: byte 1: UTF-16 text: expected UTF-8 (PowerShell: | Out-File -Encoding utf8)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start + 1}: not UTF-8 text: expected {KNOWN}") from None
    if not text.strip():
        raise InputError(f"{name}: the file is empty: expected {KNOWN}")
    if "\x00" in text:
        raise InputError(f"{name}: byte {text.index(chr(0)) + 1}: a NUL byte: expected {KNOWN}")
    return text


def _document(read: _Read, data: bytes, name: str) -> Kind:
    """Takes what Prometheus answers, or the schedulers' pods and the events out of what kubectl prints."""
    document: Any = parse(data, name, DOCUMENT)
    if not isinstance(document, dict):
        raise InputError(f"{name}: top level: not an object, but {kind_text(document)}: expected {KNOWN}")
    if query_range.is_answer(document):
        read.dumps.extend(query_range.read_query(document, name))
        return "query"
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in ("Pod", "PodList", "EventList", "List"):
        raise InputError(f"{name}: kind: expected Pod, PodList, EventList or List, found {value_text(kind)}")
    top = Fields(document, name, "")
    taken = False
    for item in [top] if kind == "Pod" else top.maps("items"):
        is_a = item.text("kind") or kind.removesuffix("List")
        if is_a == "Pod" and (pod := scheduler_pod.read_pod(item)) is not None:
            read.pods.append(pod)
            taken = True
        elif is_a == "Event":
            taken = True
            if (event := _skipped(item)) is not None:
                read.skipped.append(event)
    if not taken and kind != "EventList":
        raise InputError(f"{name}: no container runs kube-scheduler: expected the output of {scheduler_pod.COMMAND}")
    return "objects"


def _skipped(item: Fields) -> Skipped | None:
    """The pod that the scheduler skipped, if an event says so. The message is `note` in events.k8s.io/v1.

    Go: `skipPodSchedule` in pkg/scheduler/schedule_one.go writes the event for a pod that is being deleted. Up to 1.31
    the pod is then never done (#126962).
    """
    text = item.text("message") or item.text("note")
    if not text.startswith(SKIPPED):
        return None
    return Skipped(item.file, text.removeprefix(SKIPPED).strip()[:320])
