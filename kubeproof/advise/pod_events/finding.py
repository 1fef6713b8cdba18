"""What a finding is: a pod, what is wrong with it, the evidence, and the bugs that it fits. Data only."""

from typing import Literal

from attrs import Factory, define, frozen

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.picture import Event, Pod

Kind = Literal[
    "failed-after-bound",
    "preempted-after-bound",
    "status-after-bound",
    "scheduled-twice",
    "nominated-with-room",
    "short-with-room",
    "nominated-node-gone",
]

AFTER_BOUND: tuple[Kind, ...] = ("failed-after-bound", "preempted-after-bound", "status-after-bound", "scheduled-twice")


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
        self.found.append(Found(kind, name, uid, title, tuple(evidence), tuple(fits), caution))


def event_evidence(event: Event, note: str = "") -> Evidence:
    """An event as evidence. Its time is that of the last occurrence. `note` is put after the message."""
    times = f" (×{event.count})" if event.count > 1 else ""
    extra = f" ({note})" if note else ""
    return Evidence(moment_text(event.last), event.reason, f"{event.message.strip()}{times}{extra}")


def moment_text(moment: Moment | None) -> str | None:
    """A time for people and for JSON."""
    return None if moment is None else str(moment)
