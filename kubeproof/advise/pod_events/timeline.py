"""What the scheduler's events say of one pod, by uid, and when the pod was bound. Pure functions.

An event has the time of the scheduler's clock, and a condition that of the API server's clock. Where times of both are
compared, a difference of a few seconds says nothing.
"""

from collections import defaultdict
from datetime import timedelta

from attrs import Factory, define, frozen

from kubeproof.advise.pod_events.failure import preempted_by
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.picture import AttemptLog, Event, Picture, Pod

# How far apart the clocks of two machines may be, with time synchronisation.
CLOCKS = timedelta(seconds=5)


@define
class Timeline:
    """The events of the pod with this uid."""

    uid: str
    # Namespace/name.
    name: str
    # None: only events name the pod.
    pod: Pod | None = None
    # Its Scheduled and FailedScheduling events, and the Preempted events of its victims, by time.
    scheduled: list[Event] = Factory(list)
    failed: list[Event] = Factory(list)
    preempted: list[Event] = Factory(list)
    # The last attempt of which a scheduler's log tells, how many there are, and whether the log has heard of the pod.
    logged: Moment | None = None
    logged_times: int = 0
    heard: bool = False

    @property
    def scheduler(self) -> str:
        """The scheduler that the pod names, or "" if nothing says which."""
        if self.pod is not None:
            return self.pod.scheduler
        return next((event.by for event in self.scheduled if event.by), "")

    @property
    def attempts(self) -> list[Event]:
        """The events of attempts of the pod's scheduler, by time."""
        return [event for event in (*self.failed, *self.scheduled) if self.is_own(event)]

    @property
    def last_attempt(self) -> Moment | None:
        """When the last attempt was that an event or a line of a log tells of."""
        moments = [event.last for event in self.attempts if event.last is not None]
        moments += [moment for moment in (self.logged,) if moment is not None]
        return max(moments, default=None, key=lambda moment: moment.at)

    def is_own(self, event: Event) -> bool:
        """Whether the event is from the pod's scheduler. Other programs write events with the same reasons."""
        return not event.by or not self.scheduler or event.by == self.scheduler


@frozen
class Attempt:
    """The last known attempt to schedule a pod, which failed."""

    # When, if an event says so.
    at: Moment | None
    # What the scheduler said.
    text: str
    event: Event | None


@define
class Bound:
    """When a pod was bound, and by which clock."""

    at: Moment
    # The Scheduled event; None: `at` is the time of the condition.
    event: Event | None

    def before(self, later: Moment) -> bool:
        """Whether `later`, a time of the scheduler's clock, was certainly after the bind."""
        return later.later_than(self.at, timedelta(0) if self.event is not None else CLOCKS)


def timelines(picture: Picture) -> list[Timeline]:
    """A timeline for each pod that a list or an event names by its uid, in the order of reading."""
    pods = picture.by_uid
    lines = {pod.uid: Timeline(pod.uid, pod.full_name, pod) for pod in pods.values()}
    uids: dict[str, set[str]] = defaultdict(set)
    for pod in pods.values():
        uids[pod.full_name].add(pod.uid)
    for event in picture.events:
        if event.kind == "Pod" and event.uid:
            name = f"{event.namespace}/{event.name}"
            uids[name].add(event.uid)
            line = lines.setdefault(event.uid, Timeline(event.uid, name))
            if event.reason == "Scheduled":
                line.scheduled.append(event)
            elif event.reason == "FailedScheduling":
                line.failed.append(event)
    for event in picture.events:
        if event.reason == "Preempted":
            preemptor = _preemptor(event, uids)
            if preemptor in lines:
                lines[preemptor].preempted.append(event)
    for log in picture.logs:
        _with_log(lines, uids, log)
    for line in lines.values():
        for events in (line.scheduled, line.failed, line.preempted):
            events.sort(key=lambda event: (event.last is not None, event.last.at if event.last else None))
    return list(lines.values())


def _with_log(lines: dict[str, Timeline], uids: dict[str, set[str]], log: AttemptLog) -> None:
    """Adds what a log says. Of a pod of which events tell it adds only when the pod was tried: nothing counts twice."""

    def line_of(name: str) -> Timeline | None:
        known = uids[name]
        if len(known) > 1:
            return None
        # A log has no uids.
        uid = next(iter(known), name)
        known.add(uid)
        return lines.setdefault(uid, Timeline(uid, name))

    for name in log.heard:
        if (line := line_of(name)) is not None:
            line.heard = True
    for name, (last, times) in log.tried.items():
        if (line := line_of(name)) is not None:
            line.logged = (
                last if line.logged is None or (last is not None and last.at > line.logged.at) else line.logged
            )
            line.logged_times += times
    for event in log.events:
        if event.reason == "Preempted":
            by = preempted_by(event.message)
            line = line_of(by.name) if by is not None and by.name else None
            if line is not None and all(each.logged for each in line.preempted):
                line.preempted.append(event)
        else:
            line = line_of(f"{event.namespace}/{event.name}")
            if line is not None and all(each.logged for each in (*line.scheduled, *line.failed)):
                (line.scheduled if event.reason == "Scheduled" else line.failed).append(event)


def last_failure(line: Timeline) -> Attempt:
    """The last attempt. A condition has the message of the last attempt, a series of events that of the first."""
    own = [event for event in line.failed if line.is_own(event) and event.last is not None]
    event = own[-1] if own else None
    condition = line.pod.scheduled if line.pod is not None else None
    if condition is not None and condition.status == "False" and condition.message:
        return Attempt(event.last if event else None, condition.message, event)
    return Attempt(event.last if event else None, event.message if event else "", event)


def bound_at(line: Timeline) -> Bound | None:
    """When the pod was bound: at its first Scheduled event; else, if it has a node, when PodScheduled became True."""
    own = [event for event in line.scheduled if line.is_own(event) and event.first is not None]
    if own:
        first = min(own, key=lambda event: event.first.at if event.first else event.last.at)  # type: ignore[union-attr]
        assert first.first is not None
        return Bound(first.first, first)
    pod = line.pod
    if pod is not None and pod.node and pod.scheduled is not None and pod.scheduled.status == "True":
        return None if pod.scheduled.since is None else Bound(pod.scheduled.since, None)
    return None


def new_leaders(picture: Picture) -> list[Moment]:
    """When a scheduler became leader. A new leader may know less of the cluster than the old leader."""
    moments = [moment for log in picture.logs for moment in log.leads]
    for event in picture.events:
        if event.reason == "LeaderElection" and "scheduler" in event.name and "became leader" in event.message:
            moments += [moment for moment in (event.first, event.last) if moment is not None]
    return moments


def _preemptor(event: Event, uids: dict[str, set[str]]) -> str:
    """The uid of the pod that took a victim's place, or "" if the event does not say for certain."""
    if event.related:
        return event.related
    by = preempted_by(event.message)
    if by is None:
        return ""
    if by.uid:
        return by.uid
    known = uids.get(by.name, set())
    return next(iter(known)) if len(known) == 1 else ""
