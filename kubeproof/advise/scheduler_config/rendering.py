"""The answer about a scheduler's configuration as text, for readers who run a cluster and do not know this tool."""

from collections.abc import Iterator, Sequence

from attrs import evolve

from kubeproof.advise.cpu_state.wording import fact, listed, name_text, wrapped
from kubeproof.advise.scheduler_config.answer import ConfigAnswer, UnknownPlugin
from kubeproof.advise.scheduler_config.hazards import Hazard
from kubeproof.advise.scheduler_config.numbers import ProfileNumbers, span_text
from kubeproof.visible import visible

# Longer lists are shortened in text; the JSON has them whole.
SHOWN = 8
HAZARDS_SHOWN = 20
# Beyond so many pods per second the extenders are not what makes a scheduler slow.
MANY = 1000


def render(answer: ConfigAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: ConfigAnswer) -> str:
    """One line: whether the scheduler starts, and whether there are hazards."""
    lead = {
        "refused": "The scheduler refuses this configuration",
        "hazards": "This configuration has hazards",
        "unknown": "These files do not tell whether the configuration has hazards",
        "none": "This configuration has no hazard of its own",
    }
    return f"{lead[answer.verdict]}: {answer.why}."


def _lines(answer: ConfigAnswer) -> Iterator[str]:
    yield from wrapped(visible(verdict(answer)), "")
    yield ""
    yield from fact("Release", f"{visible(answer.release)} ({visible(answer.release_by)})")
    version = answer.version or "none: the defaults"
    yield from fact("Version", visible(version))
    for extender in answer.extenders[:SHOWN]:
        whose = f"pods with {', '.join(extender.resources)}" if extender.resources else "every pod"
        ignorable = "ignorable" if extender.ignorable else "not ignorable"
        verbs = ", ".join(extender.verbs) or "no verb"
        yield from fact("Extender", visible(f"{name_text(extender.name)}: {verbs}; {whose}; {ignorable}"))
    for unknown in answer.unknown[:SHOWN]:
        yield from fact("Unknown", visible(_unknown(unknown)))
    for refusal in answer.refusals:
        yield ""
        yield "kube-scheduler says"
        yield f"  {visible(refusal.text)}"
        if refusal.mend:
            yield from wrapped(f"What to do: {visible(refusal.mend)}.", "  ")
    if answer.cycle is not None:
        yield ""
        yield from _cycle(answer)
    alike: dict[str, list[ProfileNumbers]] = {}
    for numbers in answer.numbers:
        alike.setdefault(repr(evolve(numbers, profile="")), []).append(numbers)
    for group in list(alike.values())[:SHOWN]:
        yield ""
        yield from _profile(answer, group)
    yield from _left_out(len(alike), SHOWN, "kinds of profiles")
    for hazard in answer.hazards[:HAZARDS_SHOWN]:
        yield ""
        yield from _hazard(hazard, len(answer.profiles))
    yield from _left_out(len(answer.hazards), HAZARDS_SHOWN, "hazards")
    if answer.no_effect:
        yield ""
        yield "Without effect"
        for said in answer.no_effect[:SHOWN]:
            yield from wrapped(visible(f"{said}."), "  ", "    ")
        yield from _left_out(len(answer.no_effect), SHOWN, "of these")
    if answer.would_decide:
        yield ""
        yield from wrapped(f"What would tell more: {visible(answer.would_decide)}.", "", "  ")
    if answer.notes:
        yield ""
        for note in answer.notes[:SHOWN]:
            yield from wrapped(f"Note: {visible(note)}.", "", "  ")


def _left_out(count: int, shown: int, what: str) -> Iterator[str]:
    if count > shown:
        yield ""
        yield f"and {count - shown} more {what}: --json has them all"


def _unknown(plugin: UnknownPlugin) -> str:
    places = [f"at {', '.join(plugin.points)}"] if plugin.points else []
    where = " and ".join([*places, *(["under multiPoint, so perhaps at any point"] if plugin.anywhere else [])])
    waits = " and may wait" if plugin.anywhere or "permit" in plugin.points else ""
    return f"{name_text(plugin.name)} {where}: not in the tree; may fail{waits}"


def _cycle(answer: ConfigAnswer) -> Iterator[str]:
    cycle = answer.cycle
    assert cycle is not None
    yield "The longest scheduling cycle, as far as extenders make it long (one pod at a time)"
    if not cycle.calls:
        yield "  no extender is asked"
        return
    for call in cycle.calls[: 4 * SHOWN]:
        beside = ", beside the cycles of other pods" if call.verb == "Bind" else ""
        yield from wrapped(
            f"{call.verb:<10} {name_text(call.extender)}: {span_text(call.seconds)} ({call.by}){beside}", "  "
        )
    yield f"  a pod that fits {span_text(cycle.fits)}, one that preempts {span_text(cycle.preempts)},"
    yield f"  one with a nominated node that no longer fits {span_text(cycle.nominated)}"
    per_second = answer.pods_per_second
    if per_second is not None:
        yield f"  that leaves {f'{per_second:.3g}' if per_second < MANY else f'more than {MANY}'} pods per second"


def _profile(answer: ConfigAnswer, alike: Sequence[ProfileNumbers]) -> Iterator[str]:
    """Profiles with the same numbers."""
    numbers = alike[0]
    names = [name_text(each.profile) for each in alike[:SHOWN]]
    more = f" and {len(alike) - SHOWN} more" if len(alike) > SHOWN else ""
    yield from wrapped(f"{'Profile' if len(alike) == 1 else 'Profiles'} {', '.join(names)}{more}", "", "  ")
    for seen in numbers.seen:
        rounds = "the first pod" if seen.pods == 1 else f"{seen.pods} pods"
        yield (
            f"  of {seen.nodes} nodes {seen.enough} feasible ones are enough; after {rounds} every node was examined"
            if seen.pods > 1
            else f"  of {seen.nodes} nodes each pod examines all"
        )
    total = sum(share.points for share in numbers.shares)
    if numbers.shares:
        yield f"  a node gets at most {total} points:"
        for share in numbers.shares[: 2 * SHOWN]:
            ten = " (10 points, which count ten times)" if share.kind == "extender" else ""
            part = "<0.1%" if 0 < share.share < 0.001 else f"{share.share:.1%}"
            yield f"    {part:>6}  {name_text(share.name)}, weight {share.weight}{ten}"
    for plugin in numbers.permit:
        wait = next((each.permit_wait for each in answer.unknown if each.name == plugin), None)
        span = f"{wait:g} s, as its arguments say" if wait is not None else f"{numbers.permit_at_most:g} s"
        yield f"  {name_text(plugin)} may hold a pod's room at Permit for {span}"


def _hazard(hazard: Hazard, profiles: int) -> Iterator[str]:
    too = " (the default configuration has it too)" if hazard.default_too else ""
    whose = (
        "" if len(hazard.profiles) == profiles else f", profile {listed([name_text(each) for each in hazard.profiles])}"
    )
    yield f"{hazard.kind}: {name_text(hazard.about)}{whose}{too}"
    yield from wrapped(visible(hazard.what), "  ")
    yield from wrapped(f"What to do: {visible(hazard.mend)}", "  ")
    if hazard.run:
        yield "  The model's run:"
        yield from _run(hazard.run)


def _run(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield from wrapped(visible(line), "    ", "      ")
