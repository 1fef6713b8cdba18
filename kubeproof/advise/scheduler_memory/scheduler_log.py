"""Reads the scheduler's log, in klog's text or in JSON, for the lines that tell of the list. Raises InputError only.

Go: `clusterEventsForPod` and its forerunners in the scheduling queue log the sizes at -v=5, from 1.28.2 on. Up to 1.30
a pod that is not in flight is logged there as an error, from 1.31 on the caller logs the error.
"""

import re
from datetime import UTC, datetime

from attrs import Factory, define

from kubeproof.advise.scheduler_memory.picture import Log
from kubeproof.errors import InputError

# A line of klog, with what a container runtime may put before it.
LINE = re.compile(
    r"^(?:(\S{1,40}) (?:std(?:out|err) [FP] )?)?[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,6})\d* +\d+ \S+:\d+\]",
    re.ASCII | re.MULTILINE,
)
JSON_LINE = re.compile(r'^\{"(?:ts|level|msg|caller|logger)":.*', re.MULTILINE)
# A line of either kind stands in so many characters at the beginning, whatever was printed before it.
HEAD = 20_000
# The year of a time without a year: a leap year.
NO_YEAR = 2000
CHECKING = "Checking events for in-flight pod"
NOT_FOUND = "n flight Pod isn't found in the scheduling queue"
# 1.34 and 1.35 begin with a capital letter. From 1.36 on this is an error, and the pod stands behind a colon.
TRACKED_TWICE = "he same pod is tracked in multiple places"

_SIZE = re.compile(r'"?inFlightEventsSize"?[=:] ?(\d{1,12})(?!\d)', re.ASCII)
_PODS = re.compile(r'"?inFlightPodsSize"?[=:] ?(\d{1,12})(?!\d)', re.ASCII)
_TS = re.compile(r'"ts": ?(\d{1,14}(?:\.\d{1,9})?)[,}]', re.ASCII)
_TRACKED_POD = re.compile(TRACKED_TWICE + r' in the scheduler: ([^"\\\s]{1,300})')
_POD = re.compile(r'"?\bpod"?[=:] ?(?:"([^"\\]{1,300})"|\{"name":"([^"\\]{1,253})","namespace":"([^"\\]{1,63})")')


@define
class _Found:
    sizes: list[int] = Factory(list)
    pods: list[int] = Factory(list)
    not_found: dict[str, None] = Factory(dict)
    tracked_twice: dict[str, None] = Factory(dict)


def read_log(text: str, name: str) -> Log:
    """What the log in `text` says of the list, in the order of its lines. Errors begin with `name`."""
    found = _Found()
    for number, line in enumerate(text.split("\n"), 1):
        if CHECKING in line:
            size, pods = _SIZE.search(line), _PODS.search(line)
            if size is None or pods is None:
                place = f"{name}: line {number}"
                raise InputError(f"{place}: no inFlightEventsSize: expected whole lines of kube-scheduler's log")
            found.sizes.append(int(size[1]))
            found.pods.append(int(pods[1]))
        elif NOT_FOUND in line:
            found.not_found[_pod(line)] = None
        elif TRACKED_TWICE in line:
            named = _TRACKED_POD.search(line)
            found.tracked_twice[named[1] if named else _pod(line)] = None
    begins, lost, twice = _begins(text[:HEAD]), tuple(found.not_found), tuple(found.tracked_twice)
    return Log(name, begins, tuple(found.sizes), tuple(found.pods), lost, twice)


def _begins(head: str) -> datetime | None:
    """The time of the first line that has one."""
    try:
        if found := LINE.search(head):
            runtime, month, day, time = found.groups()
            if runtime and re.match(r"\d{4}-\d\d-\d\dT", runtime):
                at = datetime.fromisoformat(runtime)
                return at if at.tzinfo else at.replace(tzinfo=UTC)
            return datetime.fromisoformat(f"{NO_YEAR}-{month}-{day}T{time}+00:00")
        if (line := JSON_LINE.search(head)) and (stamp := _TS.search(line[0])):
            # Milliseconds; seconds in the first releases that had JSON.
            seconds = float(stamp[1])
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _pod(line: str) -> str:
    found = _POD.search(line)
    if found is None:
        return "a pod that the line does not name"
    return found[1] or f"{found[3]}/{found[2]}"
