"""A release in one scope, as what its mutants are held against: the calls of its rules, its states, what it keeps."""

from functools import cached_property
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.check.noted_calls import NotedCalls
from kubeproof.engines.explicit import Limits, check, explore
from kubeproof.fix.other_states import as_from_outside
from kubeproof.systems.system import System
from kubeproof.verdict.result import Cause, Outcome

# Of the search that says what the release keeps. Every reduction is made there, so most scopes are searched to the end.
KEPT_STATES = 20_000
STATES = 2_500  # of a search with rules that no reduction takes for known


@define
class Given:
    """The release's rules as mutants are held against them."""

    rules: Any
    # What the search under these rules asked of them.
    notes: NotedCalls
    # The states that the search met, if somebody has asked for them.
    states: list[Any] | None = None


@define(slots=False)
class Base:
    """What is known of the release in one scope. Each part is found out when it is first asked for."""

    system: System
    rules: Any
    scope: Any
    _given: dict[str, Given] = Factory(dict)

    @cached_property
    def _plain(self) -> tuple[frozenset[str], frozenset[str]]:
        """(properties that the release is known to keep, fields of which somebody asks which rule it is)."""
        notes = NotedCalls(self.rules)
        machine = self.system.machine(self.scope, notes.rules)
        results = check(machine, self.system.properties, limits=Limits(states=KEPT_STATES))
        kept = [r.property for r in results if r.outcome is Outcome.HOLDS or r.cause is Cause.PREMISE]
        return frozenset(kept), frozenset(notes.questions)

    @property
    def kept(self) -> frozenset[str]:
        """The properties of which it is known that the release does not violate them there."""
        return self._plain[0]

    def given(self, field: str) -> Given:
        """The release's rules, as if all of them were from outside: no reduction drops what a mutant may read.

        Where somebody asks which rule it is, that would change what the system does: a rule that is asked so is from
        outside only if it is that of `field`, and then alone.
        """
        asked = self._plain[1]
        alone = field if field in asked else ""
        if alone not in self._given:
            fields = [alone] if alone else [name for name in self.system.rule_fields if name not in asked]
            rules = evolve(self.rules, **{name: as_from_outside(getattr(self.rules, name)) for name in fields})
            notes = NotedCalls(rules)
            machine = self.system.machine(self.scope, notes.rules)
            check(machine, self.system.properties, symmetry=False, limits=Limits(states=STATES))
            self._given[alone] = Given(rules, notes)
        return self._given[alone]

    def states(self, field: str) -> list[Any]:
        """The states that a search under `given(field)` meets first."""
        given = self.given(field)
        if given.states is None:
            run = explore(self.system.machine(self.scope, given.rules), limits=Limits(states=STATES))
            given.states = [run.state(number) for number in range(run.counts.distinct)]
        return given.states
