"""Pods that wait, and what no timer of the release explains: never tried, not tried again, nominated for long.

What a pod waits for that is in order, such as a scheduling gate, is noted as normal. Pure functions.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubeproof.advise.pod_events.failure import kind_of
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, event_evidence, moment_text
from kubeproof.advise.pod_events.picture import Event, Picture, Pod, duration_text, seconds_text
from kubeproof.advise.pod_events.timeline import Timeline, new_leaders
from kubeproof.advise.pod_events.timers import Timers, timers
from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.signatures import bugs_with_text
from model.releases import Release

# A scheduler that runs tries a new pod at once. Behind many others or behind slow extenders it may take a while.
UNTRIED = timedelta(minutes=1)
# A pod should be gone at its deletionTimestamp. A kubelet needs a little longer.
OVERDUE = timedelta(minutes=5)
# A pod that preempts in so many rounds, and still waits, does not get what it makes room for.
ROUNDS = 3
# So many pods of schedulers are named.
SCHEDULERS = 3
_SHOWN = frozenset(bug.id for bug in EVERY_BUG)
GATED = "SchedulingGated"
_IS_THERE = (
    "Is there a scheduler of this schedulerName, does it run, and does it lead? "
    "kubectl -n kube-system get pods,leases. Its log says whether it has heard of the pod."
)
_WHEN = "waits, and no event and no log says when it was last tried: does it wait for longer than every timer?"
_RUNS = "A scheduler of this name runs. Either it has not heard of the pod (#102790), or the pod waits behind others."
_CLAIMS = "it names resource claims: from 1.26 on the scheduler holds such a pod back until the claims exist"
_GATED_SKIP = "if the pod was held back before its first attempt, and the event that should release it passed it over"


def waiting_findings(picture: Picture, lines: list[Timeline], release: Release | None, known: set[str]) -> Findings:
    """What is odd about pods that wait, and about pods that should be gone.

    `known`: the uids of pods of which more is found already than that they wait.
    """
    findings = Findings()
    _Judge(picture, [line for line in lines if line.uid not in known], findings, timers(release)).all()
    return findings


def never_tried(line: Timeline) -> bool:
    """Whether nothing says that a scheduler has ever tried the pod, which waits."""
    pod = line.pod
    if pod is None or not pod.pending or line.attempts or line.logged is not None or pod.nominated:
        return False
    return pod.scheduled is None or pod.scheduled.reason == GATED


class _Judge:
    def __init__(self, picture: Picture, lines: list[Timeline], findings: Findings, limits: Timers) -> None:
        self.picture, self.lines, self.findings, self.limits = picture, lines, findings, limits
        self.now = picture.now
        self.terminating: dict[str, list[Pod]] = defaultdict(list)
        for pod in picture.pods or ():
            if pod.node and pod.deleting and not pod.terminal:
                self.terminating[pod.node].append(pod)
        # When a scheduler of each name was last seen to do something.
        self.seen: dict[str, Moment] = {}
        for line in lines:
            for event in line.attempts:
                if event.last is not None and event.by:
                    self.seen[event.by] = max(self.seen.get(event.by, event.last), event.last, key=lambda each: each.at)

    def all(self) -> None:
        untried: dict[tuple[str, bool], list[Timeline]] = defaultdict(list)
        silent: dict[str, list[Timeline]] = defaultdict(list)
        for line in self.lines:
            pod = line.pod
            if pod is None:
                continue
            if pod.deleting:
                self._deleting(pod)
            elif pod.pending and pod.gates:
                self.findings.normal.append((f"held back by scheduling gates: {', '.join(pod.gates[:3])}", line.name))
            elif never_tried(line):
                untried[pod.scheduler, _was_gated(pod)].append(line)
            elif pod.pending and self._silent(line):
                silent[pod.scheduler].append(line)
            elif pod.pending:
                if line.last_attempt is None:
                    self.findings.not_judged.append((_WHEN, line.name))
                if pod.nominated:
                    self._nominated(line, pod)
            if len(rounds := _rounds(line.preempted)) >= ROUNDS and pod.pending:
                self._preempted_again(line, pod, rounds)
        for (scheduler, was_gated), group in untried.items():
            if any(self._long_untried(pod) for pod in _pods(group)):
                self._never_tried(scheduler, was_gated, group)
            else:
                why = (
                    f"created less than {duration_text(UNTRIED)} before the newest time in the files, and not tried yet"
                )
                self.findings.not_judged += [(why, line.name) for line in group]
        for scheduler, group in silent.items():
            self._not_tried_again(scheduler, group)

    # --- never tried, or not again

    def _long_untried(self, pod: Pod) -> bool:
        until = self.picture.until
        if until is None or pod.created is None or not self.picture.at_work:
            # Nothing in the files tells of a scheduler, or of the time at which they were written.
            return True
        return until.later_than(pod.created, UNTRIED)

    def _never_tried(self, scheduler: str, was_gated: bool, group: Sequence[Timeline]) -> None:
        pods = sorted(_pods(group), key=lambda pod: "" if pod.created is None else str(pod.created))
        first, last = pods[0].created, pods[-1].created
        evidence = [Evidence(moment_text(first), "created", pods[0].full_name)]
        if len(pods) > 1:
            evidence.append(Evidence(moment_text(last), "created", f"{pods[-1].full_name}, the last of {len(pods)}"))
        events = "no event of a scheduler" if self.picture.events_given else "and no events are given"
        gone = "; its gates are gone, and its condition still says so" if was_gated else ""
        evidence.append(
            Evidence(None, "now", f"no condition PodScheduled, {events}{gone}; schedulerName is {scheduler}")
            if not was_gated
            else Evidence(None, "now", f"PodScheduled is False: {GATED}, {events}{gone}; schedulerName is {scheduler}")
        )
        waited = self._waited(first)
        if waited:
            evidence.append(Evidence(moment_text(self.picture.until), "newest time in the files", waited))
        runs = self._runs(scheduler, first)
        evidence += [*runs, *self._schedulers(), *self._logs(group), *self._leader()]
        which = "since its gates are gone" if was_gated else "by any scheduler"
        caution = [_RUNS if runs else _IS_THERE]
        held = [pod for pod in pods if "its resource claims" in pod.constraints]
        if held:
            caution.append(f"Of {len(held)} of them: {_CLAIMS}.")
        fits = [Fit("QUEUE-GATED-SKIP", _GATED_SKIP), Fit("QUEUE-GATED-TWICE", _GATED_SKIP)]
        self.findings.add_group(
            "never-tried", pods, f"never tried {which} ({scheduler})", evidence,
            fits if was_gated or held else [], " ".join(caution),
        )  # fmt: skip

    def _waited(self, since: Moment | None) -> str:
        until = self.picture.until
        if until is None or since is None or not until.later_than(since):
            return "the files do not say how long it waits: no time in them is later"
        return f"{seconds_text(until, since)} after the first was created"

    def _runs(self, scheduler: str, since: Moment | None) -> list[Evidence]:
        """That a scheduler of this name did something after `since`."""
        seen = self.seen.get(scheduler)
        if seen is None or since is None or not seen.later_than(since):
            return []
        return [Evidence(moment_text(seen), "events", f"{scheduler} tried another pod, after the first was created")]

    def _leader(self) -> Iterator[Evidence]:
        for moment in new_leaders(self.picture)[-1:]:
            yield Evidence(moment_text(moment), "LeaderElection", "a scheduler became leader")
        for log in self.picture.logs:
            for moment in log.lost[-1:]:
                yield Evidence(moment_text(moment), f"log {log.file}", "the scheduler lost its lease")

    def _schedulers(self) -> Iterator[Evidence]:
        """How the pods of schedulers do, as far as they are given."""
        found = [pod for pod in self.picture.pods or () if pod.runs and pod.node]
        for pod in found[:SCHEDULERS]:
            yield Evidence(None, "now", f"{pod.full_name}: {pod.runs}")
        if len(found) > SCHEDULERS:
            yield Evidence(None, "now", f"and {len(found) - SCHEDULERS} more pods with scheduler in their name")

    def _logs(self, group: Sequence[Timeline]) -> Iterator[Evidence]:
        """What the logs say of the pods, and how many other pods were tried there."""
        for log in self.picture.logs:
            heard = sum(line.name in log.heard for line in group)
            text = f"it has heard of {heard} of these pods" if heard else "it does not name these pods as new"
            others = len(log.tried) - sum(line.name in log.tried for line in group)
            yield Evidence(moment_text(log.ends), f"log {log.file}", f"{text}, and has attempts of {others} other pods")

    def _silent(self, line: Timeline) -> bool:
        """Whether nobody has tried the pod for longer than every timer of the release."""
        pod, now = line.pod, self.now
        last = line.last_attempt
        if pod is None or now is None:
            return False
        if last is not None:
            return now.later_than(last, self.limits.longest)
        since = _written(pod)
        oldest = self.picture.events_from
        if since is None or oldest is None or not self._events_cover(pod):
            return False
        # Of the time before the oldest event a missing event says nothing.
        return now.later_than(max(since, oldest, key=lambda moment: moment.at), self.limits.longest)

    def _events_cover(self, pod: Pod) -> bool:
        """Whether the events given are those of the pod's namespace too, so that a missing event says something."""
        spaces = {event.namespace for event in self.picture.events if event.kind == "Pod"}
        return pod.namespace in spaces or len(spaces) > 1

    def _not_tried_again(self, scheduler: str, group: Sequence[Timeline]) -> None:
        group = sorted(group, key=lambda line: str(line.last_attempt or ""))
        evidence: list[Evidence] = []
        for line in group[:3]:
            own = [event for event in line.failed if line.is_own(event)]
            if own:
                evidence.append(event_evidence(own[-1], _of(line, group)))
            elif line.pod is not None and line.pod.scheduled is not None:
                said = line.pod.scheduled
                text = f"False: {said.message.strip()}{_of(line, group) and f' ({_of(line, group)})'}"
                evidence.append(Evidence(moment_text(said.since), "PodScheduled", text))
        assert self.now is not None
        since = min((_since(line) for line in group), key=lambda moment: moment.at)
        evidence.append(
            Evidence(moment_text(self.now), "newest time of pods", f"{seconds_text(self.now, since)} later")
        )
        evidence.append(Evidence(None, "now", self._timers_text()))
        runs = self._runs(scheduler, since)
        evidence += [*runs, *self._schedulers(), *self._logs(group), *self._leader()]
        pods = _pods(group)
        errors = any(_is_error(line) for line in group)
        fits = [
            Fit("QUEUE-STUCK-NO-FLUSH", "if the pod missed its event: nothing else moves it in this release"),
            Fit("QUEUE-TWO-INFORMERS", "if its failure was handled before a second informer knew the pod"),
            Fit("QUEUE-MOVE-DROP-ON-ERR", "if a queue refused the pod when it was moved"),
            Fit("QUEUE-GATED-TWICE", _GATED_SKIP),
            Fit("QUEUE-FLUSH-SKIPS-GATED", "if a plugin at PreEnqueue holds the pod back: the flush passes it over"),
        ]
        if any(line.preempted or (line.pod is not None and line.pod.nominated) for line in group):
            fits += [
                Fit("ASYNC-PREEMPT-STUCK", "if it preempted more than once, and its last victim is gone"),
                Fit("ASYNC-PREEMPT-STUCK-DELETED", "if it preempted, and its victims are gone"),
            ]
        printed = [
            bug
            for line in group
            for bug in bugs_with_text(_said_last(line))
            if bug in _SHOWN - {fit.bug for fit in fits}
        ]
        fits += [Fit(bug, "if its error text is that bug's") for bug in dict.fromkeys(printed)]
        caution = _RUNS.replace("has not heard of the pod (#102790)", "has lost the pod") if runs else _IS_THERE
        title = f"not tried again for longer than every timer{' after an error' if errors else ''} ({scheduler})"
        self.findings.add_group("not-tried-again", pods, title, evidence, fits, caution)

    def _timers_text(self) -> str:
        flush = "no flush" if self.limits.flush is None else f"a flush after {duration_text(self.limits.flush)}"
        return (
            f"the release has {flush} and a backoff of at most {duration_text(self.limits.backoff)}; with the time "
            f"that a repeated event may take, an attempt shows within {duration_text(self.limits.longest)}"
        )

    # --- nominations and deletions

    def _nominated(self, line: Timeline, pod: Pod) -> None:
        """A pod whose nomination waits although nobody on the node is going."""
        since = self._nominated_since(line, pod)
        if since is None or self.now is None or not self.now.later_than(since, self.limits.longest):
            return
        going = self.terminating.get(pod.nominated, [])
        overdue = [each for each in going if self._overdue(each)]
        if going and not overdue:
            self.findings.normal.append(("nominated, and waits for victims that are within their grace", line.name))
            return
        evidence = [Evidence(moment_text(since), "nominated", f"for {pod.nominated}")]
        evidence += [event_evidence(event, f"of {event.namespace}/{event.name}") for event in line.preempted[-2:]]
        for each in overdue[:2]:
            assert each.deleted is not None
            text = f"{each.full_name} should be gone, and is still there {seconds_text(self.now, each.deleted)} later"
            evidence.append(Evidence(moment_text(each.deleted), "deletionTimestamp", text))
        if not going:
            evidence.append(Evidence(None, "now", f"no pod of those given terminates on {pod.nominated}"))
        evidence.append(Evidence(moment_text(self.now), "newest time of pods", seconds_text(self.now, since)))
        fits = [] if going else [
            Fit("NOM-NOT-CLEARED", "if the nomination is merely kept"),
            Fit("NOM-RACE-SETTING", "if another pod took the room before the nomination was known"),
            Fit("PREEMPT-RACE-BEFORE-NOMINATE", "if an update deleted the nomination, and another pod took the room"),
            Fit("PREEMPT-VICTIM-GONE", "if the pod preempted the same victim twice, and another pod took the room"),
            Fit("NOM-CLEAR-OVERTAKEN", "if the nomination was cleared, and an older update brought it back"),
            Fit("NOM-CLEAR-OVERTAKEN-BY-PRIORITY", "if a pod of higher priority has taken the node"),
        ]  # fmt: skip
        caution = (
            "As long as its victims terminate the pod preempts nobody else (#95752): look at the node's kubelet, and "
            "at finalizers."
            if going
            else "A pod of higher priority that took the room, and a pod that the scheduler does not know, do the same."
        )
        title = f"nominated for {pod.nominated} for longer than every timer, and not placed"
        self.findings.add("nomination-waits", pod, title, evidence, fits, caution)

    def _nominated_since(self, line: Timeline, pod: Pod) -> Moment | None:
        """A time since which the pod is certainly nominated, as far as the files say; None: they do not say."""
        if pod.nominated_written is not None:
            return pod.nominated_written
        preempted = [event.last for event in line.preempted if event.last is not None]
        if preempted:
            return max(preempted, key=lambda moment: moment.at)
        since = _written(pod)
        if since is None or not self.picture.events_given:
            return since
        # Its preemption is older than all events.
        oldest = self.picture.events_from
        return None if oldest is None else max(since, oldest, key=lambda moment: moment.at)

    def _overdue(self, pod: Pod) -> bool:
        return pod.deleted is not None and self.now is not None and self.now.later_than(pod.deleted, OVERDUE)

    def _deleting(self, pod: Pod) -> None:
        if pod.terminal or not self._overdue(pod):
            what = "is being deleted: it keeps its room until it is gone" if pod.node else "is being deleted: not tried"
            self.findings.normal.append((what, pod.full_name))
            return
        assert pod.deleted is not None
        assert self.now is not None
        text = f"its grace period is over since {seconds_text(self.now, pod.deleted)}"
        where = f"on {pod.node}: it keeps its room there" if pod.node else "without a node: the scheduler skips it"
        self.findings.add(
            "deletion-overdue", pod, "should be gone, and is still there",
            [Evidence(moment_text(pod.deleted), "deletionTimestamp", text), Evidence(None, "now", where)], [],
            "A finalizer, or a kubelet that does not answer, keeps it. This is no bug of the scheduler.",
        )  # fmt: skip

    def _preempted_again(self, line: Timeline, pod: Pod, rounds: Sequence[Event]) -> None:
        evidence = [event_evidence(event, f"of {event.namespace}/{event.name}") for event in rounds[:2]]
        if len(rounds) > 3:
            evidence.append(Evidence(None, "now", f"{len(rounds) - 3} rounds more between"))
        evidence.append(event_evidence(rounds[-1], f"of {rounds[-1].namespace}/{rounds[-1].name}"))
        evidence.append(Evidence(None, "now", f"still waits; {sum(event.count for event in line.preempted)} evictions"))
        others = {each.scheduler for each in self.picture.pods or ()} - {pod.scheduler}
        if others:
            evidence.append(Evidence(None, "now", f"other pods name other schedulers: {', '.join(sorted(others)[:3])}"))
        fits = [
            Fit("NOM-RACE-SETTING", "if another pod took the room before the nomination was known"),
            Fit("PREEMPT-RACE-BEFORE-NOMINATE", "if an update deleted the nomination, and another pod took the room"),
            Fit("PREEMPT-VICTIM-GONE", "if the pod preempted the same victim twice, and another pod took the room"),
            Fit("PREEMPT-TWICE", "if it was tried again before its status was written"),
            Fit("ASYNC-PREEMPT-REPEAT", "if it was tried while its victims were being deleted"),
        ]
        self.findings.add(
            "preempted-again", pod, f"preempted in {len(rounds)} rounds, and still waits", evidence, fits,
            "Another scheduler that does not know of the nomination takes the room too, with the victim's next copy "
            "(#130429).",
        )  # fmt: skip


def _was_gated(pod: Pod) -> bool:
    return pod.scheduled is not None and pod.scheduled.reason == GATED


def _pods(group: Sequence[Timeline]) -> list[Pod]:
    return [line.pod for line in group if line.pod is not None]


def _of(line: Timeline, group: Sequence[Timeline]) -> str:
    return f"of {line.name}" if len(group) > 1 else ""


def _since(line: Timeline) -> Moment:
    last = line.last_attempt or (_written(line.pod) if line.pod is not None else None)
    assert last is not None
    return last


def _written(pod: Pod) -> Moment | None:
    """When the condition PodScheduled was written."""
    return pod.scheduled.since if pod.scheduled is not None else None


def _said_last(line: Timeline) -> str:
    own = [event for event in line.failed if line.is_own(event)]
    condition = line.pod.scheduled if line.pod is not None else None
    return own[-1].message if own else condition.message if condition is not None else ""


def _is_error(line: Timeline) -> bool:
    text = _said_last(line)
    return bool(text) and kind_of(text) not in ("fits nowhere", "deleting")


def _rounds(preempted: Sequence[Event]) -> list[Event]:
    """The preemptions, by time, those within a minute after another left out: one preemption may have many victims."""
    rounds: list[Event] = []
    for event in preempted:
        if event.last is not None and (
            not rounds or (rounds[-1].last is not None and event.last.later_than(rounds[-1].last, timedelta(minutes=1)))
        ):
            rounds.append(event)
    return rounds
