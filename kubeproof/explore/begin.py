"""With which run the explorer's page begins, from the options of the command."""

from collections.abc import Sequence

from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.runs import kept_run
from kubeproof.errors import InputError
from kubeproof.explore.link import fragment
from kubeproof.explore.run import AskedRun, MachineOf, Run, Side
from kubeproof.report.drawn import action_text
from kubeproof.report.told import actions_text
from kubeproof.systems.gates import refuse_locked, with_gates
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.releases import release_named
from kubeproof.systems.system import System, scope_text
from model.releases import known_release


def system_asked(system: str | None, bug: str | None) -> System:
    """The system that is named, or that of the bug. Raises InputError."""
    if bug is None:
        if system is None:
            raise InputError("no system: expected one such as node-listing, a link of the explorer's page, or --bug")
        return system_named(system)
    of_bug = system_named(bug_named(bug).system)
    if system is not None and system_named(system) is not of_bug:
        raise InputError(f"--bug: {bug_named(bug).id} is a bug of {of_bug.name}: expected this system")
    return of_bug


def first_run(
    system: System,
    release: str | None,
    scope: str | None,
    feature_gates: str | None,
    bug: str | None,
    against: str | None,
    with_fix: bool,
    machine_of: MachineOf,
) -> tuple[Run, Sequence[str]]:
    """The run, and what is to be said of it. Raises InputError.

    Of a bug it is the run of its page, as far as the release has it. A fix is on the other side.
    """
    kept = None if bug is None else kept_run(bug_named(bug))
    if kept is not None:
        scope, release = scope or scope_text(kept.scope), release or kept.release
    bounds = system.parse_scope(with_gates(system, scope, feature_gates))
    at = release_named(release, minors=system.minors)
    other = None if against is None else release_named(against, "--against", system.minors)
    for each in filter(None, (at, other)):
        refuse_locked(each, bounds)
    beside = Side(other or at, with_fix) if with_fix or other is not None else None
    side = Side(at)
    if kept is None:
        return Run(system, bounds, side, (), beside), ()
    taken = kept.played(machine_of(system, bounds, side)).actions
    notes = []
    if len(taken) < len(kept.actions):
        notes.append(f"{at} has {len(taken)} of the {actions_text(len(kept.actions))} of {kept.bug.id}")
    return Run(system, bounds, side, tuple(map(action_text, taken)), beside), notes


def bug_links() -> dict[str, dict[str, str]]:
    """By system the bugs that a run shows, each with the fragment of its run."""
    found: dict[str, dict[str, str]] = {name: {} for name in SYSTEMS}
    for bug in BUGS:
        kept = kept_run(bug)
        asked: AskedRun = {
            "system": bug.system,
            "release": str(known_release(kept.release)),
            "fix": False,
            "scope": scope_text(kept.scope),
            "actions": [action_text(action) for action in kept.actions],
            "against": None,
        }
        found[bug.system][bug.id] = fragment(asked)
    return found
