"""What a fix breaks where a bug of the release violates the property anyway: judged beside the cures of these bugs."""

from typing import Any

from attrs import evolve

from kubeproof.bugs.known import cures, naming
from kubeproof.engines.question import Budget, question
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.upstream_cure import shown_by_upstream_too
from kubeproof.validate.verdict import Cures, Part, Row
from kubeproof.verdict.result import Outcome

SCOPES = 3  # in so many scopes a property is judged that the release violates everywhere; and so many states of each
STATES = 20_000


def beside_cures(part: Part, old: Any, new: Any) -> list[Row]:
    """What the fix breaks beside the cures of those bugs of the release that name the property.

    With the cures alone the property holds. It is asked of each property that the release violates wherever it is
    judged, and where the fix violates a property anew and no bug explains this.
    """
    asked: dict[tuple[str, Any], None] = {(row.after.property, row.after.scope): None for row in part.unexplained}
    for name in dict.fromkeys(row.after.property for row in part.rows):
        rows = [row for row in part.rows if row.after.property == name and row.before.engine == "explicit"]
        if not any(row.before.outcome is Outcome.HOLDS for row in rows):
            masked = [row.after for row in rows if row.change == "still violated"]
            smallest = sorted(masked, key=lambda result: result.states or 0)[:SCOPES]
            asked |= {(name, result.scope): None for result in smallest}
    of_each = {name: _cures_of(part, old, name) for name, _ in asked}
    broken = (_broken(part, old, of_each[name], name, scope) for name, scope in asked if of_each[name].bugs)
    found = [row for row in broken if row is not None]
    return [row for row in found if not shown_by_upstream_too(part, new, row)]


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


def _broken(part: Part, old: Any, beside: Cures, name: str, scope: Any) -> Row | None:
    """The row of the property beside the cures, if it holds there and the fix breaks it."""
    asked = question(
        part.system,
        part.release,
        "explicit",
        fix=part.fix,
        scope=scope,
        properties=[part.system.property_named(name)],
        budget=Budget(states=STATES),
    )
    one = OneScope(evolve(asked, rules=beside.beside(asked.rules)), beside.beside(old))
    (row,) = one.run_by_run(one.results(), whole=False)
    breaks = row.before.outcome is Outcome.HOLDS and row.change == "broken"
    return evolve(row, beside=beside) if breaks else None
