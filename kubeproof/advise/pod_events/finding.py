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
    """Something that the files say. `at`: when, or None for what is so now. `what`: an event's reason, or a field."""

    at: str | None
    what: str
    text: str


@frozen
class Fit:
    """A bug that a finding fits, and `how`. `until`: the last release in which it looks like this, if it has more."""

    bug: str
    how: str
    until: str | None = None


@frozen
class Found:
    """A finding before the bugs are looked up. `caution`: what else it may be, or ''."""

    kind: Kind
    pod: str
    uid: str
    title: str
    evidence: tuple[Evidence, ...]
    fits: tuple[Fit, ...]
    caution: str = ""


@define
class Findings:
    """What was found on the way; `normal`: what was seen and is all right; `not_judged`: what could not be said.

    Notes of both are counted: one for each pod, which `rendering` puts in one line. Each is (what, pod).
    """

    found: list[Found] = Factory(list)
    normal: list[tuple[str, str]] = Factory(list)
    not_judged: list[tuple[str, str]] = Factory(list)

    def add(self, kind: Kind, pod: Pod | tuple[str, str], title: str, evidence: list[Evidence], fits: list[Fit],
            caution: str = "") -> None:  # fmt: skip
        name, uid = (pod.full_name, pod.uid) if isinstance(pod, Pod) else pod
        self.found.append(Found(kind, name, uid, title, tuple(evidence), tuple(fits), caution))


def event_evidence(event: Event, note: str = "") -> Evidence:
    """An event as evidence, with its last occurrence as the time; what `note` adds comes after its message."""
    times = f" (×{event.count})" if event.count > 1 else ""
    extra = f" ({note})" if note else ""
    return Evidence(moment_text(event.last), event.reason, f"{event.message.strip()}{times}{extra}")


def moment_text(moment: Moment | None) -> str | None:
    """A time for people and for JSON."""
    return None if moment is None else str(moment)
