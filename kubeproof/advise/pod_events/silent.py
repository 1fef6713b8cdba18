"""Pods that were tried, and not again for longer than every timer of the release. Pure functions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from attrs import frozen

from kubeproof.advise.pod_events.failure import kind_of
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Picture, Pod, duration_text, seconds_text
from kubeproof.advise.pod_events.timeline import Timeline, last_failure
from kubeproof.advise.pod_events.timers import REPEATED, SERIES, Timers
from kubeproof.advise.pod_events.untried import never_tried
from kubeproof.advise.pod_events.witnesses import IS_THERE, Witnesses
from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.signatures import bugs_with_text

# So many pods are shown with what they said.
SHOWN = 3
_RUNS = "A scheduler of this name runs. Either it has lost the pod, or the pod waits behind others."
_WHEN = "waits, and no event and no log says when it was last tried: does it wait for longer than every timer?"
_FITS = (
    Fit("QUEUE-STUCK-NO-FLUSH", "if the pod missed its event: nothing else moves it in this release"),
    Fit("QUEUE-TWO-INFORMERS", "if its failure was handled before a second informer knew the pod"),
    Fit("QUEUE-MOVE-DROP-ON-ERR", "if a queue refused the pod when it was moved"),
    Fit(
        "QUEUE-GATED-TWICE",
        "if a plugin at PreEnqueue holds the pod back, and the event that releases it passed it over",
    ),
    Fit("QUEUE-FLUSH-SKIPS-GATED", "if a plugin at PreEnqueue holds the pod back: the flush passes it over"),
)
_PREEMPTED = (
    Fit("ASYNC-PREEMPT-STUCK", "if it preempted more than once, and its last victim is gone"),
    Fit("ASYNC-PREEMPT-STUCK-DELETED", "if it preempted, and its victims are gone"),
)
_IDS = frozenset(bug.id for bug in EVERY_BUG)


@frozen
class _Silent:
    """A pod that nobody has tried since a time."""

    line: Timeline
    pod: Pod
    since: Moment


def silent_findings(
    picture: Picture, lines: Sequence[Timeline], witnesses: Witnesses, limits: Timers
) -> tuple[Findings, set[str]]:
    """A finding for the pods of each scheduler, and the uids of these pods."""
    findings, uids = Findings(), set()
    groups: dict[str, list[_Silent]] = defaultdict(list)
    spaces = {event.namespace for event in picture.events if event.kind == "Pod"}
    for line in lines:
        pod = line.pod
        if pod is None or not pod.pending or pod.gates or never_tried(line):
            continue
        since, now = line.last_attempt or _without_event(picture, pod, spaces), picture.now
        if since is not None and now is not None and now.later_than(since, _limit(line, pod, limits)):
            groups[pod.scheduler].append(_Silent(line, pod, since))
            uids.add(pod.uid)
        elif line.last_attempt is None:
            findings.not_judged.append((_WHEN, line.name))
    for scheduler, group in groups.items():
        _not_tried_again(findings, picture, witnesses, limits, scheduler, sorted(group, key=lambda each: each.since.at))
    return findings, uids


def _limit(line: Timeline, pod: Pod, limits: Timers) -> timedelta:
    error = pod.scheduled is not None and pod.scheduled.reason == "SchedulerError"
    return limits.longest(_shown(line), after_error=error)


def _shown(line: Timeline) -> timedelta:
    """How much later than its time an attempt after the last one would show."""
    if line.logged is not None and line.logged == line.last_attempt:
        return timedelta(0)
    event = last_failure(line).event
    return SERIES if event is None or event.series else REPEATED


def _without_event(picture: Picture, pod: Pod, spaces: set[str]) -> Moment | None:
    """Since when the pod was certainly not tried, if no event tells of an attempt: at most since the oldest event.

    `spaces`: the namespaces of which events are given.
    """
    since = pod.scheduled.since if pod.scheduled is not None else None
    if since is None or picture.events_from is None or (pod.namespace not in spaces and len(spaces) < 2):
        return None
    return max(since, picture.events_from, key=lambda moment: moment.at)


def _not_tried_again(
    findings: Findings, picture: Picture, witnesses: Witnesses, limits: Timers, scheduler: str, group: list[_Silent]
) -> None:
    assert picture.now is not None
    since, lines = group[0].since, [each.line for each in group]
    evidence = list(_said(group))
    evidence.append(
        Evidence(moment_text(picture.now), "newest time of pods", f"{seconds_text(picture.now, since)} later")
    )
    longest = max(_limit(each.line, each.pod, limits) for each in group)
    evidence.append(Evidence(None, "now", _limits_text(limits, max(map(_shown, lines)), longest)))
    evidence += witnesses.evidence(scheduler, since, lines)
    fits = [*_FITS]
    if any(each.line.preempted or each.pod.nominated for each in group):
        fits += _PREEMPTED
    texts = {last_failure(line).text for line in lines}
    printed = dict.fromkeys(bug for text in texts for bug in bugs_with_text(text))
    fits += [Fit(bug, "if its error text is that bug's") for bug in printed if bug in _IDS - {fit.bug for fit in fits}]
    error = " after an error" if any(map(_is_error, texts)) else ""
    title = f"not tried again for longer than every timer{error} ({scheduler})"
    caution = _RUNS if witnesses.runs(scheduler, since) else IS_THERE
    findings.add_group("not-tried-again", [each.pod for each in group], title, evidence, fits, caution)


def _said(group: Sequence[_Silent]) -> Iterator[Evidence]:
    """What the first of the pods failed with."""
    for each in group[:SHOWN]:
        of = f"of {each.line.name}" if len(group) > 1 else ""
        failure = last_failure(each.line)
        if failure.event is not None:
            yield event_evidence(failure.event, of)
        elif each.pod.scheduled is not None:
            text = f"{each.pod.scheduled.status}: {failure.text.strip()}"
            yield Evidence(moment_text(each.pod.scheduled.since), "PodScheduled", f"{text} ({of})" if of else text)


def _limits_text(limits: Timers, shown: timedelta, longest: timedelta) -> str:
    flush = "no flush" if limits.flush is None else f"a flush after {duration_text(limits.flush)}"
    later = f", and such an event may be written {duration_text(shown)} late" if shown else ""
    backoff = f"a backoff of at most {duration_text(limits.backoff)}"
    return f"the release has {flush} and {backoff}{later}: an attempt shows within {duration_text(longest)}"


def _is_error(text: str) -> bool:
    return bool(text) and kind_of(text) not in ("fits nowhere", "deleting")
