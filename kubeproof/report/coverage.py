"""The coverage matrix: which actions were taken and recorded, which rules are told apart. Empty cells: the work list.

Pure but for reading the recordings it is given.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kubeproof.conform import replay_file
from kubeproof.engines import explicit
from kubeproof.systems import System
from kubeproof.verdict import Outcome

# Of each system: which of its actions an operation in a recording of one of its components is.
RECORDED_ACTIONS: dict[str, dict[tuple[str, str], str]] = {
    "node-listing": {
        ("node_tree", "add"): "add_node",
        ("node_tree", "remove"): "remove_node",
        ("node_tree", "update"): "update_node",
        ("node_tree", "list"): "update_snapshot",
    },
    "cpu-manager": {
        ("static_policy", "allocate"): "allocate",
        ("static_policy", "remove"): "remove_container",
        ("static_policy", "start"): "start_kubelet",
    },
}
STATES = 200_000  # of one exploration that looks for what a rule breaks


@frozen
class Killed:
    """A rule put in another one's place, and the properties that are violated then and were not before.

    `fits`: it goes together with the other rules in force, in some scope at least. One that keys the state by container
    id and one that keys it by pod and container can leave states that make no sense: then nothing can be said.
    """

    rule: str
    properties: tuple[str, ...]
    fits: bool = True


@frozen
class CoverageRow:
    """An action, a rule field, or both under one name. None: the column does not speak of this row.

    `taken`: how often each engine took the action (None: it does not count). `recordings`: how often it occurs in
    recordings that replay without a divergence. `killed`: the other rules for this field.
    """

    name: str
    source: str
    taken: tuple[int | None, ...] | None
    recordings: int | None
    killed: tuple[Killed, ...] | None


def coverage_rows(
    system: System,
    taken: dict[str, tuple[int | None, ...]],
    recorded: Counter[tuple[str, str]] | None,
    in_force: Sequence[Any],
    scopes: Sequence[Any] = (),
) -> list[CoverageRow]:
    """The matrix of `system`: its actions, then the rule fields that are no action.

    `taken`: by action, a count for each engine. `recorded`: from `recorded_operations`, None without recordings.
    `in_force`: the choices of rules to put other rules into. `scopes`: where to look for what they break, the
    system's default if there are none.
    """
    actions = Counter[str]()
    for operation, action in RECORDED_ACTIONS.get(system.name, {}).items():
        actions[action] += recorded[operation] if recorded else 0
    killed = killed_by_field(system, in_force, scopes)
    fields = [field for field in system.rule_fields if field not in system.sources]
    return [
        CoverageRow(
            name=name,
            source=system.sources.get(name, "a rule"),
            taken=taken.get(name),
            recordings=actions[name] if recorded is not None and name in system.sources else None,
            killed=killed.get(name),
        )
        for name in (*system.sources, *fields)
    ]


def recorded_operations(recordings: Sequence[Path]) -> Counter[tuple[str, str]] | None:
    """How often each (recorded component, operation) occurs in the recordings that replay without a divergence.

    None when there are no recordings. Raises InputError for a file that is none.
    """
    if not recordings:
        return None
    counts = Counter[tuple[str, str]]()
    for path in recordings:
        replay = replay_file(path)
        if not replay.divergences:
            counts.update({(replay.system, operation): times for operation, times in replay.played.items()})
    return counts


def killed_by_field(
    system: System, in_force: Sequence[Any], scopes: Sequence[Any] = ()
) -> dict[str, tuple[Killed, ...]]:
    """For each rule field its other rules, historical and deliberately wrong, with the properties that tell.

    Each is put into each choice of rules in force, in each of `scopes` (the system's default scope), by the explicit
    engine; a property counts where it holds with the rule in force and is violated with the other one.
    """
    known: dict[Any, frozenset[str] | None] = {}

    def violated(scope: Any, rules: Any) -> frozenset[str] | None:
        if (scope, rules) not in known:
            known[scope, rules] = _violated(system, scope, rules, symmetry=not scopes)
        return known[scope, rules]

    found: dict[str, tuple[Killed, ...]] = {}
    for field in system.rule_fields:
        broken: dict[str, set[str] | None] = {}
        for rules in in_force:
            for name, rule in system.built_in_rules(field).items():
                if rule is getattr(rules, field):
                    continue
                broken.setdefault(name, None)
                for scope in scopes or (system.scope,):
                    now, other = violated(scope, rules), violated(scope, evolve(rules, **{field: rule}))
                    if now is not None and other is not None:
                        broken[name] = (broken[name] or set()) | (other - now)
        found[field] = tuple(
            Killed(name, tuple(p.name for p in system.properties if p.name in (names or ())), names is not None)
            for name, names in broken.items()
        )
    return found


def _violated(system: System, scope: Any, rules: Any, symmetry: bool) -> frozenset[str] | None:
    """The properties violated under `rules`; None where they do not go together, which shows as an error of a step.

    `symmetry` wants rules that take identifiers for interchangeable, which a mixture of generations need not do.
    """
    machine, limits = system.machine(scope, rules), explicit.Limits(states=STATES)
    try:
        results = explicit.check(machine, system.properties, symmetry=symmetry, limits=limits)
    except (AssertionError, LookupError, TypeError, ValueError):
        return None
    return frozenset(r.property for r in results if r.outcome is Outcome.VIOLATED)
