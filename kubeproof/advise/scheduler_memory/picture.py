"""What was read of a scheduler: dumps of its metrics, its pod, its log, events, heap profiles. Data only."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from attrs import frozen

Kind = Literal["metrics", "objects", "profile", "log", "query"]


@frozen
class FileRead:
    """A file, and what it was taken for."""

    name: str
    kind: Kind


@frozen
class Dump:
    """What one dump of `/metrics` says. A figure that is not in the dump is not in `figures`."""

    # The file's name.
    file: str
    # When it was taken, if that was given.
    at: datetime | None
    # The names are those of `figures.FIGURES`.
    figures: Mapping[str, float]
    # The metric from which each figure was read: its name changed between releases.
    metrics: Mapping[str, str]
    # `scheduler_inflight_events` by event (1.32 on, with the gate on); None: not in the dump.
    in_flight: Mapping[str, float] | None
    # `git_version` of `kubernetes_build_info`, or "".
    version: str
    # `kubernetes_feature_enabled` of SchedulerQueueingHints; None: not in the dump.
    gate: bool | None

    @property
    def last_alive(self) -> float:
        """A time in seconds since 1970 at which the process certainly ran: no later than the dump."""
        known = [self.figures.get("start", 0.0), self.figures.get("last_gc", 0.0)]
        return max([*known, self.at.timestamp()] if self.at is not None else known)

    @property
    def taken_about(self) -> datetime | None:
        """When the dump was taken: as given, or as the last garbage collection says; None: neither is known.

        Go collects at least every two minutes (`forcegcperiod` in runtime/proc.go), so the error is about that.
        """
        if self.at is not None:
            return self.at
        last = self.figures.get("last_gc", 0.0)
        return datetime.fromtimestamp(last, UTC) if 0 < last < 1e11 else None


@frozen
class SchedulerPod:
    """What the pod of a scheduler says."""

    file: str
    # Namespace/name.
    name: str
    # The release in the image's tag, or "".
    version: str
    # The gate as --feature-gates sets it; None: not set.
    gate: bool | None
    # The memory limit in bytes; None: none is set.
    limit: int | None
    restarts: int
    # When the last container was killed for its memory, as the pod says; "": it was not.
    oom_killed: str


@frozen
class HeapProfile:
    """What a heap profile says of the list."""

    file: str
    # The elements that `insertValue` has in use, as far as they are listed.
    elements: int
    # Elements that may be there although the function is not listed; None: not known.
    left_out: int | None
    # When the profile was taken, by the clock of `zone`; None: the profile does not say so.
    taken: datetime | None
    # The abbreviation of the time zone, or "".
    zone: str


@frozen
class Log:
    """What a log says of the list, in the order of its lines."""

    file: str
    # The time of its first line; None: not known. klog's text has no year: it is `log_lines.NO_YEAR`.
    begins: datetime | None
    # Elements of the list, and the pods among them.
    sizes: tuple[int, ...]
    pods: tuple[int, ...]
    # Pods that came back and were not in flight.
    not_found: tuple[str, ...]
    # Pods that Pop discarded, or refused, since they were in flight already.
    tracked_twice: tuple[str, ...]


@frozen
class Skipped:
    """A pod that was skipped since it was being deleted, as an event says."""

    file: str
    # Namespace/name.
    pod: str


@frozen
class Picture:
    """All that was read."""

    files: tuple[FileRead, ...]
    # As they were given.
    dumps: tuple[Dump, ...]
    pods: tuple[SchedulerPod, ...]
    profiles: tuple[HeapProfile, ...]
    logs: tuple[Log, ...]
    skipped: tuple[Skipped, ...]
