"""What the proofs about a scheduling cycle have in common: an argument by induction over steps, and its bounded runs.

A state is an attrs class of Z3 terms. One entity that the claims speak of is watched, whichever one: so what holds of
it holds of each, for any number.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, Generic, TypeVar

from attrs import Factory, asdict, frozen
from z3 import And, BoolRef, Not, Or, Q, Solver, is_rational_value, is_true, sat

from properties.smt.form import Obligation, Proof

S = TypeVar("S")
Predicate = Callable[[S], BoolRef]
Values = dict[str, Any]


@frozen
class Lemma(Generic[S]):
    """What every state satisfies that a run reaches."""

    # In a sentence.
    says: str
    holds: Predicate[S]


@frozen
class CycleStep(Generic[S]):
    """What may happen. The steps of a run are taken in any order in which their guards allow them."""

    name: str
    # (before, after): the step leads from the one state to the other.
    leads: Callable[[S, S], BoolRef]


@frozen
class Claim(Generic[S]):
    """What no state of a run may be."""

    name: str
    # Why the claim follows from the lemmas.
    follows: str
    violated: Predicate[S]


@frozen
class Run:
    """A run from a start to a state that violates a claim: its steps, and the values before each and at the end."""

    steps: tuple[str, ...]
    states: tuple[Values, ...]

    def __str__(self) -> str:
        return "; ".join(self.steps) or "at the start"


@frozen(kw_only=True)
class Argument(Generic[S]):
    """Claims about all runs of some steps."""

    name: str
    # (tag): a state of fresh variables, whose names end in the tag.
    state: Callable[[str], S]
    start: Predicate[S]
    steps: tuple[CycleStep[S], ...]
    lemmas: tuple[Lemma[S], ...]
    claims: tuple[Claim[S], ...]
    # (state, size): no number of the state is above the size. Bounded runs go through small states only.
    small: Callable[[S, int], BoolRef]
    # The figures of the claim, such as what there is any number of.
    details: Mapping[str, Any] = Factory(dict)

    def proof(self) -> Proof:
        """The obligations that make each claim hold of every run, however long, for every size."""
        details = {**self.details, "lemmas": " ".join(lemma.says for lemma in self.lemmas)}
        return Proof(self.name, {each.name: each.follows for each in self.claims}, tuple(self._obligations()), details)

    def _obligations(self) -> Iterator[Obligation]:
        now, then = self.state(""), self.state("'")
        inside = [lemma.holds(now) for lemma in self.lemmas]

        def asks(name: str, *formulas: BoolRef, possible: bool = False) -> Obligation:
            return Obligation(name, lambda: list(formulas), "sat" if possible else "unsat", partial(_words, now))

        for lemma in self.lemmas:
            yield asks(f"at the start: {lemma.says}", self.start(now), Not(lemma.holds(now)))
        for step in self.steps:
            for lemma in self.lemmas:
                yield asks(f"{step.name} keeps: {lemma.says}", *inside, step.leads(now, then), Not(lemma.holds(then)))
        for claim in self.claims:
            yield asks(f"follows: {claim.name}", *inside, claim.violated(now))
        for step in self.steps:
            yield asks(f"possible: {step.name}", *inside, step.leads(now, then), possible=True)

    def violation(self, claim: str, sizes: Iterable[int] = (1, 2, 3), depth: int = 6) -> Run | None:
        """A shortest run in the smallest states to a state that violates the claim; None: there is none.

        `depth`: of how many steps at most.
        """
        (asked,) = (each for each in self.claims if each.name == claim)
        return next((run for size in sizes if (run := self._violation(asked, size, depth)) is not None), None)

    def _violation(self, claim: Claim[S], size: int, depth: int) -> Run | None:
        states = [self.state(".0")]
        solver = Solver()
        solver.add(self.start(states[0]), self.small(states[0], size))
        for length in range(depth + 1):
            solver.push()
            solver.add(claim.violated(states[-1]))
            if solver.check() == sat:
                return self._first_run(solver, states)
            solver.pop()
            states.append(self.state(f".{length + 1}"))
            solver.add(Or(*(step.leads(*states[-2:]) for step in self.steps)), self.small(states[-1], size))
        return None

    def _first_run(self, solver: Solver, states: list[S]) -> Run:
        """Of all runs of this length the one whose steps come first in `steps`: the same one each time."""
        taken = []
        for before, after in pairwise(states):
            for step in self.steps:
                solver.push()
                solver.add(step.leads(before, after))
                if solver.check() == sat:
                    taken.append(step.name)
                    break
                solver.pop()
        solver.check()
        return Run(tuple(taken), tuple(values(state, solver.model()) for state in states))

    def allows(self, step: str, before: Values, after: Values) -> bool:
        """Whether the step of this name leads from these values to those. Names that are left out may be anything."""
        (asked,) = (each for each in self.steps if each.name == step)
        now, then = self.state(""), self.state("'")
        solver = Solver()
        solver.add(asked.leads(now, then), _pinned(now, before), _pinned(then, after))
        return bool(solver.check() == sat)

    def after(self, step: str, before: Values, wanted: Values | None = None) -> Values | None:
        """Values to which the step of this name leads from these values, with those `wanted`; None: to none."""
        (asked,) = (each for each in self.steps if each.name == step)
        now, then = self.state(""), self.state("'")
        solver = Solver()
        solver.add(asked.leads(now, then), _pinned(now, before), _pinned(then, wanted or {}))
        return values(then, solver.model()) if solver.check() == sat else None


def values(state: Any, model: Any) -> Values:
    """The numbers and truth values of a state's variables in a model; any value where the model leaves one open."""
    found = {name: model.eval(term, model_completion=True) for name, term in asdict(state, recurse=False).items()}
    return {name: _value(term) for name, term in found.items()}


def _value(term: Any) -> Any:
    if is_rational_value(term):
        return term.as_fraction()
    if hasattr(term, "as_long"):
        return term.as_long()
    return is_true(term) if term.sort().name() == "Bool" else str(term)


def _words(state: Any, model: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in values(state, model).items())


def _pinned(state: Any, wanted: Values) -> BoolRef:
    return And(*(getattr(state, name) == _term(value) for name, value in wanted.items()))


def _term(value: Any) -> Any:
    return Q(value.numerator, value.denominator) if isinstance(value, Fraction) else value
