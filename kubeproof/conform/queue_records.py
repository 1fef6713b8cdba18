"""The records that Pop returned in a recorded case of the queue. In Go a record is one object, whoever holds it.

The scheduler hands a record back once after each Pop. A case may do so again, when the pod has left the queue without
Pop, or after an update of the queue's pod to another UID. Then the record shows what Go's queue has written into it,
and the model has values in place of objects. So that is kept here: how often the pod was popped, and in 1.33 the end of
its backoff. `getBackoffTime` of pkg/scheduler/backend/queue/backoff_queue.go works the end out once
(`BackoffExpiration`), and Pop forgets it; from 1.34 on `AddUnschedulableIfNotPresent` does.
"""

from collections.abc import Callable

from attrs import define

from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo

BackoffTime = Callable[[QueueSetup, Queue, QueuedPodInfo], int | None]


@define
class _Record:
    # As Pop returned it last, or as it was handed back since.
    info: QueuedPodInfo
    # The end of the backoff in ms, None if nobody has asked for it since Pop.
    end: int | None = None


class Records:
    """The records of a case."""

    def __init__(self, backoff_time: BackoffTime) -> None:
        # The rule of the release, which works an end out whenever it is asked.
        self._worked_out = backoff_time
        # The record that Pop last returned of a UID, and the one that was last handed back of a pod name.
        self._popped: dict[str, _Record] = {}
        self._queued: dict[str, _Record] = {}

    def pop(self, info: QueuedPodInfo) -> None:
        """Pop returns `info`."""
        # In its first attempt a record was not handed back yet.
        queued = self._queued.get(info.pod.name) if info.attempts > 1 else None
        record = _Record(info) if queued is None else queued
        record.info, record.end = info, None
        self._popped[info.pod.uid] = record

    def popped(self, uid: str) -> QueuedPodInfo:
        """The record that Pop last returned of this UID."""
        return self._popped[uid].info

    def hand_back(self, uid: str, info: QueuedPodInfo, copy: bool) -> None:
        """The record that Pop last returned of this UID, or a copy of it, comes into the queue as `info`."""
        record = self._popped[uid]
        record = _Record(info, record.end) if copy else record
        record.info = info
        self._queued[info.pod.name] = record

    def end(self, setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
        """The end of the pod's backoff in ms; None if there is none."""
        end, record = self._worked_out(setup, queue, info), self._queued.get(info.pod.name)
        return end if end is None or record is None or record.end is None else record.end

    def kept_end(self, setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
        """The same as a rule `backoff_time` that keeps the end (1.33)."""
        end, record = self.end(setup, queue, info), self._queued.get(info.pod.name)
        if record is not None:
            record.end = end
        return end
