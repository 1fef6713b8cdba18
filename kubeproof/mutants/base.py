"""A release in one scope, as what its mutants are held against: its rules and states, and what it keeps."""

from functools import cached_property, partial
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.engines.explicit import Limits, check, explore
from kubeproof.engines.explicit.shared import LookedUp, Shared
from kubeproof.mutants.sources import Rule
from kubeproof.systems.system import System, rules_of
from kubeproof.validate.effects import as_from_outside
from kubeproof.validate.same_answers import SameAnswers
from kubeproof.verdict.result import Cause, Outcome
from model.releases import from_outside

# Of the search that says what the release keeps. Every reduction is made there, so most scopes are searched to the end.
KEPT_STATES = 20_000
STATES = 2_500  # of a search with rules that no reduction takes for known


@define
class Given:
    """The release's rules as mutants are held against them."""

    rules: Any
    # What the search under these rules looked up of them, and what it shares with those under mutants.
    looked_up: LookedUp
    shared: Shared
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
        alike = SameAnswers(self.rules, self.rules, self.system.rule_fields)
        machine = self.system.machine(self.scope, alike.rules)
        results = check(machine, self.system.properties, limits=Limits(states=KEPT_STATES))
        kept = [r.property for r in results if r.outcome is Outcome.HOLDS or r.cause is Cause.PREMISE]
        return frozenset(kept), frozenset(alike.asked_which)

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
            shared = self._shared(rules)
            self._given[alone] = Given(rules, self._searched(shared, rules), shared)
        return self._given[alone]

    def _shared(self, rules: Any) -> Shared:
        known = rules_of(self.system.mutants, self.system.repairs)
        return Shared(known, from_outside(rules, known))

    def _searched(self, shared: Shared, rules: Any) -> LookedUp:
        """What a search under `rules` looked up of them."""
        looked_up = shared.under(rules)
        on = shared.search(self.scope, looked_up, partial(self.system.machine, self.scope))
        check(on, self.system.properties, symmetry=False, limits=Limits(states=STATES))
        return looked_up

    def is_alike(self, field: str, rule: Rule) -> bool:
        """Whether `rule` answers every call of a search under `given(field)` as the release's rule does."""
        given = self.given(field)
        rules = evolve(given.rules, **{field: rule})
        if given.looked_up.read_by(rules) is not None:
            return True
        alike = SameAnswers(given.rules, rules, [field])
        try:
            self._searched(given.shared, alike.rules)
        except BaseException as error:
            # An alarm may ring while something is being kept.
            given.shared = self._shared(given.rules)
            if alike.so_far or not isinstance(error, Exception):
                raise
        return alike.so_far

    def states(self, field: str) -> list[Any]:
        """The states that a search under `given(field)` meets first."""
        given = self.given(field)
        if given.states is None:
            run = explore(self.system.machine(self.scope, given.rules), limits=Limits(states=STATES))
            given.states = [run.state(number) for number in range(run.counts.distinct)]
        return given.states
