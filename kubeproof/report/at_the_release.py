"""What a release does where a run with a fix goes wrong, in words."""

from collections.abc import Iterator

from kubeproof.errors import RuleError
from kubeproof.fix.fix import apply
from kubeproof.report.terminal import trace_text
from kubeproof.report.told import actions_text, told_actions, without
from kubeproof.systems.system import Fact, fact_text
from kubeproof.validate.effects import reduced_like
from kubeproof.validate.verdict import Cures, Part, Row
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Trace, as_far_as_possible
from kubeproof.verdict.violation import violation
from kubeproof.visible import shortened
from model.machine import Machine
from model.releases import rules_for
from properties.property import Liveness, Property

FACTS = 2  # that are named where the two end otherwise
FACT = 80  # characters of one


def fix_run_text(part: Part, row: Row) -> str:
    """The whole run with which the fix violates the property of a row, and below it what the release does there."""
    found, beside = row.after, row.beside
    text = trace_text(part.system, part.release, part.fix.with_built_in(beside.rules), found)
    if found.trace is None or found.outcome is not Outcome.VIOLATED or part.failure is not None:
        return text
    cured = f" beside the cures of {', '.join(beside.bugs)}" if beside.bugs else ""
    return f"{text}\n  in {part.release}{cured}: {at_the_release(part, found, beside)}"


def at_the_release(part: Part, found: Result, beside: Cures = Cures()) -> str:  # noqa: B008 frozen
    """What the release does on the actions of the run with which the fix violates a property.

    `found`: a violation with the fix of `part`, with its trace and its scope. `beside`: what stands beside either.
    """
    assert found.trace is not None
    system = part.system
    old = beside.beside(rules_for(system.rules_class, part.release))
    machine = system.machine(found.scope or system.scope, reduced_like(system, old, apply(system, old, part.fix)))
    try:
        run = as_far_as_possible(machine, found.trace)
    except RuleError as error:
        return str(error)
    if run is None:
        return "no run begins there"
    text = _told(part, machine, run, found)
    other = next(_wrong_in_another_way(part, machine, run, found.trace), None)
    return (
        text
        if other is None
        else f"{text.removesuffix('.')}; but {other[0]} is violated after {actions_text(other[1])}"
    )


def _told(part: Part, machine: Machine[object], run: Trace, found: Result) -> str:
    """`run`: that of the release, `machine`, as far as it has the actions of the run with the fix."""
    assert found.trace is not None
    system, property = part.system, part.system.property_named(found.property)
    if (earlier := _earlier(machine, property, run)) is not None:
        return f"violated in this run too, after {actions_text(earlier)}"
    differs = _difference(part, run, found.trace)
    if run.length < found.trace.length:
        first = told_actions(system, part.release, Trace(found.trace.steps[run.length : run.length + 2]))[-1]
        last = f"action {run.length + 1} ({first.sentence.removesuffix('.')}) is not possible"
        return last + (f": after action {run.length}, {differs}" if differs and run.length else "")
    if violation(machine, property, run) is not None:
        same = [step.state for step in run.steps] == [step.state for step in found.trace.steps]
        return "violated in this run too" + ("" if same or not differs else f", where {differs}")
    ended = f": at the end, {differs}" if differs else ""
    if isinstance(property, Liveness):
        round_ = "" if run.loop is not None or found.trace.loop is None else " and do not come round"
        return f"the same actions do not violate it{round_}{ended}"
    there, with_fix = (told_actions(system, part.release, Trace(each.steps[-2:])) for each in (run, found.trace))
    if there != () and there[-1].sentence != with_fix[-1].sentence:
        return f"{there[-1].sentence} {property.name} holds."
    return f"the same actions, and {property.name} holds{ended}"


def _wrong_in_another_way(
    part: Part, machine: Machine[object], run: Trace, with_fix: Trace
) -> Iterator[tuple[str, int]]:
    """(property, after how many actions): what the release violates in `run` and the fix does not."""
    asked = [p for p in part.system.properties if not isinstance(p, Liveness) and p.of(machine) is p]
    for length in range(1, run.length + 1):
        old, new = (Trace(each.steps[: length + 1]) for each in (run, with_fix))
        yield from (
            (p.name, length)
            for p in asked
            if violation(machine, p, old) is not None and violation(machine, p, new) is None
        )


def _earlier(machine: Machine[object], property: Property, run: Trace) -> int | None:
    """After how many actions, fewer than all, `run` violates `property`, if it does."""
    if isinstance(property, Liveness):
        return None
    parts = (Trace(run.steps[:number]) for number in range(1, len(run.steps)))
    return next((each.length for each in parts if violation(machine, property, each) is not None), None)


def _difference(part: Part, run: Trace, with_fix: Trace) -> str:
    """In which facts the release's run ends otherwise than the run with the fix after as many actions; or ""."""
    there, here = part.system.facts(run.last), part.system.facts(with_fix.steps[run.length].state)
    told = [
        f"{subject}: {_unlike(there.get(subject, ()), here.get(subject, ()))}"
        for subject in {**there, **here}
        if there.get(subject, ()) != here.get(subject, ())
    ]
    more = f"; and {len(told) - FACTS} more" if len(told) > FACTS else ""
    return "; ".join(told[:FACTS]) + more


def _unlike(there: Fact, here: Fact) -> str:
    """What a fact of the release is that it is not with the fix.

    >>> _unlike(("p1#1", "p2#1"), ("p2#1", "p3#1")), _unlike("[n1, n2]", "[n2]")
    ('with p1#1, without p3#1', '[n1, n2] (with the fix: [n2])')
    """
    if isinstance(there, str) or isinstance(here, str):
        one, other = (shortened(fact_text(each) or "nothing", FACT) for each in (there, here))
        return f"{one} (with the fix: {other})"
    more, less = (shortened(", ".join(without(*both)), FACT) for both in ((there, here), (here, there)))
    return ", ".join([f"with {more}"] * bool(more) + [f"without {less}"] * bool(less)) or "in another order"
