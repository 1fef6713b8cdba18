"""`kubeproof validate`: does a fix cure the documented bug, does it break what held, and what else does it change."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.bugs.kept import kept_document
from kubeproof.check.check import check_system, chosen_fix, engines_named, release_named, release_notes, result_json
from kubeproof.engines.explicit import Limits, explore
from kubeproof.errors import InputError, RuleError
from kubeproof.fix.fix import Fix, apply
from kubeproof.fix.histories import Compared, compare
from kubeproof.fix.judgement import KnownRun, Row, Validation
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.itf import actions_of
from kubeproof.verdict.result import NO_PREMISE, Outcome, Result
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.releases import rules_for
from properties.effect import Effect
from properties.property import Invariant, Property, StepInvariant

EFFECT_STATES = 200_000  # of each scope


def validate(
    fix: Path | None,
    release: str | None = None,
    *,
    rules: Sequence[str] = (),
    scope: str | None = None,
    engines: Sequence[str] = ("all",),
) -> Validation:
    """Judge the fix in the file `fix`, and the built-in rules `rules`, against `release`. Raises InputError.

    Without `scope` the explicit engine judges in each scope that the system has for it: narrow ones, since a property
    that another bug violates anyway establishes nothing there; and in those of the kept counterexamples the properties
    of their bugs. The other engines take their own scope.
    """
    system, own = _system_and_fix(fix, rules)
    at = release_named(release)
    bugs = [bug for bug in BUGS if bug.system == system.name]
    claims = _claims(own, bugs)
    old = rules_for(system.rules_class, at)
    new = apply(system, old, own)
    asked = (system.fix_scope, *system.fix_scopes) if scope is None else (system.parse_scope(scope),)
    in_scopes: dict[Any, set[str] | None] = dict.fromkeys(asked)
    if scope is None and system.fix_scopes:
        for kept, of_bug in _kept_scopes(system, bugs):
            in_scopes[kept] = _both(in_scopes.get(kept, set()), of_bug)
    scopes = tuple(in_scopes)

    rows: list[Row] = []
    failure: str | None = None
    try:
        for engine, bounds, names in _checks(engines_named(engines), scope, in_scopes):
            check = partial(
                check_system, system.name, release, scope=bounds, properties=names, engines=[engine], judging_fix=True
            )
            before, after = check(), check(fix=fix, rules=rules)
            if before.interrupted or after.interrupted:
                raise KeyboardInterrupt
            found = [_row(system, old, *pair) for pair in zip(before.results, after.results, strict=True)]
            failed = next((row for row in found if row.after.rule_error), None)
            if failed is not None:
                rows, failure = [failed], failed.after.rule_error
                break
            rows += _by_histories(system, after.scope, old, new, found) if engine == "explicit" else found
    except RuleError as error:
        rows, failure = [], str(error)
    if failure is not None:
        return Validation(system, at, scopes, own, rows, [], [], claims, release_notes(at, system.rule_fields), failure)
    rows = _with_premises(_with_samples_known(rows))
    known = [_with_what_is_left(_known_run(system, bug, old, new), rows) for bug in bugs]
    return Validation(
        system,
        at,
        scopes,
        own,
        rows,
        known,
        _effects(system, asked, old, new),
        claims,
        release_notes(at, system.rule_fields),
    )


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


def _claims(fix: Fix, bugs: Sequence[Bug]) -> tuple[str, ...] | None:
    """What the fix must cure: the ids that its file names as CURES, else the system's only bug."""
    named = vars(fix.module).get("CURES") if fix.module is not None else None
    if named is None:
        return (bugs[0].id,) if len(bugs) == 1 else None
    ids = (named,) if isinstance(named, str) else named
    known = {bug.id for bug in bugs}
    if not isinstance(ids, tuple | list) or not ids or any(not isinstance(each, str) for each in ids):
        raise InputError(f"{fix.path}: CURES = {named!r}: expected the id of a bug, or a tuple of ids")
    for each in ids:
        if each not in known:
            expected = ", ".join(sorted(known)) or "none, as no bug of this system is documented"
            raise InputError(f"{fix.path}: CURES = {named!r}: no bug '{each}': expected one of {expected}")
    return tuple(ids)


def _kept_scopes(system: System, bugs: Sequence[Bug]) -> Iterator[tuple[Any, set[str]]]:
    """The scope of each kept counterexample, and the properties that its bug violates."""
    for bug in bugs:
        yield system.parse_scope(kept_document(bug)["#meta"]["scope"]), {bug.violates, *bug.properties}


def _both(wanted: set[str] | None, more: set[str]) -> set[str] | None:
    """The names of both; None stands for all."""
    return None if wanted is None else wanted | more


def _checks(
    engines: Sequence[str], asked: str | None, scopes: Mapping[Any, set[str] | None]
) -> Iterator[tuple[str, str | None, list[str] | None]]:
    """(engine, scope, properties) of each check: explicit in all scopes, the others in what was asked for or their own.

    No properties: all.
    """
    for engine in engines:
        if engine == "explicit":
            for scope, names in scopes.items():
                yield engine, scope_text(scope), sorted(names) if names else None
        else:
            yield engine, asked, None


def _row(system: System, old: Any, before: Result, after: Result) -> Row:
    """The row; of a violation that only a sample found after the fix, whether the release has the same one."""
    row = Row(before, after)
    if row.change != "broken" or after.engine != "hypothesis" or after.trace is None or after.scope is None:
        return row
    machine = system.machine(system.parse_scope(after.scope), old)
    return evolve(row, known_before=_violates(machine, system.property_named(after.property), after.trace))


def _violates(machine: Any, property: Property, run: Trace) -> bool:
    """The same actions violate the property under the rules of `machine`; a run it does not have violates none."""
    try:
        return violation(machine, property, replay(machine, run.actions, loop=run.loop)) is not None
    except (ReplayError, RuleError):
        return False


def _by_histories(system: System, scope: Any, old: Any, new: Any, rows: list[Row]) -> list[Row]:
    """`rows` of the explicit engine in `scope`, each violation after the fix compared history by history."""
    safety = {p.name for p in system.properties if isinstance(p, Invariant | StepInvariant)}
    wanted = frozenset(row.after.property for row in rows if row.after.outcome is Outcome.VIOLATED) & safety
    if not wanted:
        return rows
    found = compare(system.machine(scope, old), system.machine(scope, new), system.properties, wanted)
    return [_anew(row, found) if row.after.property in wanted else row for row in rows]


def _anew(row: Row, found: Compared) -> Row:
    trace = found.broken.get(row.after.property)
    if trace is not None:
        if row.before.outcome is Outcome.VIOLATED:
            explanation = f"{row.after.explanation} (shown is a history that the release gets right)"
            row = evolve(row, after=row.after.evolve(trace=trace, explanation=explanation))
        return evolve(row, anew=True)
    if not found.complete or (row.before.outcome is not Outcome.VIOLATED and row.after.property in found.beyond):
        return row
    return evolve(row, anew=False)


def _with_samples_known(rows: Sequence[Row]) -> list[Row]:
    """What a sample found only after the fix is no news where an exhaustive search finds it before."""
    violated = {row.before.property for row in rows if row.before.outcome is Outcome.VIOLATED}
    return [
        evolve(row, known_before=True)
        if row.change == "broken" and row.after.engine == "hypothesis" and row.after.property in violated
        else row
        for row in rows
    ]


def _with_premises(rows: Sequence[Row]) -> list[Row]:
    """A property that speaks of no state of a scope any more may speak of states of another, where it is judged."""
    judged = {
        (row.after.property, row.after.engine) for row in rows if row.after.outcome in (Outcome.HOLDS, Outcome.VIOLATED)
    }
    return [
        evolve(row, met_elsewhere=True)
        if (row.after.reason or "").startswith(NO_PREMISE)
        and row.after.engine == "explicit"
        and (row.after.property, row.after.engine) in judged
        else row
        for row in rows
    ]


def _with_what_is_left(run: KnownRun, rows: Sequence[Row]) -> KnownRun:
    """`run` with the violation that remains of the bug's property in the scope of its kept counterexample."""
    left = (
        row.after
        for row in rows
        if (row.after.property, row.after.scope) == (run.bug.violates, run.scope)
        and row.after.outcome is Outcome.VIOLATED
    )
    return evolve(run, left=next(left, None))


def _known_run(system: System, bug: Bug, old: Any, new: Any) -> KnownRun:
    document = kept_document(bug)
    scope = system.parse_scope(document["#meta"]["scope"])
    property = system.property_named(bug.violates)
    actions, loop = actions_of(document), document.get("loop")

    def end(rules: Any) -> tuple[bool, str]:
        machine = system.machine(scope, rules)
        try:
            trace = replay(machine, actions, loop=loop)
        except ReplayError as error:
            return False, f"the run is no longer possible: {error}"
        except RuleError as error:
            return True, str(error)
        wrong = violation(machine, property, trace)
        if wrong is None:
            return False, f"the run ends well: {'; '.join(system.describe_state(trace.last)[1:])}"
        return True, f"the run still ends badly: {wrong}"

    appears, _ = end(old)
    remains, text = end(new)
    return KnownRun(bug, appears, not remains, text, scope_text(scope))


def _effects(system: System, scopes: Sequence[Any], old: Any, new: Any) -> list[Effect]:
    """What else differs, over the states that each scope reaches without the fix."""
    limits = Limits(states=EFFECT_STATES)

    def states(scope: Any) -> Iterator[Any]:
        run = explore(system.machine(scope, old), symmetry=True, limits=limits)
        return (run.store.state(number) for number in range(len(run.parents)))

    try:
        return system.effects(old, new, ((scope, states(scope)) for scope in scopes))
    except RuleError:
        return []


def validation_json(validation: Validation) -> dict[str, Any]:
    """The document of `validate --json`."""
    return {
        "system": validation.system.name,
        "release": str(validation.release),
        "fix": validation.fix.label,
        "verdict": {"holds": "accepted", "violated": "refused"}.get(validation.outcome, str(validation.outcome)),
        "reasons": validation.reasons,
        "claims": None if validation.claims is None else list(validation.claims),
        "cured": [run.bug.id for run in validation.cured],
        "failure": validation.failure,
        "scopes": [scope_text(scope) for scope in validation.scopes],
        "known": [
            {
                "bug": run.bug.id,
                "appears_before": run.appears_before,
                "gone": run.gone,
                "cured": run.cured,
                "scope": run.scope,
                "after": run.after,
            }
            for run in validation.known
        ],
        "results": [
            {
                "property": row.after.property,
                "engine": row.after.engine,
                "scope": row.after.scope,
                "change": row.change,
                "violated_anew": row.anew,
                "before": result_json(row.before),
                "after": result_json(row.after),
            }
            for row in validation.rows
        ],
        "effects": [
            {"subject": e.subject, "changed": e.changed, "total": e.total, "of": e.of, "example": e.example}
            for e in validation.effects
        ],
    }
