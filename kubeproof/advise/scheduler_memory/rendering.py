"""The answer about a scheduler's memory as text, for readers who run a cluster and do not know this tool."""

from collections.abc import Iterator

from kubeproof.advise.cpu_state.wording import fact, listed, name_text, number_of, wrapped
from kubeproof.advise.pod_events.quantity import amount_text
from kubeproof.advise.scheduler_memory.answer import Fit, MemoryAnswer
from kubeproof.advise.scheduler_memory.figures import SHOWN_AS, UNIT_OF
from kubeproof.visible import visible

# Longer lists are shortened in text; the JSON has them whole.
SHOWN = 8


def render(answer: MemoryAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: MemoryAnswer) -> str:
    """One line: whether the memory grows, and whether a bug fits."""
    if answer.verdict == "fits":
        lead = {True: "grows, and", False: "does not grow between these dumps, but", None: "may grow, and"}
        bugs, fit = listed([bug.bug for bug in answer.bugs]), "fits" if len(answer.bugs) == 1 else "fit"
        return f"The scheduler's memory {lead[answer.memory_grows]} {bugs} {fit}: {answer.why}."
    if answer.verdict == "steady":
        return f"The scheduler's memory does not grow: {answer.why}."
    if answer.memory_grows:
        return f"The scheduler's memory grows, and these files do not tell why: {answer.why}."
    if answer.memory_grows is False:
        return f"The scheduler's memory does not grow between these dumps, but {answer.why}."
    return f"These files do not tell whether the scheduler's memory grows: {answer.why}."


def _lines(answer: MemoryAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    yield ""
    yield from _facts(answer)
    if answer.figures:
        yield ""
        yield from _table(answer)
    for bug in answer.bugs:
        yield ""
        yield from _bug(bug)
    if answer.to_do:
        yield ""
        yield "What can be done"
        for number, step in enumerate(answer.to_do, 1):
            yield from wrapped(f"{number}. {step[0].upper()}{visible(step[1:])}", "  ", "     ")
    if answer.would_decide:
        yield ""
        yield from wrapped(f"What would tell more: {visible(answer.would_decide)}", "", "  ")
    if answer.notes:
        yield ""
        for note in answer.notes[:SHOWN]:
            yield from wrapped(f"Note: {visible(note)}", "", "  ")


def _facts(answer: MemoryAnswer) -> Iterator[str]:
    if answer.release is None:
        yield from fact("Release", "not known: give --release")
    else:
        yield from fact("Release", f"{visible(answer.release)} ({visible(answer.release_by)})")
    on = {True: "on", False: "off", None: "not known"}[answer.gate]
    yield from fact("Gate", f"SchedulerQueueingHints {on}{f' ({visible(answer.gate_by)})' if answer.gate_by else ''}")
    if answer.processes:
        yield from fact("Processes", _processes(answer))
    if answer.seconds is not None:
        about = "" if answer.exact else "about "
        yield from fact("Watched", f"{about}{_duration(answer.seconds)}")
    if answer.heap_part is not None:
        yield from fact("Growth", f"{answer.heap_part:.0%} of the growth of resident memory is Go heap")
    yield from fact("List", _list(answer))
    for seen in answer.at_work:
        names = ", ".join(name_text(pod) for pod in seen.pods[:SHOWN])
        more = f" and {len(seen.pods) - SHOWN} more" if len(seen.pods) > SHOWN else ""
        yield from fact("At work", f"{seen.bug}: {seen.what}: {names}{more}")
    if answer.permit_wait is not None:
        yield from fact("Permit", f"a pod waited {_duration(answer.permit_wait)} in Permit on average")
    if answer.limit is not None:
        left = ""
        if answer.hours_left is not None:
            left = f"; reached in {_duration(answer.hours_left * 3600)} if the memory grows on like this"
        yield from fact("Limit", f"{amount_text('memory', answer.limit)} ({visible(answer.limit_by)}){left}")
    for killed in answer.killed[:SHOWN]:
        times = number_of(killed.restarts, "restart")
        yield from fact("Killed", f"{name_text(killed.pod)}: OOMKilled {killed.at} ({times})")


def _processes(answer: MemoryAnswer) -> str:
    def one(index: int) -> str:
        process = answer.processes[index]
        since = f", started {process.started}" if process.started else ""
        return f"{number_of(process.count, 'dump')}{since}"

    if answer.judged is None or len(answer.processes) == 1:
        shown = [one(index) for index in range(len(answer.processes))][:SHOWN]
        return "; ".join(shown)
    return f"{number_of(len(answer.processes) - 1, 'restart')}; judged: {one(answer.judged)}"


def _list(answer: MemoryAnswer) -> str:
    found = answer.list
    if found.how == "there is none":
        return "this scheduler keeps no events for pods in flight"
    if found.how not in ("seen", "estimated"):
        return f"its length is {found.how}"
    about = f" (± {found.error:.0%})" if found.error is not None else ""
    text = f"{found.how} by {visible(found.by)}: {_series(found.lengths)} elements{about}"
    if found.pods:
        text += f", of them pods: {_series(found.pods)}"
    if found.without_cycle is not None:
        text += f"; {found.without_cycle or 'none'} of the pods can belong to no running cycle (the gauge may lag)"
    return f"{text}; {found.caution}" if found.caution else text


def _series(numbers: tuple[int, ...]) -> str:
    shown = numbers if len(numbers) <= SHOWN else (*numbers[: SHOWN // 2], *numbers[-SHOWN // 2 :])
    return ", ".join(map(str, shown)) if len(shown) == len(numbers) else _middle_out(shown)


def _middle_out(numbers: tuple[int, ...]) -> str:
    half = len(numbers) // 2
    return f"{', '.join(map(str, numbers[:half]))}, …, {', '.join(map(str, numbers[half:]))}"


def _table(answer: MemoryAnswer) -> Iterator[str]:
    yield f"{'':<22}{'first':>12}{'last':>12}"
    for figure in answer.figures:
        if figure.figure in SHOWN_AS:
            first, last = _amount(figure.figure, figure.first), _amount(figure.figure, figure.last)
            yield f"{SHOWN_AS[figure.figure]:<22}{first:>12}{last:>12}{'  grows' if figure.grows else ''}"


def _amount(figure: str, value: float) -> str:
    return amount_text("memory", round(value)) if UNIT_OF[figure] == "bytes" else f"{value:.0f}"


def _bug(bug: Fit) -> Iterator[str]:
    yield from wrapped(f"{bug.bug}: {bug.title}", "", "  ")
    yield from fact("  Fits if", bug.how)
    yield from fact("  Then", "a leak: only a restart frees it" if bug.leaks else "bounded: freed when that cycle ends")
    yield from fact("  Upstream", ", ".join((*bug.issues, *bug.fixes)))


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
