"""A fix beside upstream's cure of the same bug: it must not leave what that takes away, and may uncover the same."""

from typing import Any

from attrs import evolve

from kubeproof.bugs.known import cures, left_of, with_a_page
from kubeproof.validate.effects import reduced_like
from kubeproof.validate.side_by_side import compare
from kubeproof.validate.verdict import Part, Row
from model.releases import rules_for


def with_what_upstream_shows(part: Part, new: Any, row: Row) -> Row:
    """`row` with the claimed bugs that it shows to be left, or the bugs that upstream's cure uncovers too.

    `new`: the rules of the release with the fix.
    """
    if row.change in ("still violated", "violated anew"):
        claimed = [run.bug for run in part.claimed]
        row = evolve(row, left=tuple(bug.id for bug in left_of(part.system, part.release, claimed, row.after)))
    asked = ("broken", "uncovered", "violated anew") if row.further else ("uncovered",)
    if row.known or row.left or row.change not in asked:
        return row
    bugs = shown_by_upstream_too(part, new, row)
    if row.further:
        return evolve(row, upstream=bugs)
    pages = with_a_page(part.system, part.release, row.after) if bugs else []
    return evolve(row, known=tuple(bug.id for bug in pages))


def shown_by_upstream_too(part: Part, new: Any, row: Row) -> tuple[str, ...]:
    """The cured bugs with whose cures by upstream, in place of the fix, the property fails in every run as with it."""
    system, name = part.system, row.after.property
    old, new = map(row.beside.beside, (rules_for(system.rules_class, part.release), new))
    machine = system.machine(row.after.scope, new)
    of_each = {run.bug.id: list(cures(system, part.release, old, run.bug)) for run in part.cured}
    tried: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        ((bug,), cure) for bug, its in of_each.items() for cure in its
    ]
    firsts = [its[0] for its in of_each.values() if its]
    if len(firsts) > 1:
        tried.append((tuple(of_each), {field: rule for cure in firsts for field, rule in cure.items()}))
    for bugs, cure in tried:
        upstream = system.machine(row.after.scope, reduced_like(system, evolve(old, **cure), new))
        found = compare(upstream, machine, system.properties, frozenset({name}))
        if found.complete and name not in found.broken and name not in found.beyond:
            return bugs
    return ()
