"""Checks properties on an exploration."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from kubeproof.engines.explicit.asked import Asked
from kubeproof.engines.explicit.lasso import concrete, find_lasso, where_goals_fail
from kubeproof.engines.explicit.search import (
    Counts,
    Exploration,
    ExplorationInterrupted,
    Limits,
    append_step,
    explore,
)
from kubeproof.engines.explicit.shared import Sharing
from kubeproof.engines.explicit.stores import Said
from kubeproof.verdict.result import NO_PREMISE, Cause, Claim, Interrupted, Outcome, Result, Strength
from model.machine import Action, Machine
from properties.property import Invariant, Liveness, Property, SetupInvariant, StepInvariant

ENGINE = "explicit"
Progress = Callable[[Counts], None]


def check(
    machine: Machine[Any],
    properties: Sequence[Property],
    *,
    symmetry: bool = True,
    limits: Limits = Limits(),  # noqa: B008 frozen
    progress: Progress | None = None,
    until_violated: bool = False,
    sharing: Sharing | None = None,
) -> list[Result]:
    """One Result for each property, in the order given.

    With `until_violated` a search ends as soon as any property is violated. The results of the others say so. With
    `sharing` the machine has its rules, and what other searches of the scope found is not looked for again.

    Safety properties share one exploration. This exploration ends when each property is violated or all states were
    seen. Liveness properties of a sort share another exploration, in which the observed entity is not renamed; where
    that makes no difference, they share the exploration of the safety properties. One entity of each sort is observed,
    because the entities of a sort are interchangeable.

    A rule from outside may compare names (`Machine.symmetric`). Then there is no symmetry, and every entity is
    observed.

    Raises Interrupted with the results so far. The results of an unfinished exploration have the counts so far.
    """
    explorations: dict[frozenset[str], list[Question]] = {}
    asked = machine if sharing is None else sharing.asked(machine)
    # These read the rules too, which other searches do not have in common.
    own = frozenset(p.name for p in properties if isinstance(p, SetupInvariant))
    properties = [p.of(asked) for p in properties]
    for p in properties:
        for question in _questions(machine, p, symmetry):
            explorations.setdefault(_kept_apart(machine, question, symmetry), []).append(question)
    results: dict[str, Result] = {}
    end = monotonic() + limits.seconds
    try:
        for fixed in sorted(explorations, key=sorted):
            left = evolve(limits, seconds=max(0.0, end - monotonic()))
            found = _check_together(
                machine, explorations[fixed], fixed, symmetry, left, progress, until_violated, sharing, own
            )
            results |= {name: _for_both(results.get(name), result) for name, result in found.items()}
    except Interrupted as interrupted:
        found = {result.property: result for result in interrupted.results}
        raise Interrupted(list((results | found).values())) from None
    return [results[p.name] for p in properties]


@frozen
class Question:
    """A property as one exploration answers it."""

    property: Property
    # Of a liveness property: the entity that is observed; else "".
    entity: str = ""


def _questions(machine: Machine[Any], p: Property, symmetry: bool) -> list[Question]:
    """The questions whose answers together answer `p` for all entities.

    Without `symmetry` every entity is asked about: to show that a rule from outside tells no entities apart may cost
    more than the search.
    """
    if not isinstance(p, Liveness):
        return [Question(p)]
    alike = symmetry and machine.symmetric
    entities = p.observed(machine.sorts) if alike else p.entities(machine.sorts)
    return [Question(p, entity) for entity in entities]


def _kept_apart(machine: Machine[Any], question: Question, symmetry: bool) -> frozenset[str]:
    """The entities that the symmetry reduction must not rename. It never renames the only entity of a sort."""
    alone = any(names == (question.entity,) for names in machine.sorts.values())
    return (
        frozenset({question.entity})
        if symmetry and machine.symmetric and question.entity and not alone
        else frozenset()
    )


def _for_both(one: Result | None, other: Result) -> Result:
    """The result for two entities: the shorter violation; else the inconclusive result; else the smaller count."""
    if one is None:
        return other
    rank = (Outcome.VIOLATED, Outcome.INCONCLUSIVE, Outcome.HOLDS).index

    def weight(result: Result) -> tuple[int, int]:
        return rank(result.outcome), len(result.trace.actions) if result.trace else -(result.states or 0)

    return min(one, other, key=weight)


def _check_together(
    machine: Machine[Any],
    questions: Sequence[Question],
    fixed: frozenset[str],
    symmetry: bool,
    limits: Limits,
    progress: Progress | None,
    until_violated: bool,
    sharing: Sharing | None,
    own: frozenset[str],
) -> dict[str, Result]:
    """The results of one exploration that does not rename the identifiers in `fixed`. `own`: see `Asked`."""
    started = monotonic()
    properties = list({question.property.name: question.property for question in questions}.values())
    found: dict[str, Result] = {}
    invariants = [p for p in properties if isinstance(p, Invariant)]
    steps = [p for p in properties if isinstance(p, StepInvariant)]
    safety = [*invariants, *steps]
    asked = Asked(invariants, steps, own=own, shares=sharing is not None)
    liveness = [(q.property, q.entity) for q in questions if isinstance(q.property, Liveness)]
    listened = frozenset().union(*(p.actions for p in steps))

    def violated(p: Property, run: Exploration, number: int, action: Action | None = None) -> bool:
        trace = run.trace_to(number)
        if action is not None:
            action, after = _last_step(p, run, trace.last, action)
            trace = append_step(trace, action, after)
            explanation = p.explain(trace.steps[-2].state, action, after)  # type: ignore[attr-defined]
        else:
            explanation = p.explain(trace.last)  # type: ignore[attr-defined]
        found[p.name] = _result(p, run, started, Outcome.VIOLATED).evolve(
            trace=trace, minimal=True, explanation=explanation
        )
        asked.answered(p.name)
        return until_violated or len(found) == len(properties)

    def judged(run: Exploration, said: Said, number: int, action: Action | None = None) -> bool:
        """Whether the search ends with what is said of a state, or of a step from there."""
        wrong = [p for p in safety if p.name in said[1] and p.name not in found] if said[1] else ()
        return any(violated(p, run, number, action) for p in wrong)

    def on_state(run: Exploration, number: int) -> bool:
        return judged(run, asked.of_state(run.store, number), number)

    def on_step(run: Exploration, before: int, action: Action, after: int) -> bool:
        return action.name in listened and judged(run, asked.of_step(run.store, before, action, after), before, action)

    try:
        run = explore(
            machine,
            symmetry=symmetry,
            fixed=fixed,
            keep_edges=bool(liveness),
            limits=limits,
            on_state=on_state if invariants else None,
            on_step=on_step if steps else None,
            progress=progress,
            sharing=sharing,
        )
    except ExplorationInterrupted as stop:
        raise Interrupted(_ends(properties, found, stop.run, started, symmetry, asked.witnesses)) from None
    ended = until_violated and bool(found)
    if ended:
        run.stopped = "the search ended with the first violation"
    _ends(safety, found, run, started, symmetry, asked.witnesses)
    try:
        failing = [([], 0)] * len(liveness) if ended or run.crash else where_goals_fail(run, liveness)
        for (p, entity), (bad, met) in zip(liveness, failing, strict=True):
            if ended:
                found[p.name] = _end(p, run, started, symmetry, 0)
                continue
            found[p.name] = _for_both(found.get(p.name), _recurs(p, run, entity, bad, met, started, symmetry))
    except KeyboardInterrupt:
        cut = ExplorationInterrupted(run).run
        raise Interrupted(_ends(properties, found, cut, started, symmetry, asked.witnesses)) from None
    return found


def _ends(
    properties: Sequence[Property],
    found: dict[str, Result],
    run: Exploration,
    started: float,
    symmetry: bool,
    witnessed: Callable[[str], int],
) -> list[Result]:
    """All of `found`, and results for those of `properties` that had none."""
    for p in properties:
        if p.name not in found:
            found[p.name] = _end(p, run, started, symmetry, witnessed(p.name))
    return list(found.values())


def _last_step(p: Any, run: Exploration, state: Any, like: Action) -> tuple[Action, Any]:
    """The violating transition of the concrete run. Names there can be others than in the stored state."""
    for action in run.machine.actions(state):
        if action.name == like.name:
            after = run.machine.step(state, action)
            if not p.holds(state, action, after):
                return action, after
    raise AssertionError(f"{p.name} tells renamed states apart, so names are not interchangeable in this property")


def _recurs(
    p: Liveness, run: Exploration, entity: str, bad: Sequence[int], met: int, started: float, symmetry: bool
) -> Result:
    """The result of a liveness property for one entity, whose goal fails in the states `bad`.

    `met`: how many states meet its premise.
    """
    lasso = None if run.crash else find_lasso(run, p, bad)
    if lasso is None:
        return _end(p, run, started, symmetry, met)
    trace, minimal = concrete(run, p, lasso)
    return _result(p, run, started, Outcome.VIOLATED).evolve(
        trace=trace, minimal=minimal and run.stopped is None, explanation=p.explain(trace.last, entity)
    )


def _end(p: Property, run: Exploration, started: float, symmetry: bool, witnessed: int) -> Result:
    """The result for a property that no explored state or transition violates."""
    if run.crash is not None:
        number, action, error = run.crash
        trace = run.trace_to(number)
        result = _result(p, run, started, Outcome.VIOLATED)
        what = f"{error} (in {action})"
        return result.evolve(trace=trace, minimal=True, explanation=what, rule_error=what)
    if run.stopped is not None:
        return _result(p, run, started, Outcome.INCONCLUSIVE).evolve(reason=run.stopped, cause=Cause.LIMIT)
    if not witnessed:
        reason = f"{NO_PREMISE}, so nothing was checked: a larger scope is needed"
        return _result(p, run, started, Outcome.INCONCLUSIVE).evolve(reason=reason, cause=Cause.PREMISE)
    details: dict[str, Any] = {
        "states": run.counts.distinct,
        "transitions": run.counts.generated,
        "witnesses": witnessed,
    }
    if symmetry and run.machine.symmetric and run.machine.sorts:
        details["symmetry"] = ", ".join(run.machine.sorts)
    cuts = run.machine.cuts
    claim = Claim(Strength.BOUNDED if cuts else Strength.EXHAUSTIVE, details | dict(cuts))
    return _result(p, run, started, Outcome.HOLDS).evolve(claim=claim)


def _result(p: Property, run: Exploration, started: float, outcome: Outcome) -> Result:
    return Result(
        property=p.name,
        engine=ENGINE,
        outcome=outcome,
        states=run.counts.distinct,
        transitions=run.counts.generated,
        depth=run.counts.depth,
        seconds=round(monotonic() - started, 3),
        fired=dict(run.counts.fired),
    )
