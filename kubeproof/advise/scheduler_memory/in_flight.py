"""How long the list of pods in flight and events is: seen, estimated, or not to be seen. Pure.

Go: `inFlightEvents` of the scheduling queue. `scheduler_inflight_events` counts its elements by event from 1.32 on
(`ObserveInFlightEventsAsync` in pkg/scheduler/metrics/metric_recorder.go). The recorder buffers, so the gauge may lag.
"""

from typing import Literal

from attrs import evolve, frozen
from packaging.version import Version

from kubeproof.advise.scheduler_memory.figures import IN_FLIGHT, POD_POPPED
from kubeproof.advise.scheduler_memory.growth import Run
from kubeproof.advise.scheduler_memory.heap_profile import SAMPLE_BYTES, relative_error
from kubeproof.advise.scheduler_memory.picture import Dump, HeapProfile, Picture
from kubeproof.advise.scheduler_memory.question import Question
from kubeproof.growth.run import ELEMENT_BYTES

FIRST_WITH_GAUGE = Version("1.32.0")
How = Literal["seen", "estimated", "not to be seen in this release", "not in these files", "there is none"]

# The list grows if it gets longer by so many elements, and by half: a busy scheduler has some at any time.
ELEMENTS_GROWN, PART_GROWN = 1000, 0.5


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
    # What a reader of the numbers must know, or "".
    caution: str = ""

    @property
    def grows(self) -> bool | None:
        """Whether the list gets longer; None: fewer than two lengths are known."""
        if len(self.lengths) < 2:
            return None
        by = self.lengths[-1] - self.lengths[0]
        return by >= max(ELEMENTS_GROWN, PART_GROWN * self.lengths[0])

    @property
    def estimated_long(self) -> bool:
        """Whether a heap profile has at least one sample of the list, which stands for some 10,900 elements."""
        return self.how == "estimated" and bool(self.lengths) and self.lengths[-1] * ELEMENT_BYTES >= SAMPLE_BYTES


def in_flight_of(asked: Question, run: Run | None, picture: Picture) -> InFlight:
    """What is known of the list, by the best that shows it: the log, the metric, a heap profile.

    `run`: the process that is judged, None if there are no dumps.
    """
    if asked.has_list is False:
        return InFlight("there is none")
    by_log = [log for log in picture.logs if log.sizes]
    if by_log:
        sizes = tuple(size for log in by_log for size in log.sizes)
        return InFlight("seen", "inFlightEventsSize in the log", sizes, tuple(n for log in by_log for n in log.pods))
    seen = [dump for dump in run.dumps if dump.in_flight is not None] if run is not None else []
    if seen:
        return _by_gauge(seen)
    if picture.profiles:
        return _by_profile(picture.profiles)
    old = asked.release is not None and asked.release.version < FIRST_WITH_GAUGE
    return InFlight("not to be seen in this release" if old else "not in these files")


def _by_profile(profiles: tuple[HeapProfile, ...]) -> InFlight:
    lengths = tuple(profile.elements for profile in profiles)
    last, caution = profiles[-1], ""
    if not last.elements:
        most = "" if last.left_out is None else f"; what is not listed is at most {last.left_out} elements"
        caution = f"the profile does not list insertValue{most}"
    error = relative_error(last.elements) if last.elements else None
    return InFlight("estimated", f"insertValue in {last.file}", lengths, error=error, caution=caution)


def _by_gauge(seen: list[Dump]) -> InFlight:
    # The gauge may lose updates and then be below 0.
    lengths = tuple(max(0, round(sum((dump.in_flight or {}).values()))) for dump in seen)
    pods = tuple(max(0, round((dump.in_flight or {}).get(POD_POPPED, 0.0))) for dump in seen)
    found = InFlight("seen", IN_FLIGHT, lengths, pods)
    if any(dump.figures.get("pod_groups", 0.0) > 0 for dump in seen):
        return evolve(found, caution="pods of a group are in flight together, so their number says nothing of cycles")
    if any("binding" not in dump.figures for dump in seen):
        return evolve(found, caution="scheduler_goroutines{operation=binding} is not in each dump")
    # One scheduling cycle runs at a time, and each binding cycle in a goroutine of its own.
    spare = min(pod - round(dump.figures["binding"]) - 1 for pod, dump in zip(pods, seen, strict=True))
    return evolve(found, without_cycle=max(0, spare))
