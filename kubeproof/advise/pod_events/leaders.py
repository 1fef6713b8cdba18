"""Two schedulers of one name that work at the same time, by the instances in events and by the lease in logs.

Go: `LeaderElector` of client-go/tools/leaderelection. Another process gets the lease only when it was released, or was
not renewed for the lease's duration. So one that works before and after another within this time has not stopped.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import AttemptLog, Event, Picture
from kubeproof.advise.pod_events.timeline import Timeline

# leaderElection.leaseDuration of the configuration, by default.
LEASE = timedelta(seconds=15)
_CAUTION = (
    "Each has a cache of its own and hears of the other's binds late: so both give one node what it has once "
    "(#136782), and preempt for each other (#130429). Look at leaderElect, at the name of the lease, and for a second "
    "deployment."
)


def leader_findings(picture: Picture, lines: list[Timeline]) -> Findings:
    """A finding for each name of a scheduler, and for each two logs of one lease."""
    findings = Findings()
    by_name: dict[str, list[Event]] = defaultdict(list)
    for line in lines:
        for event in (*line.scheduled, *line.failed):
            if event.by and event.instance and event.first is not None:
                by_name[event.by].append(event)
    for name, events in by_name.items():
        found = _interleaved(events)
        if found:
            between = f"{found[0].instance} and {found[1].instance}"
            evidence = [
                event_evidence(event, f"{event.instance}, of {event.namespace}/{event.name}") for event in found
            ]
            findings.add_group("two-leaders", (), f"{between} both work as {name}", evidence, (), _CAUTION)
    for one, other in combinations(picture.logs, 2):
        both = _both_lead(one, other)
        if both is not None:
            evidence = [Evidence(moment_text(both), "lease", f"{one.lease}: {one.file} and {other.file} both have it")]
            findings.add_group("two-leaders", (), f"two processes hold {one.lease}", evidence, (), _CAUTION)
    return findings


def _interleaved(events: list[Event]) -> tuple[Event, ...]:
    """The first three events of one instance, another one and the first again, within the duration of a lease."""
    timed = sorted(((_first(event), event) for event in events), key=lambda each: each[0].at)
    last: dict[str, tuple[Moment, Event]] = {}
    for at, event in timed:
        mine = last.get(event.instance)
        if mine is not None and at.at - mine[0].at < LEASE:
            for theirs in last.values():
                if theirs[0].later_than(mine[0]) and at.later_than(theirs[0]):
                    return mine[1], theirs[1], event
        last[event.instance] = (at, event)
    return ()


def _first(event: Event) -> Moment:
    assert event.first is not None
    return event.first


def _both_lead(one: AttemptLog, other: AttemptLog) -> Moment | None:
    """When both processes hold one lease; None: they do not, as far as the logs say."""
    if not one.lease or one.lease != other.lease:
        return None
    for begins, ends in _terms(one):
        for since, until in _terms(other):
            if max(begins.at, since.at) < min(ends.at, until.at):
                return max(begins, since, key=lambda moment: moment.at)
    return None


def _terms(log: AttemptLog) -> Iterator[tuple[Moment, Moment]]:
    """From when to when the process of a log held the lease: to its loss, else to the end of the log."""
    for begins in log.leads:
        lost = [moment for moment in log.lost if moment.at > begins.at]
        ends = min(lost, key=lambda moment: moment.at) if lost else log.ends
        if ends is not None:
            yield begins, ends
