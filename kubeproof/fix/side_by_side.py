"""Takes the same runs with the fix and in the release: what does the fix violate in runs that the release gets right?

The results of a search before and after the fix do not say this. A property that is violated before and after may also
be violated by a new run. A property that held may be violated only in runs in which the release went wrong earlier and
the fix does not: then the fix uncovered what comes next, and broke nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import Factory, define

from kubeproof.verdict.trace import Trace, replay
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant

PAIRS = 100_000  # how many pairs of states are looked at


@define
class Compared:
    """What the comparison found."""

    # For a property: the shortest run that violates the property with the fix and not in the release.
    broken: dict[str, Trace] = Factory(dict)
    # The properties that are violated in runs that the release does not have.
    beyond: set[str] = Factory(set)
    # Whether every run was looked at.
    complete: bool = True


@define
class _Pair:
    """Two states after the same actions."""

    # With the fix.
    new: Any
    # In the release; None: the release does not have these actions.
    old: Any | None
    # The properties that the release has violated on the way.
    violated: frozenset[str]
    # The pair before, and the action that led from there.
    parent: "_Pair | None"
    action: Action | None

    def key(self, machine: Machine[Any]) -> tuple[Any, Any, frozenset[str]]:
        """Equal for pairs of which one is enough: if both states are equal, one of each orbit is enough."""
        if self.new == self.old:
            return machine.canonical(self.new), None, self.violated
        return self.new, self.old, self.violated

    def actions(self) -> list[Action]:
        found, pair = [], self
        while pair.parent is not None:
            assert pair.action is not None
            found.append(pair.action)
            pair = pair.parent
        return found[::-1]


@define
class _Judge:
    """Which safety properties a transition violates. The answer for a state is remembered."""

    invariants: Sequence[Invariant]
    steps: Sequence[StepInvariant]
    known: dict[Any, frozenset[str]] = Factory(dict)

    def state(self, state: Any) -> frozenset[str]:
        found = self.known.get(state)
        if found is None:
            found = self.known[state] = frozenset(p.name for p in self.invariants if not p.holds(state))
        return found

    def step(self, before: Any, action: Action, after: Any) -> frozenset[str]:
        broken = {p.name for p in self.steps if action.name in p.actions and not p.holds(before, action, after)}
        return self.state(after) | broken


def _judge_of(machine: Machine[Any], properties: Iterable[Property]) -> _Judge:
    of = [p.of(machine) for p in properties]
    return _Judge([p for p in of if isinstance(p, Invariant)], [p for p in of if isinstance(p, StepInvariant)])


def compare(old: Machine[Any], new: Machine[Any], properties: Iterable[Property], wanted: frozenset[str]) -> Compared:
    """The runs of `new` beside those of `old`, breadth first, and which properties of `wanted` they violate anew.

    A run ends where `old` violates a property and `new` does not: from there on the two cannot be compared. Raises
    RuleError as the rules do.
    """
    of = list(properties)
    judges = _judge_of(old, of), _judge_of(new, of)
    found = Compared()
    level: list[_Pair] = []
    for initial, before in zip(new.initial_states(), old.initial_states(), strict=True):
        level.append(_Pair(initial, before, judges[0].state(before), None, None))
    seen = {pair.key(new) for pair in level}
    while level:
        deeper: list[_Pair] = []
        for pair in level:
            if not wanted - found.broken.keys() - pair.violated:
                continue
            for after in _successors(old, new, judges, wanted, found, pair):
                key = after.key(new)
                if key not in seen:
                    seen.add(key)
                    deeper.append(after)
            if len(seen) > PAIRS:
                found.complete = False
                return found
        level = deeper
    return found


def _successors(
    old: Machine[Any],
    new: Machine[Any],
    judges: tuple[_Judge, _Judge],
    wanted: frozenset[str],
    found: Compared,
    pair: _Pair,
) -> Iterable[_Pair]:
    """The pairs after `pair`. `judges` are those of `old` and of `new`."""
    release, fixed = judges
    has = frozenset(old.actions(pair.old)) if pair.old is not None else frozenset()
    for action in new.actions(pair.new):
        state = new.step(pair.new, action)
        with_fix = fixed.step(pair.new, action, state)
        if action not in has:
            found.beyond |= (with_fix - pair.violated) & wanted
            yield _Pair(state, None, pair.violated, pair, action)
            continue
        before = old.step(pair.old, action)
        # Two equal transitions need not meet equal errors.
        without = release.step(pair.old, action, before)
        after = _Pair(state, before, pair.violated | without, pair, action)
        for name in (with_fix - after.violated) & wanted:
            if name not in found.broken:
                found.broken[name] = replay(new, after.actions())
        if without <= with_fix:
            yield after
