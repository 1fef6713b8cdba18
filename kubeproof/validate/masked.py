"""What a fix breaks where a bug of the release violates the property anyway: judged beside the cures of these bugs."""

from typing import Any

from attrs import evolve

from kubeproof.bugs.known import cures, known_bugs, naming
from kubeproof.bugs.runs import first_violations
from kubeproof.engines.question import Budget, question
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.upstream_cure import shown_by_upstream_too
from kubeproof.validate.verdict import Cures, Part, Row
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import Trace, run_again

SCOPES = 3  # in so many scopes a property is judged that the release violates everywhere; and so many states of each
STATES = 20_000
STATES_OF_UNEXPLAINED = 100_000  # where a violation that no bug explains leaves the verdict open


def beside_cures(part: Part, old: Any, new: Any) -> list[Row]:
    """What the fix breaks beside the cures of those bugs of the release that name the property.

    With the cures alone the property holds. It is asked of each property that the release violates wherever it is
    judged, and where the fix violates a property anew and no bug explains this.
    """
    asked = {(row.after.property, row.after.scope): STATES_OF_UNEXPLAINED for row in part.unexplained}
    for name in dict.fromkeys(row.after.property for row in part.rows):
        rows = [row for row in part.rows if row.after.property == name and row.before.engine == "explicit"]
        if not any(row.before.outcome is Outcome.HOLDS for row in rows):
            masked = [row.after for row in rows if row.change == "still violated"]
            smallest = sorted(masked, key=lambda result: result.states or 0)[:SCOPES]
            for result in smallest:
                asked.setdefault((name, result.scope), STATES)
    of_each = {name: _cures_of(part, old, name) for name, _ in asked}
    broken = (
        _broken(part, old, of_each[name], name, scope, states)
        for (name, scope), states in asked.items()
        if of_each[name].bugs
    )
    found = [row for row in broken if row is not None and not _has_another_bug(part, old, new, row)]
    return [row for row in found if not shown_by_upstream_too(part, new, row)]


def _has_another_bug(part: Part, old: Any, new: Any, row: Row) -> bool:
    """Whether the run violates another property first, and no documented bug that is left explains that.

    Beside the cures the release violates it in this run as the fix does. What the fix violates then may come of that:
    of a bug without a page, or of one whose cure does not help in this run.
    """
    trace = row.after.trace
    assert trace is not None
    others = [each for each in part.system.properties if each.name != row.after.property]
    before = Trace(trace.steps[: max(1, trace.length)])

    def violated(rules: Any) -> dict[str, tuple[Trace, str]]:
        machine = part.system.machine(row.after.scope, row.beside.beside(rules))
        again = run_again(machine, before)
        return {} if again is None else first_violations(machine, others, again)

    of_release = violated(old)
    shared = of_release.keys() & violated(new).keys() if of_release else ()
    results = (row.after.evolve(property=name, trace=of_release[name][0]) for name in shared)
    cured = set(row.beside.bugs)
    return any(cured.issuperset(bug.id for bug in known_bugs(part.system, part.release, each)) for each in results)


def _cures_of(part: Part, old: Any, name: str) -> Cures:
    """The cures of the bugs of the release that name the property, of no field of the fix."""
    bugs: list[str] = []
    cured: dict[str, Any] = {}
    for bug in naming(part.system, part.release, name):
        for cure in cures(part.system, part.release, old, bug):
            if cure.keys().isdisjoint(part.fix.rules) and cure.keys().isdisjoint(cured):
                bugs.append(bug.id)
                cured |= cure
                break
    return Cures(tuple(bugs), cured)


def _broken(part: Part, old: Any, beside: Cures, name: str, scope: Any, states: int) -> Row | None:
    """The row of the property beside the cures, if it holds there and the fix breaks it. `states`: how many at most."""
    asked = question(
        part.system,
        part.release,
        "explicit",
        fix=part.fix,
        scope=scope,
        properties=[part.system.property_named(name)],
        budget=Budget(states=states),
    )
    one = OneScope(evolve(asked, rules=beside.beside(asked.rules)), beside.beside(old))
    (row,) = one.run_by_run(one.results(), whole=False)
    breaks = row.before.outcome is Outcome.HOLDS and row.change == "broken"
    return evolve(row, beside=beside) if breaks else None
