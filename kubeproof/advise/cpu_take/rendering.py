"""The answer about a pod's CPUs as text."""

from collections.abc import Iterator, Sequence

from kubeproof.advise.cpu_state.wording import (
    ENTRIES_SHOWN,
    cpus_text,
    fact,
    list_text,
    listed,
    more,
    name_text,
    number_of,
    said,
    wrapped,
)
from kubeproof.advise.cpu_take.answer import ContainerTaken, OnNode, Outcome, TakeAnswer
from kubeproof.visible import visible

HINTS_SHOWN = 8
CORES_SHOWN = 8


def render(answer: TakeAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def _lines(answer: TakeAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    if answer.refusals:
        yield ""
        yield from (line for each in answer.refusals for line in said(each))
    for number, outcome in enumerate(answer.outcomes, 1):
        yield ""
        if len(answer.outcomes) > 1:
            of = f"{len(answer.outcomes)}{' or more' if answer.more else ''}"
            yield f"Way {number} of {of}, as Go's maps leave it open"
        yield from _outcome(outcome)
    yield from (f"Fits {bug}: kubeproof show {bug}" for bug in answer.fits)
    yield ""
    yield from _facts(answer)


def verdict(answer: TakeAnswer) -> str:
    """One line: what the kubelet does."""
    kubelet = f"A kubelet of {answer.release}"
    if answer.refusals:
        return f"{kubelet} would not start with this configuration and state:"
    first = answer.outcomes[0]
    if first.refused:
        return f"{kubelet} refuses {visible(answer.pod)}."
    given = [each for each in first.containers if each.asked]
    if not given:
        return f"{kubelet} gives no exclusive CPUs to {visible(answer.pod)}: it runs in the shared pool."
    cpus = listed([list_text(each.cpus) for each in given[:ENTRIES_SHOWN]])
    sure = " in one of these ways" if len(answer.outcomes) > 1 else ""
    return f"{kubelet} gives CPUs {cpus} to {visible(answer.pod)}{sure}."


def _outcome(outcome: Outcome) -> Iterator[str]:
    for each in outcome.containers[:ENTRIES_SHOWN]:
        yield from _container(each)
    yield from more(len(outcome.containers), "")
    if outcome.pool and not outcome.refused:
        yield f"Then the shared pool has {cpus_text(outcome.pool)}."


def _container(each: ContainerTaken) -> Iterator[str]:
    name = name_text(each.container)
    if each.shared_because is not None:
        yield from wrapped(f"{name}: in the shared pool: {visible(each.shared_because)}", "", "  ")
        return
    free = f"{each.asked} of {_count(each.free)} free CPUs ({list_text(each.free) or 'none'})"
    if each.error is not None:
        yield from wrapped(f"{name}: asks for {free}, and is refused:", "", "  ")
        yield from said(each.error)
        if each.reason is not None:
            yield f"  The pod fails with the reason {each.reason}."
    elif each.present:
        yield from wrapped(f"{name}: has {cpus_text(each.cpus)} already", "", "  ")
    else:
        yield from wrapped(f"{name}: {cpus_text(each.cpus)}, {free}", "", "  ")
    if each.not_free:
        verb = "was" if each.not_free.isdecimal() else "were"
        yield f"  {cpus_text(each.not_free)} {verb} not free: reserved, or of another container"
    yield from _hints(each)
    for node in each.nodes:
        yield from wrapped(_on_node(node), "  ", "    ")


def _hints(each: ContainerTaken) -> Iterator[str]:
    if each.hint is not None:
        yield f"  The topology manager's hint: NUMA {_nodes(each.hint)}"
    if each.hints:
        shown = [f"{_ids(mask)}{' (preferred)' if preferred else ''}" for mask, preferred in each.hints[:HINTS_SHOWN]]
        rest = f" and {len(each.hints) - HINTS_SHOWN} more" if len(each.hints) > HINTS_SHOWN else ""
        yield from wrapped(f"The CPU manager's hints: {'; '.join(shown)}{rest}", "  ", "    ")


def _on_node(node: OnNode) -> str:
    sockets = f"socket{'s' if len(node.sockets) > 1 else ''} {_ids(node.sockets)}"
    whole = sum(core.whole for core in node.cores)
    parts = [core for core in node.cores if not core.whole]
    split = [f"a part of core {core.core} ({core.cpus})" for core in parts[:CORES_SHOWN]]
    if len(parts) > CORES_SHOWN:
        split.append(f"parts of {len(parts) - CORES_SHOWN} more cores")
    cores = [*([f"{whole} whole core{'s' if whole > 1 else ''}"] if whole else []), *split]
    uncore = f", L3 cache {_ids(node.uncore_caches)}" if node.uncore_caches else ""
    return f"NUMA node {node.node}, {sockets}{uncore}: {cpus_text(node.cpus)}: {listed(cores)}"


def _nodes(ids: Sequence[int]) -> str:
    return f"node{'s' if len(ids) > 1 else ''} {_ids(ids)}"


def _ids(ids: Sequence[int]) -> str:
    return ",".join(map(str, ids))


def _count(cpus: str) -> int:
    ranges = [part.split("-") for part in cpus.split(",") if part]
    return sum(int(ends[-1]) - int(ends[0]) + 1 for ends in ranges)


def _facts(answer: TakeAnswer) -> Iterator[str]:
    judged = "" if answer.release == answer.judged_as else f", as upstream {answer.judged_as}"
    by = "as asked" if answer.release_by == "--release" else answer.release_by
    yield from fact("Judged by", f"Kubernetes {answer.release}{judged} ({by})")
    yield from fact("Policy", visible(answer.policy))
    if answer.policy_options:
        yield from fact("Options", visible(", ".join(answer.policy_options)))
    if answer.topology_manager_policy is not None:
        yield from fact("Topology", f"manager: {visible(answer.topology_manager_policy)}")
    of = {"core": answer.cores, "socket": answer.sockets, "NUMA node": answer.numa_nodes}
    counts = ", ".join(number_of(count, what) for what, count in of.items())
    yield from fact("Machine", f"{cpus_text(answer.cpus)} ({answer.cpus_by}): {counts}")
    if answer.reserved:
        yield from fact("Reserved", cpus_text(answer.reserved))
    before = "none: the kubelet begins anew" if answer.state is None else visible(answer.state)
    yield from fact("State", f"{before}{f'; the shared pool has {cpus_text(answer.pool)}' if answer.pool else ''}")
