"""The answer about pods and events as text, for readers who run a cluster and do not know this tool."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubeproof.advise.cpu_state.wording import fact, listed, name_text, number_of, up_to, vendor_note, wrapped
from kubeproof.advise.log_lines import NO_YEAR
from kubeproof.advise.pod_events.answer import Finding, FittingBug, Note, PodEventsAnswer
from kubeproof.advise.pod_events.finding import Evidence
from kubeproof.advise.pod_events.picture import duration_text
from kubeproof.visible import visible

# Longer lists are shortened in text; the JSON has them whole.
FINDINGS_SHOWN = 20
EVIDENCE_SHOWN = 8
PODS_SHOWN = 3
TEXT_SHOWN = 320
RANGES_SHOWN = 4
GROUPS_SHOWN = 10
# Of pods in these states it counts how long nothing has happened.
WAITING = ("waits", "has a node, and is not started")


def render(answer: PodEventsAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: PodEventsAnswer) -> str:
    """One line: how much was found, and how much was looked at."""
    looked = answer.looked_at
    parts = [
        number_of(number, noun)
        for number, noun in (
            (looked.pods, "pod"),
            (looked.events, "event"),
            (looked.nodes, "node"),
            (looked.logs or None, "log"),
        )
        if number is not None
    ]
    among = f"in {listed(parts)}" if parts else "in what was given"
    if not answer.findings:
        return f"Nothing found {among}, of what is named below."
    return f"{number_of(len(answer.findings), 'finding')} {among}."


def _lines(answer: PodEventsAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    yield from vendor_note(answer.release, answer.judged_as)
    if answer.facts or answer.logs:
        yield ""
        yield from _facts(answer)
    for number, finding in enumerate(answer.findings[:FINDINGS_SHOWN], 1):
        yield ""
        yield from _finding(number, finding, answer.release)
    if len(answer.findings) > FINDINGS_SHOWN:
        yield ""
        yield from _left_out(answer.findings[FINDINGS_SHOWN:])
    bugs = {bug.bug: bug for finding in answer.findings for bug in finding.bugs if bug.in_release is not False}
    for bug in bugs.values():
        yield ""
        yield from _bug(bug, answer.release)
    yield ""
    yield from _looked_at(answer)
    if not answer.findings:
        yield from wrapped(f"Looked for: {'; '.join(answer.looked_for) or 'nothing, no list was given'}.", "")
    if answer.normal:
        yield from _notes("Seen, and normal", answer.normal)
    if answer.not_judged:
        yield from _notes("Not judged", answer.not_judged)


def _facts(answer: PodEventsAnswer) -> Iterator[str]:
    until = f", up to {_time(answer.until)}, the newest time of pods, events and logs" if answer.until else ""
    yield f"Facts{until}"
    for group in answer.facts[:GROUPS_SHOWN]:
        text = f"{group.state}: {number_of(group.count, 'pod')} of {name_text(group.scheduler)}"
        if group.created_first and group.created_last:
            to = "" if group.created_first == group.created_last else f" to {_time(group.created_last)}"
            text += f", created {_time(group.created_first)}{to}"
        if group.silent and group.state.startswith(WAITING):
            most = "up to " if group.count > 1 else ""
            text += f", nothing new for {most}{duration_text(timedelta(seconds=group.silent))}"
        yield from wrapped(f"- {text} ({_names(group.pods, group.count)})", "  ", "    ")
    if len(answer.facts) > GROUPS_SHOWN:
        yield f"  - and {len(answer.facts) - GROUPS_SHOWN} more groups of pods"
    for log in answer.logs:
        span = f" from {_time(log.begins)} to {_time(log.ends)}" if log.begins and log.ends else ""
        text = f"{name_text(log.file)}: {number_of(log.attempts, 'attempt')} of {number_of(log.pods, 'pod')}{span}"
        text += "".join(
            f"; {what} {_time(at)}" for what, at in (("leads since", log.leads), ("lost its lease", log.lost)) if at
        )
        yield from wrapped(f"- {text}", "  ", "    ")


def _finding(number: int, finding: Finding, release: str | None) -> Iterator[str]:
    subject = (
        name_text(finding.node) if finding.kind == "node-over-allocatable" else _names(finding.pods, finding.count)
    )
    lead = f"{number}. {subject}: " if subject else f"{number}. "
    yield from wrapped(f"{lead}{visible(finding.title)}", "", "   ")
    for evidence in finding.evidence[:EVIDENCE_SHOWN]:
        yield from _evidence(evidence)
    if len(finding.evidence) > EVIDENCE_SHOWN:
        yield f"   and {len(finding.evidence) - EVIDENCE_SHOWN} more"
    fitting = [bug for bug in finding.bugs if bug.in_release is not False]
    lead = "Fits"
    for bug in fitting:
        yield from wrapped(f"{lead} {bug.bug}: {bug.how}", "   ", "        ")
        lead = "Or  "
    others = [bug.bug for bug in finding.bugs if bug.in_release is False and bug.asked]
    gone = [bug for bug in finding.bugs if bug.in_release is False and not bug.asked]
    unasked = [bug for bug in fitting if not bug.asked]
    if not finding.bugs:
        yield from wrapped(f"No documented bug{f' of {release}' if release else ''} leaves this.", "   ")
    elif not fitting:
        names = ", ".join((*others, *(bug.bug for bug in gone)))
        yield from wrapped(f"None of the bugs that look like this is known of {release}: {names}", "   ")
    elif others:
        yield from wrapped(f"Not in {release}: {', '.join(others)}", "   ", "        ")
    for text, bugs in (("Gone by", gone if fitting else []), ("Still in", unasked)):
        for last in dict.fromkeys(bug.asked_to for bug in bugs):
            names = ", ".join(bug.bug for bug in bugs if bug.asked_to == last)
            yield from wrapped(f"{text} {last}, and newer ones were not asked: {names}", "   ", "        ")
    if finding.caution:
        yield from wrapped(finding.caution, "   ")


def _evidence(evidence: Evidence) -> Iterator[str]:
    when = "now" if evidence.at is None else _time(evidence.at)
    what = "" if evidence.what == "now" else f"{visible(evidence.what)}: "
    yield from wrapped(f"{when:<19}  {what}{name_text(evidence.text, TEXT_SHOWN)}", "   ", " " * 24)


def _left_out(findings: Sequence[Finding]) -> Iterator[str]:
    names = list(dict.fromkeys(finding.pod or finding.kind for finding in findings))
    yield from wrapped(f"And {number_of(len(findings), 'more finding')}: {_names(names, len(names))}", "")


def _bug(bug: FittingBug, release: str | None) -> Iterator[str]:
    yield from wrapped(f"{bug.bug}: {bug.title}", "", "  ")
    shown = up_to(RANGES_SHOWN, [str(each) for each in bug.affected], "ranges")
    yield from fact("  Releases", f"{shown or 'none that is modelled'} (computed: {bug.evidence})")
    yield from fact("  Trace", f"{bug.reproduce}, or {bug.trace}")
    yield from fact("  Cure", _cure(bug, release))


def _cure(bug: FittingBug, release: str | None) -> str:
    if not bug.asked:
        upgrade = f"releases later than {bug.asked_to} were not asked"
        return f"{upgrade}; until then: {bug.until_then}" if bug.until_then else upgrade
    later = f"later than {release}" if release is not None else "that is modelled"
    upgrade = f"{bug.cured_in} or later" if bug.cured_in is not None else f"no release {later} is without it"
    if bug.cured_in is not None and release is not None:
        upgrade = f"{bug.cured_in}, the next release without it"
    return f"{upgrade}; until then: {bug.until_then}" if bug.until_then else upgrade


def _looked_at(answer: PodEventsAnswer) -> Iterator[str]:
    looked = answer.looked_at
    parts = []
    if looked.pods is not None:
        parts.append(f"{number_of(looked.pods, 'pod')} ({looked.bound} with a node, {looked.pending} waiting for one)")
    if looked.events is not None:
        parts.append(f"{number_of(looked.events, 'event')} ({looked.scheduling_events} of them tell of scheduling)")
    if looked.nodes is not None:
        parts.append(number_of(looked.nodes, "node"))
    if looked.logs:
        parts.append(number_of(looked.logs, "log"))
    if looked.passed_over:
        parts.append(f"{number_of(looked.passed_over, 'object')} of other kinds, passed over")
    yield from wrapped(f"Looked at {listed(parts) or 'empty lists'}.", "")


def _notes(heading: str, notes: Sequence[Note]) -> Iterator[str]:
    yield heading
    for note in notes:
        pods = f" ({_names(note.pods, note.count)})" if note.count else ""
        yield from wrapped(f"- {note.what}{pods}", "  ", "    ")


def _names(names: Sequence[str], count: int) -> str:
    shown = [name_text(name) for name in names[:PODS_SHOWN]]
    if count > PODS_SHOWN:
        shown.append(f"{count - PODS_SHOWN} more")
    return listed(shown)


def _time(text: str) -> str:
    return text.removeprefix(f"{NO_YEAR}-").replace("T", " ").removesuffix("Z")[:23]
