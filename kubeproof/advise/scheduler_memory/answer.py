"""Whether a scheduler's memory grows as queueing hints make it grow: the answer as data. `rendering` makes text of it.

Never more is said than that a bug fits: no input shows which pod's element holds the list.
"""

from typing import Any, TypeVar

from attrs import frozen

from kubeproof.advise.scheduler_memory.advice import advice_of, next_input
from kubeproof.advise.scheduler_memory.growth import Growth, growth_of, judged_run, runs_of, started
from kubeproof.advise.scheduler_memory.in_flight import in_flight_of
from kubeproof.advise.scheduler_memory.judging import AtWork, Verdict, judged, seen_at_work
from kubeproof.advise.scheduler_memory.picture import FileRead, Picture
from kubeproof.advise.scheduler_memory.question import MemoryQuestion

# A series of lengths in the answer has so many numbers at most: a log has one for each attempt that failed.
LENGTHS = 1000
T = TypeVar("T")


@frozen
class Grown:
    """How a figure changed between the first and the last dump."""

    figure: str
    metric: str
    first: float
    last: float
    grows: bool


@frozen
class Process:
    """A process of the scheduler, as the dumps tell it."""

    started: str | None
    # The files with its dumps, the earliest first; of more than a thousand, a thousand.
    dumps: tuple[str, ...]
    # How many there are.
    count: int


@frozen
class ListLength:
    """The list of pods in flight and events. The fields are those of `in_flight.InFlight`."""

    how: str
    by: str
    lengths: tuple[int, ...]
    pods: tuple[int, ...]
    without_cycle: int | None
    error: float | None
    grows: bool | None
    caution: str


@frozen
class Fit:
    """A bug that fits."""

    bug: str
    title: str
    how: str
    # Whether what it retains stays until the scheduler restarts.
    leaks: bool
    issues: tuple[str, ...]
    fixes: tuple[str, ...]


@frozen
class Killed:
    """A container that was killed for its memory."""

    pod: str
    # When, as the pod says.
    at: str
    restarts: int


@frozen
class MemoryAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    verdict: Verdict
    # Why, in a sentence.
    why: str
    release: str | None
    release_by: str
    # Whether SchedulerQueueingHints is on; None: not known.
    gate: bool | None
    gate_by: str
    files: tuple[FileRead, ...]
    processes: tuple[Process, ...]
    # Which of them, counted from 0, the figures are of; None: no process has two dumps.
    judged: int | None
    # Between its first and its last dump; `exact`: both times were given.
    seconds: float | None
    exact: bool
    figures: tuple[Grown, ...]
    memory_grows: bool | None
    # Which part of the growth of resident memory is Go heap; None: it does not grow.
    heap_part: float | None
    # What grows with the memory and may explain it.
    grows_too: tuple[str, ...]
    # Seconds that a pod waited in Permit, on average between the two dumps; None: no pod did, or not known.
    permit_wait: float | None
    list: ListLength
    # Bugs of the release that events or the log show.
    at_work: tuple[AtWork, ...]
    bugs: tuple[Fit, ...]
    # In bytes; None: not known.
    limit: int | None
    limit_by: str
    # Hours until the limit is reached if the memory grows on as it did; None: not known.
    hours_left: float | None
    killed: tuple[Killed, ...]
    to_do: tuple[str, ...]
    # The one further input that would tell most, or "".
    would_decide: str
    notes: tuple[str, ...]


def analyse(picture: Picture, asked: MemoryQuestion) -> MemoryAnswer:
    """The answer. Raises InputError if the dumps are not those of one scheduler."""
    runs = runs_of(picture.dumps)
    growth = growth_of(runs)
    in_flight = in_flight_of(asked, judged_run(runs), picture)
    seen = seen_at_work(asked, picture)
    found = judged(asked, growth, in_flight, picture, seen)
    return MemoryAnswer(
        verdict=found.verdict,
        why=found.why,
        release=None if asked.release is None else str(asked.release),
        release_by=asked.release_by,
        gate=asked.gate.on,
        gate_by=asked.gate.by,
        files=picture.files,
        processes=tuple(_process(each.start, started(each), each.dumps) for each in runs),
        judged=None if growth is None else runs.index(growth.run),
        seconds=None if growth is None else growth.seconds,
        exact=growth is not None and growth.exact,
        figures=() if growth is None else _figures(growth),
        memory_grows=None if growth is None else growth.memory_grows,
        heap_part=None if growth is None else growth.heap_part,
        grows_too=() if growth is None else growth.explained_by(),
        permit_wait=None if growth is None else _permit_wait(growth),
        list=ListLength(
            in_flight.how, in_flight.by, _thinned(in_flight.lengths), _thinned(in_flight.pods),
            in_flight.without_cycle, in_flight.error, in_flight.grows, in_flight.caution,
        ),
        at_work=seen,
        bugs=tuple(Fit(bug.id, bug.title, bug.how, bug.leaks, bug.issues, bug.fixes) for bug in found.bugs),
        limit=asked.limit,
        limit_by=asked.limit_by,
        hours_left=None if growth is None else _hours_left(growth, asked.limit),
        killed=tuple(Killed(pod.name, pod.oom_killed, pod.restarts) for pod in picture.pods if pod.oom_killed),
        to_do=advice_of(asked, bool(found.bugs)),
        would_decide=next_input(asked, found.verdict == "steady" or bool(seen), growth, in_flight),
        notes=(*asked.notes, *_goroutines(growth), *_after_flush(growth), *_twice(picture)),
    )  # fmt: skip


def exit_status(answer: MemoryAnswer) -> int:
    """1 if a modelled bug fits, 0 if nothing grows, 3 if something grows or may grow and the files do not tell why."""
    return {"fits": 1, "steady": 0, "unexplained": 3}[answer.verdict]


def _thinned(items: tuple[T, ...]) -> tuple[T, ...]:
    """At most `LENGTHS` of the items, the first and the last among them."""
    if len(items) <= LENGTHS:
        return items
    last = len(items) - 1
    return tuple(items[last * index // (LENGTHS - 1)] for index in range(LENGTHS))


def _goroutines(growth: Growth | None) -> tuple[str, ...]:
    """Where else to look if goroutines grow: none of these is modelled."""
    if growth is None or not growth.grows("goroutines"):
        return ()
    return (
        "goroutines grow, which no bug of queueing hints makes: compare, in https://github.com/kubernetes/kubernetes, "
        "issues 118059 and 140393 (the recording of events) and pull request 111773 (preemption, 1.22 to 1.25)",
    )


def _after_flush(growth: Growth | None) -> tuple[str, ...]:
    """What pods say that were bound only after the flush of unschedulablePods (1.36 on)."""
    change = None if growth is None else growth.changes.get("after_flush")
    if change is None or change.by <= 0:
        return ()
    return (
        f"the flush put {change.by:.0f} pods into the queue which then were bound: perhaps no event told the queue of "
        "them (docs/queueing-hints.md, Events that are lost). These pods waited, and keep no memory",
    )


def _twice(picture: Picture) -> tuple[str, ...]:
    pods = list(dict.fromkeys(pod for log in picture.logs for pod in log.tracked_twice))
    if not pods:
        return ()
    return (
        f"the log says of {pods[0]}{f' and {len(pods) - 1} more' if pods[1:] else ''} that the pod was tracked in "
        "multiple places: such a pod may be lost to the queue (https://github.com/kubernetes/kubernetes/issues/139186)",
    )


def _process(start: float, at: Any, dumps: tuple[Any, ...]) -> Process:
    since = None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Process(since, _thinned(tuple(dump.file for dump in dumps)), len(dumps))


def _figures(growth: Growth) -> tuple[Grown, ...]:
    passed_over = ("start", "last_gc")
    return tuple(
        Grown(name, change.metric, change.first, change.last, change.grows)
        for name, change in growth.changes.items()
        if name not in passed_over
    )


def _permit_wait(growth: Growth) -> float | None:
    waits, seconds = growth.changes.get("permit_waits"), growth.changes.get("permit_seconds")
    if waits is None or seconds is None or waits.by <= 0:
        return None
    return seconds.by / waits.by


def _hours_left(growth: Growth, limit: int | None) -> float | None:
    resident = growth.changes["resident"]
    if limit is None or growth.seconds is None or not resident.grows:
        return None
    return max(0.0, (limit - resident.last) / resident.by * growth.seconds / 3600)
