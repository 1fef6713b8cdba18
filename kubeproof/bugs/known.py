"""Which documented bugs of a release explain a violation: a page says so, or the repair of a bug takes it away."""

from functools import cache
from typing import Any

from attrs import evolve

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.kept import KeptRow, kept_releases, row_of
from kubeproof.engines import explicit
from kubeproof.systems.system import System
from kubeproof.verdict.result import Cause, Outcome, Result
from kubeproof.verdict.trace import Trace, run_again
from kubeproof.verdict.violation import violation
from model.machine import Machine
from model.releases import Release, rules_for
from properties.property import Property


def known_bugs(system: System, release: Release, violated: Result) -> list[Bug]:
    """The documented bugs of `release` that explain the violation that a result of `system` shows.

    The page of such a bug shows that it violates the property. The bug is in this release, and the run of `violated`
    takes every power of the bug. A bug is left out if another one takes the same powers and more. If there is no such
    page, it is the bugs without whose faulty rule the violation is gone. Raises InputError if a kept list of releases
    is damaged.
    """
    if violated.trace is None:
        return []
    taken = system.powers_used(violated.scope, violated.trace.actions)
    mine = [
        bug
        for bug in BUGS
        if bug.system == system.name
        and violated.property in {*bug.properties, *(asked.violates for asked in bug.questions)}
        and bug.takes(taken)
        and shown_in(bug, release)
    ]
    said = [bug for bug in mine if not any(set(bug.powers) < set(other.powers) for other in mine)]
    return said or _repaired_away(system, release, violated)


def _repaired_away(system: System, release: Release, violated: Result) -> list[Bug]:
    """The bugs of `release` whose repair leaves no run that violates the property in so few actions."""
    trace, rules = violated.trace, rules_for(system.rules_class, release)
    property = system.property_named(violated.property)
    if trace is None or not _violates(system.machine(violated.scope, rules), property, trace):
        return []
    found = []
    for repair in system.repairs:
        bug = next(bug for bug in BUGS if bug.id == repair.bug)
        if getattr(rules, repair.field) is not repair.faulty or not shown_in(bug, release):
            continue
        (again,) = explicit.check(
            system.machine(violated.scope, evolve(rules, **{repair.field: repair.rule})), [property]
        )
        gone = again.outcome is Outcome.HOLDS or again.cause is Cause.PREMISE
        if again.rule_error is None and (gone or (again.trace is not None and again.trace.length > trace.length)):
            found.append(bug)
    return found


def _violates(machine: Machine[Any], property: Property, trace: Trace) -> bool:
    again = run_again(machine, trace)
    return again is not None and violation(machine, property, again) is not None


def shown_in(bug: Bug, release: Release) -> bool:
    """Whether the kept list of releases of `bug` says that `release` has it; of a vendor's, its upstream release."""
    row = row_of(_rows(bug.id), release)
    return row is not None and row.shown


@cache
def _rows(name: str) -> tuple[KeptRow, ...]:
    (bug,) = (bug for bug in BUGS if bug.id == name)
    return kept_releases(bug)
