"""The coverage table: which actions were taken and recorded, which rules are told apart. An empty cell is work left.

Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from attrs import Factory, define, evolve, frozen

from kubeproof.conform.conform import Replay
from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import LookedUp, Shared
from kubeproof.processes.tasks import Each
from kubeproof.store.results import Kept
from kubeproof.store.store import Store
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Cause, Outcome, Result
from model.releases import known_release
from properties.property import Property

# A system, a scope, rules in force, whether by symmetry, the (field, name) of each rule to put in the place of one, and
# what is kept of earlier runs.
_Task = tuple[System, Any, Any, bool, list[tuple[str, str]], Store | None]

DOES = "rule in the place of another"  # by this name the store keeps what is explored here
# Rules that one task puts in. Fewer would search more often with the rules in force, more would leave processors idle.
TOGETHER = 50
STATES = 20_000  # of one exploration that looks for what a rule breaks: rules that do not go together may have no end


@frozen
class Killed:
    """A rule that is put in the place of the rule in force."""

    # The name of the rule.
    rule: str
    # The properties that hold with the rule in force and are violated with this rule.
    properties: tuple[str, ...]
    # Whether the rule goes together with the other rules in force, in some scope. A rule that knows containers by id
    # and a rule that knows them by pod and name may leave states without meaning: then nothing can be said.
    fits: bool = True
    # Whether each exploration came to its end. If one was cut, the rule may violate more than is known.
    decided: bool = True


@frozen
class _Broken:
    """What a rule violates that the rule in force keeps, as far as explored, and whether all was explored."""

    names: frozenset[str] = frozenset()
    decided: bool = True

    def __or__(self, other: "_Broken") -> "_Broken":
        return _Broken(self.names | other.names, self.decided and other.decided)


@frozen
class CoverageRow:
    """An action, a rule field, or both if they have one name. None: the column does not apply to the row."""

    name: str
    # The Go place.
    source: str
    # How often each engine took the action. None in place of a number: the engine does not count.
    taken: tuple[int | None, ...] | None
    # How often the action is in recordings that replay without a divergence.
    recordings: int | None
    # The other rules for this field.
    killed: tuple[Killed, ...] | None
    # Whether the scopes that were checked have the action.
    offered: bool = True


def coverage_rows(
    system: System,
    taken: dict[str, tuple[int | None, ...]],
    recorded: Counter[tuple[str, str]] | None,
    killed: Mapping[str, tuple[Killed, ...]],
    absent: frozenset[str] = frozenset(),
) -> list[CoverageRow]:
    """The matrix of `system`: its actions, then the rule fields that are no action.

    `taken`: by action, a count for each engine. `recorded`: from `operations_of`, None without recordings.
    `killed`: from `killed_by_field`. `absent`: actions that no check could take.
    """
    actions = Counter[str]()
    for operation, action in system.recorded.items():
        actions[action] += recorded[operation] if recorded else 0
    newest = known_release(f"1.{system.minors[-1]}")
    fields = [field for field in system.rule_fields if field not in system.places]
    return [
        CoverageRow(
            name=name,
            source=system.place(name, newest) if name in system.places else "a rule",
            taken=taken.get(name),
            recordings=actions[name] if recorded is not None and name in system.places else None,
            killed=killed.get(name),
            offered=name not in absent,
        )
        for name in (*system.places, *fields)
    ]


def operations_of(replays: Iterable[Replay]) -> Counter[tuple[str, str]]:
    """How often each (recorded component, operation) occurs in the recordings that replay without a divergence."""
    counts = Counter[tuple[str, str]]()
    for replay in replays:
        if not replay.divergences:
            counts.update({(replay.system, operation): times for operation, times in replay.played.items()})
    return counts


def killed_by_field(
    system: System, in_force: Sequence[Any], scopes: Sequence[Any] = (), each: Each = map, store: Store | None = None
) -> Iterator[tuple[str, tuple[Killed, ...]]]:
    """For each rule field the rules of other releases and the mutants, each with the properties that it violates.

    Each is put into each choice of rules in force, in each of `scopes` (the system's default scope), by the explicit
    engine; a property counts where it holds with the rule in force and is violated with the other one. `each` does the
    explorations, which begin before the first field is asked for if it does them side by side. What `store` has is not
    explored again.
    """
    # A mixture of generations need not take identifiers for interchangeable.
    symmetry, where = not scopes, scopes or (system.scope,)
    others = {
        rules: [
            (field, name)
            for field in system.rule_fields
            for name, rule in system.built_in_rules(field).items()
            if rule is not getattr(rules, field)
        ]
        for rules in in_force
    }
    tasks = [
        (system, scope, rules, symmetry, others[rules][at : at + TOGETHER], store)
        for rules in in_force
        for scope in where
        for at in range(0, len(others[rules]), TOGETHER)
    ]
    return _told_apart(system, tasks, each(_violated_anew, tasks))


def _told_apart(
    system: System, tasks: Sequence[_Task], answers: Iterator[list[_Broken | None]]
) -> Iterator[tuple[str, tuple[Killed, ...]]]:
    broken: dict[str, dict[str, _Broken | None]] = {field: {} for field in system.rule_fields}
    for (*_, others, _), found in zip(tasks, answers, strict=True):
        for (field, name), violated in zip(others, found, strict=True):
            before = broken[field].setdefault(name, None)
            broken[field][name] = before if violated is None else (before or _Broken()) | violated
    for field, of_rule in broken.items():
        yield field, tuple(_killed(system, name, found) for name, found in of_rule.items())


def _killed(system: System, name: str, found: _Broken | None) -> Killed:
    if found is None:
        return Killed(name, (), fits=False)
    return Killed(name, tuple(p.name for p in system.properties if p.name in found.names), decided=found.decided)


def _violated_anew(task: _Task) -> list[_Broken | None]:
    """For each of the other rules the properties that hold in the scope and are violated with this rule.

    None where the rules do not go together. That shows as an error of a step.
    """
    system, scope, rules, symmetry, others, store = task
    here = _Here(system, scope, rules, symmetry, store)
    before = here.results(rules, system.properties)
    if before is None:
        return [None] * len(others)
    here.before = {result.property: result for result in before}
    kept = [p for p in system.properties if _may_break(here.before[p.name])]
    nothing = _Broken(decided=not any(r.cause is Cause.LIMIT for r in before))
    found: list[_Broken | None] = []
    for field, name in others:
        results = here.results(evolve(rules, **{field: system.built_in_rules(field)[name]}), kept)
        found.append(None if results is None else _broken(results) | nothing)
    return found


def _broken(results: Sequence[Result]) -> _Broken:
    violated = frozenset(r.property for r in results if r.outcome is Outcome.VIOLATED)
    return _Broken(violated, not any(r.cause is Cause.LIMIT for r in results))


@define(slots=False)
class _Here:
    """The explorations of one scope."""

    system: System
    scope: Any
    # Those in force.
    rules: Any
    symmetry: bool
    store: Store | None
    # The results with the rules in force, by property; empty before these are known.
    before: dict[str, Result] = Factory(dict)
    # What the exploration with the rules in force looked up of them; None: they were not explored.
    _looked_up: LookedUp | None = None

    @cached_property
    def _shared(self) -> Shared:
        """What the explorations share."""
        return Shared(rules_of(self.system.mutants, self.system.repairs))

    def results(self, rules: Any, properties: Sequence[Property]) -> list[Result] | None:
        """The results of the properties; None where the rules do not go together."""
        kept = None if self.store is None else Kept(self.store, DOES, self.system, rules, self.scope, self.symmetry)
        there = {} if kept is None else {p.name: r for p in properties if (r := _kept_result(kept, p)) is not None}
        missing = {p.name: p for p in properties if p.name not in there}
        if missing and kept is not None and kept.found(*missing.values()) is not None:
            return None
        if missing:
            found, fields = self._explored(rules, list(missing.values()))
            if kept is not None:
                # That the rules do not go together may be an error of any of these properties.
                said: dict[tuple[Property, ...], Any] = {tuple(missing.values()): None} if found is None else {}
                said |= {(missing[r.property],): [r.outcome, r.cause] for r in found or ()}
                kept.keep(said, fields)
            if found is None:
                return None
            there |= {result.property: result for result in found}
        return [there[p.name] for p in properties]

    def _explored(self, rules: Any, properties: Sequence[Property]) -> tuple[list[Result] | None, frozenset[str]]:
        """The results, and the rule fields that were looked up."""
        names = [p.name for p in properties]
        if self._looked_up is not None and (same := self._looked_up.read_by(rules)) is not None:
            return [self.before[name] for name in names], same
        looked_up = self._shared.under(rules)
        if rules is self.rules and names == [p.name for p in self.system.properties]:
            self._looked_up = looked_up
        return _results(self.system, properties, self.scope, looked_up, self.symmetry, self._shared), looked_up.fields


def _may_break(result: Result) -> bool:
    """Whether another rule may violate what this result says. Of a search at its limit nothing is said to hold."""
    return result.outcome is not Outcome.VIOLATED and result.cause is not Cause.LIMIT


def _kept_result(kept: Kept, p: Property) -> Result | None:
    found = kept.found(p)
    if found is None or found.value is None:
        return None
    outcome, cause = found.value
    return Result(
        property=p.name, engine="explicit", outcome=Outcome(outcome), cause=None if cause is None else Cause(cause)
    )


def _results(
    system: System,
    properties: Sequence[Property],
    scope: Any,
    looked_up: LookedUp,
    symmetry: bool,
    shared: Shared,
) -> list[Result] | None:
    try:
        on = shared.search(scope, looked_up, partial(system.machine, scope))
        return explicit.check(on, properties, symmetry=symmetry, limits=explicit.Limits(states=STATES))
    except (AssertionError, LookupError, TypeError, ValueError):
        return None
