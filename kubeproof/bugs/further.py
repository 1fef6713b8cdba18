"""Looks for the runs that a page needs beside its own: for releases, and for properties, that no kept run shows yet."""

from collections.abc import Iterable, Sequence
from typing import Any

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.runs import KeptRun, first_violations
from kubeproof.engines import explicit
from kubeproof.systems.registry import system_named
from kubeproof.verdict.result import Outcome
from model.releases import Release, known_release, rules_for

# Of one search for properties that the bug violates besides: where it does not end, there is no run of them.
LIMITS = explicit.Limits(states=1_000_000)


def further_runs(
    bug: Bug, scope: Any, kept: Sequence[KeptRun], having: Sequence[Release], there: Sequence[KeptRun] = ()
) -> list[KeptRun]:
    """Runs of `bug` beside those of `kept`, so that each of the releases `having` the bug has a run that shows it.

    In the bug's own release, and in the newest one that has the bug, the runs also show the further properties that the
    bug violates, where a run in `scope`, that of the page, does. What one run shows in several releases is kept once.
    `there`: what the page has of them; of the others it is not known whether the bug still has them.
    """
    system = system_named(bug.system)
    at = known_release(bug.release)
    more = {str(at), *(str(each) for each in having[-1:])}
    found: list[KeptRun] = []
    for release in _in_order(at, having):
        machine = system.machine(scope, rules_for(system.rules_class, release))
        names = dict.fromkeys(bug.properties if str(release) in more else (bug.violates,))
        left = _without_shown(bug, release, [*kept, *found], names)
        # What the page has stays: of several shortest runs it may be the one that was played on the real code.
        for run in there:
            if left and run.release == str(release) and run not in found:
                without = _without_shown(bug, release, [run], left)
                found += [run] if without != left else []
                left = without
        wanted = [system.property_named(name) for name in left]
        for result in explicit.check(machine, wanted, limits=LIMITS) if wanted else ():
            trace = result.trace
            if result.outcome is not Outcome.VIOLATED or trace is None:
                continue
            run = KeptRun(bug, result.property, str(release), scope, trace.actions, trace.loop)
            # In a release that has the bug no violation of its property in this scope does without the bug's powers.
            own = result.property == bug.violates or bug.takes(system.powers_used(scope, trace.actions))
            if own and run not in found:
                found.append(run)
    return found


def _in_order(own: Release, having: Iterable[Release]) -> list[Release]:
    """The bug's own release, the newest one, then the others: most releases share the runs of these two."""
    oldest_first = sorted(having, key=lambda release: release.version)
    return list(dict.fromkeys([own, *oldest_first[-1:], *oldest_first]))


def _without_shown(bug: Bug, release: Release, runs: Iterable[KeptRun], names: Iterable[str]) -> list[str]:
    """Those of the properties `names` that none of `runs` violates in `release`."""
    system, left = system_named(bug.system), list(names)
    for run in runs:
        if left:
            machine = system.machine(run.scope, rules_for(system.rules_class, release))
            asked = [system.property_named(name) for name in left]
            shown = first_violations(machine, asked, run.played(machine))
            left = [name for name in left if name not in shown]
    return left
