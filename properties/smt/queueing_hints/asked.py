"""The formulas of a proof in one reading, made once for all its obligations."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from z3 import BoolRef, Or

from properties.smt.bits import Bit, any_of, formula
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.relation import Environment
from properties.smt.queueing_hints.steps import Step
from properties.smt.queueing_hints.timeline import Timeline


class Asked:
    """The formulas of one reading: any timeline, a step, and the timeline after the step."""

    def __init__(self, environment: Environment, reading: Any) -> None:
        self.environment, self.reading = environment, reading
        self.before, self.after = self.reading.state(""), self.reading.state("'")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(s for s in self.environment.steps(self.reading, self.before) if s.guard is not False)

    @cached_property
    def taken(self) -> Mapping[str, BoolRef]:
        """By the name of a step: the step leads from `before` to `after`."""
        found: dict[str, list[Bit]] = {}
        for step in self.steps:
            found.setdefault(step.name, []).append(step.leads(self.reading, self.before, self.after))
        return {name: formula(any_of(*ways)) for name, ways in found.items()}

    @cached_property
    def leads(self) -> BoolRef:
        """Some step leads from `before` to `after`."""
        return Or(*self.taken.values())

    def by(self, step: str) -> BoolRef:
        """The step of this name leads from `before` to `after`; some step, if the name is ""."""
        return self.taken[step] if step else self.leads

    def holds(self, lemma: Lemma, state: Timeline) -> BoolRef:
        return formula(lemma(self.reading, state))

    def inside(self, lemmas: Iterable[Lemma]) -> list[BoolRef]:
        """Any timeline that satisfies the lemmas."""
        return [*self.reading.axioms(), *(self.holds(lemma, self.before) for lemma in lemmas)]


def who_steps(step: str) -> str:
    """Who does what is said: the step of this name, or every step."""
    return f"'{step}'" if step else "every step"
