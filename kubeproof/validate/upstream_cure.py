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
        return evolve(row, left=tuple(bug.id for bug in left_of(part.system, part.release, claimed, row.after)))
    if row.change == "uncovered" and not row.known:
        pages = with_a_page(part.system, part.release, row.after)
        if pages and _is_uncovered_by_upstream_too(part, new, row):
            return evolve(row, known=tuple(bug.id for bug in pages))
    return row


def _is_uncovered_by_upstream_too(part: Part, new: Any, row: Row) -> bool:
    """Whether each run that violates the property does so with upstream's cure of a cured bug in place of the fix."""
    system, old, name = part.system, rules_for(part.system.rules_class, part.release), row.after.property
    machine = system.machine(row.after.scope, new)
    for run in part.cured:
        for cure in cures(system, part.release, old, run.bug):
            upstream = system.machine(row.after.scope, reduced_like(system, evolve(old, **cure), new))
            found = compare(upstream, machine, system.properties, frozenset({name}))
            if found.complete and name not in found.broken and name not in found.beyond:
                return True
    return False
