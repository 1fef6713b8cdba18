"""Bounded model checking: is there a run of k actions that violates the property, for k = 0, 1, 2, …?

The first k with the answer `sat` gives a shortest counterexample, because every smaller k had the answer `unsat`. The
machine replays each counterexample. Formulas that disagree with the machine raise an error and never become a result.
"""

from collections.abc import Sequence
from typing import Any

from z3 import And, Bool, BoolRef, BoolVal, Not, Or, Solver, SolverFor

from kubeproof.engines.smt.query import ENGINE, Answer, advice, ask, usual
from kubeproof.engines.watch import Watch
from kubeproof.verdict.result import NO_PREMISE, Cause, Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import ReplayError, Trace, replay
from model.machine import Action, Machine
from properties.property import Invariant, Liveness, Property, StepInvariant
from properties.smt.form import Cells, SmtForm


class EncodingError(AssertionError):
    """The formulas have a run that the machine does not have, or that does not violate the property in Python."""


def check(
    machine: Machine[Any],
    encoding: SmtForm | str,
    properties: Sequence[Property],
    *,
    depth: int | None = None,
    timeout: float | None = None,
    rlimit: int | None = None,
    watch: Watch = Watch(),  # noqa: B008 frozen
) -> list[Result]:
    """One Result for each property, in the order given: violated, or holds in runs of up to `depth` actions.

    `encoding`: the form of `machine`, or why there is no form (then every result is not-applicable). `depth`: None
    means the depth of the form. `timeout`: seconds for all queries of one property, usually 60; `watch` is for all
    properties. `rlimit`: Z3 resource units for each query. A property that reaches a limit holds up to the depth that
    was reached before, or is inconclusive if none was. One whose premise no run of up to `depth` actions meets is
    inconclusive too. Raises EncodingError when the formulas and the machine disagree.
    """
    if isinstance(encoding, str):
        return [_result(p, Outcome.NOT_APPLICABLE, 0.0).evolve(reason=encoding) for p in properties]
    asked = [p.of(machine) for p in properties]
    longest = encoding.depth if depth is None else depth
    seconds = usual(60.0) if timeout is None else timeout
    return _Run(machine, encoding, longest, seconds, rlimit, watch).check(asked)


class _Run:
    """One run in formulas, lengthened action by action and shared by all properties."""

    def __init__(
        self, machine: Machine[Any], form: SmtForm, depth: int, timeout: float, rlimit: int | None, watch: Watch
    ) -> None:
        self.machine, self.form = machine, form
        self.depth, self.timeout, self.rlimit, self.watch = depth, timeout, rlimit, watch
        self.states: list[Cells] = [form.cells("0")]
        self.taken: list[Cells] = []
        # Our formulas are of Bools alone, and QF_FD is made for these. Those of a fix may be of anything.
        self.solver = Solver() if form.from_outside else SolverFor("QF_FD")
        self.solver.add(form.initial(self.states[0]))

    def check(self, properties: Sequence[Property]) -> list[Result]:
        results: dict[str, Result] = {}
        met: set[str] = set()
        spent = dict.fromkeys((p.name for p in properties), 0.0)
        for p in properties:
            if p.name not in self.form.violations:
                reason = self.form.unsupported.get(p.name, "the property has no Z3 formula")
                results[p.name] = _result(p, Outcome.NOT_APPLICABLE, 0.0).evolve(reason=reason)
        for k in range(self.depth + 1):
            pending = [p for p in properties if p.name not in results]
            if not pending:
                break
            if k:
                self._lengthen()
            for p in pending:
                self.watch.tell(f"{p.name} ({properties.index(p) + 1} of {len(properties)}), runs of {k} actions")
                answer, of_what = self._ask(self._violated(p, k), self.timeout - spent[p.name]), ""
                spent[p.name] += answer.seconds
                if answer.reading == "unsat" and p.name not in met:
                    # Short runs first: most premises are met after few actions, where a question is cheap.
                    premise = self._ask(self._meets(p, k), self.timeout - spent[p.name])
                    spent[p.name] += premise.seconds
                    if premise.reading == "sat":
                        met.add(p.name)
                    elif premise.reading == "unknown":
                        answer, of_what = premise, " for the premise"
                seconds = round(spent[p.name], 3)
                if answer.reading == "unknown" and k and p.name in met:
                    results[p.name] = self._held(p, seconds, met=True, undecided=(k, answer.reason))
                elif answer.reading == "unknown":
                    what = f"Z3 did not decide runs of {k} actions{of_what} ({answer.reason})"
                    outcome = _result(p, Outcome.INCONCLUSIVE, seconds)
                    results[p.name] = outcome.evolve(
                        reason=f"{what}: {advice(answer.reason)}", depth=k - 1 if k else None
                    )
                elif answer.reading == "sat":
                    results[p.name] = self._violation(p, k, answer, seconds)
        for p in properties:
            if p.name not in results:
                results[p.name] = self._held(p, round(spent[p.name], 3), met=p.name in met)
        return [results[p.name] for p in properties]

    def _lengthen(self) -> None:
        k = len(self.taken)
        after = self.form.cells(str(k + 1))
        taken = tuple(Bool(f"a{i}@{k}") for i in range(len(self.form.actions)))
        self.solver.add(self.form.transition(self.states[-1], taken, after))
        self.states.append(after)
        self.taken.append(taken)
        self.solver.add(*self._first_names(k))

    def _first_names(self, k: int) -> list[BoolRef]:
        """Interchangeable names come into a run in their order: every run is a renaming of such a run."""
        order = {name: (sort, i) for sort, names in self.machine.sorts.items() for i, name in enumerate(names)}
        constraints = []
        for action, bit in zip(self.form.actions, self.taken[k], strict=True):
            said: set[str] = set()
            for _, value in action.args:
                if not isinstance(value, str) or value not in order:
                    continue
                sort, i = order[value]
                if i and (previous := self.machine.sorts[sort][i - 1]) not in said:
                    earlier = [
                        other
                        for step in self.taken[:k]
                        for like, other in zip(self.form.actions, step, strict=True)
                        if any(v == previous for _, v in like.args)
                    ]
                    constraints.append(Or(Not(bit), *earlier))
                said.add(value)
        return constraints

    def _ask(self, violated: BoolRef, timeout: float) -> Answer:
        timeout = self.watch.left(timeout)
        if timeout <= 0:
            return Answer("unknown", reason="timeout")
        self.solver.push()
        self.solver.add(violated)
        answer = ask(self.solver, timeout=timeout, rlimit=self.rlimit)
        self.solver.pop()
        return answer

    def _violated(self, p: Property, k: int) -> BoolRef:
        """A run of `k` actions violates `p` at its end."""
        violation = self.form.violations[p.name]
        if isinstance(p, Invariant):
            return violation(self.states[k])
        if k == 0:
            return BoolVal(False)
        if isinstance(p, StepInvariant):
            return violation(self.states[k - 1], self.taken[k - 1], self.states[k])
        assert isinstance(p, Liveness)
        lassos = (self._lasso(p, entity, start, k) for entity in p.entities(self.machine.sorts) for start in range(k))
        return Or(*lassos)

    def _meets(self, p: Property, k: int) -> BoolRef:
        """`p` speaks of the end of a run of `k` actions."""
        premise = self.form.premises[p.name]
        if isinstance(p, Invariant):
            return premise(self.states[k])
        if isinstance(p, StepInvariant):
            return premise(self.states[k - 1], self.taken[k - 1], self.states[k]) if k else BoolVal(False)
        assert isinstance(p, Liveness)
        return Or(*(premise(self.states[k], entity) for entity in p.entities(self.machine.sorts)))

    def _lasso(self, p: Liveness, entity: str, start: int, k: int) -> BoolRef:
        """The run ends in its state `start` again; the cycle is fair, and the goal holds in none of its states."""
        violation = self.form.violations[p.name]
        parts = [a == b for a, b in zip(self.states[start], self.states[k], strict=True)]
        parts += [violation(self.states[i], entity) for i in range(start, k)]
        for i, action in enumerate(self.form.actions):
            if p.recurring is not None and action.name not in p.recurring:
                parts += [Not(step[i]) for step in self.taken[start:k]]
        for name in sorted(p.fair):
            instances = [i for i, action in enumerate(self.form.actions) if action.name == name]
            served = [step[i] for step in self.taken[start:k] for i in instances]
            disabled = [And(*(Not(self.form.enabled(state, i)) for i in instances)) for state in self.states[start:k]]
            parts.append(Or(*served, *disabled))
        return And(*parts)

    def _violation(self, p: Property, k: int, answer: Answer, seconds: float) -> Result:
        actions = [self.form.decode(answer.model, taken) for taken in self.taken[:k]]
        trace, explanation = confirm(self.machine, p, actions)
        result = _result(p, Outcome.VIOLATED, seconds)
        return result.evolve(depth=k, trace=trace, minimal=True, explanation=explanation, fired=self._fired(trace))

    def _fired(self, trace: Trace) -> dict[str, int]:
        taken = [action.name for action in trace.actions]
        return {name: taken.count(name) for name in self.machine.action_names}

    def _held(
        self, p: Property, seconds: float, *, met: bool, undecided: tuple[int, str | None] | None = None
    ) -> Result:
        """No run violates `p`: a claim if a run met its premise.

        `undecided`: the actions of the shortest runs that were not decided, and why; None: all were.
        """
        depth = self.depth if undecided is None else undecided[0] - 1
        if not met:
            reason = f"{NO_PREMISE} within {self.depth} actions, so nothing was checked: a larger scope is needed"
            return _result(p, Outcome.INCONCLUSIVE, seconds).evolve(
                reason=reason, cause=Cause.PREMISE, depth=self.depth
            )
        details: dict[str, Any] = {"depth": depth}
        if undecided is not None:
            details["undecided"] = f"runs of {undecided[0]} actions ({undecided[1]})"
        if isinstance(p, Liveness):
            details["runs"] = "lassos of at most that many actions"
        if self.form.from_outside:
            details["form"] = f"judged is the formula that the fix brings for {', '.join(self.form.from_outside)}"
        claim = Claim(Strength.BOUNDED, details)
        return _result(p, Outcome.HOLDS, seconds).evolve(depth=depth, claim=claim)


def _result(p: Property, outcome: Outcome, seconds: float) -> Result:
    return Result(property=p.name, engine=ENGINE, outcome=outcome, seconds=seconds)


def confirm(machine: Machine[Any], p: Property, actions: Sequence[Action]) -> tuple[Trace, str]:
    """The run as the machine takes this run, and what is wrong in it. Raises EncodingError if nothing is wrong."""
    try:
        trace = replay(machine, actions)
    except ReplayError as error:
        raise EncodingError(f"{p.name}: Z3 has a run that the machine does not have: {error}") from error
    if isinstance(p, Invariant) and not p.holds(trace.last):
        return trace, p.explain(trace.last)
    if isinstance(p, StepInvariant) and actions and actions[-1].name in p.actions:
        before, after = trace.steps[-2].state, trace.last
        if not p.holds(before, actions[-1], after):
            return trace, p.explain(before, actions[-1], after)
    if isinstance(p, Liveness):
        found = _fair_lasso(machine, p, trace)
        if found is not None:
            return found
    raise EncodingError(f"{p.name}: the machine's run {', '.join(map(str, actions))} violates nothing")


def _fair_lasso(machine: Machine[Any], p: Liveness, trace: Trace) -> tuple[Trace, str] | None:
    """The lasso in which the run ends, checked on Python states alone."""
    states = [step.state for step in trace.steps]
    for start, state in enumerate(states[:-1]):
        actions = {action.name for action in trace.actions[start:]}
        if state != trace.last or (p.recurring is not None and not actions <= p.recurring):
            continue
        enabled = [{action.name for action in machine.actions(s)} for s in states[start:]]
        if any(name not in actions and all(name in names for names in enabled) for name in p.fair):
            continue
        for entity in p.entities(machine.sorts):
            if not any(p.goal(s, entity) for s in states[start:]):
                return Trace(trace.steps, start), p.explain(trace.last, entity)
    return None
