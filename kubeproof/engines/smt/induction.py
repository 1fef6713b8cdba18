"""Proofs for every size: obligations asked one by one, and the results that follow from the answers.

An obligation with another answer than expected refutes the proof, not the property. The model in this answer is a
counterexample to induction: a state from which the argument does not go on. The property is then `inconclusive` here,
never violated.
"""

from collections.abc import Sequence
from time import monotonic

from attrs import frozen
from z3 import Solver

from kubeproof.engines.smt.query import ENGINE, advice, ask, usual
from kubeproof.engines.watch import Watch
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from properties.property import Property
from properties.smt.form import Obligation, Proof, SmtForm


@frozen
class ObligationResult:
    """The answer to one obligation."""

    name: str
    # `holds`: answered as expected. `violated`: answered otherwise. `inconclusive`: not answered.
    outcome: Outcome
    # The time that Z3 took.
    seconds: float
    # With `violated`: the counterexample to induction.
    model: str | None = None
    # Why there is no answer or no model.
    reason: str | None = None


def prove(
    obligations: SmtForm | Proof | Sequence[Obligation], *, timeout: float | None = None, rlimit: int | None = None
) -> list[ObligationResult]:
    """The answer to each obligation, in order, each in a solver of its own.

    `timeout` in seconds (usually 30) and `rlimit` in Z3 resource units are for each query.
    """
    if isinstance(obligations, SmtForm):
        obligations = [obligation for proof in obligations.proofs for obligation in proof.obligations]
    elif isinstance(obligations, Proof):
        obligations = obligations.obligations
    return [_prove(obligation, timeout, rlimit) for obligation in obligations]


def _prove(obligation: Obligation, timeout: float | None, rlimit: int | None) -> ObligationResult:
    solver = Solver()
    solver.add(*obligation.build())
    answer = ask(solver, timeout=usual(30.0) if timeout is None else timeout, rlimit=rlimit)
    seconds = round(answer.seconds, 3)
    if answer.reading == "unknown":
        reason = f"{answer.reason}: {advice(answer.reason)}"
        return ObligationResult(obligation.name, Outcome.INCONCLUSIVE, seconds, reason=reason)
    if answer.reading == obligation.expected:
        return ObligationResult(obligation.name, Outcome.HOLDS, seconds)
    if answer.reading == "sat":
        model = obligation.show(answer.model)
        return ObligationResult(obligation.name, Outcome.VIOLATED, seconds, model=model)
    reason = "nothing satisfies it, so what is proved of it is empty"
    return ObligationResult(obligation.name, Outcome.VIOLATED, seconds, reason=reason)


def check_inductive(
    encoding: SmtForm | str,
    properties: Sequence[Property],
    *,
    timeout: float | None = None,
    rlimit: int | None = None,
    watch: Watch = Watch(),  # noqa: B008 frozen
) -> list[Result]:
    """What the proofs of the form say: one Result for each of `properties` that a proof speaks of.

    A property holds with an inductive claim if every obligation is answered as expected. Otherwise the property is
    inconclusive, and the reason has the first other answer and its counterexample to induction.
    `timeout` in seconds (usually 30) and `rlimit` are for each obligation, `watch` is for all.
    """
    if isinstance(encoding, str):
        return []
    results = []
    for proof in encoding.proofs:
        named = [p for p in properties if p.name in proof.applies]
        if not named:
            continue
        started = monotonic()
        watch.tell(f"proof '{proof.name}' for any size")
        answers = _until_refuted(proof, timeout, rlimit, watch)
        seconds = round(monotonic() - started, 3)
        results += [_verdict(p, proof, answers, seconds) for p in named]
    return results


def _until_refuted(proof: Proof, timeout: float | None, rlimit: int | None, watch: Watch) -> list[ObligationResult]:
    """The answers up to the first that is not as expected: what comes after it cannot save the proof."""
    answers: list[ObligationResult] = []
    for obligation in proof.obligations:
        answers.append(_prove(obligation, watch.left(usual(30.0) if timeout is None else timeout), rlimit))
        if answers[-1].outcome is not Outcome.HOLDS:
            break
    return answers


def _verdict(p: Property, proof: Proof, answers: Sequence[ObligationResult], seconds: float) -> Result:
    failed = next((answer for answer in answers if answer.outcome is not Outcome.HOLDS), None)
    if failed is None:
        details = {**proof.details, "obligations": len(answers), "proof": proof.name}
        claim = Claim(Strength.INDUCTIVE, details)
        result = Result(property=p.name, engine=ENGINE, outcome=Outcome.HOLDS, claim=claim, seconds=seconds)
        return result.evolve(explanation=proof.applies[p.name])
    if failed.outcome is Outcome.INCONCLUSIVE:
        reason = f"Z3 did not decide '{failed.name}' of the proof '{proof.name}' ({failed.reason})"
    elif failed.model is None:
        reason = f"the proof '{proof.name}' is vacuous at '{failed.name}': {failed.reason}"
    else:
        reason = (
            f"the proof '{proof.name}' stops at '{failed.name}'; counterexample to induction: {failed.model}. "
            "Whether a run leads there is for the bounded or the explicit engine to say"
        )
    return Result(property=p.name, engine=ENGINE, outcome=Outcome.INCONCLUSIVE, reason=reason, seconds=seconds)
