"""`kubeproof validate`: does a fix cure the documented bug, does it break what held, and what else does it change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from kubeproof.catalogue import BUGS, Bug
from kubeproof.check import check_system, chosen_fix, engines_named, release_named, release_notes, result_json
from kubeproof.engines.explicit import Limits, explore
from kubeproof.errors import InputError, RuleError
from kubeproof.fix import Fix, apply
from kubeproof.itf import actions_of
from kubeproof.kept import kept_document
from kubeproof.systems import SYSTEMS, System
from kubeproof.trace import ReplayError, replay
from kubeproof.verdict import Outcome, Result
from model.releases import Release, rules_for
from properties.node_listing_effects import Effect, effects
from properties.property import Invariant

Change = Literal["cured", "broken", "still violated", "holds as before", "undecided", "not judged"]


@frozen
class Row:
    """One property, one engine, before and after the fix."""

    before: Result
    after: Result

    @property
    def change(self) -> Change:
        old, new = self.before.outcome, self.after.outcome
        if new is Outcome.NOT_APPLICABLE:
            return "not judged"
        if new is Outcome.INCONCLUSIVE:
            return "undecided"
        if new is Outcome.VIOLATED:
            return "still violated" if old is Outcome.VIOLATED else "broken"
        return "cured" if old is Outcome.VIOLATED else "holds as before"


@frozen
class KnownRun:
    """The kept counterexample of a bug, replayed under the rules before and after. `after`: what becomes of it."""

    bug: Bug
    appears_before: bool
    gone: bool
    after: str


@frozen
class Validation:
    """The verdict on a fix. `accepted`: every known counterexample is gone and nothing that held breaks."""

    system: System
    release: Release
    scope: Any
    fix: Fix
    rows: list[Row]
    known: list[KnownRun]
    effects: list[Effect]
    notes: tuple[str, ...] = ()

    @property
    def refused_by(self) -> list[Row]:
        """The rows that speak against the fix: broken by it, or violations of a documented bug that it leaves."""
        documented = {name for run in self.known if run.appears_before for name in run.bug.properties}
        return [
            row
            for row in self.rows
            if row.change == "broken" or (row.change == "still violated" and row.after.property in documented)
        ]

    @property
    def outcome(self) -> Outcome:
        if self.refused_by or not all(run.gone for run in self.known):
            return Outcome.VIOLATED
        if any(row.change == "undecided" for row in self.rows):
            return Outcome.INCONCLUSIVE
        return Outcome.HOLDS


def validate(
    fix: Path | None,
    release: str | None = None,
    *,
    rules: Sequence[str] = (),
    scope: str | None = None,
    engines: Sequence[str] = ("all",),
) -> Validation:
    """Judge the fix in the file `fix`, and the built-in rules `rules`, against `release`. Raises InputError."""
    system, own = _system_and_fix(fix, rules)
    at = release_named(release)
    names = engines_named(engines)
    bounds = system.fix_scope if scope is None else system.parse_scope(scope)
    before = check_system(system.name, release, scope=scope, engines=names, judging_fix=True)
    after = check_system(system.name, release, fix=fix, rules=rules, scope=scope, engines=names, judging_fix=True)
    if before.interrupted or after.interrupted:
        raise KeyboardInterrupt
    rows = [Row(*pair) for pair in zip(before.results, after.results, strict=True)]
    old = rules_for(system.rules_class, at)
    new = apply(system, old, own)
    known = [_known_run(system, bug, old, new) for bug in BUGS if bug.system == system.name]
    return Validation(system, at, bounds, own, rows, known, _effects(system, bounds, old, new), release_notes(at))


def _system_and_fix(fix: Path | None, rules: Sequence[str]) -> tuple[System, Fix]:
    """The system whose rules the fix replaces: the first that knows every one of them."""
    refused: InputError | None = None
    for system in SYSTEMS.values():
        try:
            own = chosen_fix(system, fix, rules)
        except InputError as error:
            refused = refused or error
            continue
        if own is not None:
            return system, own
    raise refused or InputError("nothing to validate: expected a FIX.py or --rule NAME=RULE")


def _known_run(system: System, bug: Bug, old: Any, new: Any) -> KnownRun:
    document = kept_document(bug)
    scope = system.parse_scope(document["#meta"]["scope"])
    invariant = system.property_named(bug.violates)
    assert isinstance(invariant, Invariant), "the kept counterexamples are of invariants"
    actions = actions_of(document)

    def end(rules: Any) -> tuple[bool, str]:
        try:
            state = replay(system.machine(scope, rules), actions).last
        except ReplayError as error:
            return False, f"the run is no longer possible: {error}"
        except RuleError as error:
            return True, str(error)
        if invariant.holds(state):
            return False, f"the run ends well: {'; '.join(system.describe_state(state)[1:])}"
        return True, f"the run still ends badly: {invariant.explain(state)}"

    appears, _ = end(old)
    remains, text = end(new)
    return KnownRun(bug, appears, not remains, text)


def _effects(system: System, scope: Any, old: Any, new: Any) -> list[Effect]:
    if not hasattr(old, "list_nodes") or old.list_nodes is new.list_nodes:
        return []
    run = explore(system.machine(scope, old), symmetry=True, limits=Limits(states=200_000))
    trees = dict.fromkeys(run.store.state(number).tree for number in range(len(run.parents)))
    try:
        return effects(old.list_nodes, new.list_nodes, trees)
    except RuleError:
        return []


def validation_json(validation: Validation) -> dict[str, Any]:
    """The document of `validate --json`."""
    return {
        "system": validation.system.name,
        "release": str(validation.release),
        "fix": validation.fix.label,
        "verdict": {"holds": "accepted", "violated": "refused"}.get(validation.outcome, str(validation.outcome)),
        "known": [
            {"bug": run.bug.id, "appears_before": run.appears_before, "gone": run.gone, "after": run.after}
            for run in validation.known
        ],
        "results": [
            {
                "property": row.after.property,
                "engine": row.after.engine,
                "change": row.change,
                "before": result_json(row.before),
                "after": result_json(row.after),
            }
            for row in validation.rows
        ],
        "effects": [
            {"subject": e.subject, "changed": e.changed, "total": e.total, "example": e.example}
            for e in validation.effects
        ],
    }
