"""Pods that a kubelet rejected after they were bound, and nodes that hold more than they have. Pure functions.

A scheduler binds a pod where its cache has room and where labels and ports match, and the kubelet asks the same of what
it knows itself. If the two differ, one of them knew less, or somebody else bound a pod.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import evolve

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.admission import ROOM, Amounts, amounts_in, is_rejection, missing, rejected
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Event, Picture, Pod, seconds_text
from kubeproof.advise.pod_events.quantity import amount_text
from kubeproof.advise.pod_events.requests import requests_in
from kubeproof.advise.pod_events.room import Room
from kubeproof.advise.pod_events.timeline import Bound, Timeline, bound_at, new_leaders
from kubeproof.bugs.catalogue import bugs_against
from model.releases import Release
from model.scheduler.pod_requests import RESIZE, fields_of_gates

# So many pods of a node are named with what they ask for.
PODS_SHOWN = 4
# Of an overcommitted node: what besides a bug gives a node too much.
_OTHERS = (
    "Two schedulers that do not know of each other (TWO-SCHEDULERS-OVERCOMMIT), a bind by somebody else, and "
    "spec.nodeName written by somebody do the same. These files do not tell them apart from a bug."
)
_SHRUNK = "So does a node whose allocatable has become less since: other reservations, or a device plugin that is gone."
_ENDED = "From 1.22 on a kubelet also counts a pod that has ended until its containers are gone (#106884)."
_RESIZED = "From 1.33 on a resize in place may take the room between the bind and the kubelet's look (#126891)."
_RESIZES = "waits for a resize: with what it asks for its node counts more than its allocatable"
_MATCH = (
    "The node's labels or taints may have changed after the bind. A kubelet that has just started also says so before "
    "it knows its node (#92067, #100467). No bug of the scheduler that is documented here leaves this."
)
_OWN = (
    "No scheduler looks at this: it is the kubelet's own managers of CPUs, memory, devices and topology. `kubeproof "
    "cpu-state` reads the state of the CPU manager."
)
_HOW = {
    "CACHE-START-UNSYNCED": "if the scheduler had just started or become leader, and had not heard of all bound pods",
    "CACHE-ASSUME-TTL": "if the scheduler heard of a bind later than it keeps a pod that it assumed",
}


def overcommitted_findings(picture: Picture, lines: list[Timeline], release: Release | None) -> Findings:
    """The rejected pods, a finding for each node and reason, and the nodes that are over their allocatable."""
    findings = Findings()
    by_uid = {line.uid: line for line in lines}
    _rejected(findings, picture, by_uid, release)
    if picture.nodes is not None and picture.pods is not None:
        granted = _granted(picture, release)
        over = Room.of(granted).over()
        _over(findings, granted, by_uid, over)
        for name in Room.of(picture).over():
            if name not in over:
                findings.normal += [(_RESIZES, pod.full_name) for pod in _waiting_resizes(picture, granted, name)]
    return findings


def _granted(picture: Picture, release: Release | None) -> Picture:
    """The picture with what kubelets have granted: a resize that waits does not count with what it asks for."""
    computed = requests_in(release)
    pods = list(picture.pods or ())
    for number, pod in enumerate(pods):
        if pod.node and RESIZE in fields_of_gates(pod.resources):
            without = evolve(pod.resources, resize_infeasible=True, resize_pending_infeasible=True)
            pods[number] = evolve(pod, requests=tuple(sorted(computed.on_node(without).items())))
    return evolve(picture, pods=tuple(pods))


def _waiting_resizes(picture: Picture, granted: Picture, node: str) -> Iterator[Pod]:
    for pod, less in zip(picture.pods or (), granted.pods or (), strict=True):
        if pod.node == node and pod.requests != less.requests and not pod.terminal:
            yield pod


def _too_much() -> list[Fit]:
    bugs = sorted(bugs_against("within-capacity"), key=lambda bug: [*_HOW, bug].index(bug))
    return [Fit(bug, _HOW.get(bug, "if what its page tells happened")) for bug in bugs]


def _rejected(findings: Findings, picture: Picture, by_uid: dict[str, Timeline], release: Release | None) -> None:
    groups: dict[tuple[str, str], dict[str, Pod]] = defaultdict(dict)
    said: dict[str, Event] = {}
    known = picture.by_uid
    for event in picture.events:
        if is_rejection(event):
            said[event.uid] = event
            pod = known.get(event.uid) or Pod(event.namespace, event.name, event.uid, node=event.host)
            groups[pod.node, event.reason][pod.uid] = pod
    for pod in picture.pods or ():
        if rejected(pod):
            groups[pod.node, pod.reason][pod.uid] = pod
    for (node, reason), members in groups.items():
        pods = list(members.values())
        messages = {pod.uid: said[pod.uid].message if pod.uid in said else pod.message for pod in pods}
        evidence = [
            Evidence(moment_text(said[pod.uid].last if pod.uid in said else None), reason, messages[pod.uid].strip())
            for pod in _first_of_each(pods, messages)
        ]
        what = missing(reason)
        if what == "room":
            evidence += [*_refused_before(pods, by_uid), *_left_there(picture, node, reason)]
        evidence += [*_binds(pods, by_uid), *_leaders(picture, pods, by_uid)]
        title = f"rejected by the kubelet{f' of {node}' if node else ''} after the bind: {reason}"
        caution = {"match": _MATCH, "own": _OWN, "room": _OTHERS, None: ""}[what]
        fits = _too_much() if what == "room" else []
        if what == "room":
            own = [found for pod in pods if (found := amounts_in(messages[pod.uid])) is not None]
            if own and all(_too_large(each) for each in own):
                caution, fits = (
                    "It asks for more than the node has, empty: no scheduler that sees the node binds it.",
                    [],
                )
            else:
                later = [
                    text for text, minor in ((_ENDED, 22), (_RESIZED, 33)) if release is None or release.minor >= minor
                ]
                caution = " ".join((caution, *later))
        findings.add_group("rejected-by-kubelet", pods, title, evidence, fits, caution, node)


def _refused_before(pods: Sequence[Pod], by_uid: dict[str, Timeline]) -> Iterator[Evidence]:
    """The last failure before the bind, of the first pod that has one: then the scheduler saw no room."""
    for pod in pods:
        line = by_uid.get(pod.uid)
        bound = None if line is None else bound_at(line)
        if line is None or bound is None:
            continue
        for event in reversed(line.failed):
            if line.is_own(event) and event.last is not None and bound.at.later_than(event.last):
                yield event_evidence(event, f"{seconds_text(bound.at, event.last)} before the bind of {pod.full_name}")
                return


def _left_there(picture: Picture, node: str, reason: str) -> Iterator[Evidence]:
    """What the pods that are on the node now ask for, to be held against what the kubelet counted."""
    resource = reason.removeprefix(ROOM)
    there = [pod for pod in picture.pods or () if pod.node == node and not pod.terminal]
    if node and picture.pods is not None:
        asked = len(there) if resource == "pods" else sum(dict(pod.requests).get(resource, 0) for pod in there)
        text = f"pods given that are on {node} and have not ended: {len(there)}; they ask for"
        yield Evidence(None, "now", f"{text} {amount_text(resource, asked)} of {resource}")


def _too_large(amounts: Amounts) -> bool:
    return amounts.requested > amounts.capacity


def _first_of_each(pods: Sequence[Pod], messages: dict[str, str]) -> list[Pod]:
    """A pod for each message."""
    return list({messages[pod.uid]: pod for pod in reversed(pods)}.values())[::-1]


def _over(findings: Findings, picture: Picture, by_uid: dict[str, Timeline], over: dict[str, dict[str, int]]) -> None:
    on: dict[str, list[Pod]] = defaultdict(list)
    for pod in picture.pods or ():
        if pod.node and not pod.terminal:
            on[pod.node].append(pod)
    nodes = {node.name: node for node in picture.nodes or ()}
    for name, short in over.items():
        # The last bind made it too much, so it stands first.
        pods = sorted(on[name], key=lambda pod: _bound(pod, by_uid), reverse=True)
        pods = [pod for pod in pods if any(_asks(pod, resource) for resource in short)]
        evidence = [Evidence(None, "now", _amounts(nodes[name], resource, by)) for resource, by in short.items()]
        for pod in pods[:PODS_SHOWN]:
            amounts = ", ".join(f"{amount_text(r, n)} of {r}" for r, n in pod.requests if r in short) or "a place"
            evidence.append(Evidence(_bound(pod, by_uid) or None, "now", f"{pod.full_name} asks for {amounts}"))
        if len(pods) > PODS_SHOWN:
            evidence.append(Evidence(None, "now", f"and {len(pods) - PODS_SHOWN} more pods there ask for it"))
        evidence += [*_binds(pods, by_uid), *_leaders(picture, pods, by_uid)]
        title = f"holds more than its allocatable: {', '.join(short)}"
        findings.add_group("node-over-allocatable", pods, title, evidence, _too_much(), f"{_OTHERS} {_SHRUNK}", name)


def _asks(pod: Pod, resource: str) -> bool:
    return resource == "pods" or any(name == resource for name, _ in pod.requests)


def _bound(pod: Pod, by_uid: dict[str, Timeline]) -> str:
    bound = bound_at(by_uid[pod.uid])
    return "" if bound is None else str(bound.at)


def _amounts(node: Node, resource: str, by: int) -> str:
    has = dict(node.allocatable).get(resource, 0)
    asked = amount_text(resource, has + by)
    return f"{node.name} has {amount_text(resource, has)} of {resource}, its pods ask for {asked}"


def _binds(pods: Sequence[Pod], by_uid: dict[str, Timeline]) -> Iterator[Evidence]:
    """Who bound the pods, if the files say so."""
    who: dict[str, int] = defaultdict(int)
    for pod in pods:
        who[bound_by(pod, by_uid.get(pod.uid))] += 1
    named = "; ".join(f"{name}: {count}" for name, count in sorted(who.items(), key=lambda each: (-each[1], each[0])))
    yield Evidence(None, "now", f"bound by {named}")


def bound_by(pod: Pod, line: Timeline | None) -> str:
    """Who bound the pod: the reporter of its Scheduled event, the kubelet's own file, or that no event says so."""
    if pod.mirror:
        return "nobody, it is a static pod"
    by = next((event.by for event in line.scheduled if event.by), "") if line is not None else ""
    return by or f"unknown (no Scheduled event; schedulerName {pod.scheduler})"


def _leaders(picture: Picture, pods: Sequence[Pod], by_uid: dict[str, Timeline]) -> Iterator[Evidence]:
    """A scheduler that became leader less than a minute before one of the binds."""
    binds: list[Bound] = [
        bound for pod in pods if pod.uid in by_uid and (bound := bound_at(by_uid[pod.uid])) is not None
    ]
    leaders: list[Moment] = new_leaders(picture)
    for leader in leaders:
        close = sum(0 <= (bound.at.at - leader.at).total_seconds() <= 60 for bound in binds)
        if close:
            text = f"a scheduler became leader; {close} of the binds came within a minute after it"
            yield Evidence(moment_text(leader), "LeaderElection", text)
