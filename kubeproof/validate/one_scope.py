"""A fix beside the release in one scope: the results of both, and which violations are of runs that ended well."""

from collections.abc import Iterable
from typing import Any

from attrs import evolve

from kubeproof.engines.explicit import Exploration, Limits, explore
from kubeproof.engines.explicit.shared import Shared
from kubeproof.engines.question import Question
from kubeproof.engines.table import answer
from kubeproof.systems.system import System, rules_of
from kubeproof.validate.effects import reduced_like
from kubeproof.validate.same_answers import SameAnswers
from kubeproof.validate.side_by_side import PAIRS, Compared, compare
from kubeproof.validate.verdict import Row
from kubeproof.verdict.result import Cause, Outcome
from model.releases import from_outside
from properties.property import Liveness

# How many states a fix may have that has broken a property: so many times those of the release, and so many more.
TIMES = 10
AT_LEAST = 10_000


class OneScope:
    """The explicit engine's question of the release, and the same with the fix. What one finds the other shares."""

    def __init__(self, asked: Question, old: Any, *, shares: bool = True) -> None:
        """`asked`: with the fix. `old`: the rules without it. `shares`: steps under other rules too."""
        assert asked.fix is not None
        # What the exploration with the fix was given.
        self.alike = alike = SameAnswers(old, asked.rules, asked.fix.rules)
        self._shared = shared = _shared(asked.system, alike.rules) if shares else None
        before = evolve(asked, fix=None, rules=old, searches=None)
        self.before = before.under(shared if shared is not None and shared.takes(old) else None, old)
        self.after = asked.under(shared, alike.rules, like=self.before)

    def explored(self) -> Exploration:
        """All states with the fix, as far as the question's budget goes."""
        budget = self.after.budget
        return explore(self.after.on, symmetry=budget.symmetry, limits=Limits(states=budget.states))

    def results(self, decided: bool = False) -> list[Row]:
        """Each property with and without the fix.

        Under a fix the scope may have states without end. Once the fix has broken a property, here or in an earlier
        scope (`decided`), a few times as many states as the release has are enough.
        """
        before = answer(self.before)
        held = frozenset(result.property for result in before if result.outcome is Outcome.HOLDS)
        states = max((result.states or 0 for result in before), default=0)
        budget, few = self.after.budget, TIMES * states + AT_LEAST
        budget = evolve(budget, decisive=held, states_once_decided=few)
        if decided:
            budget = evolve(budget, states=min(budget.states, few))
        return [Row(*each) for each in zip(before, answer(evolve(self.after, budget=budget)), strict=True)]

    def alike_in_whole(self, rows: Iterable[Row]) -> bool:
        """Whether the fix answers every call of the scope as the release does. `rows`: what `results` found.

        A search ends early when all is violated. If something is not violated, every state was seen.
        """
        ended = any(row.after.outcome is Outcome.HOLDS or row.after.cause is Cause.PREMISE for row in rows)
        return self.alike.so_far and (ended or self._alike_everywhere())

    def _alike_everywhere(self) -> bool:
        """Whether the fix answers every call of the scope as the release does. The search ends where it does not."""
        limits = Limits(states=PAIRS)
        run = explore(self.after.on, symmetry=True, limits=limits, enough=lambda: not self.alike.so_far)
        return self.alike.so_far and run.stopped is None and run.crash is None

    def run_by_run(self, rows: list[Row], whole: bool) -> list[Row]:
        """`rows`, each violation after the fix compared run by run. `whole`: the fix is alike in the whole scope."""
        system = self.after.system
        safety = {p.name for p in system.properties if not isinstance(p, Liveness)}
        violated = [row for row in rows if row.after.outcome is Outcome.VIOLATED and row.after.property in safety]
        wanted = frozenset(row.after.property for row in violated)
        if not wanted:
            return rows
        if whole and all(row.before.outcome is Outcome.VIOLATED for row in violated):
            found = Compared()
        else:
            reduced = reduced_like(system, self.alike.old, self.alike.rules)
            before = evolve(self.before, rules=reduced, searches=None).under(self._shared, reduced, like=self.after)
            held = frozenset(row.after.property for row in violated if row.before.outcome is not Outcome.VIOLATED)
            found = compare(
                before.on, self.after.on, system.properties, wanted, held, symmetry=self.after.budget.symmetry
            )
        return [_anew(row, found) if row.after.property in wanted else row for row in rows]


def _shared(system: System, rules: Any) -> Shared | None:
    """What searches in one scope share under `rules` of a fix, and under the release's rules reduced like these.

    None if steps cannot be shared: a mutant or a repair as a fix is from outside for some machines alone, and what is
    reduced depends on this.
    """
    if not system.reduces_by_rules:
        return Shared(outside=None)
    known, outside = rules_of(system.mutants, system.repairs), from_outside(rules)
    return Shared(known, outside) if from_outside(rules, known) == outside else None


def _anew(row: Row, found: Compared) -> Row:
    trace = found.broken.get(row.after.property)
    if trace is not None:
        if row.before.outcome is Outcome.VIOLATED:
            explanation = f"{row.after.explanation} (the release gets this run right)"
            row = evolve(row, after=row.after.evolve(trace=trace, explanation=explanation))
        return evolve(row, anew=True)
    beyond = found.at_last if row.before.outcome is Outcome.VIOLATED else found.beyond
    if not found.complete or row.after.property in beyond:
        return row
    return evolve(row, anew=False)
