"""Which documented bugs are behind the violations that engines found."""

from collections.abc import Sequence

from kubeproof.bugs.known import known_bugs
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import run_again
from kubeproof.verdict.violation import violation
from model.releases import Release, rules_for


def explained(system: System, release: Release, results: Sequence[Result], *, with_fix: bool) -> list[Result]:
    """`results`, each violation with the ids of the documented bugs of `release` that explain it.

    `with_fix`: rules of a fix are in place. Then a documented bug explains only what the release violates too, in the
    same run. Raises KeyboardInterrupt.
    """
    return [_explained(system, release, result, with_fix) for result in results]


def _explained(system: System, release: Release, result: Result, with_fix: bool) -> Result:
    if result.outcome is not Outcome.VIOLATED or result.trace is None or result.known is not None:
        return result
    if with_fix:
        machine = system.machine(result.scope, rules_for(system.rules_class, release))
        again = run_again(machine, result.trace)
        if again is None or violation(machine, system.property_named(result.property), again) is None:
            return result.evolve(known=())
    return result.evolve(known=tuple(bug.id for bug in known_bugs(system, release, result)))
