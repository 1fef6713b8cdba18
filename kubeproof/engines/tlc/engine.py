"""Puts properties to TLC, several in one run of TLC, and gives Results. Starts `java` in a temporary folder."""

from collections.abc import Sequence
from math import inf
from time import monotonic
from typing import Any

from attrs import frozen

from kubeproof.engines.tlc.answer import Answer, read_answer
from kubeproof.engines.tlc.distributed import Server
from kubeproof.engines.tlc.java import MissingError
from kubeproof.engines.tlc.launch import launch
from kubeproof.engines.tlc.question import Question, lay_out
from kubeproof.engines.tlc.traces import (
    DisagreementError,
    explain,
    explain_lasso,
    to_trace,
    violates,
    with_unseen_step,
)
from kubeproof.engines.watch import Watch
from kubeproof.processes.left_behind import temporary_folder
from kubeproof.verdict.result import Cause, Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import Trace
from model.machine import Machine
from properties.property import Liveness, Property
from properties.tla.form import TlaForm

ENGINE = "tlc"
# Most runs of TLC last seconds. The JVM's optimizing compiler and its collector's threads would take half of this time.
SHORT_RUN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LONG_RUN = ("-XX:+UseParallelGC",)


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
    watch: Watch = Watch(),  # noqa: B008 frozen
    server: str | None = None,
) -> list[Result]:
    """One Result for each property, in the order given. Properties of one kind that hold share a run of TLC.

    `form`: the TLA+ form of `machine`, with the same scope and rules. `symmetry`: use it for invariants; it is never
    used for temporal formulas. `workers`: with one worker the trace of an invariant or step invariant is a shortest
    one. `timeout`: seconds for each run of TLC; `watch` is for all. `memory_mb`: the heap of Java. `check_deadlock`: a
    state without a successor ends the run of TLC, and its properties are inconclusive. `server`: the name or address of
    this machine, for the workers of TLC's distributed mode, without an own limit of time. Raises DisagreementError when
    TLC's trace is not a run of `machine`, and ValueError for a number that is not positive.
    """
    if workers < 1 or timeout <= 0 or memory_mb < 1:
        raise ValueError("workers, timeout and memory_mb must be positive")
    run = _Run(machine, form, symmetry, workers, timeout, memory_mb, check_deadlock, watch, server)
    found: dict[str, Result] = {}
    properties = [p.of(machine) for p in properties]
    alike: dict[object, list[Property]] = {}
    for p in properties:
        alike.setdefault((p.kind, p.fair if isinstance(p, Liveness) else None), []).append(p)
    for asked in alike.values():
        found |= _together(run, asked)
    found |= {p.name: _timed(run, [p])[0] for p in properties if p.name not in found}
    return [found[p.name] for p in properties]


@frozen
class _Run:
    """How TLC is run for every question of one check."""

    machine: Machine[Any]
    form: TlaForm
    symmetry: bool
    workers: int
    timeout: float
    memory_mb: int
    check_deadlock: bool
    watch: Watch
    server: str | None


def _together(run: _Run, properties: list[Property]) -> dict[str, Result]:
    """Properties of one kind: a run of TLC for each violation, and one more for the properties that hold.

    TLC ends with the first violation. The properties that this trace violates are decided, and the others are asked
    again. If a run of TLC decides nothing, its properties are left to a run of TLC each.
    """
    left = [p for p in properties if run.form.reason is None and p.name in run.form.properties]
    found: dict[str, Result] = {}
    while len(left) > 1:
        results = _timed(run, left)
        decided = [r for r in results if r.outcome in (Outcome.HOLDS, Outcome.VIOLATED)]
        if not decided:
            break
        found |= {result.property: result for result in decided}
        left = [p for p in left if p.name not in found]
    return found


def _timed(run: _Run, properties: list[Property]) -> list[Result]:
    started = monotonic()
    more = f" and {len(properties) - 1} more" if len(properties) > 1 else ""
    run.watch.tell(f"{properties[0].name}{more}")
    results = _check(run, properties)
    seconds = round(monotonic() - started, 3)
    return [result.evolve(seconds=seconds) for result in results]


def count(
    form: TlaForm,
    *,
    symmetry: bool = False,
    workers: int = 1,
    timeout: float = 600.0,
    memory_mb: int = 2048,
    jvm: Sequence[str] = SHORT_RUN,
) -> tuple[int, int, int]:
    """Distinct states, generated states and depth in actions of the whole scope.

    `jvm`: see `ask`. Raises RuntimeError if TLC does not end.
    """
    try:
        question = Question(symmetry=symmetry)
        answer = ask(form, question, workers=workers, timeout=timeout, memory_mb=memory_mb, jvm=jvm)
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
    jvm: Sequence[str] = SHORT_RUN,
) -> Answer:
    """One run of TLC. `jvm`: options for Java; SHORT_RUN suits seconds, LONG_RUN suits minutes.

    Raises MissingError without Java or the jar, and OSError for a module that cannot be read.
    """
    with temporary_folder("tlc") as folder:
        root = lay_out(form, question, folder)
        arguments = (
            *("-tool", "-fp", "0", "-seed", "0", "-workers", str(workers)),
            *("-lncheck", "final", "-checkpoint", "0", "-metadir", str(folder / "states")),
            # TLC's -deadlock turns the check off.
            *(() if check_deadlock else ("-deadlock",)),
            *("-config", f"{root}.cfg", f"{root}.tla"),
        )
        finished = launch("tlc2.TLC", (f"-Xmx{memory_mb}m", *jvm), arguments, folder, timeout)
    return read_answer(finished, timeout=timeout, memory_mb=memory_mb)


def _check(run: _Run, asked: list[Property]) -> list[Result]:
    """One run of TLC for properties of one kind. A property is inconclusive if TLC stopped at another property."""

    def results(outcome: Outcome, reason: str | None = None) -> list[Result]:
        return [Result(property=p.name, engine=ENGINE, outcome=outcome, reason=reason) for p in asked]

    form, first = run.form, asked[0]
    if form.reason is not None:
        return results(Outcome.NOT_APPLICABLE, form.reason)
    if first.name not in form.properties:
        reason = form.unsupported.get(first.name, f"{form.module}.tla does not state {first.name}")
        return results(Outcome.NOT_APPLICABLE, reason)
    for p in asked:
        if form.properties[p.name].kind != p.kind:
            raise ValueError(f"{p.name} is {p.kind} in Python, {form.properties[p.name].kind} in TLA+")
    if run.server is not None and first.kind != "invariant":
        # It asks of a transition only if the state after it is new.
        return results(
            Outcome.NOT_APPLICABLE, f"TLC's distributed mode checks invariants only, no {first.kind} property"
        )
    timeout = run.watch.left(run.timeout if run.server is None else inf)
    if not timeout:
        late = results(Outcome.INCONCLUSIVE, "no time was left for TLC; give it more time or a smaller scope")
        return [result.evolve(cause=Cause.LIMIT) for result in late]
    operators = tuple(form.properties[p.name].operator for p in asked)
    if first.kind == "invariant":
        question = Question(invariants=operators, symmetry=run.symmetry and form.symmetry is not None)
    else:
        question = Question(properties=operators, fair=first.kind == "liveness")
    try:
        if run.server is not None:
            starts = run.machine.initial_states()
            server = Server(run.server, run.watch.tell, run.memory_mb, monotonic() + timeout)
            answer = server.ask(form, question, lambda state: state in starts)
        else:
            answer = ask(
                form,
                question,
                workers=run.workers,
                timeout=timeout,
                memory_mb=run.memory_mb,
                check_deadlock=run.check_deadlock,
            )
    except MissingError as error:
        return results(Outcome.INCONCLUSIVE, str(error))
    counted = [
        result.evolve(states=answer.states, transitions=answer.generated, depth=answer.depth)
        for result in results(answer.outcome, answer.reason)
    ]
    return _concluded(run, asked, counted, answer, question)


def _concluded(
    run: _Run, asked: list[Property], found: list[Result], answer: Answer, question: Question
) -> list[Result]:
    if answer.outcome is Outcome.HOLDS:
        details: dict[str, Any] = {"states": answer.states, "transitions": answer.generated, "depth": answer.depth}
        if question.symmetry:
            details["symmetry"] = run.form.symmetry
        return [result.evolve(claim=Claim(Strength.EXHAUSTIVE, details)) for result in found]
    if answer.outcome is not Outcome.VIOLATED and not answer.deadlock:
        return found
    if not answer.variables:
        lost = "TLC reports a violation without a trace"
        return [result.evolve(outcome=Outcome.INCONCLUSIVE, reason=lost) for result in found]
    states = [run.form.decode(variables) for variables in answer.variables]
    fair = asked[0].fair if isinstance(asked[0], Liveness) else frozenset[str]()
    trace = to_trace(run.machine, states, answer.back_to, fair)
    if answer.deadlock:
        return [result.evolve(trace=trace) for result in found]
    return [_accused(run, p, result, trace, len(asked)) for p, result in zip(asked, found, strict=True)]


def _accused(run: _Run, p: Property, result: Result, trace: Trace, of: int) -> Result:
    """`result` if the trace violates `p`; inconclusive if the trace violates another of the properties asked."""
    another = result.evolve(outcome=Outcome.INCONCLUSIVE, reason="TLC stopped at another property")
    if isinstance(p, Liveness):
        try:
            return result.evolve(trace=trace, explanation=explain_lasso(run.machine, trace, p))
        except DisagreementError:
            if of == 1:
                raise
            return another
    trace = with_unseen_step(run.machine, trace, p)
    if of > 1 and not violates(trace, p):
        return another
    return result.evolve(trace=trace, explanation=explain(trace, p), minimal=run.workers == 1 and run.server is None)
