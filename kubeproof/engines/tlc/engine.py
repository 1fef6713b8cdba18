"""Properties put to TLC, one run each, and its answers as Results. Starts `java` in a temporary folder."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from kubeproof.engines.tlc.answer import Answer, read_answer
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.process import run
from kubeproof.engines.tlc.question import Question, lay_out
from kubeproof.engines.tlc.traces import explain, explain_lasso, to_trace
from kubeproof.verdict import Claim, Outcome, Result, Strength
from model.machine import Machine
from properties.property import Liveness, Property
from properties.tla.form import TlaForm

ENGINE = "tlc"


def check(
    machine: Machine[Any],
    form: TlaForm,
    properties: Sequence[Property],
    *,
    symmetry: bool = True,
    workers: int = 1,
    timeout: float = 600.0,
    memory_mb: int = 2048,
    check_deadlock: bool = False,
) -> list[Result]:
    """One Result for each property, in the order given; each has a TLC run of its own.

    `form` is the TLA+ form of `machine`: same scope, same rules. `symmetry` is used for invariants, never for
    temporal formulas. With one worker the trace of an invariant or step invariant is a shortest one. `timeout` is
    seconds for each run, `memory_mb` the heap. `check_deadlock`: a state without successor ends a run, inconclusive.
    Raises DisagreementError when TLC's trace is no run of `machine`, and ValueError for a bad number.
    """
    if workers < 1 or timeout <= 0 or memory_mb < 1:
        raise ValueError("workers, timeout and memory_mb must be positive")
    results = []
    for violated in properties:
        started = monotonic()
        result = _check(machine, form, violated, symmetry, workers, timeout, memory_mb, check_deadlock)
        results.append(result.evolve(seconds=round(monotonic() - started, 3)))
    return results


def count(
    form: TlaForm, *, symmetry: bool = False, workers: int = 1, timeout: float = 600.0, memory_mb: int = 2048
) -> tuple[int, int, int]:
    """Distinct states, generated states and depth in actions of the whole scope. RuntimeError if TLC does not end."""
    try:
        answer = ask(form, Question(symmetry=symmetry), workers=workers, timeout=timeout, memory_mb=memory_mb)
    except MissingError as error:
        raise RuntimeError(str(error)) from error
    if answer.outcome is not Outcome.HOLDS or answer.states is None or answer.generated is None or answer.depth is None:
        raise RuntimeError(answer.reason or "TLC gave no counts")
    return answer.states, answer.generated, answer.depth


def ask(
    form: TlaForm,
    question: Question,
    *,
    workers: int = 1,
    timeout: float = 600.0,
    memory_mb: int = 2048,
    check_deadlock: bool = False,
) -> Answer:
    """One run of TLC. Raises MissingError without Java or the jar; OSError for an unreadable module."""
    java, jar = find_java(), find_jar()
    with TemporaryDirectory(prefix="kubeproof-tlc-") as name:
        folder = Path(name)
        # TLC unpacks its standard modules into java.io.tmpdir, where runs that share it race.
        (folder / "tmp").mkdir()
        root = lay_out(form, question, folder)
        argv = [
            str(java),
            f"-Xmx{memory_mb}m",
            "-XX:+UseParallelGC",
            f"-Djava.io.tmpdir={folder / 'tmp'}",
            *("-cp", str(jar), "tlc2.TLC", "-tool", "-fp", "0", "-seed", "0", "-workers", str(workers)),
            *("-lncheck", "final", "-checkpoint", "0", "-metadir", str(folder / "states")),
            # TLC's -deadlock turns the check off.
            *(() if check_deadlock else ("-deadlock",)),
            *("-config", f"{root}.cfg", f"{root}.tla"),
        ]
        try:
            finished = run(argv, folder, timeout)
        except OSError as error:
            raise MissingError(f"no Java: {java} cannot be started ({error.strerror})") from error
    return read_answer(finished, timeout=timeout, memory_mb=memory_mb)


def _check(
    machine: Machine[Any],
    form: TlaForm,
    violated: Property,
    symmetry: bool,
    workers: int,
    timeout: float,
    memory_mb: int,
    check_deadlock: bool,
) -> Result:
    def result(outcome: Outcome, reason: str | None = None) -> Result:
        return Result(property=violated.name, engine=ENGINE, outcome=outcome, reason=reason)

    if form.reason is not None:
        return result(Outcome.NOT_APPLICABLE, form.reason)
    stated = form.properties.get(violated.name)
    if stated is None:
        return result(Outcome.NOT_APPLICABLE, f"{form.module}.tla does not state {violated.name}")
    if stated.kind != violated.kind:
        raise ValueError(f"{violated.name} is {violated.kind} in Python, {stated.kind} in TLA+")
    if stated.kind == "invariant":
        question = Question(invariants=(stated.operator,), symmetry=symmetry and form.symmetry is not None)
    else:
        question = Question(properties=(stated.operator,), fair=stated.kind == "liveness")
    try:
        answer = ask(
            form, question, workers=workers, timeout=timeout, memory_mb=memory_mb, check_deadlock=check_deadlock
        )
    except MissingError as error:
        return result(Outcome.INCONCLUSIVE, str(error))
    found = result(answer.outcome, answer.reason).evolve(
        states=answer.states, transitions=answer.generated, depth=answer.depth
    )
    return _concluded(machine, form, violated, found, answer, question, workers)


def _concluded(
    machine: Machine[Any],
    form: TlaForm,
    violated: Property,
    found: Result,
    answer: Answer,
    question: Question,
    workers: int,
) -> Result:
    if answer.outcome is Outcome.HOLDS:
        details: dict[str, Any] = {"states": answer.states, "transitions": answer.generated, "depth": answer.depth}
        if question.symmetry:
            details["symmetry"] = form.symmetry
        return found.evolve(claim=Claim(Strength.EXHAUSTIVE, details))
    if answer.outcome is not Outcome.VIOLATED and not answer.deadlock:
        return found
    if not answer.variables:
        return found.evolve(outcome=Outcome.INCONCLUSIVE, reason="TLC reports a violation without a trace")
    states = [form.decode(variables) for variables in answer.variables]
    fair = violated.fair if isinstance(violated, Liveness) else frozenset[str]()
    trace = to_trace(machine, states, answer.back_to, fair)
    if answer.deadlock:
        return found.evolve(trace=trace)
    if isinstance(violated, Liveness):
        return found.evolve(trace=trace, explanation=explain_lasso(machine, trace, violated))
    return found.evolve(trace=trace, explanation=explain(trace, violated), minimal=workers == 1)
