"""Lines of a scheduler's log, in klog's text or in JSON: the time and the text of each. Raises nothing.

Go: klog writes `I0712 10:00:00.123456 1 file.go:12] text`, from 1.19 on also `"text" key="value"` (InfoS), and with
`--logging-format=json` an object with ts, msg and the keys.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import frozen

from kubeproof.bugs.signature import TRACE_LINES
from kubeproof.input.documents import json_value

# A line of klog, with what a container runtime or the journal may put before it.
LINE = re.compile(
    r"^(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S{1,80} \S{1,80}: )?(?:(\S{1,40}) (?:std(?:out|err) [FP] )?)?"
    r"[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,6})\d* +\d+ \S+:\d+\]",
    re.ASCII | re.MULTILINE,
)
JSON_LINE = re.compile(r'^\{"(?:ts|level|msg|caller|logger)":.*', re.MULTILINE)
# How a document begins that kubectl or Prometheus prints, in JSON or YAML.
AN_OBJECT = re.compile(r"\s*[{\[]|(?:apiVersion|kind|items|metadata):")
# A line of either kind stands in so many characters at the beginning, whatever was printed before it.
HEAD = 20_000
# The year of a time without a year: a leap year.
NO_YEAR = 2000

_TS = re.compile(r'"ts": ?(\d{1,14}(?:\.\d{1,9})?)[,}]', re.ASCII)
_MESSAGE = re.compile(r'"((?:[^"\\]|\\.){0,4096})"')
_KEY = re.compile(r'(\w{1,60})=(?:"((?:[^"\\]|\\.){0,8192})"|(\S{1,300}))', re.ASCII)


@frozen
class LogLine:
    """A line of a log, taken apart."""

    text: str
    # The keys behind the message; empty in free text. An object with a name is `namespace/name`.
    keys: dict[str, str]


def is_log(text: str) -> bool:
    """Whether a line of a log stands at the beginning of `text`, and not a document of JSON or YAML.

    >>> is_log('I0712 10:00:00.123456       1 scheduler.go:1] x'), is_log('{"kind": "List"}')
    (True, False)
    """
    head = text[:HEAD]
    if JSON_LINE.match(head.lstrip()):
        return True
    return not AN_OBJECT.match(head) and bool(JSON_LINE.search(head) or LINE.search(head))


def time_of(text: str) -> datetime | None:
    """The time of the first line in `text` that has one; without a year it is in the year `NO_YEAR`, in UTC."""
    try:
        if found := LINE.search(text):
            runtime, month, day, time = found.groups()
            if runtime and re.match(r"\d{4}-\d\d-\d\dT", runtime):
                at = datetime.fromisoformat(runtime)
                return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
            return datetime.fromisoformat(f"{NO_YEAR}-{month}-{day}T{time}+00:00")
        if (line := JSON_LINE.search(text)) and (stamp := _TS.search(line[0])):
            # Milliseconds; seconds in the first releases that had JSON.
            seconds = float(stamp[1])
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def line_of(text: str) -> LogLine:
    """The message and the keys of a line."""
    if text.startswith("{"):
        try:
            found = json_value(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return LogLine(str(found.get("msg") or ""), {key: _name(value) for key, value in found.items()})
    start = LINE.match(text)
    rest = text[start.end() :].strip() if start else text.strip()
    if message := _MESSAGE.match(rest):
        # A value of several lines begins with < and stands in the lines below.
        found = [each for each in _KEY.findall(rest[message.end() :]) if each[2] != "<"]
        return LogLine(_plain(message[1]), {key: _plain(quoted) if quoted else bare for key, quoted, bare in found})
    return LogLine(rest, {})


def _name(value: Any) -> str:
    if isinstance(value, dict):
        parts = (value.get("namespace"), value.get("name"))
        return "/".join(str(part) for part in parts if part)
    return str(value)


def _plain(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def each_line(text: str) -> Iterator[str]:
    """The lines of a log, without empty ones."""
    return (line for line in text.split("\n") if line)


def with_trace(lines: Sequence[str], number: int) -> str:
    """The line of this number; of a panic with the lines behind it up to the next line of a log."""
    end = number + 1
    if "panic" in lines[number].lower():
        while end < min(len(lines), number + TRACE_LINES) and not (
            LINE.match(lines[end]) or JSON_LINE.match(lines[end])
        ):
            end += 1
    return "\n".join(lines[number:end])
