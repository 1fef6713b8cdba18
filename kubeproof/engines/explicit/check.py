"""Checks properties on an exploration."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from attrs import define, evolve, frozen

from kubeproof.engines.explicit.checkpoint import Checkpoint, Checkpoints
from kubeproof.engines.explicit.lasso import concrete, find_lasso, where_goals_fail
from kubeproof.engines.explicit.search import (
    Asked,
    Counts,
    Exploration,
    ExplorationInterrupted,
    Limits,
    SaysOfState,
    SaysOfStep,
    append_step,
    exploration,
    search,
)
from kubeproof.engines.explicit.shared import Searches, searches_of
from kubeproof.errors import established
from kubeproof.verdict.result import NO_PREMISE, Cause, Claim, Interrupted, Outcome, Result, Strength
from model.machine import Action, Machine
from properties.property import Invariant, Liveness, Property, StepInvariant

ENGINE = "explicit"
Progress = Callable[[Counts], None]


def check(
    on: Machine[Any] | Searches,
    properties: Sequence[Property],
    *,
    symmetry: bool = True,
    limits: Limits = Limits(),  # noqa: B008 frozen
    progress: Progress | None = None,
    until_violated: bool = False,
    checkpoints: Checkpoints | None = None,
) -> list[Result]:
    """One Result for each property, in the order given. What other searches of `on` found is not looked for again.

    With `until_violated` a search ends as soon as any property is violated. The results of the others say so. With
    `checkpoints` each search goes on from there.

    Safety properties share one exploration. This exploration ends when each property is violated or all states were
    seen. Liveness properties of a sort share another exploration, in which the observed entity is not renamed; where
    that makes no difference, they share the exploration of the safety properties. One entity of each sort is observed,
    because the entities of a sort are interchangeable.

    A rule from outside may compare names (`Machine.symmetric`). Then there is no symmetry, and every entity is
    observed.

    Raises Interrupted with the results so far. The results of an unfinished exploration have the counts so far.
    """
    explorations: dict[frozenset[str], list[Question]] = {}
    searches = searches_of(on)
    machine = searches.machine
    keys = {p.name: p for p in properties}
    properties = [p.of(machine) for p in properties]
    for p in properties:
        for question in _questions(machine, p, symmetry):
            explorations.setdefault(_kept_apart(machine, question, symmetry), []).append(question)
    results: dict[str, Result] = {}
    end = monotonic() + limits.seconds
    try:
        for number, fixed in enumerate(sorted(explorations, key=sorted), 1):
            left = evolve(limits, seconds=max(0.0, end - monotonic()))
            if any(results[name].outcome is Outcome.VIOLATED for name in limits.decisive & results.keys()):
                left = evolve(left, states=min(limits.states, limits.states_once_decided))
            kept = None if checkpoints is None else checkpoints.of_search(number)
            found = _check_together(
                searches, keys, explorations[fixed], fixed, symmetry, left, progress, until_violated, kept
            )
            results |= {name: _for_both(results.get(name), result) for name, result in found.items()}
    except Interrupted as interrupted:
        found = {result.property: result for result in interrupted.results}
        raise Interrupted(list((results | found).values())) from None
    return [results.get(p.name) or _says_nothing(p, Counts(), 0.0) for p in properties]


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


@define
class _Violation:
    """What was found of a property, as the search found it."""

    # The state, or the state before the step, and the step's action.
    number: int
    action: Action | None
    counts: Counts
    seconds: float


def _check_together(
    searches: Searches,
    keys: Mapping[str, Property],
    questions: Sequence[Question],
    fixed: frozenset[str],
    symmetry: bool,
    limits: Limits,
    progress: Progress | None,
    until_violated: bool,
    checkpoint: Checkpoint | None,
) -> dict[str, Result]:
    """The results of one exploration that does not rename the identifiers in `fixed`.

    `keys`: by name, each property as it was given.
    """
    started = monotonic()
    properties = list({question.property.name: question.property for question in questions}.values())
    safety = {p.name: p for p in properties if isinstance(p, Invariant | StepInvariant)}
    liveness = [(q.property, q.entity) for q in questions if isinstance(q.property, Liveness)]
    violations: dict[str, _Violation] = {} if checkpoint is None else checkpoint.found

    def violated(name: str, before: int | None, action: Action | None, after: int) -> bool:
        number = after if before is None else before
        spent = 0.0 if checkpoint is None else checkpoint.spent
        violations[name] = _Violation(number, action, run.counts, spent + monotonic() - started)
        return until_violated or len(violations) == len(properties)

    run = exploration(searches, symmetry, fixed)
    asked = Asked(
        {p.name: (keys[p.name], _says_of_state(p)) for p in safety.values() if isinstance(p, Invariant)},
        {p.name: (keys[p.name], p.actions, _says_of_step(p)) for p in safety.values() if isinstance(p, StepInvariant)},
        violated,
    )

    def found() -> dict[str, Result]:
        return {name: _violated(safety[name], run, each) for name, each in violations.items()}

    def enough() -> bool:
        return run.counts.distinct > limits.states_once_decided and not limits.decisive.isdisjoint(violations)

    try:
        with established(lambda: [f"{name} by explicit: violated" for name in violations]):
            search(run, asked, limits, progress, enough if limits.decisive else None, checkpoint)
    except ExplorationInterrupted as stop:
        raise Interrupted(_ends(properties, found(), stop.run, started, symmetry)) from None
    if limits.decisive and run.stopped is None and run.counts.waiting and enough():
        many = f"more than {limits.states_once_decided} states"
        run.stopped = f"{many}, and a violation was found: a smaller scope is needed"
    if checkpoint is not None:
        started -= checkpoint.spent
    results = found()
    ended = until_violated and bool(results)
    if ended:
        run.stopped = "the search ended with the first violation"
    _ends(list(safety.values()), results, run, started, symmetry)
    try:
        failing = [([], 0)] * len(liveness) if ended or run.crash else where_goals_fail(run, liveness)
        for (p, entity), (bad, met) in zip(liveness, failing, strict=True):
            if ended:
                results[p.name] = _end(p, run, started, symmetry, 0)
                continue
            results[p.name] = _for_both(results.get(p.name), _recurs(p, run, entity, bad, met, started, symmetry))
    except KeyboardInterrupt:
        cut = ExplorationInterrupted(run).run
        raise Interrupted(_ends(properties, results, cut, started, symmetry)) from None
    return results


def _says_of_state(p: Invariant) -> SaysOfState:
    return lambda state: (p.premise(state), p.holds(state))


def _says_of_step(p: StepInvariant) -> SaysOfStep:
    return lambda before, action, after: (p.premise(before, action, after), p.holds(before, action, after))


def _violated(p: Invariant | StepInvariant, run: Exploration, found: _Violation) -> Result:
    trace = run.trace_to(found.number)
    if isinstance(p, StepInvariant):
        assert found.action is not None
        action, after = _last_step(p, run, trace.last, found.action)
        trace = append_step(trace, action, after)
        explanation = p.explain(trace.steps[-2].state, action, after)
    else:
        explanation = p.explain(trace.last)
    return _result(p, found.counts, found.seconds, Outcome.VIOLATED).evolve(
        trace=trace, minimal=True, explanation=explanation
    )


def _ends(
    properties: Sequence[Property],
    found: dict[str, Result],
    run: Exploration,
    started: float,
    symmetry: bool,
) -> list[Result]:
    """All of `found`, and results for those of `properties` that had none."""
    for p in properties:
        if p.name not in found:
            witnessed = 0 if isinstance(p, Liveness) else run.witnesses(p.name)
            found[p.name] = _end(p, run, started, symmetry, witnessed)
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
    return _result(p, run.counts, monotonic() - started, Outcome.VIOLATED).evolve(
        trace=trace, minimal=minimal and run.stopped is None, explanation=p.explain(trace.last, entity)
    )


def _end(p: Property, run: Exploration, started: float, symmetry: bool, witnessed: int) -> Result:
    """The result for a property that no explored state or transition violates."""
    if run.crash is not None:
        number, action, error = run.crash
        trace = run.trace_to(number)
        result = _result(p, run.counts, monotonic() - started, Outcome.VIOLATED)
        what = f"{error} (in {action})"
        return result.evolve(trace=trace, minimal=True, explanation=what, rule_error=what)
    if run.stopped is not None:
        return _result(p, run.counts, monotonic() - started, Outcome.INCONCLUSIVE).evolve(
            reason=run.stopped, cause=Cause.LIMIT
        )
    if not witnessed:
        return _says_nothing(p, run.counts, monotonic() - started)
    details: dict[str, Any] = {
        "states": run.counts.distinct,
        "transitions": run.counts.generated,
        "witnesses": witnessed,
    }
    if symmetry and run.machine.symmetric and run.machine.sorts:
        details["symmetry"] = ", ".join(run.machine.sorts)
    cuts = run.machine.cuts
    claim = Claim(Strength.BOUNDED if cuts else Strength.EXHAUSTIVE, details | dict(cuts))
    return _result(p, run.counts, monotonic() - started, Outcome.HOLDS).evolve(claim=claim)


def _says_nothing(p: Property, counts: Counts, seconds: float) -> Result:
    """The result where no state meets the premise; also of a liveness property of whose sorts the scope has nobody."""
    reason = f"{NO_PREMISE}, so nothing was checked: a larger scope is needed"
    return _result(p, counts, seconds, Outcome.INCONCLUSIVE).evolve(reason=reason, cause=Cause.PREMISE)


def _result(p: Property, counts: Counts, seconds: float, outcome: Outcome) -> Result:
    return Result(
        property=p.name,
        engine=ENGINE,
        outcome=outcome,
        states=counts.distinct,
        transitions=counts.generated,
        depth=counts.depth,
        seconds=round(seconds, 3),
        fired=dict(counts.fired),
    )
