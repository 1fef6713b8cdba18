"""The answer about preemption as text, for readers who run a cluster and do not know this tool."""

from collections import Counter
from collections.abc import Iterator, Sequence

from kubeproof.advise.cpu_state.wording import fact, listed, name_text, number_of, wrapped
from kubeproof.advise.preemption.answer import (
    BrokenBudget,
    Eviction,
    FittingBug,
    LessHarm,
    NodeSays,
    PreemptionAnswer,
    Victim,
)
from kubeproof.visible import visible

# Longer lists are shortened in text; the JSON has them whole.
ANSWERS_SHOWN = 5
VICTIMS_SHOWN = 12
NAMES_SHOWN = 3
REASONS_SHOWN = 6

SAYS: dict[NodeSays, str] = {
    "fits": "has room",
    "never": "never fits, whoever leaves",
    "too-small": "is too small, even if all pods of lower priority leave",
    "candidate": "has room if pods of lower priority leave",
    "not-judged": "is not judged",
}


def render(answer: PreemptionAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: PreemptionAnswer) -> str:
    """One line: what happens to the pod."""
    pod = name_text(answer.pod)
    if answer.outcome == "fits":
        first = next(node.node for node in answer.nodes if node.says == "fits")
        others = sum(node.says == "fits" for node in answer.nodes) - 1
        more = f" and on {number_of(others, 'other node')}" if others else ""
        return f"{pod} evicts nobody: it fits on {name_text(first)}{more}."
    if answer.outcome in ("not-tried", "not-eligible"):
        return f"{pod} evicts nobody: {visible(answer.why_not).rstrip('.')}."
    if answer.outcome == "no-candidate":
        return f"{pod} evicts nobody: on no node would that make room."
    if answer.outcome == "depends":
        return f"{pod} evicts nobody on the nodes that are judged; other nodes are not judged."
    nodes = len({eviction.node for eviction in answer.evictions})
    where = f"on {name_text(answer.evictions[0].node)}" if nodes == 1 else f"on one of {nodes} nodes"
    numbers = sorted({len(eviction.victims) for eviction in answer.evictions})
    pods = number_of(numbers[0], "pod") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} pods"
    needless = sum(bool(eviction.needless) for eviction in answer.evictions)
    if not needless:
        harm = "" if answer.undecided else ", and no other choice does less harm"
    else:
        may = "" if needless == len(answer.evictions) else "which may be "
        harm = f", {may}more harm than need be"
    unjudged = sum(node.says == "not-judged" for node in answer.nodes)
    unless = f"Unless one of the {number_of(unjudged, 'node')} that are not judged comes first: "
    unless = "Unless the node that is not judged comes first: " if unjudged == 1 else unless
    return f"{unless if unjudged else ''}{pod} evicts {pods} {where}{harm}."


def _lines(answer: PreemptionAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    asks = listed([f"{amount} {visible(name)}" for name, amount in answer.requests.items()]) or "nothing"
    yield from wrapped(f"Judged as {answer.judged_as}. The pod has priority {answer.priority} and asks for {asks}.", "")
    shown = sorted(answer.evictions, key=lambda each: not each.needless)
    for number, eviction in enumerate(shown[:ANSWERS_SHOWN], 1):
        yield ""
        yield from _eviction(f"{number}. " if len(shown) > 1 else "", eviction)
    if len(shown) > ANSWERS_SHOWN:
        yield ""
        yield f"And {len(shown) - ANSWERS_SHOWN} more answers that the release leaves open; --json has them."
    if answer.less_harm is not None and any(eviction.needless for eviction in shown):
        yield ""
        yield from _less_harm(answer.less_harm)
    for bug in answer.bugs:
        yield ""
        yield from _bug(bug)
    yield ""
    yield from _nodes(answer)
    yield from _list("Not decided by these files", answer.undecided)
    yield from _list("Notes", answer.notes)


def _eviction(number: str, eviction: Eviction) -> Iterator[str]:
    yield from wrapped(f"{number}On {name_text(eviction.node)} these pods would go, in this order:", "", "   ")
    yield from _victims(eviction.victims)
    yield from _budgets(eviction.broken)
    if eviction.counted_violations != eviction.violations:
        counted = number_of(eviction.counted_violations, "violation")
        yield from wrapped(f"The release counts {counted} of budgets, and not {eviction.violations}.", "   ")
    if eviction.needless:
        yield from wrapped(f"Needless: {eviction.needless}.", "   ", "     ")


def _less_harm(found: LessHarm) -> Iterator[str]:
    proved = "The least harm" if found.proved else "Less harm (the least is not known)"
    yield from wrapped(f"{proved}: on {name_text(found.node)} these pods would do:", "", "   ")
    yield from _victims(found.victims)
    yield from _budgets(found.broken)


def _bug(bug: FittingBug) -> Iterator[str]:
    yield from wrapped(f"{bug.bug}: {bug.title}", "", "  ")
    yield from fact("  Page", f"{bug.page}, or {bug.reproduce}")
    upgrade = f"{bug.cured_in}, the next release without it" if bug.cured_in else "no later release is without it"
    yield from fact("  Cure", f"{upgrade}; until then: {bug.until_then}" if bug.until_then else upgrade)


def _victims(victims: Sequence[Victim]) -> Iterator[str]:
    for victim in victims[:VICTIMS_SHOWN]:
        asks = ", ".join(f"{amount} {visible(name)}" for name, amount in victim.requests.items())
        since = f"since {victim.started}" if victim.started else "not started"
        text = f"{name_text(victim.pod)}  priority {victim.priority}, {asks or 'asks for nothing'}, {since}"
        if victim.instead:
            text += f" (or {_names(victim.instead)})"
        yield from wrapped(text, "   ", "     ")
    if len(victims) > VICTIMS_SHOWN:
        yield f"   and {len(victims) - VICTIMS_SHOWN} more"


def _budgets(broken: Sequence[BrokenBudget]) -> Iterator[str]:
    for each in broken:
        allows = "allows no disruption" if each.allowed == 0 else f"allows {number_of(each.allowed, 'disruption')}"
        text = f"The budget {name_text(each.budget)} {allows}: {number_of(each.too_many, 'eviction')} too many."
        yield from wrapped(text, "   ", "     ")


def _nodes(answer: PreemptionAnswer) -> Iterator[str]:
    looked = answer.looked_at
    counts = Counter(node.says for node in answer.nodes)
    read = listed([number_of(looked.pods, "pod"), number_of(looked.nodes, "node"), number_of(looked.budgets, "budget")])
    passed = f" {number_of(looked.passed_over, 'object')} of other kinds: passed over." if looked.passed_over else ""
    yield from wrapped(f"Looked at {read}.{passed}", "")
    for says, meaning in SAYS.items():
        if not counts[says]:
            continue
        of = [node for node in answer.nodes if node.says == says]
        yield from wrapped(f"- {_names([node.node for node in of])}: {meaning}", "  ", "    ")
        reasons = Counter(reason for node in of for reason in node.reasons)
        for reason, number in reasons.most_common(REASONS_SHOWN):
            yield from wrapped(f"{visible(reason)} ({number_of(number, 'node')})", "      ", "        ")


def _list(heading: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield heading
        for text in texts:
            yield from wrapped(f"- {visible(text)}", "  ", "    ")


def _names(names: Sequence[str]) -> str:
    shown = [name_text(name) for name in names[:NAMES_SHOWN]]
    if len(names) > NAMES_SHOWN:
        shown.append(f"{len(names) - NAMES_SHOWN} more")
    return listed(shown)
