"""Which of the modelled bugs a picture of pods and events fits: the answer as data; `rendering` words it."""

from collections import Counter
from typing import Any

from attrs import frozen
from cattrs.preconf.json import make_converter

from kubeproof.advise.pod_events.bound import bound_findings
from kubeproof.advise.pod_events.bugs import KnownBug, Range, known_bug
from kubeproof.advise.pod_events.finding import AFTER_BOUND, Evidence, Found, Kind
from kubeproof.advise.pod_events.pending import pending_findings
from kubeproof.advise.pod_events.picture import Picture
from kubeproof.advise.pod_events.timeline import timelines
from model.releases import Release

# Rows of notes name so many pods; the count has them all.
PODS_NAMED = 20


@frozen
class FittingBug:
    """A bug that a finding fits, and `how`. `in_release`: whether the release asked for has it; None: none was.

    `affected`, `evidence`, `trace` (the page) and `cured_in` as in `kubeproof.advise.pod_events.bugs.KnownBug`.
    """

    bug: str
    how: str
    title: str
    affected: tuple[Range, ...]
    evidence: str
    in_release: bool | None
    trace: str
    reproduce: str
    cured_in: str | None
    until_then: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]


@frozen
class Finding:
    """`pod`: namespace/name. `evidence`: what the files say, in order. `bugs`: those that it fits, the likeliest first.

    `caution`: what else it may be, or ''.
    """

    kind: Kind
    pod: str
    uid: str
    title: str
    evidence: tuple[Evidence, ...]
    bugs: tuple[FittingBug, ...]
    caution: str


@frozen
class Note:
    """Something that was seen in `count` pods; `pods` names the first of them."""

    what: str
    count: int
    pods: tuple[str, ...]


@frozen
class LookedAt:
    """How much there was to look at; None: no such list was given. `scheduling_events`: those that count here."""

    pods: int | None
    bound: int | None
    pending: int | None
    nodes: int | None
    events: int | None
    scheduling_events: int | None
    passed_over: int


@frozen
class PodEventsAnswer:
    """The answer. `release` and `judged_as`: None where none was asked for. `normal`: seen, and all right.

    `not_judged`: what could not be said, and why.
    """

    release: str | None
    judged_as: str | None
    files: tuple[str, ...]
    looked_at: LookedAt
    findings: tuple[Finding, ...]
    normal: tuple[Note, ...]
    not_judged: tuple[Note, ...]


def analyse(picture: Picture, release: Release | None = None) -> PodEventsAnswer:
    """Everything that the picture shows, with the bugs of all modelled releases or with what `release` has of them."""
    lines = timelines(picture)
    bound = bound_findings(picture, lines)
    pending = pending_findings(picture, lines, bound)
    bugs: dict[str, KnownBug] = {}
    found = sorted([*bound.found, *pending.found], key=lambda each: each.kind not in AFTER_BOUND)
    return PodEventsAnswer(
        release=None if release is None else str(release),
        judged_as=None if release is None else release.upstream,
        files=picture.files,
        looked_at=_looked_at(picture),
        findings=tuple(_finding(each, bugs, release) for each in found),
        normal=_notes([*bound.normal, *pending.normal]),
        not_judged=(*_not_given(picture), *_notes([*bound.not_judged, *pending.not_judged])),
    )


def to_json(answer: PodEventsAnswer) -> dict[str, Any]:
    """The answer in plain lists, dicts, strings, numbers."""
    plain: dict[str, Any] = make_converter().unstructure(answer)
    return plain


def _finding(found: Found, bugs: dict[str, KnownBug], release: Release | None) -> Finding:
    fitting = []
    for fit in found.fits:
        if fit.bug not in bugs:
            bugs[fit.bug] = known_bug(fit.bug)
        bug = bugs[fit.bug].up_to(fit.until)
        fitting.append(
            FittingBug(
                bug=bug.id,
                how=fit.how,
                title=bug.title,
                affected=bug.affected,
                evidence=bug.evidence,
                in_release=None if release is None else bug.affects(release),
                trace=bug.page,
                reproduce=f"kubeproof reproduce {bug.id}",
                cured_in=bug.cured_in(release),
                until_then=bug.until_then,
                issues=bug.issues,
                fixes=bug.fixes,
            )
        )
    return Finding(found.kind, found.pod, found.uid, found.title, found.evidence, tuple(fitting), found.caution)


def _looked_at(picture: Picture) -> LookedAt:
    pods = picture.pods
    return LookedAt(
        pods=None if pods is None else len(pods),
        bound=None if pods is None else sum(bool(pod.node) for pod in pods),
        pending=None if pods is None else sum(pod.pending for pod in pods),
        nodes=None if picture.nodes is None else len(picture.nodes),
        events=picture.events_read if picture.events_given else None,
        scheduling_events=len(picture.events) if picture.events_given else None,
        passed_over=picture.passed_over,
    )


def _not_given(picture: Picture) -> tuple[Note, ...]:
    """What is not judged at all, for want of a list."""
    missing = []
    if not picture.events_given:
        missing.append("no events are given: was a pod tried again after it was bound? kubectl get events -A -o json")
    if picture.pods is None:
        missing.append("no pods are given: does one wait though there is room? kubectl get pods -A -o json")
    elif picture.nodes is None and any(pod.pending for pod in picture.pods):
        missing.append("no nodes are given: have they room for the pods that wait? kubectl get nodes -o json")
    return tuple(Note(what, 0, ()) for what in missing)


def _notes(each: list[tuple[str, str]]) -> tuple[Note, ...]:
    """One note for all pods of which the same is to be said."""
    pods: dict[str, dict[str, None]] = {}
    for what, pod in each:
        pods.setdefault(what, {})[pod] = None
    counts = Counter({what: len(names) for what, names in pods.items()})
    return tuple(Note(what, counts[what], tuple(names)[:PODS_NAMED]) for what, names in pods.items())
