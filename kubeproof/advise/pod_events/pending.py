"""Pods that wait although there is room, and nominations for nodes that do not exist. Pure functions.

A pod may wait for victims that terminate, for its next attempt, or for room. So a finding needs an attempt that failed
after the last pod had left a node, and this node must have room for all that the pod asks for. What was not given is
not judged.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from attrs import frozen

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.failure import Claims, claims_of
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import AFTER_BOUND, Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Picture, Pod
from kubeproof.advise.pod_events.quantity import amount_text
from kubeproof.advise.pod_events.room import Lacking, Room, kept_off
from kubeproof.advise.pod_events.timeline import Attempt, Timeline, last_failure

# A container that has to end is usually gone after this time.
GRACE = timedelta(seconds=30)
# Without events: a pod that waits for less time may wait for its victims or for its next attempt.
LONG = timedelta(minutes=10)
# The number of different requests of pods, times the number of nodes. More are not judged.
EFFORT = 1_000_000
NODES_NAMED = 3
AGAIN = (
    "A pod that left in the seconds before kubectl looked would look the same: look again after five minutes. "
    "Room that a scheduler plugin keeps, such as for a gang, is not seen here."
)
_KEPT = "if the nomination is merely kept: the pod is not placed there, and keeps the room from other pods"
_PHANTOM = {
    "NOM-EXT-LEAK": "if a pod that runs is still nominated in the scheduler's memory: this nomination takes the room",
    "NOM-THREE-ATTEMPTS": "if so, and that pod had preempted before",
}


@frozen
class _Wrong:
    """Claims of a failure that are not true."""

    # A resource, how many nodes are said to be short of the resource, and how many are.
    claims: tuple[tuple[str, int, int], ...] = ()
    # The first of the nodes that are short of nothing.
    free: tuple[Node, ...] = ()
    # When the last pod left one of these nodes.
    left_last: Moment | None = None


def pending_findings(picture: Picture, lines: list[Timeline], bound: Findings) -> Findings:
    """What is wrong with pods that wait. `bound`: what was found of bound pods."""
    findings = Findings()
    waiting = [line for line in lines if line.pod is not None and line.pod.pending]
    if not waiting:
        return findings
    if picture.nodes is None:
        for line in waiting:
            if line.pod is not None and line.pod.nominated:
                findings.not_judged.append(
                    ("nominated, and no nodes are given: is there such a node, has it room?", line.name)
                )
        return findings
    judge = _Judge(picture, findings, Room.of(picture), {each.uid for each in bound.found if each.kind in AFTER_BOUND})
    for line in waiting:
        judge.pod(line)
    return findings


class _Judge:
    """One picture, judged pod by pod."""

    def __init__(self, picture: Picture, findings: Findings, room: Room, leaks: set[str]) -> None:
        self.picture, self.findings, self.room, self.leaks = picture, findings, room, leaks
        self.left_over = [pod for pod in picture.pods or () if pod.uid in leaks and pod.nominated not in ("", pod.node)]
        self.nodes = {node.name: node for node in picture.nodes or ()}
        self.running_on = {pod.node for pod in picture.pods or () if pod.node and not pod.terminal}
        self.one_namespace = next(iter(picture.namespaces)) if len(picture.namespaces) == 1 else None
        self.wrong: dict[tuple[int, Claims], _Wrong] = {}
        self.left: dict[str, Moment] = {}
        self.removed: dict[str, Moment] = {}
        for node, moment in _departures(picture):
            _newest(self.left, node, moment)
        for event in picture.events:
            if event.reason == "RemovingNode" and event.last is not None:
                _newest(self.removed, event.name, event.last)

    def pod(self, line: Timeline) -> None:
        pod = line.pod
        assert pod is not None
        attempt = last_failure(line)
        if pod.nominated and pod.nominated not in self.nodes:
            self._node_gone(pod, attempt)
        elif pod.nominated or claims_of(attempt.text).short:
            self._room(pod, attempt)

    def _node_gone(self, pod: Pod, attempt: Attempt) -> None:
        if not self.picture.whole_nodes:
            self._skip("nominated for a node that is not given: the nodes are no list of them all", pod)
            return
        if pod.nominated in self.running_on:
            self._skip(
                "nominated for a node that is not given, and on which pods run: it has just gone, or is missing", pod
            )
            return
        removed = self.removed.get(pod.nominated)
        if not self._tried(pod, attempt, removed):
            return
        evidence = [] if removed is None else [Evidence(moment_text(removed), "RemovingNode", pod.nominated)]
        evidence += _attempt_evidence(attempt)
        evidence.append(Evidence(None, "now", f"status.nominatedNodeName is {pod.nominated}; there is no such node"))
        how = "its nomination outlives the node; nodes that are deleted were seen to from 1.19.0 on (#91750)"
        self.findings.add(
            "nominated-node-gone", pod, f"nominated for {pod.nominated}, which does not exist", evidence,
            [Fit("NOM-NOT-CLEARED", how, until="1.18.20")],
        )  # fmt: skip

    def _room(self, pod: Pod, attempt: Attempt) -> None:
        if self.one_namespace is not None:
            what = f"whether there is room: all pods given are of namespace {self.one_namespace}"
            self._skip(what, pod)
            return
        if self.room.asked * len(self.nodes) > EFFORT:
            self._skip("whether there is room: too many different pods wait on too many nodes", pod)
            return
        lacking = self.room.lacking(pod)
        wrong = self._wrong_claims(pod, claims_of(attempt.text), lacking)
        if pod.nominated:
            if pod.nominated in lacking:
                self.findings.normal.append(("nominated, and waits for room on that node", pod.full_name))
            else:
                self._nominated_with_room(pod, attempt, bool(wrong.claims))
        elif wrong.claims:
            self._short_with_room(pod, attempt, wrong)
        else:
            self.findings.normal.append(("fails for room that there is not, as far as it says", pod.full_name))

    def _wrong_claims(self, pod: Pod, claims: Claims, lacking: Lacking) -> "_Wrong":
        """The false claims. Pods that ask for the same and have the same claims are judged once."""
        key = (id(lacking), claims)
        if key not in self.wrong:
            self.wrong[key] = self._judge_claims(pod, claims, lacking)
        return self.wrong[key]

    def _judge_claims(self, pod: Pod, claims: Claims, lacking: Lacking) -> "_Wrong":
        if claims.nodes != len(self.nodes) or not self.picture.whole_nodes:
            return _Wrong()
        asked = {resource for resource, _ in pod.requests} | {"pods"}
        counted = [(r, said, sum(r in short for short in lacking.values())) for r, said in claims.short if r in asked]
        wrong = tuple(each for each in counted if each[1] > each[2])
        free = [node for name, node in self.nodes.items() if name not in lacking]
        if not wrong or not free:
            return _Wrong()
        return _Wrong(wrong, tuple(free[:NODES_NAMED]), self._left_last(free, GRACE))

    def _nominated_with_room(self, pod: Pod, attempt: Attempt, is_wrong: bool) -> None:
        node = self.nodes[pod.nominated]
        others = kept_off(pod, node)
        if others and not is_wrong:
            self._skip(f"nominated, the node has room, but it may fail for {others[0]}", pod)
            return
        if not self._tried(pod, attempt, self._left_last([node], GRACE)):
            return
        evidence = _attempt_evidence(attempt)
        evidence.append(Evidence(None, "now", f"Pending, status.nominatedNodeName is {node.name}"))
        evidence += self._free(pod, [node])
        fits = [Fit("NOM-NOT-CLEARED", _KEPT)]
        leak = [Fit(bug, how) for bug, how in _PHANTOM.items()]
        fits = [*leak, *fits] if self.leaks else [*fits, *leak]
        title = f"waits for {node.name}, where it is nominated and where there is room"
        self.findings.add("nominated-with-room", pod, title, evidence, fits, AGAIN)

    def _short_with_room(self, pod: Pod, attempt: Attempt, wrong: "_Wrong") -> None:
        if not self._tried(pod, attempt, wrong.left_last):
            return
        evidence = _attempt_evidence(attempt)
        for resource, said, real in wrong.claims:
            text = f"said of {said} of {len(self.nodes)} nodes that they are short of {_name(resource)}, true of {real}"
            evidence.append(Evidence(None, "now", text))
        evidence += self._free(pod, wrong.free)
        fits = [Fit(bug, how) for bug, how in _PHANTOM.items()]
        if not self.leaks:
            fits += [
                Fit("NOM-NOT-CLEARED", "if another pod's nomination is kept, and keeps the room"),
                Fit("NOM-PHANTOM-DELETED", "if a deleted pod's nomination is kept, and keeps the room"),
                Fit("CACHE-MISSED-DELETE", "if the scheduler still counts a pod that is gone"),
            ]
        self.findings.add("short-with-room", pod, "waits for room that there is", evidence, fits, AGAIN)

    def _tried(self, pod: Pod, attempt: Attempt, after: Moment | None) -> bool:
        """Whether the pod was tried after `after`; without events: whether the pod waits for long.

        If not, the pod is noted as not judged.
        """
        if not self.picture.events_given:
            since = pod.scheduled.since if pod.scheduled is not None and pod.scheduled.since else pod.created
            until = self.picture.until
            if since is None or until is None or not until.later_than(since, LONG):
                self._skip("pending for less than ten minutes, and no events are given: when was it last tried?", pod)
                return False
            return True
        if attempt.at is None:
            self._skip("no FailedScheduling event: when was it last tried?", pod)
            return False
        if after is not None and not attempt.at.later_than(after):
            self._skip("not tried yet since pods left the node, or the node itself went", pod)
            return False
        return True

    def _left_last(self, nodes: list[Node], grace: timedelta) -> Moment | None:
        """When the last pod left these nodes, or when the last of these nodes joined, as far as known."""
        moments = [node.created for node in nodes if node.created is not None]
        gone = [self.left[name] for name in ("", *(node.name for node in nodes)) if name in self.left]
        moments += [Moment(moment.at + grace, moment.exact) for moment in gone]
        return max(moments, default=None, key=lambda moment: moment.at)

    def _free(self, pod: Pod, nodes: Sequence[Node]) -> list[Evidence]:
        """What these nodes have left, and which pods that run elsewhere were nominated for them."""
        evidence = [Evidence(None, "now", self._free_text(pod, node)) for node in nodes]
        names = {node.name for node in nodes}
        for other in self.left_over:
            if other.nominated in names and other.priority >= pod.priority:
                taken = ", ".join(f"{amount_text(r, n)} of {r}" for r, n in other.requests[:4]) or "a place"
                text = f"{other.full_name}, which runs on {other.node}, was nominated for {other.nominated}: {taken}"
                evidence.append(Evidence(None, "now", text))
        return evidence

    def _free_text(self, pod: Pod, node: Node) -> str:
        left = self.room.left(pod, node.name)
        amounts = [f"{amount_text(r, left[r])} of {r} (asked: {amount_text(r, n)})" for r, n in pod.requests[:4]]
        amounts.append(f"{left['pods']} more pods")
        return f"{node.name} has left {', '.join(amounts)}"

    def _skip(self, why: str, pod: Pod) -> None:
        self.findings.not_judged.append((why, pod.full_name))


def _name(resource: str) -> str:
    return "places for pods" if resource == "pods" else resource


def _newest(into: dict[str, Moment], key: str, moment: Moment) -> None:
    if key not in into or moment.at > into[key].at:
        into[key] = moment


def _departures(picture: Picture) -> Iterator[tuple[str, Moment]]:
    """Each departure of a pod: the node ("" if not known), and when the pod left or was told to leave."""
    pods = picture.by_uid
    for pod in picture.pods or ():
        if pod.terminal and pod.finished is not None:
            # The pod has ended, so no grace is added.
            yield pod.node, Moment(pod.finished.at - GRACE, pod.finished.exact)
    for event in picture.events:
        if event.reason == "Killing" and event.kind == "Pod" and event.last is not None:
            still = pods.get(event.uid)
            if still is None or still.terminal:
                yield event.host or event.instance, event.last


def _attempt_evidence(attempt: Attempt) -> list[Evidence]:
    evidence = [] if attempt.event is None else [event_evidence(attempt.event)]
    if attempt.text and (attempt.event is None or attempt.text.strip() != attempt.event.message.strip()):
        evidence.append(Evidence(None, "PodScheduled", f"False: {attempt.text.strip()}"))
    return evidence
