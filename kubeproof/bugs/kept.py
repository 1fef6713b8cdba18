"""The counterexamples that are kept under counterexamples/: read, and replayed."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from attrs import evolve, frozen
from cattrs import BaseValidationError

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.check.gates import bounds_of_gates, refuse_locked
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.systems.registry import system_named
from kubeproof.verdict.itf import actions_of, states_of
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from kubeproof.visible import shortened
from model.releases import Release, known_release, rules_for


def kept_document(bug: Bug, which: str = "") -> dict[str, Any]:
    """The kept ITF trace of `bug`; with "-question-1" for `which` that of a question. Raises InputError."""
    name = f"{bug.folder}{which}.itf.json"
    try:
        text = (files("counterexamples") / bug.folder / name).read_text(encoding="utf-8")
        document: dict[str, Any] = json_value(text)
    except (OSError, ValueError, RecursionError):
        raise InputError(
            f"counterexamples/{bug.folder}/{name}: missing or damaged: expected an ITF trace; `make counterexamples` "
            "makes it"
        ) from None
    return document


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


def kept_releases(bug: Bug | ComponentBug) -> tuple[KeptRow, ...]:
    """The computed releases of `bug`, oldest first. Raises InputError when they are missing or damaged."""
    name = f"counterexamples/{bug.folder}/releases.json"
    try:
        document = json_value((files("counterexamples") / bug.folder / "releases.json").read_text(encoding="utf-8"))
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
    # Every state is as recorded, and the property fails at the end.
    appears: bool
    # What is wrong at the end of the run; or why the violation does not appear.
    explanation: str
    # The scope of the run, None with `trace`.
    scope: Any = None
    # The gates as `--feature-gates` has them, "" for those of the kept run.
    gates: str = ""


# What a document that is no trace ends in, where its states and actions are read and played.
_NO_TRACE = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, BaseValidationError)


def reproduce(bug: Bug, feature_gates: str | None = None) -> Reproduction:
    """Replay the kept counterexample of `bug` under the rules of its release. Raises InputError.

    `feature_gates` is e.g. "SchedulerQueueingHints=false". Then the same actions are taken, and their states need not
    be the recorded ones.
    """
    document = kept_document(bug)
    system, release = system_named(bug.system), known_release(bug.release)
    property = system.property_named(bug.violates)
    bounds, gates = bounds_of_gates(system, feature_gates), feature_gates or ""
    try:
        scope = evolve(system.parse_scope(document["#meta"]["scope"]), **bounds)
        refuse_locked(system, release, scope)
        machine = system.machine(scope, rules_for(system.rules_class, release))
        trace = replay(machine, actions_of(document), loop=document.get("loop"))
        recorded = states_of(document, type(trace.last))
    except ReplayError as error:
        return Reproduction(bug, None, False, f"the recorded run does not exist: {error}", None, gates)
    except _NO_TRACE as error:
        what = f"{type(error).__name__}: {shortened(str(error), 200)}"
        raise InputError(f"counterexamples/{bug.folder}: not a trace of {bug.system}: {what}") from None
    differs = "" if gates else _difference(trace, recorded)
    if differs:
        return Reproduction(bug, trace, False, differs, scope, gates)
    wrong = violation(machine, property, trace)
    if wrong is None:
        return Reproduction(bug, trace, False, f"{bug.violates} holds at the end of the recorded run", scope, gates)
    return Reproduction(bug, trace, True, wrong, scope, gates)


def _difference(trace: Trace, recorded: Sequence[Any]) -> str:
    """What of the run is not as recorded, or ""."""
    if len(recorded) != len(trace.steps):
        return f"the run has {len(trace.steps)} states, and {len(recorded)} are recorded"
    pairs = enumerate(zip(trace.steps, recorded, strict=True))
    number = next((number for number, (step, state) in pairs if step.state != state), None)
    return "" if number is None else f"state {number} is not as recorded"
