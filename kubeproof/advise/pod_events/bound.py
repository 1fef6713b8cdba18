"""Pods with a node to which something happened that happens only to pods without a node. Pure functions.

The scheduler binds a pod once. After the bind the scheduler does not try the pod again, writes no failure, and evicts
no pod for it. What a new leader does is not counted, since a new leader may know less. What another scheduler writes is
not counted either.
"""

from datetime import timedelta

from kubeproof.advise.pod_events.failure import kind_of, node_assigned
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Event, Picture, Pod, seconds_text
from kubeproof.advise.pod_events.timeline import Bound, Timeline, bound_at, new_leaders

_AGAIN = "if something updated the pod while the pod was being scheduled: the update put it into the queue again"
_RESYNC = "if the scheduler's informer resynced while the pod was being scheduled"
_EXTENDER = "if a filter extender patched the pod while it was being scheduled, and refused the pod the second time"
_NOMINATED = "if the pod had preempted before: the update with its nomination put it into the queue again"
_UNANSWERED = "if the bind took effect, and its answer was lost or late"
_IGNORED = "if the update changed only what the scheduler should have ignored, such as a condition"
# `kubectl debug node` does so.
_BY_NOBODY = "has a node, and no scheduler says that it bound the pod: somebody has written spec.nodeName, or a Binding"


def bound_findings(picture: Picture, lines: list[Timeline]) -> Findings:
    """What is wrong with pods that were bound."""
    findings = Findings()
    leaders = new_leaders(picture)
    for line in lines:
        if line.pod is not None and _by_nobody(picture, line, line.pod):
            findings.normal.append((_BY_NOBODY, line.name))
        bound = bound_at(line)
        if bound is None:
            if line.pod is not None and line.pod.node and line.failed:
                findings.not_judged.append(
                    ("no Scheduled event and no PodScheduled time: failures before or after?", line.name)
                )
            elif line.pod is not None and line.pod.node:
                _status(findings, line, None)
            continue
        _failed(findings, line, bound, leaders)
        _scheduled_twice(findings, line)
        _status(findings, line, bound)
    return findings


def _by_nobody(picture: Picture, line: Timeline, pod: Pod) -> bool:
    """Whether the pod has a node, and of those who write events nobody has bound it since it was created."""
    if not pod.node or pod.mirror or line.scheduled or pod.created is None or picture.events_from is None:
        return False
    same = any(event.namespace == pod.namespace for event in picture.events)
    return same and pod.created.later_than(picture.events_from)


def _failed(findings: Findings, line: Timeline, bound: Bound, leaders: list[Moment]) -> None:
    after = _after(findings, line, line.failed, bound, leaders, "failure")
    victims = _after(findings, line, line.preempted, bound, leaders, "preemption")
    earlier = [event for event in line.preempted if event not in victims]
    if not after and victims:
        findings.add(
            "preempted-after-bound",
            (line.name, line.uid),
            "pods were evicted for it after it was bound",
            [*_bound_evidence(line, bound), *_victims(victims)],
            [*_leak(bool(earlier)), Fit("BIND-TIMEOUT-BOUND", _UNANSWERED)],
        )
    if not after:
        return
    pod = line.pod
    left = pod is not None and pod.node and pod.nominated and pod.nominated != pod.node
    kinds = list(dict.fromkeys(kind_of(event.message) for event in after))
    evidence = [*_bound_evidence(line, bound)]
    evidence += [event_evidence(event, _how_long(event, bound)) for event in after]
    evidence += _victims(victims)
    if pod is not None:
        evidence += _now(pod)
    fits: list[Fit] = []
    if "fits nowhere" in kinds or left or victims:
        fits += _leak(bool(earlier))
    if "assumed" in kinds:
        fits.append(Fit("CYCLE-EXTRA-ATTEMPT-STATUS", _IGNORED))
    if bound.event is None or {"binding", "bound already", "other"} & set(kinds):
        fits.append(Fit("BIND-TIMEOUT-BOUND", _UNANSWERED))
    if kinds != ["binding"]:
        fits.append(Fit("QUEUE-INFLIGHT-DUP", _AGAIN))
        fits.append(Fit("QUEUE-RESYNC-DUP", _RESYNC))
    findings.add(
        "failed-after-bound", (line.name, line.uid), "a scheduling failure after it was bound", evidence, fits,
        "Two schedulers of the same name that both lead would look the same.",
    )  # fmt: skip


def _after(
    findings: Findings, line: Timeline, events: list[Event], bound: Bound, leaders: list[Moment], what: str
) -> list[Event]:
    """The events that came certainly after the bind, from the scheduler that bound the pod."""
    after = []
    for event in events:
        if event.last is None:
            findings.not_judged.append((f"a {what} event without a time", line.name))
        elif not line.is_own(event):
            if event.last.at > bound.at.at:
                findings.normal.append((f"a {what} of another scheduler than the pod's", line.name))
        elif not bound.before(event.last):
            _not_after(findings, line, event, bound, what)
        elif _other_instance(event, bound) or any(_between(bound, leader, event) for leader in leaders):
            findings.normal.append((f"a {what} after the bind by a scheduler that had just become leader", line.name))
        else:
            after.append(event)
    return after


def _not_after(findings: Findings, line: Timeline, event: Event, bound: Bound, what: str) -> None:
    assert event.last is not None
    if event.last.later_than(bound.at) or not bound.at.later_than(event.last):
        same = "in the same second as" if bound.event is not None else "within 5 s of"
        findings.not_judged.append((f"a {what} {same} the bind: which came first cannot be said", line.name))
    else:
        findings.normal.append((f"a {what} before the bind", line.name))


def _other_instance(event: Event, bound: Bound) -> bool:
    """Whether another process wrote the event than the Scheduled event."""
    by = bound.event.instance if bound.event is not None else ""
    return bool(by and event.instance and by != event.instance)


def _between(bound: Bound, leader: Moment, event: Event) -> bool:
    assert event.last is not None
    slack = timedelta(seconds=1)
    return bound.at.at - slack <= leader.at <= event.last.at + slack


def _scheduled_twice(findings: Findings, line: Timeline) -> None:
    own = [event for event in line.scheduled if line.is_own(event)]
    if len(own) < len(line.scheduled):
        findings.normal.append(("a Scheduled event of another scheduler than the pod's", line.name))
    if sum(event.count for event in own) < 2:
        return
    nodes = list(dict.fromkeys(filter(None, (node_assigned(event.message) for event in own))))
    where = f"to {' and '.join(nodes[:4])}" if len(nodes) > 1 else "to the same node"
    now = [] if line.pod is None else _now(line.pod)
    fits = [
        Fit("QUEUE-INFLIGHT-DUP", _AGAIN),
        Fit("NOM-EXT-LEAK", _EXTENDER.replace(", and refused the pod the second time", "")),
        Fit("BIND-TIMEOUT-BOUND", _UNANSWERED),
    ]
    findings.add(
        "scheduled-twice", (line.name, line.uid), f"scheduled twice, {where}",
        [*(event_evidence(event) for event in own), *now], fits,
        "The API server refuses a second bind. So an extender that binds said yes to both, or the event is wrong.",
    )  # fmt: skip


def _status(findings: Findings, line: Timeline, bound: Bound | None) -> None:
    """A bound pod whose status is that of one that failed, or whose nomination was written after it was bound."""
    pod = line.pod
    if pod is None or not pod.node or pod.terminal:
        return
    condition = pod.scheduled
    if condition is not None and condition.status == "False":
        findings.add(
            "status-after-bound",
            pod,
            "PodScheduled is False, though it has a node",
            [*_now(pod), Evidence(moment_text(condition.since), "PodScheduled", f"False: {condition.message.strip()}")],
            [*_leak(bool(line.preempted)), Fit("QUEUE-INFLIGHT-DUP", _AGAIN), Fit("BIND-TIMEOUT-BOUND", _UNANSWERED)],
        )
    if not pod.nominated or pod.nominated == pod.node:
        return
    written = pod.nominated_written
    since = None if condition is None or condition.status != "True" else condition.since
    if written is not None and since is not None and written.later_than(since):
        text = f"the scheduler wrote nominatedNodeName ({seconds_text(written, since)} after it was bound)"
        findings.add(
            "status-after-bound",
            pod,
            "nominated after it was bound",
            [
                Evidence(moment_text(since), "PodScheduled", "True: bound"),
                Evidence(moment_text(written), "managedFields", text),
                *_now(pod),
            ],
            [*_leak(bool(line.preempted)), Fit("BIND-TIMEOUT-BOUND", _UNANSWERED)],
        )
    elif not any(each.uid == pod.uid for each in findings.found):
        findings.normal.append(
            ("bound, and nominated for another node before: Kubernetes does not clear that", line.name)
        )


def _leak(nominated_before: bool) -> list[Fit]:
    extender, own = Fit("NOM-EXT-LEAK", _EXTENDER), Fit("NOM-THREE-ATTEMPTS", _NOMINATED)
    return [own, extender] if nominated_before else [extender, own]


def _bound_evidence(line: Timeline, bound: Bound) -> list[Evidence]:
    if bound.event is not None:
        return [event_evidence(bound.event)]
    node = line.pod.node if line.pod is not None else ""
    return [Evidence(moment_text(bound.at), "PodScheduled", f"True: bound to {node}")]


def _victims(events: list[Event]) -> list[Evidence]:
    return [
        Evidence(moment_text(event.last), "Preempted", f"{event.namespace}/{event.name}: {event.message.strip()}")
        for event in events
    ]


def _now(pod: Pod) -> list[Evidence]:
    if not pod.node:
        return [Evidence(None, "now", f"spec.nodeName is empty, phase {pod.phase or 'not given'}")]
    left = ""
    if pod.nominated and pod.nominated != pod.node:
        left = f"; status.nominatedNodeName is {pod.nominated}"
    return [Evidence(None, "now", f"on {pod.node}, phase {pod.phase or 'not given'}{left}")]


def _how_long(event: Event, bound: Bound) -> str:
    assert event.last is not None
    return f"{seconds_text(event.last, bound.at)} after the bind"
