"""The four engines behind one call: which form of the system each of them takes."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.question import Question
from kubeproof.engines.watch import Watch
from kubeproof.errors import RuleError
from kubeproof.fix.fix import Fix, named_rules
from kubeproof.fix.guarded import blamed_on, guarded
from kubeproof.fix.rule_results import returned_by, wrong_shape
from kubeproof.systems.registry import system_named
from kubeproof.verdict.result import Cause, Interrupted, Outcome, Result
from model.releases import Release, rules_for

if TYPE_CHECKING:  # Z3 takes a while to load, and most checks do without
    from properties.smt.form import SmtForm

EXPLICIT_SECONDS = 3_600.0
TLC_SECONDS = 300.0  # for each property
HYPOTHESIS_SECONDS = 100.0  # for all properties together


def _explicit(asked: Question) -> list[Result]:
    budget = asked.budget
    limits = explicit.Limits(
        states=budget.states,
        decisive=budget.decisive,
        states_once_decided=budget.states_once_decided,
        seconds=asked.watch.left(EXPLICIT_SECONDS),
    )
    if asked.checkpoints is not None:
        limits = explicit.Limits(states=explicit.MOST_STATES, seconds=asked.watch.left())
    return explicit.check(
        asked.on,
        asked.properties,
        symmetry=asked.budget.symmetry,
        limits=limits,
        progress=asked.watch.counted,
        checkpoints=asked.checkpoints,
    )


def _hypothesis(asked: Question) -> list[Result]:
    from kubeproof.engines import stateful

    return stateful.check(
        asked.machine(),
        asked.properties,
        runs=asked.budget.runs,
        timeout=asked.watch.left(HYPOTHESIS_SECONDS),
        tell=asked.watch.tell,
    )


def _z3(asked: Question) -> list[Result]:
    """Bounded model checking. Where there is a proof for every size as well, the result has the stronger claim.

    A formula of a fix may fail, or say something else than the Python rule of the fix. Then every result is
    inconclusive. With built-in formulas such a disagreement is an error of kubeproof and is raised.
    """
    if asked.fix is None or asked.fix.stranger is None or not asked.fix.forms:
        return _z3_with(asked, {})
    # A property of a reader has no formula, and the process of the fix does not know it.
    known = system_named(asked.system.name).properties
    names = [p.name for p in asked.properties if p in known]
    given = (asked.system.name, asked.release, asked.fix.choices, asked.scope, names, asked.besides, asked.watch.left())
    try:
        told: tuple[Result, ...] = asked.fix.stranger.judged(__name__, "z3_with_forms", given)
        if wrong_shape(tuple[Result, ...], told) or [(r.property, r.engine) for r in told] != [
            (n, "z3") for n in names
        ]:
            raise RuleError("its process wrote to kubeproof's pipe")
    except RuleError as error:
        failed = Result(property="", engine="z3", outcome=Outcome.INCONCLUSIVE, reason=str(error))
        told = tuple(failed.evolve(property=name) for name in names)
    found = {result.property: result for result in told}
    none = Result(property="", engine="z3", outcome=Outcome.NOT_APPLICABLE, reason="the property has no Z3 formula")
    return [found.get(p.name) or none.evolve(property=p.name) for p in asked.properties]


def z3_with_forms(
    rules: dict[str, Any],
    forms: dict[str, Any],
    system: str,
    release: Release,
    choices: Sequence[str],
    scope: Any,
    names: Sequence[str],
    besides: bool,
    seconds: float,
) -> tuple[Result, ...]:
    """What Z3 says within `seconds` of `rules` and of the formulas `forms` of a fix, in the process of the fix."""
    known = system_named(system)
    before = rules_for(known.rules_class, release)
    of_file = {field: guarded(field, rule, returned_by(getattr(before, field))) for field, rule in rules.items()}
    fix = Fix("", {**of_file, **named_rules(choices, [known]).rules})
    properties = tuple(known.property_named(name) for name in names)
    asked = Question(
        known, release, fix, evolve(before, **fix.rules), scope, properties, "z3", besides, Watch(monotonic() + seconds)
    )
    return tuple(_z3_with(asked, {field: guarded(f"{field}_smt", form) for field, form in forms.items()}))


def _z3_with(asked: Question, forms: dict[str, Any]) -> list[Result]:
    from kubeproof.engines import smt
    from properties.smt.form import FormError

    form = asked.system.smt_form(asked.scope, asked.rules, forms)
    try:
        return _bounded_or_proved(asked, form)
    except (RuleError, FormError) as error:
        reason = str(error)
    except smt.EncodingError as error:
        if isinstance(form, str) or not form.from_outside:
            raise
        brought = ", ".join(f"{field}_smt" for field in form.from_outside)
        reason = f"{brought} and the Python rule must say the same: {error}"
    failed = Result(property="", engine="z3", outcome=Outcome.INCONCLUSIVE, reason=reason)
    return [failed.evolve(property=p.name) for p in asked.properties]


def _bounded_or_proved(asked: Question, form: "SmtForm | str") -> list[Result]:
    from kubeproof.engines import smt

    watch = asked.watch
    proved = {result.property: result for result in smt.check_inductive(form, asked.properties, watch=watch.share(2))}
    if asked.besides and not isinstance(form, str):
        proved |= _with_besides(form, proved, watch.share(2))
    results = []
    for bounded in smt.check(asked.machine(), form, asked.properties, watch=watch):
        proof = proved.get(bounded.property)
        # A proof for every size stands by itself. Runs may be too long to unroll, or may have no formulas.
        if proof is not None and proof.outcome is Outcome.HOLDS and bounded.outcome is not Outcome.VIOLATED:
            seconds = round(bounded.seconds + proof.seconds, 3)
            results.append(proof.evolve(seconds=seconds, depth=bounded.depth))
        elif proof is not None and proof.reason:
            results.append(bounded.evolve(reason="; ".join(filter(None, (bounded.reason, proof.reason)))))
        else:
            results.append(bounded)
    return results


def _with_besides(form: "SmtForm", proved: Mapping[str, Result], watch: Watch) -> dict[str, Result]:
    """The proofs for every size, with what each power that they do not allow does to them."""
    from kubeproof.engines.smt import besides

    found = {}
    for proof in form.proofs:
        claims = {name: r.claim for name, r in proved.items() if name in proof.applies and r.claim is not None}
        if claims and (said := besides(proof, watch=watch)):
            for name, claim in claims.items():
                wider = evolve(claim, details={**claim.details, "besides": said})
                found[name] = proved[name].evolve(claim=wider)
    return found


def _tlc(asked: Question) -> list[Result]:
    """TLC on all properties together, or on one property at a time if the fix has TLA+ operators.

    Where the operators of a fix say something else than its Python rules, the result is inconclusive. With built-in
    rules such a disagreement is an error of kubeproof and is raised.
    """
    from kubeproof.engines import tlc

    operators = {} if asked.fix is None else asked.fix.operators
    form = asked.system.tla_form(asked.scope, asked.rules, operators)
    if not form.extra_modules:
        return tlc.check(
            asked.machine(),
            form,
            asked.properties,
            timeout=TLC_SECONDS,
            memory_mb=asked.budget.heap_mb,
            watch=asked.watch,
            server=asked.server,
        )
    results = []
    for p in asked.properties:
        try:
            results += tlc.check(asked.machine(), form, [p], timeout=TLC_SECONDS, watch=asked.watch)
        except (tlc.DisagreementError, RuleError, OSError, UnicodeDecodeError) as error:
            reason = f"{form.extra_modules[0].name} and the Python rule must say the same: {error}"
            results.append(Result(property=p.name, engine="tlc", outcome=Outcome.INCONCLUSIVE, reason=reason))
        except KeyboardInterrupt:
            raise Interrupted(results) from None
    return results


ENGINES: dict[str, Callable[[Question], list[Result]]] = {
    "explicit": _explicit,
    "hypothesis": _hypothesis,
    "z3": _z3,
    "tlc": _tlc,
}


def answer(asked: Question) -> list[Result]:
    """The results of the engine, one for each property of the question, in the question's order.

    Raises Interrupted with as many results: those that the engine had, and inconclusive ones for the rest.
    """
    if not asked.watch.left():
        reason = "no time was left for this engine: more time or fewer engines are needed"
        late = Result(property="", engine=asked.engine, outcome=Outcome.INCONCLUSIVE, reason=reason, cause=Cause.LIMIT)
        return [late.evolve(property=p.name, scope=asked.scope) for p in asked.properties]
    try:
        with blamed_on(asked.outside):
            return [_as_claimed(asked, result).evolve(scope=asked.scope) for result in ENGINES[asked.engine](asked)]
    except KeyboardInterrupt as stop:
        had = {result.property: result for result in stop.results} if isinstance(stop, Interrupted) else {}
        cut = Result(
            property="", engine=asked.engine, outcome=Outcome.INCONCLUSIVE, reason="interrupted before its verdict"
        )
        results = [had.get(p.name, cut.evolve(property=p.name)) for p in asked.properties]
        raise Interrupted([result.evolve(scope=asked.scope) for result in results]) from None


def _as_claimed(asked: Question, result: Result) -> Result:
    """`result`; where the search took a reader's word for the symmetry of a machine, the claim says so."""
    if asked.system.file is None or result.claim is None or "symmetry" not in result.claim.details:
        return result
    said = f"{result.claim.details['symmetry']} (as {asked.system.name} says: tried in its first states)"
    return result.evolve(claim=evolve(result.claim, details={**result.claim.details, "symmetry": said}))
