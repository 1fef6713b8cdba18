"""What a finding is: a pod, what is wrong with it, the evidence, and the bugs that it fits. Data only."""

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import Factory, define, frozen

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.picture import Event, Pod

Kind = Literal[
    "failed-after-bound",
    "preempted-after-bound",
    "status-after-bound",
    "scheduled-twice",
    "rejected-by-kubelet",
    "node-over-allocatable",
    "never-tried",
    "not-tried-again",
    "nomination-waits",
    "preempted-again",
    "nominated-with-room",
    "short-with-room",
    "nominated-node-gone",
    "deletion-overdue",
    "error-text",
    "two-leaders",
    "scheduler-ended",
]

# In the order of the answer.
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
AFTER_BOUND: tuple[Kind, ...] = ("failed-after-bound", "preempted-after-bound", "status-after-bound", "scheduled-twice")


@frozen
class Sought:
    """What is looked for."""

    kind: Kind
    what: str
    # Of pods, events, nodes and logs: one of these sets has to be given.
    needs: tuple[frozenset[str], ...]


def _sought(kind: Kind, what: str, *needs: str) -> Sought:
    return Sought(kind, what, tuple(frozenset(each.split()) for each in needs))


SOUGHT: tuple[Sought, ...] = (
    _sought("failed-after-bound", "a scheduling failure after the bind", "events", "logs"),
    _sought("preempted-after-bound", "pods evicted for a pod that was bound", "events", "logs"),
    _sought("status-after-bound", "a status of a failure, or a nomination, on a bound pod", "pods"),
    _sought("scheduled-twice", "a pod that was scheduled twice", "events", "logs"),
    _sought("rejected-by-kubelet", "a pod that its kubelet rejected (OutOf…, UnexpectedAdmissionError, …)",
            "pods", "events"),
    _sought("node-over-allocatable", "a node that holds more than its allocatable", "pods nodes"),
    _sought("never-tried", "a pod that waits and was never tried by a scheduler", "pods"),
    _sought("not-tried-again", "a pod not tried again for longer than every timer", "pods events", "pods logs"),
    _sought("nomination-waits", "a nomination that waits for longer than every timer", "pods"),
    _sought("preempted-again", "a pod that preempts again and again", "pods events", "pods logs"),
    _sought("nominated-with-room", "a nominated pod whose node has room", "pods nodes"),
    _sought("short-with-room", "a pod that waits for room that there is", "pods nodes"),
    _sought("nominated-node-gone", "a nomination for a node that is gone", "pods nodes"),
    _sought("deletion-overdue", "a pod that should be gone", "pods"),
    _sought("error-text", "an error text that documented bugs print", "pods", "events", "logs"),
    _sought("two-leaders", "two schedulers of one name at work at the same time", "events", "logs"),
    _sought("scheduler-ended", "a scheduler that ended itself", "logs"),
)  # fmt: skip


@frozen
class Evidence:
    """Something that the files say."""

    # When; None: now.
    at: str | None
    # The reason of an event, or a field.
    what: str
    text: str


@frozen
class Fit:
    """A bug that a finding fits."""

    # The bug's id.
    bug: str
    # What must have happened for the bug to leave this.
    how: str
    # The last release in which the bug leaves this, if later releases have the bug too.
    until: str | None = None


@frozen
class Found:
    """A finding before its bugs are looked up. The fields are those of `answer.Finding`."""

    kind: Kind
    pod: str
    uid: str
    title: str
    evidence: tuple[Evidence, ...]
    fits: tuple[Fit, ...]
    caution: str = ""
    # All pods of the finding, by name, the first of them is `pod`.
    pods: tuple[str, ...] = ()
    node: str = ""


@define
class Findings:
    """What was found so far."""

    found: list[Found] = Factory(list)
    # What was seen and also happens in a healthy cluster: (what, pod).
    normal: list[tuple[str, str]] = Factory(list)
    # What could not be judged: (what, pod).
    not_judged: list[tuple[str, str]] = Factory(list)

    def add(self, kind: Kind, pod: Pod | tuple[str, str], title: str, evidence: list[Evidence], fits: list[Fit],
            caution: str = "") -> None:  # fmt: skip
        name, uid = (pod.full_name, pod.uid) if isinstance(pod, Pod) else pod
        self.found.append(Found(kind, name, uid, title, tuple(evidence), tuple(fits), caution, (name,)))

    def add_group(self, kind: Kind, pods: Sequence[Pod], title: str, evidence: list[Evidence], fits: Iterable[Fit],
                  caution: str = "", node: str = "") -> None:  # fmt: skip
        """One finding for pods that are alike; none if the finding is about a scheduler."""
        names = tuple(pod.full_name for pod in pods)
        first, uid = (names[0], pods[0].uid) if pods else ("", "")
        self.found.append(Found(kind, first, uid, title, tuple(evidence), tuple(fits), caution, names, node))


def event_evidence(event: Event, note: str = "") -> Evidence:
    """An event as evidence. Its time is that of the last occurrence. `note` is put after the message."""
    times = f" (×{event.count})" if event.count > 1 else ""
    extra = f" ({note})" if note else ""
    return Evidence(moment_text(event.last), event.reason, f"{event.message.strip()}{times}{extra}")


def moment_text(moment: Moment | None) -> str | None:
    """A time for people and for JSON."""
    return None if moment is None else str(moment)
