"""The counterexamples that are kept under counterexamples/: read, and replayed."""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from attrs import evolve, frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.runs import kept_run
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.systems.gates import bounds_of_gates, refuse_locked
from kubeproof.systems.registry import system_named
from kubeproof.verdict.itf import state_digest
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.releases import Release, known_release, rules_for


@frozen
class KeptRow:
    """Releases in a row that show the same, `first` to `last`, as computed when the bug's page was made."""

    first: str
    last: str
    # These releases have the bug. A violation that is another bug's does not count.
    shown: bool
    # These releases violate the property of the bug, be it by another bug that needs fewer powers.
    violated: bool
    # How the rules of these releases are known: recorded, read, inferred.
    evidence: tuple[str, ...]


def kept_releases(bug: Bug | ComponentBug, pages: Traversable | None = None) -> tuple[KeptRow, ...]:
    """The computed releases of `bug`, oldest first. Raises InputError when they are missing or damaged.

    `pages`: the folder of the pages. None: the one of kubeproof.
    """
    name = f"counterexamples/{bug.folder}/releases.json"
    try:
        text = ((pages or files("counterexamples")) / bug.folder / "releases.json").read_text(encoding="utf-8")
        document = json_value(text)
        return tuple(
            KeptRow(row["first"], row["last"], row["shown"], row.get("violated", row["shown"]), tuple(row["evidence"]))
            for row in document["rows"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{name}: missing or damaged: expected the bug's releases; `make counterexamples` makes the file"
        ) from None


def row_of(rows: Sequence[KeptRow], release: Release) -> KeptRow | None:
    """The row of `rows`, oldest first, that says what `release` shows; None if no row does.

    A vendor's release goes by the upstream one. A patch release newer than those that were modelled belongs to the last
    row of its minor.
    """
    begun = [row for row in rows if known_release(row.first).version <= release.version]
    if not begun:
        return None
    last = known_release(begun[-1].last)
    ends_a_minor = last.version >= known_release(f"1.{last.minor}").version
    belongs = release.version <= last.version or (ends_a_minor and release.minor == last.minor)
    return begun[-1] if belongs else None


@frozen
class Reproduction:
    """A kept trace, run again."""

    bug: Bug
    # None if the recorded run does not exist in the model.
    trace: Trace | None
    # Every state has the digest that is kept of it, and the property fails at the end.
    appears: bool
    # What is wrong at the end of the run; or why the violation does not appear.
    explanation: str
    # The scope of the run, None with `trace`.
    scope: Any = None
    # The gates as `--feature-gates` has them, "" for those of the kept run.
    gates: str = ""


def reproduce(bug: Bug, feature_gates: str | None = None) -> Reproduction:
    """Replay the kept counterexample of `bug` under the rules of its release. Raises InputError.

    `feature_gates` is e.g. "SchedulerQueueingHints=false". Then the same actions are taken, and their states need not
    be the recorded ones.
    """
    run = kept_run(bug)
    system, release = system_named(bug.system), known_release(bug.release)
    scope, gates = evolve(run.scope, **bounds_of_gates(system, feature_gates)), feature_gates or ""
    refuse_locked(release, scope)
    machine = system.machine(scope, rules_for(system.rules_class, release))
    try:
        trace = replay(machine, run.actions, loop=run.loop)
    except ReplayError as error:
        return Reproduction(bug, None, False, f"the recorded run does not exist: {error}", None, gates)
    pairs = enumerate(zip(trace.steps, run.states, strict=True))
    differs = next((number for number, (step, digest) in pairs if state_digest(step.state) != digest), None)
    if differs is not None and not gates:
        return Reproduction(bug, trace, False, f"state {differs} is not as recorded", scope, gates)
    wrong = violation(machine, system.property_named(bug.violates), trace)
    if wrong is None:
        return Reproduction(bug, trace, False, f"{bug.violates} holds at the end of the recorded run", scope, gates)
    return Reproduction(bug, trace, True, wrong, scope, gates)
