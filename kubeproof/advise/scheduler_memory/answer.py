"""Whether a scheduler's memory grows as queueing hints make it grow: the answer as data. `rendering` makes text of it.

Never more is said than that a bug fits: no input shows which pod's element holds the list.
"""

from typing import Any, Literal

from attrs import frozen
from cattrs.preconf.json import make_converter

from kubeproof.advise.scheduler_memory.advice import advice_of, next_input
from kubeproof.advise.scheduler_memory.bugs import HintsBug, of_release
from kubeproof.advise.scheduler_memory.figures import METRIC_OF
from kubeproof.advise.scheduler_memory.growth import Growth, growth_of, runs_of, started
from kubeproof.advise.scheduler_memory.in_flight import InFlight, in_flight_of
from kubeproof.advise.scheduler_memory.picture import FileRead, Picture
from kubeproof.advise.scheduler_memory.question import Question

# `fits`: a modelled bug fits; `steady`: nothing grows; `unexplained`: it grows, or may grow, and the files do not tell.
Verdict = Literal["fits", "steady", "unexplained"]


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
    # The files with its dumps, the earliest first.
    dumps: tuple[str, ...]


@frozen
class ListLength:
    """The list of pods in flight and events. The fields are those of `in_flight.InFlight`."""

    how: str
    lengths: tuple[int, ...]
    pods: tuple[int, ...]
    without_cycle: int | None
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


def analyse(picture: Picture, asked: Question) -> MemoryAnswer:
    """The answer. Raises InputError if the dumps are not those of one scheduler."""
    runs = runs_of(picture.dumps)
    growth = growth_of(runs)
    run = growth.run if growth is not None else runs[-1] if runs else None
    in_flight = in_flight_of(asked, run)
    verdict, why, bugs = _judged(asked, growth, in_flight, picture)
    return MemoryAnswer(
        verdict=verdict,
        why=why,
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
            in_flight.how, in_flight.lengths, in_flight.pods, in_flight.without_cycle, in_flight.grows,
            in_flight.caution,
        ),
        bugs=tuple(Fit(bug.id, bug.title, bug.how, bug.leaks, bug.issues, bug.fixes) for bug in bugs),
        limit=asked.limit,
        limit_by=asked.limit_by,
        hours_left=None if growth is None else _hours_left(growth, asked.limit),
        killed=tuple(Killed(pod.name, pod.oom_killed, pod.restarts) for pod in picture.pods if pod.oom_killed),
        to_do=advice_of(asked, bool(bugs)),
        would_decide=next_input(asked, verdict == "steady", growth, in_flight),
        notes=asked.notes,
    )  # fmt: skip


def exit_status(answer: MemoryAnswer) -> int:
    """1 if a modelled bug fits, 0 if nothing grows, 3 if something grows or may grow and the files do not tell why."""
    return {"fits": 1, "steady": 0, "unexplained": 3}[answer.verdict]


def to_json(answer: MemoryAnswer) -> dict[str, Any]:
    """The answer in plain lists, dicts, strings, numbers."""
    plain: dict[str, Any] = make_converter().unstructure(answer)
    return plain


def _judged(
    asked: Question, growth: Growth | None, in_flight: InFlight, picture: Picture
) -> tuple[Verdict, str, tuple[HintsBug, ...]]:
    """The verdict, why, and the bugs that fit."""
    own = of_release(asked.release) if asked.has_list else ()
    if growth is None:
        few = "one dump of a process tells no growth" if picture.dumps else "no dump of /metrics is given"
        killed = any(pod.oom_killed for pod in picture.pods)
        return "unexplained", f"{few}, though the pod was killed for its memory" if killed else few, ()
    if in_flight.grows and in_flight.without_cycle:
        left = f"{in_flight.without_cycle} pods or more of the list belong to no running cycle"
        if any(bug.leaks for bug in own):
            return "fits", left, own
        return "unexplained", f"{left}, which no modelled bug of the release leaves, or the gauge lost updates", ()
    if in_flight.grows and own:
        return "fits", "the list of pods in flight and events gets longer", own
    if not growth.memory_grows:
        return "steady", "neither resident memory nor the Go heap grows by more than noise", ()
    if not growth.heap_grows:
        return "unexplained", "the Go heap does not grow with it: look at the runtime or at transparent huge pages", ()
    if in_flight.how == "there is none":
        absent = "the gate SchedulerQueueingHints is off" if asked.gate.by else "the release has no queueing hints"
        return "unexplained", f"{absent}, so that no event is kept for pods in flight", ()
    if in_flight.how == "seen":
        once = "the list is seen in one dump only"
        return "unexplained", once if in_flight.grows is None else "the list does not get longer", ()
    if not growth.run.dumps[-1].figures.get("attempts"):
        return "unexplained", "this process has scheduled no pod, perhaps since it does not lead: its list is empty", ()
    others = growth.explained_by()
    if others:
        return "unexplained", f"{_listed(others)} may explain it, and these files do not show the list", ()
    if asked.release is None or not own:
        return "unexplained", "whether this scheduler keeps events for pods in flight is not known", ()
    if in_flight.how == "not in these files":
        return "unexplained", "scheduler_inflight_events, which this release has, is not in these files", ()
    return "fits", "the Go heap grows, and nothing that the dumps show grows with it", own


def _listed(names: tuple[str, ...]) -> str:
    texts = [{"pending": "pending pods", "pods": "pods in the cache", "nodes": "nodes in the cache",
              "binding": "binding cycles"}.get(name, name) for name in names]  # fmt: skip
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _process(start: float, at: Any, dumps: tuple[Any, ...]) -> Process:
    return Process(None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ"), tuple(dump.file for dump in dumps))


def _figures(growth: Growth) -> tuple[Grown, ...]:
    passed_over = ("start", "last_gc")
    return tuple(
        Grown(name, METRIC_OF[name], change.first, change.last, change.grows)
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
