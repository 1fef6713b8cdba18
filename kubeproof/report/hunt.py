"""What a hunt found, as text for a terminal and as JSON data."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from attrs import evolve

from kubeproof.bugs.catalogue import bug_named
from kubeproof.errors import RuleError
from kubeproof.fix.fix import apply
from kubeproof.hunt.blame import Cure, Strength, Swap, to_go_on
from kubeproof.hunt.found import Asked, FoundBug
from kubeproof.hunt.hunt import Hunt
from kubeproof.hunt.kept import as_document
from kubeproof.report.terminal import run_text
from kubeproof.report.told import ToldRun, actions_text, check_line, fix_options, told_run
from kubeproof.systems.system import kept_scope_text, scope_text
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from kubeproof.visible import visible
from model.releases import rules_for

_CURES: dict[Strength, str] = {
    "scope": "cures the scope",
    "premise": "cures the scope: the property's premise is not met any more (vacuous)",
    "run": "cures this run; longer runs still violate the property",
}


def hunt_json(found: Hunt) -> dict[str, Any]:
    """The document of `hunt --json`. A bug with an empty `known` is unknown."""
    document: dict[str, Any] = as_document(found)
    return {**document.pop("asked"), **document}


def hunt_text(found: Hunt) -> str:
    """Each bug with the rules to blame, the run of an unknown one told; then what the hunt did not come to."""
    return "\n".join(_lines(found))


def _fix_text(asked: Asked) -> str:
    fix = "" if asked.fix is None else " with the fix"
    return fix + (f" with {visible(asked.feature_gates)}" if asked.feature_gates else "")


def _lines(found: Hunt) -> Iterator[str]:
    asked = found.asked
    fix = _fix_text(asked)
    own = [bug for bug in found.bugs if bug.own]
    bugs = "1 bug" if len(own) == 1 else f"{len(own)} bugs"
    yield f"{asked.system.name} {asked.release}{fix}: {bugs} in {found.scopes} scopes, {found.seconds:.0f} s"
    for number, bug in enumerate(own, 1):
        yield ""
        yield from _bug_lines(number, bug, found)
    mixed = [bug for bug in found.bugs if not bug.own]
    if mixed:
        yield ""
        yield f"runs that {asked.release} does not take, with the rules to blame for other bugs cured: {len(mixed)}"
    for number, bug in enumerate(mixed, len(own) + 1):
        yield ""
        yield from _bug_lines(number, bug, found)
    yield ""
    yield f"kept bugs of the release that the hunt did not meet: {', '.join(found.not_met) or 'none'}"
    if found.cut:
        yield f"{len(found.cut)} explorations did not come to an end:"
        yield from (f"  {visible(line)}" for line in dict.fromkeys(found.cut))
    if found.lost:
        yield found.lost


def _bug_lines(number: int, bug: FoundBug, found: Hunt) -> Iterator[str]:
    also = f" (also {', '.join(bug.also)})" if bug.also else ""
    yield f"{number}. {bug.property}{also}: {', '.join(bug.known) or 'unknown'}"
    yield from (f"   {name}: {bug_named(name).title}; `kubeproof show {name}` tells it" for name in bug.known)
    told = None if bug.known else _told(bug, found)
    if told is None:
        yield f"   {visible(bug.explanation)}"
        yield f"   shortest run: {actions_text(len(bug.actions))} in {scope_text(bug.scope)}"
        yield from () if bug.known else (f"     {step}. {action}" for step, action in enumerate(bug.actions, 1))
    else:
        yield from ("", *run_text(told), "")
    if bug.earlier and not bug.known:
        names = ", ".join(f"{name} after {actions_text(length)}" for name, length in bug.earlier)
        yield f"   may follow from what the run violates before: {names}"
    ways = [way for way in bug.ways if (way.property, way.powers) != (bug.property, bug.powers)]
    if ways:
        yield "   other ways there:"
        yield from (
            f"     {way.property} with {', '.join(way.powers) or 'no environment action'}, {actions_text(way.length)}"
            for way in ways
        )
    for cure in bug.cures:
        yield from (f"   {line}" for line in _cure_lines(cure))
    if not bug.cures:
        unsure = f"; {bug.cut} explorations were cut short, so there may be one" if bug.cut else ""
        yield f"   no release has a cure{unsure}"
    if not to_go_on(bug.cures):
        yield "   No newer release has a cure: another bug with the same environment actions stays hidden behind it."
    if told is None:
        yield f"   again: {_again(bug, found)}"


def _told(bug: FoundBug, found: Hunt) -> ToldRun | None:
    """The run of an unknown bug, told; None if it cannot be taken again, as when a rule of the fix fails."""
    system, release = found.asked.system, found.asked.release
    try:
        trace = _trace(bug, found)
    except RuleError:
        trace = None
    if trace is None:
        return None
    whose = f"Kubernetes {release}{_fix_text(found.asked)}"
    if not bug.own:
        whose += " with the rules of the command below, which no release has together"
    scope = kept_scope_text(bug.scope)
    claim = f"{whose}, after {actions_text(len(bug.actions))}: no shorter run does this in the scope {scope}"
    property = system.property_named(bug.property)
    return told_run(system, release, property, trace, bug.explanation, claim, _again(bug, found))


def _trace(bug: FoundBug, found: Hunt) -> Trace | None:
    """The run of `bug` with its states; None if no such run violates the property. Raises RuleError."""
    asked, system = found.asked, found.asked.system
    under = {} if bug.own else {field: system.rules_to_choose(field)[name] for field, name in bug.under}
    rules = apply(system, rules_for(system.rules_class, asked.release), asked.fix)
    machine = system.machine(bug.scope, evolve(rules, **under))
    property = system.property_named(bug.property)
    for initial in range(len(machine.initial_states())):
        with suppress(ReplayError):
            run = replay(machine, bug.actions, initial=initial)
            loops = [number for number, step in enumerate(run.steps) if step.state == run.last]
            for trace in (run, *(evolve(run, loop=number) for number in loops)):
                if violation(machine, property, trace) is not None:
                    return trace
    return None


def _cure_lines(cure: Cure) -> Iterator[str]:
    together = "" if len(cure.swaps) == 1 else f" together with {len(cure.swaps) - 1} more"
    for swap in cure.swaps:
        yield f"to blame{together}: {swap.field} = {swap.rule}{_since(swap)}"
        change = f" ({swap.cured_change})" if swap.cured_change else ""
        where = f"{'before, last changed in' if swap.older else 'since'} {swap.cured_since}{change}"
        if swap.with_repair:
            where += f", with a repair of {swap.with_repair} that no release has"
        if swap.repairs:
            where = f"a repair of {swap.repairs} that no release has"
        yield f"  {swap.cured_by}, {where}, {_CURES[cure.strength]}"


def _since(swap: Swap) -> str:
    if not swap.since:
        return ", which the release does not have"
    return f", since {swap.since}" + (f" ({swap.change})" if swap.change else "")


def _again(bug: FoundBug, found: Hunt) -> str:
    asked, under = found.asked, {} if bug.own else dict(bug.under)
    options = [*fix_options(asked.fix, without=under), *(f"--rule {field}={rule}" for field, rule in under.items())]
    return check_line(asked.system, asked.release, scope_text(bug.scope), bug.property, options)
