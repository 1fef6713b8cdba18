"""The answer about the symptoms in a text as text, for readers who run a cluster and do not know this tool."""

from collections.abc import Iterator, Sequence

from kubeproof.advise.cpu_state.wording import listed, name_text, number_of, up_to, vendor_note, wrapped
from kubeproof.advise.symptoms.answer import FittingBug, LookedFor, Match, SymptomsAnswer, is_found
from kubeproof.advise.symptoms.reading import MOST, Line
from kubeproof.visible import visible

# Longer lists are shortened in text; the JSON has them whole.
MATCHES_SHOWN = 20
BUGS_SHOWN = 6
RANGES_SHOWN = 4
TEXT_SHOWN = 320


def render(answer: SymptomsAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: SymptomsAnswer) -> str:
    """One line: how many symptoms fit documented bugs."""
    among = f"in {number_of(answer.lines, 'line')} of {visible(answer.file)}"
    of = f" of {answer.release}" if answer.release else ""
    fits = [match for match in answer.matches if is_found(match)]
    if not fits:
        return f"No symptom of a documented bug{of} {among}, of those that are named below."
    if answer.release and not any(bug.in_release for match in fits for bug in match.bugs):
        of = f" that {answer.release} may have"
    return f"{number_of(len(fits), 'symptom')} of documented bugs{of} {among}."


def _lines(answer: SymptomsAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    yield from vendor_note(answer.release, answer.judged_as)
    for number, match in enumerate(answer.matches[:MATCHES_SHOWN], 1):
        yield ""
        yield from _match(number, match, answer.release)
    if len(answer.matches) > MATCHES_SHOWN:
        yield ""
        yield f"And {number_of(len(answer.matches) - MATCHES_SHOWN, 'more symptom')}."
    for panic in answer.other_panics:
        yield ""
        yield from _line(panic.line, "-  ")
        where = f" in {visible(panic.function)}" if panic.function else ", and the text does not tell where"
        yield from wrapped(f"A panic{where}: no documented bug has it.", "   ")
    yield ""
    yield from wrapped(_looked_for(answer.looked_for), "")
    if any(match.bugs for match in answer.matches):
        yield from wrapped("`kubeproof show ID` has the page of a bug: what cures it, and what helps until then.", "")


def _match(number: int, match: Match, release: str | None) -> Iterator[str]:
    lead = f"{number}. "
    for line in match.lines:
        yield from _line(line, lead)
        lead = "   "
    if match.count > len(match.lines):
        yield f"   and {number_of(match.count - len(match.lines), 'more line')}"
    if match.common:
        yield from wrapped("Healthy clusters have this too. It says something only beside other signs.", "   ")
    fitting = [bug for bug in match.bugs if bug.in_release is not False]
    lead = "Fits"
    for bug in fitting[:BUGS_SHOWN]:
        gates = f"; needs the gate {listed(bug.gates)}, which is off by default in {release}" if bug.gates else ""
        yield from wrapped(f"{lead} {bug.bug}: {bug.title} ({_releases(bug)}{gates})", "   ", "        ")
        lead = "Or  "
    if len(fitting) > BUGS_SHOWN:
        yield from wrapped(f"Or   {', '.join(bug.bug for bug in fitting[BUGS_SHOWN:])}", "   ", "        ")
    others = [bug.bug for bug in match.bugs if bug.in_release is False]
    if others:
        yield from wrapped(f"Not in {release}: {', '.join(others)}", "   ", "        ")
    if not match.bugs:
        yield from wrapped("No documented bug leaves this.", "   ")
    if match.function:
        yield from wrapped(f"At fault: {visible(match.function)}", "   ", "        ")
    else:
        yield from wrapped(f"What else leaves it: {match.normal}", "   ", "        ")
    if match.command:
        yield from wrapped(f"What tells more: {match.command}", "   ", "        ")
    yield from wrapped(f"Go: {match.go}", "   ", "        ")


def _line(line: Line, lead: str) -> Iterator[str]:
    text = name_text(line.text.replace("\t", " "), TEXT_SHOWN)
    yield from wrapped(f"line {line.number}: {text}", lead, "     ")


def _releases(bug: FittingBug) -> str:
    if not bug.affected:
        return f"its releases are not computed: {bug.why}"
    return up_to(RANGES_SHOWN, [str(each) for each in bug.affected], "ranges")


def _looked_for(what: LookedFor) -> str:
    kinds: Sequence[str] = (
        number_of(what.texts, "text") + " of errors, events and logs",
        number_of(what.panics, "panic"),
        number_of(what.metrics, "metric"),
        number_of(what.functions, "function") + " in a profile or among goroutines",
    )
    return (
        f"Looked for {listed(kinds)}, each in the first {MOST} lines that may have it: what {what.bugs} documented "
        f"bugs leave. Of {what.silent} others no such text is known; `kubeproof bugs WORDS` finds them by what happens."
    )
