"""`kubeproof validate`: does a fix cure the documented bug, does it break what held, and what else does it change."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import asdict

from kubeproof.bugs.catalogue import BUGS, Bug
from kubeproof.check.check import engines_named, result_json
from kubeproof.errors import InputError, LostError, established, not_one_of
from kubeproof.fix.fix import Fix, asking, opened_fix, systems_asked, systems_with
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import Told
from kubeproof.systems.gates import gates_of, read_gates, refuse_locked, with_gates
from kubeproof.systems.read_fields import left_out
from kubeproof.systems.registry import SYSTEMS, scopes_named, system_named
from kubeproof.systems.releases import release_notes, systems_at
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.validate.further import USUAL, Further
from kubeproof.validate.one_engine import answered, answered_elsewhere, weight
from kubeproof.validate.one_system import judging
from kubeproof.validate.verdict import Part, Validation
from kubeproof.verdict.result import Outcome


def validate(
    fix: Path | None,
    release: str | None = None,
    *,
    rules: Sequence[str] = (),
    systems: Sequence[str] = (),
    scope: str | None = None,
    feature_gates: str | None = None,
    engines: Sequence[str] = ("all",),
    progress: Callable[[str], None] = lambda text: None,
    told: Told | None = None,
    further: Further | None = USUAL,
    dask: str | None = None,
) -> Validation:
    """Judge the fix in the file `fix`, and the built-in rules `rules`, against `release`. Raises InputError.

    It is judged in every system that has all its rules, or in those of `systems` only; with a `scope`, in those that
    have the bounds that it names. `progress` is told what this process asks next, `told` how far the engines are.
    `further`: how much the explicit engine may look at beside the scopes of a system; None: nothing. `dask`: as in
    `side_by_side`; the answer is the same.
    """
    scope = with_gates(_with_most(feature_gates), scope, feature_gates)
    named = [system_named(name) for name in systems] or list(SYSTEMS.values())
    with opened_fix(fix, rules, named) as own:
        if own is None:
            raise InputError("nothing to validate: expected a FIX.py or --rule NAME=RULE")
        return _validated(own, release, systems, scope, engines, progress, told, further, dask)


def _validated(
    own: Fix,
    release: str | None,
    systems: Sequence[str],
    scope: str | None,
    engines: Sequence[str],
    progress: Callable[[str], None],
    told: Told | None,
    further: Further | None,
    dask: str | None,
) -> Validation:
    claims = claims_of(own, {each.name: each for each in (*systems_with(own), *systems_asked(systems, own))}.values())
    at, having, unknown = systems_at(systems_asked(systems, own), release, every=bool(systems))
    asked, unasked = asking(having, own, at, every=bool(systems))
    chosen = engines_named(engines)
    bounds, without = scopes_named(asked, scope, every=bool(systems))
    for of_system in bounds.values():
        refuse_locked(at, of_system)
    # Of a process elsewhere nobody hears what it asks next.
    answers = answered_elsewhere if dask else partial(answered, progress=progress)
    pool = side_by_side(None if dask else 1, dask=dask, told=told, weigh=weight)
    parts: list[Part] = []
    with established(lambda: list(map(_in_short, parts))), pool as each:
        ask = partial(each, answers)
        begun = {
            name: judging(
                SYSTEMS[name],
                at,
                own,
                bugs_of(SYSTEMS[name]),
                claims[name],
                chosen,
                of_system,
                further=further,
                ask=ask,
            )
            for name, of_system in bounds.items()
        }
        lost: dict[str, LostError] = {}
        for name, judged in begun.items():
            try:
                parts.append(judged())
            except LostError as error:
                lost[name] = error
        if lost:
            raise _lost(next(iter(lost.values())), parts, lost)
    notes = release_notes(at, list(dict.fromkeys(field for part in parts for field in part.system.fields_asked_in(at))))
    return Validation(
        at, own, tuple(parts), notes, (*unknown, *unasked, *without), unjudged_claims(own, claims, bounds)
    )


def _lost(error: LostError, parts: Iterable[Part], left: Iterable[str]) -> LostError:
    """A scheduler's loss says what was established before it, and goes on with the systems that are `left`."""
    found = "; ".join(map(_in_short, parts)) or "nothing was established"
    options = "".join(f" --system {name}" for name in left)
    return LostError(f"{error}: {found}: the same command with{options} judges the rest")


def _in_short(part: Part) -> str:
    return f"{part.system.name}: {_verdict(part)}"


def _with_most(feature_gates: str | None) -> System:
    """The system that has most of these gates; of several, the one that has most gates at all."""
    given = read_gates(feature_gates or "").keys()
    return max(SYSTEMS.values(), key=lambda each: (len(given & set(gates_of(each))), len(gates_of(each))))


def bugs_of(system: System) -> list[Bug]:
    """The documented bugs that a run of `system` shows."""
    return [bug for bug in BUGS if bug.system == system.name]


def claims_of(fix: Fix, systems: Iterable[System]) -> dict[str, tuple[str, ...] | None]:
    """By system, what the fix must cure there: the ids that its file names as CURES, else the system's only bug."""
    by_system = {system.name: [bug.id for bug in bugs_of(system)] for system in systems}
    if fix.cures is None:
        # Of a system without documented bugs a fix claims nothing.
        return {name: tuple(ids) if len(ids) < 2 else None for name, ids in by_system.items()}
    ids = (fix.cures,) if isinstance(fix.cures, str) else fix.cures
    known = {each for of_system in by_system.values() for each in of_system}
    if not isinstance(ids, tuple | list) or not ids or any(not isinstance(each, str) for each in ids):
        raise InputError(f"{fix.path}: CURES = {fix.cures!r}: expected the id of a bug, or a tuple of ids")
    for each in ids:
        if each not in known:
            wrong = not_one_of(each, f"bug of {' or '.join(by_system)}", sorted(known), "kubeproof bugs")
            raise InputError(f"{fix.path}: CURES = {fix.cures!r}: {wrong}")
    return {name: tuple(each for each in ids if each in of_system) for name, of_system in by_system.items()}


def unjudged_claims(
    fix: Fix, claims: Mapping[str, tuple[str, ...] | None], judged: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """(bug, system): the bugs that the file names as CURES, of those systems of `claims` that are not `judged`."""
    if fix.cures is None:
        return ()
    return tuple((bug, name) for name, ids in claims.items() if name not in judged for bug in ids or ())


def validation_json(validation: Validation) -> dict[str, Any]:
    """The document of `validate --json`."""
    return {
        "release": str(validation.release),
        "fix": validation.fix.label,
        "verdict": _verdict(validation),
        "reasons": validation.reasons,
        "open": validation.open,
        "parts": [_part_json(part) for part in validation.parts],
        "not_judged": [{"system": name, "reason": why} for name, why in validation.not_judged],
    }


def _verdict(of: Validation | Part) -> str:
    if of.outcome is Outcome.HOLDS and of.changes_nothing:
        return "changes nothing"
    return {"holds": "accepted", "violated": "refused"}.get(of.outcome, str(of.outcome))


def _part_json(part: Part) -> dict[str, Any]:
    """The verdict in one system."""
    return {
        "system": part.system.name,
        "verdict": _verdict(part),
        "reasons": part.reasons,
        "open": part.open,
        "claims": None if part.claims is None else list(part.claims),
        "cured": [run.bug.id for run in part.cured],
        "failure": part.failure,
        "scopes": [kept_scope_text(scope) for scope in part.scopes],
        "further_scopes": None if part.looked is None else asdict(part.looked),
        "left_out": left_out(part.system.read_fields),
        "default_gates_left_out": part.system.default_gates_left_out(part.release),
        "known": [
            {
                "bug": run.bug.id,
                "appears_before": run.appears_before,
                "gone": run.gone,
                "cured": run.cured,
                "scope": kept_scope_text(run.scope),
                "after": run.after,
            }
            for run in part.known
        ],
        "stays": [
            {"property": result.property, "bugs": list(result.known or ()), "scope": kept_scope_text(result.scope)}
            for result in part.stays.results(part.stays.violations)
        ],
        "brought": [
            {"property": result.property, "run": result.reason, "known": list(result.known or ())}
            for result in part.brought
        ],
        "results": [
            {
                "property": row.after.property,
                "engine": row.after.engine,
                "scope": kept_scope_text(row.after.scope),
                "change": row.change,
                "violated_anew": row.anew,
                "known": list(row.known),
                "as_with_the_known_cure_of": list(row.upstream),
                "left": list(row.left),
                "beside_cures_of": list(row.beside.bugs),
                "in_further_scope": row.further,
                "before": result_json(row.before),
                "after": result_json(row.after),
            }
            for row in part.rows
        ],
        "effects": [
            {"subject": e.subject, "changed": e.changed, "total": e.total, "of": e.of, "example": e.example}
            for e in part.effects
        ],
    }
