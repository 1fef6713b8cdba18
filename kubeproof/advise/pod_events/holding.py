"""Pods that hold room or wait for room for too long: nominations that wait, preemption again and again, deletions.

Pure functions.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Event, Picture, Pod, seconds_text
from kubeproof.advise.pod_events.timeline import Timeline
from kubeproof.advise.pod_events.timers import Timers

# A pod should be gone at its deletionTimestamp. A kubelet needs a little longer.
OVERDUE = timedelta(minutes=5)
# A pod that preempts in so many rounds, and still waits, does not get what it makes room for.
ROUNDS = 3
# Evictions within this time are one round: a preemption may have many victims.
ROUND = timedelta(minutes=1)
_ROOM_TAKEN = (
    Fit("NOM-RACE-SETTING", "if another pod took the room before the nomination was known"),
    Fit("PREEMPT-RACE-BEFORE-NOMINATE", "if an update deleted the nomination, and another pod took the room"),
    Fit("PREEMPT-VICTIM-GONE", "if the pod preempted the same victim twice, and another pod took the room"),
)
_KEPT = (
    Fit("NOM-NOT-CLEARED", "if the nomination is merely kept"),
    *_ROOM_TAKEN,
    Fit("NOM-CLEAR-OVERTAKEN", "if the nomination was cleared, and an older update brought it back"),
    Fit("NOM-CLEAR-OVERTAKEN-BY-PRIORITY", "if a pod of higher priority has taken the node"),
)
_AGAIN = (
    *_ROOM_TAKEN,
    Fit("PREEMPT-TWICE", "if it was tried again before its status was written"),
    Fit("ASYNC-PREEMPT-REPEAT", "if it was tried while its victims were being deleted"),
)
_VICTIMS = (
    "As long as its victims terminate the pod preempts nobody else (#95752): look at the node's kubelet, and at "
    "finalizers."
)
_TAKEN = "A pod of higher priority that took the room, and a pod that the scheduler does not know, do the same."
_OTHER = (
    "Another scheduler that does not know of the nomination takes the room too, with the victim's next copy (#130429)."
)
_STAYS = "A finalizer, or a kubelet that does not answer, keeps it. This is no bug of the scheduler."


def holding_findings(picture: Picture, lines: Sequence[Timeline], limits: Timers, silent: set[str]) -> Findings:
    """What is odd of nominated, preempting and deleted pods. `silent`: the uids of pods that nobody tries again."""
    findings = Findings()
    going: dict[str, list[Pod]] = defaultdict(list)
    for pod in picture.pods or ():
        if pod.node and pod.deleting and not pod.terminal:
            going[pod.node].append(pod)
    for line in lines:
        if line.pod is not None and line.pod.deleting:
            _deleting(findings, picture, line.pod)
        elif line.pod is not None and line.pod.pending:
            if line.pod.nominated and line.pod.uid not in silent:
                _nominated(findings, picture, limits, line, line.pod, going[line.pod.nominated])
            _preempted_again(findings, picture, line, line.pod)
    return findings


def _nominated(
    findings: Findings, picture: Picture, limits: Timers, line: Timeline, pod: Pod, going: Sequence[Pod]
) -> None:
    """A pod whose nomination waits although nobody on the node is going. `going`: the pods there that terminate."""
    since, now = _nominated_since(picture, line, pod), picture.now
    if since is None or now is None or not now.later_than(since, limits.longest()):
        return
    overdue = [each for each in going if _is_overdue(picture, each)]
    if going and not overdue:
        findings.normal.append(("nominated, and waits for victims that are within their grace", line.name))
        return
    evidence = [Evidence(moment_text(since), "nominated", f"for {pod.nominated}")]
    evidence += [_of_victim(event) for event in line.preempted[-2:]]
    for each in overdue[:2]:
        if each.deleted is not None:
            text = f"{each.full_name} should be gone, and is still there {seconds_text(now, each.deleted)} later"
            evidence.append(Evidence(moment_text(each.deleted), "deletionTimestamp", text))
    if not going:
        evidence.append(Evidence(None, "now", f"no pod of those given terminates on {pod.nominated}"))
    evidence.append(Evidence(moment_text(now), "newest time of pods", f"{seconds_text(now, since)} later"))
    title = f"nominated for {pod.nominated} for longer than every timer, and not placed"
    fits, caution = ([], _VICTIMS) if going else ([*_KEPT], _TAKEN)
    findings.add("nomination-waits", pod, title, evidence, fits, caution)


def _nominated_since(picture: Picture, line: Timeline, pod: Pod) -> Moment | None:
    """A time since which the pod is certainly nominated, as far as the files say; None: they do not say."""
    if pod.nominated_written is not None:
        return pod.nominated_written
    preempted = [event.last for event in line.preempted if event.last is not None]
    if preempted:
        return max(preempted, key=lambda moment: moment.at)
    since = pod.scheduled.since if pod.scheduled is not None else None
    if since is None or not picture.events_given:
        return since
    # Its preemption is older than all events.
    oldest = picture.events_from
    return None if oldest is None else max(since, oldest, key=lambda moment: moment.at)


def _is_overdue(picture: Picture, pod: Pod) -> bool:
    return pod.deleted is not None and picture.now is not None and picture.now.later_than(pod.deleted, OVERDUE)


def _deleting(findings: Findings, picture: Picture, pod: Pod) -> None:
    if pod.terminal or pod.deleted is None or picture.now is None or not _is_overdue(picture, pod):
        what = "is being deleted: it keeps its room until it is gone" if pod.node else "is being deleted: not tried"
        findings.normal.append((what, pod.full_name))
        return
    over = f"its grace period is over since {seconds_text(picture.now, pod.deleted)}"
    where = f"on {pod.node}: it keeps its room there" if pod.node else "without a node: the scheduler skips it"
    evidence = [Evidence(moment_text(pod.deleted), "deletionTimestamp", over), Evidence(None, "now", where)]
    findings.add("deletion-overdue", pod, "should be gone, and is still there", evidence, [], _STAYS)


def _preempted_again(findings: Findings, picture: Picture, line: Timeline, pod: Pod) -> None:
    rounds = list(_rounds(line.preempted))
    if len(rounds) < ROUNDS:
        return
    evidence = [_of_victim(event) for event in rounds[:2]]
    if len(rounds) > ROUNDS:
        evidence.append(Evidence(None, "now", f"{len(rounds) - ROUNDS} rounds more between"))
    evidence.append(_of_victim(rounds[-1]))
    evidence.append(Evidence(None, "now", f"still waits; {sum(event.count for event in line.preempted)} evictions"))
    others = {each.scheduler for each in picture.pods or ()} - {pod.scheduler}
    if others:
        evidence.append(Evidence(None, "now", f"other pods name other schedulers: {', '.join(sorted(others)[:3])}"))
    title = f"preempted in {len(rounds)} rounds, and still waits"
    findings.add("preempted-again", pod, title, evidence, [*_AGAIN], _OTHER)


def _of_victim(event: Event) -> Evidence:
    return event_evidence(event, f"of {event.namespace}/{event.name}")


def _rounds(preempted: Sequence[Event]) -> Iterator[Event]:
    """The first preemption of each round, by time."""
    begun: Moment | None = None
    for event in preempted:
        if event.last is not None and (begun is None or event.last.later_than(begun, ROUND)):
            begun = event.last
            yield event
