"""What is odd about the pods of a cluster, and which bugs it fits: the answer as data. `rendering` makes text of it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from attrs import frozen

from kubeproof.advise.pod_events.bound import bound_findings
from kubeproof.advise.pod_events.bugs import KnownBug, Range, known_bug
from kubeproof.advise.pod_events.facts import LogFacts, PodFacts, PodGroup, groups_of, log_facts, pod_facts
from kubeproof.advise.pod_events.finding import KINDS, SOUGHT, Evidence, Findings, Found, Kind, moment_text
from kubeproof.advise.pod_events.holding import holding_findings
from kubeproof.advise.pod_events.leaders import leader_findings
from kubeproof.advise.pod_events.overcommitted import overcommitted_findings
from kubeproof.advise.pod_events.pending import pending_findings
from kubeproof.advise.pod_events.picture import Picture
from kubeproof.advise.pod_events.requests import requests_in
from kubeproof.advise.pod_events.silent import silent_findings
from kubeproof.advise.pod_events.texts import text_findings
from kubeproof.advise.pod_events.timeline import timelines
from kubeproof.advise.pod_events.timers import timers
from kubeproof.advise.pod_events.untried import untried_findings
from kubeproof.advise.pod_events.witnesses import Witnesses
from model.releases import Release

# A note names so many pods. Its count has all of them.
PODS_NAMED = 20


@frozen
class FittingBug:
    """A bug that a finding fits."""

    # The bug's id.
    bug: str
    # What must have happened for the bug to leave this.
    how: str
    title: str
    # As in `kubeproof.advise.pod_events.bugs.KnownBug`.
    affected: tuple[Range, ...]
    evidence: str
    # Whether the release has the bug; None: no release was named, or the model was not asked of this one, and the last
    # one of which it was asked has the bug.
    in_release: bool | None
    # The last release of which the model was asked, and whether it was asked of this one.
    asked_to: str
    asked: bool
    # The page, and the command that reproduces the bug.
    trace: str
    reproduce: str
    # The first release without the bug, and what helps until then.
    cured_in: str | None
    until_then: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]


@frozen
class Finding:
    """Something that is odd about pods, a node or a scheduler: a bug may leave it so."""

    kind: Kind
    # Namespace/name and uid of the pod, or of the first of several; "" if the finding is about no pod.
    pod: str
    uid: str
    title: str
    # What the files say, in order.
    evidence: tuple[Evidence, ...]
    # The bugs that the finding fits, the likeliest bug first.
    bugs: tuple[FittingBug, ...]
    # What else may look the same, or "".
    caution: str
    # The first of its pods, how many there are, and the node that it is about, or "".
    pods: tuple[str, ...]
    count: int
    node: str


@frozen
class Note:
    """Something that was seen in one or more pods."""

    what: str
    # In how many pods.
    count: int
    # The names of the first of them.
    pods: tuple[str, ...]


@frozen
class LookedAt:
    """How many objects were read. None: no such list was given."""

    pods: int | None
    # Of the pods: those with a node, and those that wait for a node.
    bound: int | None
    pending: int | None
    nodes: int | None
    events: int | None
    # Of the events: those that say something of scheduling.
    scheduling_events: int | None
    # Objects of other kinds.
    passed_over: int
    # Logs of a scheduler.
    logs: int


@frozen
class PodEventsAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    # The release as it was named, and the upstream release whose rules were used; None: no release was named.
    release: str | None
    judged_as: str | None
    files: tuple[str, ...]
    looked_at: LookedAt
    # The newest time of pods, events and logs: how long something lasts is counted to it.
    until: str | None
    # The pods in groups, the odd ones first, and what the files say of each.
    facts: tuple[PodGroup, ...]
    pods: tuple[PodFacts, ...]
    logs: tuple[LogFacts, ...]
    findings: tuple[Finding, ...]
    # What was looked for in these files, found or not.
    looked_for: tuple[str, ...]
    # What was seen and also happens in a healthy cluster, of pods of which nothing was found.
    normal: tuple[Note, ...]
    # What could not be judged, and why.
    not_judged: tuple[Note, ...]


def analyse(picture: Picture, release: Release | None = None) -> PodEventsAnswer:
    """All findings of the picture, with the bugs of `release`, or of all modelled releases if `release` is None."""
    picture = picture.requested_in(requests_in(release))
    lines = timelines(picture)
    bound = bound_findings(picture, lines)
    pending = pending_findings(picture, lines, bound)
    over = overcommitted_findings(picture, lines, release)
    # Of a pod of which more is known than that it waits, this is not said again.
    known = _pods_of([bound, pending])
    others = [line for line in lines if line.name not in known]
    witnesses, limits = Witnesses.of(picture, lines), timers(release)
    again, silent = silent_findings(picture, others, witnesses, limits)
    untried = untried_findings(picture, others, witnesses)
    holding = holding_findings(picture, others, limits, silent)
    parts = [bound, over, pending, untried, again, holding]
    parts += [text_findings(picture, lines, _pods_of(parts)), leader_findings(picture, lines)]
    bugs: dict[str, KnownBug] = {}
    found = sorted((each for part in parts for each in part.found), key=lambda each: KINDS.index(each.kind))
    odd = _pods_of(parts)
    facts = pod_facts(picture, lines)
    return PodEventsAnswer(
        release=None if release is None else str(release),
        judged_as=None if release is None else release.upstream,
        files=picture.files,
        looked_at=_looked_at(picture),
        until=moment_text(picture.now),
        facts=groups_of(facts),
        pods=facts,
        logs=tuple(log_facts(log) for log in picture.logs),
        findings=tuple(_finding(each, bugs, release) for each in found),
        looked_for=tuple(_looked_for(picture)),
        normal=_notes([note for part in parts for note in part.normal if note[1] not in odd]),
        not_judged=(*_not_given(picture), *_notes([note for part in parts for note in part.not_judged])),
    )


def _pods_of(parts: Iterable[Findings]) -> set[str]:
    """The names of the pods of which something was found."""
    return {pod for part in parts for found in part.found for pod in found.pods}


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
                in_release=None if release is None else bug.in_release(release),
                asked_to=bug.asked_to,
                asked=release is None or bug.asked(release),
                trace=bug.page,
                reproduce=f"kubeproof reproduce {bug.id}",
                cured_in=bug.cured_in(release),
                until_then=bug.until_then,
                issues=bug.issues,
                fixes=bug.fixes,
            )
        )
    pods, count = found.pods[:PODS_NAMED], len(found.pods)
    return Finding(
        found.kind,
        found.pod,
        found.uid,
        found.title,
        found.evidence,
        tuple(fitting),
        found.caution,
        pods,
        count,
        found.node,
    )


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
        logs=len(picture.logs),
    )


def _looked_for(picture: Picture) -> Iterator[str]:
    given = {
        "pods": picture.pods is not None,
        "nodes": picture.nodes is not None,
        "events": picture.events_given,
        "logs": bool(picture.logs),
    }
    for each in SOUGHT:
        if any(all(given[name] for name in names) for names in each.needs):
            yield each.what


def _not_given(picture: Picture) -> tuple[Note, ...]:
    """What is not judged because a list is missing."""
    missing = []
    if not picture.events_given and not picture.logs:
        missing.append("no events are given: was a pod tried again after its bind? kubectl get events -A -o json")
    if picture.pods is None:
        missing.append("no pods are given: does a pod wait although there is room? kubectl get pods -A -o json")
    elif picture.nodes is None and any(pod.pending for pod in picture.pods):
        missing.append("no nodes are given: is there room for the pods that wait? kubectl get nodes -o json")
    return tuple(Note(what, 0, ()) for what in missing)


def _notes(each: list[tuple[str, str]]) -> tuple[Note, ...]:
    """One note for all pods with the same text."""
    pods: dict[str, dict[str, None]] = {}
    for what, pod in each:
        pods.setdefault(what, {})[pod] = None
    counts = Counter({what: len(names) for what, names in pods.items()})
    return tuple(Note(what, counts[what], tuple(names)[:PODS_NAMED]) for what, names in pods.items())
