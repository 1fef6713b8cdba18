"""What a symptom is that can be read: the constant parts of a text of the Go code, and what must be true of its line.

Names, numbers and UIDs in a text differ, so only what the format of the Go code always prints is looked for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from attrs import field, frozen

# `text`: an error, an event or a line of a log. `panic`: how a process ends, with the functions that were running.
# `metric`: a line of /metrics. `function`: in a profile of pprof, or among the goroutines of a process.
Kind = Literal["text", "panic", "metric", "function"]
Odd = Callable[[re.Match[str]], bool]

# How many lines of functions behind a panic are read.
TRACE_LINES = 100
TRACE_CHARACTERS = 20_000
LONGEST_NAME = 400

# What may stand before a line of a process: the time of a container runtime, of journald, of Docker's JSON.
_BEFORE = re.compile(
    r"^(?:\d{4}-\d\d-\d\dT\S{1,30} std(?:out|err) [FP] "
    r"|\w{3} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})? \S{1,253} [^\s\[\]:]{1,64}(?:\[\d{1,9}\])?: "
    r'|\{"log":")?\s*',
    re.ASCII,
)
_PART = re.compile(r"\S{1,40} std(?:out|err) P ")
_FUNCTION = re.compile(r"([\w./@~-]+(?:\.\(\*?\w+\))?(?:\.[\w.\[\]-]+)?)(?<!\.)\(", re.ASCII)
_PLACE = re.compile(r"(\S+\.go):\d+")
# Go's own functions, and those of Kubernetes that log a panic.
_OF_GO = re.compile(r"runtime/|internal/|sync/|\S*/util/runtime[./]|\S*/src/runtime/")

_REASON = re.compile(r"(?:^|, )(\d{1,6}) ", re.ASCII)
_END_OF_REASONS = re.compile(r"\.(?![\w/-])", re.ASCII)


def always(found: re.Match[str]) -> bool:
    """What is found is odd by itself."""
    return True


def more_than(least: float) -> Odd:
    """The group `value` of what is found is a number above `least`."""

    def is_more(found: re.Match[str]) -> bool:
        try:
            return float(found["value"]) > least
        except ValueError:
            return False

    return is_more


def fewer_reasons_than_nodes(found: re.Match[str]) -> bool:
    """Of "0/8 nodes are available: 7 node(s) ...": fewer reasons are counted than there are nodes."""
    reasons, *rest = _END_OF_REASONS.split(found["reasons"], maxsplit=1)
    # Without an end the text was cut. From 1.24 on it goes on with preemption, and nodes may have no reason.
    if not rest or rest[0].startswith("..") or "preemption:" in found["reasons"]:
        return False
    return sum(int(count) for count in _REASON.findall(reasons)) < int(found["nodes"])


def _each(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def _words(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(given.split()) if isinstance(given, str) else given


@frozen
class Signature:
    """A symptom, and the bugs that leave it."""

    # Constant parts of the text, in any case: one of them stands in the line.
    texts: tuple[str, ...] = field(converter=_each)
    # The ids, the likeliest first, or one string of them. Empty: no documented bug prints it, `normal` says what does.
    bugs: tuple[str, ...] = field(converter=_words)
    # The Go file and function, or the package, that has the text.
    go: str
    # What else leaves the same: a sentence.
    normal: str
    # The command that tells more, with what it reads. "": the page of the bug.
    command: str = ""
    kind: Kind = "text"
    # A regular expression that the line must have too, in any case. "": none.
    form: str = ""
    # Of a panic: for each bug the function at fault, or the file of it, as a regular expression.
    at_fault: tuple[str, ...] = ()
    # Whether what `form` has found is odd.
    odd: Odd = field(default=always, eq=False)
    # It stands in the logs of healthy clusters too, and says something only beside other signs.
    common: bool = False
    # An attempt may fail so by itself, and the next one succeed. Of a pod only what it still waits with counts.
    may_pass: bool = False

    @property
    def passes(self) -> bool:
        """Whether the text says nothing of a pod that does not wait with it."""
        return self.common or self.may_pass

    def fits(self, line: str) -> bool:
        """Whether `line`, in which one of the texts stands, has this symptom; the function at fault is not asked."""
        if not self.form:
            return True
        return any(self.odd(found) for found in re.finditer(self.form, line, re.IGNORECASE))

    def bugs_at(self, function: str) -> tuple[str, ...]:
        """The bugs of a panic in this function; "" is not known, and fits each."""
        if not (self.at_fault and function):
            return self.bugs
        pairs = zip(self.bugs, self.at_fault, strict=True)
        return tuple(bug for bug, at_fault in pairs if re.search(at_fault, function))


def without_prefix(line: str) -> str:
    """A line of a process, without what a container runtime or journald put before it.

    >>> without_prefix("Jun 23 01:44:11 pi2 k3s[95864]: panic: x")
    'panic: x'
    """
    return _BEFORE.sub("", line, count=1)


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Lines without what was put before them. A line that a container runtime has cut in parts is put together."""
    begun = ""
    for line in lines:
        begun += without_prefix(line)
        if not _PART.match(line):
            yield begun
            begun = ""


def function_at_fault(trace: str) -> str:
    """The function in which a process panicked: the first in `trace` that is not Go's own; "" if there is none.

    Before Go had functions in such a trace there were only files; then it is the file.

    >>> function_at_fault("goroutine 7 [running]:\\npanic(0x1, 0x2)\\na/b.(*T).F(0x0)\\n\\t/a/b.go:3")
    'a/b.(*T).F'
    """
    place = ""
    # A log in JSON has the whole trace in one line.
    lines = trace[:TRACE_CHARACTERS].replace("\\n", "\n").replace("\\t", "\t").replace("\\u0009", "\t").split("\n")
    for bare in _whole(lines[:TRACE_LINES]):
        if (function := _FUNCTION.match(bare[:LONGEST_NAME])) and "/" in function[1]:
            if not _OF_GO.match(function[1]):
                return function[1]
        elif not place and (found := _PLACE.match(bare)) and not _OF_GO.match(found[1]):
            place = found[1]
    return place
