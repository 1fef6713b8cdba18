"""The coverage table: which actions were taken and recorded, which rules are told apart. An empty cell is work left.

Pure, except that it reads the recordings that it is given.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kubeproof.check.noted_calls import NotedCalls
from kubeproof.conform.conform import replay_file
from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import Shared
from kubeproof.processes.pool import Each
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Cause, Outcome, Result
from model.releases import known_release
from properties.property import Property

# A system, a scope, rules in force, whether by symmetry, and the (field, name) of each rule to put in the place of one.
_Task = tuple[System, Any, Any, bool, list[tuple[str, str]]]

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

    `taken`: by action, a count for each engine. `recorded`: from `recorded_operations`, None without recordings.
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


def recorded_operations(recordings: Sequence[Path], each: Each = map) -> Counter[tuple[str, str]] | None:
    """How often each (recorded component, operation) occurs in the recordings that replay without a divergence.

    None when there are no recordings. `each` does the replaying. Raises InputError for a file that is none.
    """
    if not recordings:
        return None
    counts = Counter[tuple[str, str]]()
    for replay in each(replay_file, recordings):
        if not replay.divergences:
            counts.update({(replay.system, operation): times for operation, times in replay.played.items()})
    return counts


def killed_by_field(
    system: System, in_force: Sequence[Any], scopes: Sequence[Any] = (), each: Each = map
) -> Iterator[tuple[str, tuple[Killed, ...]]]:
    """For each rule field the rules of other releases and the mutants, each with the properties that it violates.

    Each is put into each choice of rules in force, in each of `scopes` (the system's default scope), by the explicit
    engine; a property counts where it holds with the rule in force and is violated with the other one. `each` does the
    explorations, which begin before the first field is asked for if it does them side by side.
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
        (system, scope, rules, symmetry, others[rules][at : at + TOGETHER])
        for rules in in_force
        for scope in where
        for at in range(0, len(others[rules]), TOGETHER)
    ]
    return _told_apart(system, tasks, each(_violated_anew, tasks))


def _told_apart(
    system: System, tasks: Sequence[_Task], answers: Iterator[list[_Broken | None]]
) -> Iterator[tuple[str, tuple[Killed, ...]]]:
    broken: dict[str, dict[str, _Broken | None]] = {field: {} for field in system.rule_fields}
    for (*_, others), found in zip(tasks, answers, strict=True):
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
    system, scope, rules, symmetry, others = task
    known = rules_of(system.mutants)
    notes = NotedCalls(rules, known)
    before = _results(system, system.properties, scope, notes.rules, symmetry)
    if before is None:
        return [None] * len(others)
    # Of a search that has come to its limit nothing is said to hold.
    left_out = {r.property for r in before if r.outcome is Outcome.VIOLATED or r.cause is Cause.LIMIT}
    kept = [p for p in system.properties if p.name not in left_out]
    shared = Shared(rules_of(system.mutants, system.repairs)) if system.looks_rules_up_anew else None
    if shared is not None:
        _violated(system, kept, scope, rules, symmetry, shared)
    nothing = _Broken(decided=not any(r.cause is Cause.LIMIT for r in before))
    found: list[_Broken | None] = []
    for field, name in others:
        other = evolve(rules, **{field: system.built_in_rules(field)[name]})
        if notes.read_by(other) is not None:
            found.append(nothing)
        else:
            broken = _violated(system, kept, scope, other, symmetry, shared)
            found.append(None if broken is None else broken | nothing)
    return found


def _violated(
    system: System, properties: Sequence[Property], scope: Any, rules: Any, symmetry: bool, shared: Shared | None = None
) -> _Broken | None:
    results = _results(system, properties, scope, rules, symmetry, shared)
    if results is None:
        return None
    violated = frozenset(r.property for r in results if r.outcome is Outcome.VIOLATED)
    return _Broken(violated, not any(r.cause is Cause.LIMIT for r in results))


def _results(
    system: System, properties: Sequence[Property], scope: Any, rules: Any, symmetry: bool, shared: Shared | None = None
) -> list[Result] | None:
    sharing = None if shared is None else shared.search(scope, shared.under(rules))
    machine = system.machine(scope, rules if sharing is None else sharing.looked_up.rules)
    limits = explicit.Limits(states=STATES)
    try:
        return list(explicit.check(machine, properties, symmetry=symmetry, limits=limits, sharing=sharing))
    except (AssertionError, LookupError, TypeError, ValueError):
        return None
