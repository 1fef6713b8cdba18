"""Error texts of the Go code in events, conditions and logs, and a scheduler whose log ends with its last words."""

from collections import defaultdict
from collections.abc import Iterator

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, Findings, Fit, moment_text
from kubeproof.advise.pod_events.picture import Condition, Picture, Pod
from kubeproof.advise.pod_events.timeline import Timeline, bound_at, last_failure
from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.signature import Signature
from kubeproof.bugs.signatures import signatures_in

SHOWN = 3
_HOW = "if this text is that bug's: the text alone does not say"
_ENDED = (
    "A scheduler that loses its lease ends itself by design: look whether another one leads, and why the API server "
    "was slow. The supervisor starts the process again."
)


def text_findings(picture: Picture, lines: list[Timeline], known: set[str]) -> Findings:
    """What the texts say. `known`: the names of pods of which something was found already."""
    findings = Findings()
    shown = {bug.id for bug in EVERY_BUG}
    said: dict[Signature, list[tuple[Moment | None, str, str, Pod]]] = defaultdict(list)
    for line in lines:
        pod = line.pod or _named(line.name, line.uid)
        if line.name in known:
            continue
        for at, what, text in _texts(line):
            for signature in signatures_in(text):
                if not signature.passes:
                    said[signature].append((at, what, text, pod))
        text = _waits_with(line)
        for signature in signatures_in(text):
            if signature.passes:
                said[signature].append((line.last_attempt, "it waits with", text, pod))
    for log in picture.logs:
        for signed in log.signed:
            pod = _named(signed.pod, signed.pod)
            for signature in signed.signatures:
                if not signature.passes:
                    said[signature].append((signed.at, f"log {log.file}", signed.text, pod))
    for signature, found in said.items():
        pods = list({pod.full_name: pod for *_, pod in found if pod.name}.values())
        evidence = [Evidence(moment_text(at), what, text.strip()) for at, what, text, _ in found[:SHOWN]]
        if len(found) > SHOWN:
            evidence.append(Evidence(None, "now", f"and {len(found) - SHOWN} more such texts"))
        title = "an error text that documented bugs print"
        fits = [Fit(bug, _HOW) for bug in signature.bugs if bug in shown]
        unshown = ", ".join(bug for bug in signature.bugs if bug not in shown)
        more = f" {unshown} prints it too, and nothing shows which releases have it." if unshown else ""
        findings.add_group(
            "error-text",
            pods,
            title,
            evidence,
            fits,
            f"What else leaves it: {signature.normal} Go: {signature.go}.{more}",
        )
    for log in picture.logs:
        if log.last_words:
            evidence = [Evidence(moment_text((*log.lost, log.ends)[0]), f"log {log.file}", log.last_words)]
            findings.add_group("scheduler-ended", (), "a scheduler ended itself, by its log", evidence, (), _ENDED)
    return findings


def _named(name: str, uid: str) -> Pod:
    """A pod of which only the name is known, namespace/name."""
    namespace, _, own = name.partition("/")
    return Pod(namespace, own, uid)


def _texts(line: Timeline) -> Iterator[tuple[Moment | None, str, str]]:
    """When, what and the text of each failure of which an event or a condition tells."""
    condition = _condition(line)
    for event in line.failed:
        # What a log says is in its lines that are signed.
        if line.is_own(event) and not event.logged:
            yield event.last, event.reason, event.message
    if condition is not None and all(event.message.strip() != condition.message.strip() for event in line.failed):
        yield condition.since, "PodScheduled", condition.message


def _waits_with(line: Timeline) -> str:
    """The text of the last failure of a pod that waits, or ""."""
    waits = bound_at(line) is None and (line.pod is None or line.pod.pending)
    return last_failure(line).text if waits else ""


def _condition(line: Timeline) -> Condition | None:
    condition = line.pod.scheduled if line.pod is not None else None
    return condition if condition is not None and condition.status == "False" else None
