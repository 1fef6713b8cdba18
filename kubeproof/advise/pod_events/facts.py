"""What the files say of each pod, whatever it fits: created, tried, nominated, bound, rejected, and how long silent."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from attrs import frozen

from kubeproof.advise.pod_events.admission import is_rejection, rejected
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import moment_text
from kubeproof.advise.pod_events.overcommitted import bound_by
from kubeproof.advise.pod_events.picture import AttemptLog, Picture, Pod
from kubeproof.advise.pod_events.timeline import Timeline, bound_at
from kubeproof.advise.pod_events.untried import never_tried

# A group names so many pods. Its count has all of them.
NAMED = 20

# The odd ones first.
State = Literal[
    "rejected by its kubelet",
    "waits, never tried",
    "waits, nominated",
    "waits, tried",
    "waits at scheduling gates",
    "is being deleted",
    "has a node, and is not started",
    "has a node",
    "has ended",
]
STATES: tuple[State, ...] = State.__args__  # type: ignore[attr-defined]


@frozen
class PodFacts:
    """What the files say of one pod. A time is None, and a text "", if they do not say it."""

    # Namespace/name.
    pod: str
    uid: str
    state: State
    # The scheduler that the pod names.
    scheduler: str
    created: str | None
    # The attempts that failed: the first, the last, how many, and who tells of the last.
    failed_first: str | None
    failed_last: str | None
    failed_times: int
    failed_by: str
    # Attempts of which a scheduler's log tells.
    logged_times: int
    nominated_for: str
    node: str
    bound: str | None
    bound_by: str
    # What the kubelet said that rejected the pod.
    rejected: str | None
    rejected_for: str
    deleted: str | None
    # For how many seconds the files tell of nothing new about the pod, against `Picture.now`.
    silent: float | None


@frozen
class PodGroup:
    """Pods in one state that name one scheduler."""

    state: State
    scheduler: str
    count: int
    # The first of them.
    pods: tuple[str, ...]
    # The first and the last creation.
    created_first: str | None
    created_last: str | None
    # The most seconds without anything new.
    silent: float | None


@frozen
class LogFacts:
    """What a log of a scheduler says."""

    file: str
    begins: str | None
    ends: str | None
    # How many attempts, and of how many pods.
    attempts: int
    pods: int
    # When its process last got the lease, and when it last lost it.
    leads: str | None
    lost: str | None


def log_facts(log: AttemptLog) -> LogFacts:
    """The facts of one log."""
    attempts = sum(times for _, times in log.tried.values())
    leads, lost = (moment_text(moments[-1] if moments else None) for moments in (log.leads, log.lost))
    return LogFacts(log.file, moment_text(log.begins), moment_text(log.ends), attempts, len(log.tried), leads, lost)


def pod_facts(picture: Picture, lines: list[Timeline]) -> tuple[PodFacts, ...]:
    """The facts of each pod that a list has, the odd ones first."""
    said = {event.uid: event for event in picture.events if is_rejection(event)}
    facts = []
    for line in lines:
        pod = line.pod
        if pod is None:
            continue
        failed = [event for event in line.failed if line.is_own(event)]
        bound = bound_at(line)
        event = said.get(pod.uid)
        last = failed[-1] if failed else None
        moments = [pod.created, line.last_attempt, pod.finished, pod.nominated_written]
        moments += [event.last if event is not None else None]
        moments += [bound.at if bound is not None else None, pod.scheduled.since if pod.scheduled is not None else None]
        facts.append(
            PodFacts(
                pod=pod.full_name,
                uid=pod.uid,
                state=_state(line, pod),
                scheduler=pod.scheduler,
                created=moment_text(pod.created),
                failed_first=moment_text(failed[0].first if failed else None),
                failed_last=moment_text(last.last if last is not None else None),
                failed_times=sum(each.count for each in failed),
                failed_by=last.by if last is not None else "",
                logged_times=line.logged_times,
                nominated_for=pod.nominated,
                node=pod.node,
                bound=moment_text(bound.at if bound is not None else None),
                bound_by=bound_by(pod, line) if pod.node else "",
                rejected=moment_text(event.last if event is not None else None),
                rejected_for=event.reason if event is not None else pod.reason if rejected(pod) else "",
                deleted=moment_text(pod.deleted),
                silent=_silent(picture.now, moments),
            )
        )
    return tuple(sorted(facts, key=lambda each: STATES.index(each.state)))


def groups_of(facts: Iterable[PodFacts]) -> tuple[PodGroup, ...]:
    """The pods by state and scheduler, the odd ones first."""
    groups: dict[tuple[State, str], list[PodFacts]] = defaultdict(list)
    for each in facts:
        groups[each.state, each.scheduler].append(each)
    return tuple(
        PodGroup(
            state=state,
            scheduler=scheduler,
            count=len(group),
            pods=tuple(each.pod for each in group[:NAMED]),
            created_first=min((each.created for each in group if each.created), default=None),
            created_last=max((each.created for each in group if each.created), default=None),
            silent=max((each.silent for each in group if each.silent is not None), default=None),
        )
        for (state, scheduler), group in groups.items()
    )


def _state(line: Timeline, pod: Pod) -> State:
    if rejected(pod):
        return "rejected by its kubelet"
    if pod.terminal:
        return "has ended"
    if pod.deleting:
        return "is being deleted"
    if pod.node:
        return "has a node, and is not started" if pod.phase == "Pending" else "has a node"
    if pod.gates:
        return "waits at scheduling gates"
    if never_tried(line):
        return "waits, never tried"
    return "waits, nominated" if pod.nominated else "waits, tried"


def _silent(now: Moment | None, moments: Iterable[Moment | None]) -> float | None:
    known = [moment for moment in moments if moment is not None]
    if now is None or not known:
        return None
    return max(0.0, (now.at - max(moment.at for moment in known)).total_seconds())
