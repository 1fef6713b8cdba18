"""Reads a scheduler's log at -v=4 and less for attempts, binds, preemptions, the leader, and how the process ended.

What the log says of a pod becomes an Event with `logged`. Go, with the release in which a text was read: pkg/scheduler
scheduler.go and factory.go (1.16 to 1.20, free text), schedule_one.go, framework/preemption and defaultbinder (1.26 to
1.36, `"msg" key="value"`), cmd/kube-scheduler/app/server.go and client-go/tools/leaderelection.
"""

import re
from collections.abc import Mapping
from datetime import timedelta

from attrs import Factory, define, evolve

from kubeproof.advise.log_lines import NO_YEAR, each_line, line_of, time_of, with_trace
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.picture import AttemptLog, Event, SignedLine
from kubeproof.bugs.signatures import signatures_in

# So many lines with an error that is a signature are kept.
SIGNED = 200
# Time zones differ by whole quarters of an hour.
QUARTER = timedelta(minutes=15)
TRIES = ("attempting to schedule pod", "about to try and schedule pod")
FAILS = ("unable to schedule", "error scheduling")
BOUND = ("successfully bound pod to node", "is bound successfully on node")
PREEMPTED = "preempted victim pod"
HEARD = "add event for unscheduled pod"
# What a process says as it loses the lease, and as it gets it.
LOST = ("leaderelection lost", "leader election lost", "failed to renew lease")
LEADS = ("successfully acquired lease", "became leader")
ENDS = (
    "leaderelection lost",
    "leader election lost",
    "panic: ",
    "observed a panic: ",
    "fatal error: ",
    "cache is corrupted and can badly",
)
# A line with none of these says nothing here, and is not taken apart.
_USED = re.compile("|".join((*TRIES, *FAILS, *BOUND, PREEMPTED, HEARD, *LOST, *LEADS, *ENDS)), re.IGNORECASE)
_ERROR = re.compile(r'^(?:\S+ std(?:out|err) [FP] )?[EF]\d{4} |"err(?:or)?"?[=:]|^panic: |expired', re.IGNORECASE)
# How a line with a time begins: klog's level, JSON, the year of a container runtime, or the month of the journal.
_STAMPED = "IWEF{12JMASOND"
_FREE_POD = re.compile(r"\b([a-z0-9][a-z0-9-]{0,62}/[a-z0-9][a-z0-9.-]{0,252})", re.ASCII)
_FREE_NODE = re.compile(r'on node "?([^",\s]{1,253})', re.ASCII)
_FREE_FAILURE = re.compile(
    r"^(?:Unable to schedule|Error scheduling) \S+?: (?:no fit: )?(.*?)(?:; (?:waiting|retrying))?$", re.S
)


@define
class _Read:
    begins: Moment | None = None
    ends: Moment | None = None
    events: list[Event] = Factory(list)
    failed: dict[str, Event] = Factory(dict)
    tried: dict[str, tuple[Moment | None, int]] = Factory(dict)
    heard: set[str] = Factory(set)
    lease: str = ""
    leads: list[Moment] = Factory(list)
    lost: list[Moment] = Factory(list)
    last_words: str = ""
    signed: list[SignedLine] = Factory(list)


def read_log(text: str, name: str) -> AttemptLog:
    """What the log in `text` says, in the order of its lines."""
    read = _Read()
    # The last line that may have a time: a time is read only where it is used.
    stamp = ""
    lines = list(each_line(text))
    for number, line in enumerate(lines):
        if line[0] in _STAMPED:
            stamp = line
            if read.begins is None:
                read.begins = _moment(line)
        if _USED.search(line):
            _take(read, line, _moment(stamp))
        if _ERROR.search(line) and len(read.signed) < SIGNED and (signed := signatures_in(with_trace(lines, number))):
            found = line_of(line)
            said = _said(found.text, found.keys)[:4096]
            read.signed.append(SignedLine(_moment(stamp), _pod(found.keys, found.text), said, signed))
    read.ends = _moment(stamp) or read.begins
    return AttemptLog(
        name, read.begins, read.ends, (*read.events, *read.failed.values()), read.tried, frozenset(read.heard),
        read.lease, tuple(read.leads), tuple(read.lost), read.last_words, tuple(read.signed),
    )  # fmt: skip


def _moment(line: str) -> Moment | None:
    at = time_of(line)
    return None if at is None else Moment(at, exact=True)


def _take(read: _Read, line: str, now: Moment | None) -> None:
    found = line_of(line)
    low = found.text.lower()
    pod = _pod(found.keys, found.text)
    if any(text in low for text in LEADS) and now is not None:
        read.leads.append(now)
        read.lease = found.keys.get("lock") or low.rpartition("lease ")[2].strip(" .:")
        read.last_words = ""
    elif any(text in low for text in LOST) and now is not None:
        read.lost.append(now)
    if any(text in low for text in ENDS):
        read.last_words = read.last_words or found.text.strip()[:300]
    if not pod:
        return
    if low.startswith(HEARD):
        read.heard.add(pod)
    elif low.startswith(TRIES):
        last, times = read.tried.get(pod, (None, 0))
        # `About to try` and `Attempting` are of one attempt.
        same = (
            low.startswith("attempting")
            and last is not None
            and now is not None
            and now.at - last.at < timedelta(seconds=1)
        )
        read.tried[pod] = (now, times + (not same))
    elif low.startswith(FAILS):
        said = found.keys.get("err") or _free_failure(found.text)
        before = read.failed.get(pod)
        event = _event("FailedScheduling", pod, said, now)
        if before is not None:
            event = evolve(event, first=before.first, count=before.count + 1)
        read.failed[pod] = event
        read.tried[pod] = (now, max(1, read.tried.get(pod, (None, 0))[1], event.count))
    elif any(text in low for text in BOUND):
        node = found.keys.get("node") or (free[1] if (free := _FREE_NODE.search(found.text)) else "")
        read.events.append(_event("Scheduled", pod, f"Successfully assigned {pod} to {node}", now))
        read.tried[pod] = (now, max(1, read.tried.get(pod, (None, 0))[1]))
    elif PREEMPTED in low and found.keys.get("victim"):
        text = f"Preempted by {pod} on node {found.keys.get('node', '')}"
        read.events.append(_event("Preempted", found.keys["victim"], text, now))


def _pod(keys: dict[str, str], text: str) -> str:
    named = keys.get("pod") or keys.get("preemptor") or keys.get("preemptorPod") or ""
    if "/" in named:
        return named
    free = _FREE_POD.search(text)
    return free[1] if free else ""


def _said(text: str, keys: dict[str, str]) -> str:
    error = keys.get("err") or keys.get("error")
    return f"{text}: {error}" if error else text


def _free_failure(text: str) -> str:
    found = _FREE_FAILURE.match(text.strip())
    return found[1] if found else text


def _event(reason: str, pod: str, message: str, at: Moment | None) -> Event:
    namespace, _, name = pod.partition("/")
    return Event(reason, "Pod", namespace, name, "", message[:4096], at, at, logged=True)


def dated(log: AttemptLog, by: Moment | None, binds: Mapping[str, Moment]) -> AttemptLog:
    """The log with the year and the time zone that the other files give it, if its times have neither.

    `by`: the newest time of the other files: no line is after it by more than a day. `binds`: when the pods were bound
    by the other files. The clock of a log may differ from them by whole quarters of an hour.
    """
    if by is None or log.ends is None or log.ends.at.year != NO_YEAR:
        return log
    year = by.at.year
    if _in_year(log.ends, year).at > by.at + timedelta(days=1):
        year -= 1
    zone = _zone(log, year, binds)

    def move(moment: Moment | None) -> Moment | None:
        return None if moment is None else evolve(moment, at=_in_year(moment, year).at + zone)

    def moves(moments: tuple[Moment, ...]) -> tuple[Moment, ...]:
        return tuple(moment for each in moments if (moment := move(each)) is not None)

    return evolve(
        log,
        begins=move(log.begins),
        ends=move(log.ends),
        events=tuple(evolve(event, first=move(event.first), last=move(event.last)) for event in log.events),
        tried={pod: (move(last), times) for pod, (last, times) in log.tried.items()},
        leads=moves(log.leads),
        lost=moves(log.lost),
        signed=tuple(evolve(line, at=move(line.at)) for line in log.signed),
    )


def _zone(log: AttemptLog, year: int, binds: Mapping[str, Moment]) -> timedelta:
    """How far the clock of the other files is ahead of that of the log, by the pods that both say are bound."""
    bound = [event for event in log.events if event.reason == "Scheduled"]
    named = {f"{event.namespace}/{event.name}": event.last for event in bound if event.last is not None}
    apart = sorted(binds[name].at - _in_year(last, year).at for name, last in named.items() if name in binds)
    if not apart:
        return timedelta(0)
    middle = apart[len(apart) // 2]
    zone = round(middle / QUARTER) * QUARTER
    # Another difference is not one of zones: the pod was another one of that name, or the clocks are wrong.
    return zone if abs(middle - zone) < timedelta(minutes=1) else timedelta(0)


def _in_year(moment: Moment, year: int) -> Moment:
    try:
        return evolve(moment, at=moment.at.replace(year=year))
    except ValueError:
        # The 29th of February.
        return evolve(moment, at=moment.at.replace(year=year, month=3, day=1))
