"""How long the list of pods in flight and events is: seen, estimated, or not to be seen. Pure.

Go: `inFlightEvents` of the scheduling queue. `scheduler_inflight_events` counts its elements by event from 1.32 on
(`ObserveInFlightEventsAsync` in pkg/scheduler/metrics/metric_recorder.go). The recorder buffers, so the gauge may lag.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from attrs import evolve, frozen
from packaging.version import Version

from kubeproof.advise.scheduler_memory.figures import IN_FLIGHT, POD_POPPED
from kubeproof.advise.scheduler_memory.growth import PART_GROWN, Run
from kubeproof.advise.scheduler_memory.heap_profile import error_of, relative_error
from kubeproof.advise.scheduler_memory.picture import Dump, HeapProfile, Log, Picture
from kubeproof.advise.scheduler_memory.question import MemoryQuestion

FIRST_WITH_GAUGE = Version("1.32.0")
How = Literal["seen", "estimated", "not to be seen in this release", "not in these files", "there is none"]

# The list grows if it gets longer by so many elements, and by such a part as bytes: a busy scheduler has some at any
# time.
ELEMENTS_GROWN = 1000
# An estimate that may be off by more than this part of it is no verdict: it has fewer than four samples.
LARGEST_ERROR = 0.5
SHORTER = "the list is shorter at the end, and a restart may lie between"
# Times without a year that lie further apart may be of two years.
HALF_A_YEAR = timedelta(days=183)


@frozen
class InFlight:
    """What is known of the list."""

    how: How
    # What shows it: a metric, a log, a heap profile; or "".
    by: str = ""
    # Its length, in each dump of the process that is judged, line of the log, or profile; empty if it is not seen.
    lengths: tuple[int, ...] = ()
    # Of the elements, the pods.
    pods: tuple[int, ...] = ()
    # Elements of pods that no running cycle can own, in the dump with the fewest; None: not known.
    without_cycle: int | None = None
    # How far the last length may be off, as a part of it, where it is estimated: one standard deviation.
    error: float | None = None
    # Whether the list gets longer; None: not known.
    grows: bool | None = None
    # What a reader of the numbers must know, or "".
    caution: str = ""

    @property
    def estimated_long(self) -> bool:
        """Whether a heap profile has enough samples of the list to call the list long."""
        return self.how == "estimated" and self.error is not None and self.error <= LARGEST_ERROR

    @property
    def many_without_cycle(self) -> bool:
        """Whether so many pods belong to no running cycle that a gauge that lags is no reason."""
        return self.without_cycle is not None and self.without_cycle >= ELEMENTS_GROWN


def in_flight_of(asked: MemoryQuestion, run: Run | None, picture: Picture) -> InFlight:
    """What is known of the list, by the best that shows it: the log, the metric, a heap profile.

    `run`: the process that is judged, None if there are no dumps.
    """
    if asked.has_list is False:
        return InFlight("there is none")
    by_log = [log for log in picture.logs if log.sizes]
    if by_log:
        return _by_log(by_log)
    seen = [dump for dump in run.dumps if dump.in_flight is not None] if run is not None else []
    if seen:
        return _by_gauge(seen)
    if picture.profiles:
        return _by_profile(picture.profiles)
    old = asked.release is not None and asked.release.version < FIRST_WITH_GAUGE
    return InFlight("not to be seen in this release" if old else "not in these files")


def _longer(lengths: tuple[int, ...]) -> bool:
    """Whether the last length is more than the first one by more than noise."""
    return lengths[-1] - lengths[0] >= max(ELEMENTS_GROWN, PART_GROWN * lengths[0])


def _in_order(times: Sequence[datetime | None]) -> list[int] | None:
    """The order of files with these times, as indices; None: not known."""
    if len(times) < 2:
        return list(range(len(times)))
    known = [at for at in times if at is not None]
    if len(known) < len(times) or max(known) - min(known) > HALF_A_YEAR:
        return None
    order = sorted(range(len(known)), key=known.__getitem__)
    return order if all(known[one] < known[two] for one, two in pairwise(order)) else None


def _by_log(logs: list[Log]) -> InFlight:
    order = _in_order([log.begins for log in logs])
    logs = logs if order is None else [logs[index] for index in order]
    lengths = tuple(size for log in logs for size in log.sizes)
    found = InFlight("seen", "inFlightEventsSize in the log", lengths, tuple(n for log in logs for n in log.pods))
    if len(lengths) < 2:
        return found
    if order is None:
        return evolve(found, caution="which of the logs was written first is not known")
    if lengths[-1] < lengths[0]:
        return evolve(found, caution=SHORTER)
    return evolve(found, grows=_longer(lengths))


def _by_profile(given: tuple[HeapProfile, ...]) -> InFlight:
    order = _in_order([profile.taken for profile in given]) if len({each.zone for each in given}) == 1 else None
    # Where the order is not known the longest list counts, whatever the order of the files.
    by_length = sorted(given, key=lambda profile: profile.elements)
    profiles = by_length if order is None else [given[index] for index in order]
    lengths = tuple(profile.elements for profile in profiles)
    last, cautions = profiles[-1], []
    if not last.elements:
        most = "" if last.left_out is None else f"; what is not listed is at most {last.left_out} elements"
        cautions.append(f"the profile does not list insertValue{most}")
    grows = None
    if order is None:
        cautions.append("which of the profiles was taken first is not known")
    elif len(profiles) > 1:
        grows, caution = _longer_by_profiles(profiles[0], last)
        cautions.append(caution)
    error = relative_error(last.elements) if last.elements else None
    by, caution = f"insertValue in {last.file}", "; ".join(filter(None, cautions))
    return InFlight("estimated", by, lengths, error=error, grows=grows, caution=caution)


def _longer_by_profiles(first: HeapProfile, last: HeapProfile) -> tuple[bool | None, str]:
    """Whether the list gets longer from one profile to the other, and why this is not known, or ""."""
    if abs(last.elements - first.elements) <= error_of(first) + error_of(last):
        return None, "the lengths differ by no more than their errors"
    if last.elements < first.elements:
        return None, SHORTER
    return _longer((first.elements, last.elements)), ""


def _by_gauge(seen: list[Dump]) -> InFlight:
    # The gauge may lose updates and then be below 0.
    lengths = tuple(max(0, round(sum((dump.in_flight or {}).values()))) for dump in seen)
    pods = tuple(max(0, round((dump.in_flight or {}).get(POD_POPPED, 0.0))) for dump in seen)
    found = InFlight("seen", IN_FLIGHT, lengths, pods, grows=_longer(lengths) if len(lengths) > 1 else None)
    if any(dump.figures.get("pod_groups", 0.0) > 0 for dump in seen):
        return evolve(found, caution="pods of a group are in flight together, so their number says nothing of cycles")
    if any("binding" not in dump.figures for dump in seen):
        return evolve(found, caution="scheduler_goroutines{operation=binding} is not in each dump")
    # One scheduling cycle runs at a time, and each binding cycle in a goroutine of its own.
    spare = min(pod - round(dump.figures["binding"]) - 1 for pod, dump in zip(pods, seen, strict=True))
    return evolve(found, without_cycle=max(0, spare))
