"""Pods that wait and that no scheduler has ever tried, and those that scheduling gates hold back. Pure functions."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, moment_text
from kubeproof.advise.pod_events.picture import Picture, Pod, duration_text, seconds_text
from kubeproof.advise.pod_events.timeline import Timeline
from kubeproof.advise.pod_events.witnesses import IS_THERE, Witnesses

# A scheduler that runs tries a new pod at once. Behind many others or behind slow extenders it may take a while.
UNTRIED = timedelta(minutes=1)
_GATED = "SchedulingGated"
_RUNS = "A scheduler of this name runs. Either it has not heard of the pod (#102790), or the pod waits behind others."
_CLAIMS = "resource claims: from 1.26 on the scheduler holds such a pod back until the claims exist"
_SKIPPED = "if the pod was held back before its first attempt, and the event that should release it passed it over"


def never_tried(line: Timeline) -> bool:
    """Whether nothing says that a scheduler has ever tried the pod, which waits, without gates."""
    pod = line.pod
    if pod is None or not pod.pending or pod.gates or line.attempts or line.logged is not None or pod.nominated:
        return False
    return pod.scheduled is None or _was_gated(pod)


def untried_findings(picture: Picture, lines: Sequence[Timeline], witnesses: Witnesses) -> Findings:
    """A finding for the pods of each scheduler, if one of them waits for so long that it must have been tried."""
    findings = Findings()
    groups: dict[tuple[str, bool], list[tuple[Timeline, Pod]]] = defaultdict(list)
    for line in lines:
        pod = line.pod
        if pod is not None and pod.pending and pod.gates:
            findings.normal.append((f"held back by scheduling gates: {', '.join(pod.gates[:3])}", line.name))
        elif pod is not None and never_tried(line):
            groups[pod.scheduler, _was_gated(pod)].append((line, pod))
    for (scheduler, was_gated), group in groups.items():
        if any(_is_long(picture, pod) for _, pod in group):
            _never_tried(findings, picture, witnesses, scheduler, was_gated, group)
        else:
            ago = duration_text(UNTRIED)
            why = f"created less than {ago} before the newest time in the files, and not tried yet"
            findings.not_judged += [(why, line.name) for line, _ in group]
    return findings


def _is_long(picture: Picture, pod: Pod) -> bool:
    if picture.until is None or pod.created is None or not picture.at_work:
        # Nothing in the files tells of a scheduler, or of the time at which they were written.
        return True
    return picture.until.later_than(pod.created, UNTRIED)


def _never_tried(
    findings: Findings, picture: Picture, witnesses: Witnesses, scheduler: str, was_gated: bool,
    group: Sequence[tuple[Timeline, Pod]],
) -> None:  # fmt: skip
    pods = sorted((pod for _, pod in group), key=lambda pod: str(pod.created or ""))
    first, last = pods[0].created, pods[-1].created
    evidence = [Evidence(moment_text(first), "created", pods[0].full_name)]
    if len(pods) > 1:
        evidence.append(Evidence(moment_text(last), "created", f"{pods[-1].full_name}, the last of {len(pods)}"))
    status = f"PodScheduled is False ({_GATED}), and there is no gate" if was_gated else "no condition PodScheduled"
    events = "no event of a scheduler" if picture.events_given else "no events are given"
    evidence.append(Evidence(None, "now", f"{status}; {events}; schedulerName is {scheduler}"))
    evidence.append(_waited(picture, first))
    evidence += witnesses.evidence(scheduler, first, [line for line, _ in group])
    caution = _RUNS if witnesses.runs(scheduler, first) else IS_THERE
    held = sum("its resource claims" in pod.constraints for pod in pods)
    if held:
        caution = f"{caution} {held} of them {'names' if held == 1 else 'name'} {_CLAIMS}."
    fits = [Fit(bug, _SKIPPED) for bug in ("QUEUE-GATED-SKIP", "QUEUE-GATED-TWICE")] if was_gated or held else []
    since = "since its gates are gone" if was_gated else "by any scheduler"
    findings.add_group("never-tried", pods, f"never tried {since} ({scheduler})", evidence, fits, caution)


def _waited(picture: Picture, since: Moment | None) -> Evidence:
    """How long the first pod waits: by the newest time of pods and events, else of nodes."""
    for what, moment in (("newest time of pods", picture.now), ("newest time of nodes", picture.until)):
        if moment is not None and since is not None and moment.later_than(since):
            text = f"{seconds_text(moment, since)} after the first was created"
            return Evidence(moment_text(moment), what, text)
    return Evidence(None, "now", "the files do not say how long it waits: no time in them is later")


def _was_gated(pod: Pod) -> bool:
    return pod.scheduled is not None and pod.scheduled.reason == _GATED
