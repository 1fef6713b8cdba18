"""How long the list of pods in flight and events is: seen, or not to be seen. Pure.

Go: `inFlightEvents` of the scheduling queue. `scheduler_inflight_events` counts its elements by event from 1.32 on
(`ObserveInFlightEventsAsync` in pkg/scheduler/metrics/metric_recorder.go). The recorder buffers, so the gauge may lag.
"""

from typing import Literal

from attrs import frozen
from packaging.version import Version

from kubeproof.advise.scheduler_memory.figures import POD_POPPED
from kubeproof.advise.scheduler_memory.growth import Run
from kubeproof.advise.scheduler_memory.question import Question

FIRST_WITH_GAUGE = Version("1.32.0")
How = Literal["seen", "not to be seen in this release", "not in these files", "there is none"]

# Bytes of an element of container/list and of a `clusterEvent`, as Go's allocator rounds them up on 64 bits.
ELEMENT_BYTES, EVENT_BYTES = 48, 80
# The list grows if it gets longer by so many elements, and by half: a busy scheduler has some at any time.
ELEMENTS_GROWN, PART_GROWN = 1000, 0.5


@frozen
class InFlight:
    """What is known of the list."""

    how: How
    # Its length in each dump of the process that is judged; empty if it is not seen.
    lengths: tuple[int, ...] = ()
    # Of the elements, the pods.
    pods: tuple[int, ...] = ()
    # Elements of pods that no running cycle can own, in the dump with the fewest; None: not known.
    without_cycle: int | None = None
    # Why `without_cycle` is not known although pods are seen, or "".
    caution: str = ""

    @property
    def grows(self) -> bool | None:
        """Whether the list gets longer; None: fewer than two lengths are known."""
        if len(self.lengths) < 2:
            return None
        by = self.lengths[-1] - self.lengths[0]
        return by >= max(ELEMENTS_GROWN, PART_GROWN * self.lengths[0])

    @property
    def grown_bytes(self) -> int:
        """What the elements and the events that were added take, without the objects that they keep alive."""
        return max(0, self.lengths[-1] - self.lengths[0]) * (ELEMENT_BYTES + EVENT_BYTES) if self.lengths else 0


def in_flight_of(asked: Question, run: Run | None) -> InFlight:
    """What the dumps of one process say of the list; without a `run` only what the release says."""
    if asked.has_list is False:
        return InFlight("there is none")
    seen = [dump for dump in run.dumps if dump.in_flight is not None] if run is not None else []
    if not seen:
        old = asked.release is not None and asked.release.version < FIRST_WITH_GAUGE
        return InFlight("not to be seen in this release" if old else "not in these files")
    # The gauge may lose updates and then be below 0.
    lengths = tuple(max(0, round(sum((dump.in_flight or {}).values()))) for dump in seen)
    pods = tuple(max(0, round((dump.in_flight or {}).get(POD_POPPED, 0.0))) for dump in seen)
    if any(dump.figures.get("pod_groups", 0.0) > 0 for dump in seen):
        caution = "pods of a group are in flight together, so their number says nothing of cycles"
        return InFlight("seen", lengths, pods, None, caution)
    if any("binding" not in dump.figures for dump in seen):
        return InFlight("seen", lengths, pods, None, "scheduler_goroutines{operation=binding} is not in each dump")
    # One scheduling cycle runs at a time, and each binding cycle in a goroutine of its own.
    spare = min(pod - round(dump.figures["binding"]) - 1 for pod, dump in zip(pods, seen, strict=True))
    return InFlight("seen", lengths, pods, max(0, spare))
