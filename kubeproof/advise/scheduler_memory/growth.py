"""Puts dumps in order and says what grew between the first and the last one of a process. Raises InputError only.

`process_start_time_seconds` tells one process from the next, `process_cpu_seconds_total` the order within a process.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import inf

from attrs import frozen

from kubeproof.advise.scheduler_memory.figures import COUNTERS, UNIT_OF
from kubeproof.advise.scheduler_memory.picture import Dump
from kubeproof.errors import InputError

MIB = 1 << 20
# A number of bytes grows if it grows by so much, and by such a part. Less is noise: Go's heap breathes between two
# collections, by as much as GOGC allows.
BYTES_GROWN, PART_GROWN = 16 * MIB, 0.1
# Of goroutines, pods, nodes and API calls.
COUNT_GROWN = {"goroutines": 100.0, "pending": 10.0, "api_calls": 100.0, "pods": 10.0, "nodes": 1.0, "binding": 10.0}
# If less than this part of the growth is Go heap, the heap is not what grows.
HEAP_PART = 0.25
# Clocks of two dumps may differ by so many seconds before two processes are said to have run at the same time.
SLACK = 5.0


@frozen
class Run:
    """The dumps of one process, the earliest first."""

    start: float
    dumps: tuple[Dump, ...]

    @property
    def cpu_seconds(self) -> float:
        """How much CPU the process used between the first and the last dump."""
        return self.dumps[-1].figures["cpu"] - self.dumps[0].figures["cpu"]


@frozen
class Change:
    """How a figure changed from the first to the last dump of a process."""

    first: float
    last: float
    # The metric, as the last dump names it.
    metric: str
    # Whether this is more than noise.
    grows: bool

    @property
    def by(self) -> float:
        return self.last - self.first

    @property
    def part(self) -> float:
        """The growth as a part of what was there first; infinite if there was nothing."""
        if self.first > 0:
            return self.by / self.first
        return inf if self.by > 0 else 0.0


@frozen
class Growth:
    """What grew in one process."""

    run: Run
    # By figure: those that are in two dumps or more.
    changes: dict[str, Change]
    # Between the first and the last dump; None: not known.
    seconds: float | None
    # Whether both times were given, not taken from the last garbage collections.
    exact: bool

    def grows(self, name: str) -> bool:
        return name in self.changes and self.changes[name].grows

    @property
    def memory_grows(self) -> bool:
        return self.grows("resident") or self.grows("heap")

    @property
    def heap_part(self) -> float | None:
        """Which part of the growth of resident memory is Go heap, 0 to 1; None: resident memory does not grow."""
        if not self.grows("resident"):
            return None
        return min(1.0, max(0.0, self.changes["heap"].by / self.changes["resident"].by))

    @property
    def heap_grows(self) -> bool:
        """Whether the heap is what grows."""
        part = self.heap_part
        return self.grows("heap") if part is None else part >= HEAP_PART

    def explained_by(self) -> tuple[str, ...]:
        """The figures beside the memory that grow at least half as much as the heap, as parts of what was there."""
        heap = self.changes["heap"].part
        return tuple(name for name in COUNT_GROWN if self.grows(name) and self.changes[name].part >= heap / 2)

    def grows_less(self) -> tuple[str, ...]:
        """The figures beside the memory that grow, but by a smaller part than `explained_by` asks for."""
        explained = self.explained_by()
        return tuple(name for name in COUNT_GROWN if self.grows(name) and name not in explained)


def runs_of(dumps: Sequence[Dump]) -> tuple[Run, ...]:
    """The dumps by process and in order, the earliest process first. Raises InputError for those of two schedulers."""
    by_start: dict[float, list[Dump]] = {}
    for dump in dumps:
        by_start.setdefault(dump.figures["start"], []).append(dump)
    runs = []
    for start, own in sorted(by_start.items()):
        own.sort(key=lambda dump: (dump.figures["cpu"], dump.last_alive))
        for before, after in pairwise(own):
            _in_order(before, after)
        runs.append(Run(start, tuple(own)))
    for earlier, later in pairwise(runs):
        alive = max(earlier.dumps, key=lambda dump: dump.last_alive)
        if alive.last_alive > later.start + SLACK:
            raise InputError(
                f"{later.dumps[0].file}: this scheduler started before {alive.file} was taken from another: expected "
                "dumps of one scheduler"
            )
    return tuple(runs)


def judged_run(runs: Sequence[Run]) -> Run | None:
    """The process that is judged: the one that was watched longest, by the CPU that it used.

    If no process has two dumps, the last process. None: there are no dumps.
    """
    watched = [run for run in runs if len(run.dumps) > 1]
    if watched:
        return max(watched, key=lambda each: each.cpu_seconds)
    return runs[-1] if runs else None


def growth_of(runs: Sequence[Run]) -> Growth | None:
    """What grew in the process that is judged; None: no process has two dumps."""
    run = judged_run(runs)
    if run is None or len(run.dumps) < 2:
        return None
    changes = {}
    for name in UNIT_OF:
        having = [dump for dump in run.dumps if name in dump.figures]
        if len(having) > 1:
            before, after = having[0].figures[name], having[-1].figures[name]
            changes[name] = Change(before, after, having[-1].metrics[name], _grows(name, before, after))
    first, last = run.dumps[0], run.dumps[-1]
    exact = first.at is not None and last.at is not None
    begun, ended = (first.at, last.at) if exact else (first.taken_about, last.taken_about)
    seconds = (ended - begun).total_seconds() if begun is not None and ended is not None else None
    return Growth(run, changes, seconds if seconds and seconds > 0 else None, exact)


def started(run: Run) -> datetime | None:
    """When the process started."""
    return datetime.fromtimestamp(run.start, UTC) if 0 < run.start < 1e11 else None


def _grows(name: str, first: float, last: float) -> bool:
    if UNIT_OF[name] != "bytes" and name not in COUNT_GROWN:
        return last > first
    return last - first >= max(COUNT_GROWN.get(name, float(BYTES_GROWN)), PART_GROWN * first)


def _in_order(before: Dump, after: Dump) -> None:
    """Refuses what two dumps of one process cannot say."""
    if before.figures == after.figures and before.in_flight == after.in_flight:
        raise InputError(f"{after.file}: says the same as {before.file}: expected dumps taken at different times")
    for name in COUNTERS:
        was, now = before.figures.get(name), after.figures.get(name)
        if was is not None and now is not None and now < was:
            text = f"{after.metrics[name]} falls from {was:g} to {now:g} after {before.file}, without a restart"
            raise InputError(f"{after.file}: {text}: expected dumps of one scheduler")
    if before.at is not None and after.at is not None and after.at < before.at:
        raise InputError(
            f"{after.file}: has used more CPU than {before.file}, which was taken later as given: expected FILE@TIME "
            "with the time of each dump"
        )
