"""Takes the same runs with the fix and in the release: what does the fix violate in runs that the release gets right?

The results of a search before and after the fix do not say this. A property that is violated before and after may also
be violated by a new run. A property that held may be violated only in runs in which the release went wrong earlier and
the fix does not: then the fix uncovered what comes next, and broke nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import Factory, define

from kubeproof.engines.explicit.stores import ComponentStore
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
    """Two states after the same actions, by the numbers that the store with the fix has for them."""

    # With the fix.
    new: int
    # In the release, the number in its own store; None: the release does not have these actions.
    old: int | None
    # The wanted properties that the release has violated on the way.
    violated: frozenset[str]
    # The pair before, and the action that led from there.
    parent: "_Pair | None"
    action: Action | None

    def actions(self) -> list[Action]:
        found, pair = [], self
        while pair.parent is not None:
            assert pair.action is not None
            found.append(pair.action)
            pair = pair.parent
        return found[::-1]


class _Judge:
    """Which of some safety properties a transition violates."""

    def __init__(self, machine: Machine[Any], store: ComponentStore, properties: Iterable[Property]) -> None:
        self._store = store
        of_machine = [p.of(machine) for p in properties]
        self._invariants = [p for p in of_machine if isinstance(p, Invariant)]
        self._steps = [p for p in of_machine if isinstance(p, StepInvariant)]
        self._violated: dict[int, frozenset[str]] = {}

    def state(self, number: int) -> frozenset[str]:
        """The invariants that the state violates."""
        found = self._violated.get(number)
        if found is None:
            state = self._store.state(number)
            found = self._violated[number] = frozenset(p.name for p in self._invariants if not p.holds(state))
        return found

    def step(self, before: int, action: Action, after: int) -> frozenset[str]:
        """The properties that the transition violates."""
        asked = [p for p in self._steps if action.name in p.actions]
        if not asked:
            return self.state(after)
        here, there = self._store.state(before), self._store.state(after)
        return self.state(after) | {p.name for p in asked if not p.holds(here, action, there)}


class _Side:
    """One machine's states by number: what follows on each, and which safety properties a transition violates."""

    def __init__(self, machine: Machine[Any], properties: Sequence[Property], wanted: frozenset[str]) -> None:
        self.machine = machine
        # Remembers what an action does by the fields that the action reads, so that few steps have to be computed.
        self.store = ComponentStore(machine)
        # A property of the states alone has one answer where the two machines do the same. What a property says of the
        # machine, such as the errors of its steps, each machine is asked for.
        of_states = [p for p in properties if p.of(machine) is p]
        of_machine = [p for p in properties if p.of(machine) is not p]
        self.wanted, self.others = (_Judge(machine, self.store, each) for each in _split(of_states, wanted))
        self.own_wanted, self.own_others = (_Judge(machine, self.store, each) for each in _split(of_machine, wanted))
        self._expanded: tuple[int, list[tuple[Action, int]]] = (-1, [])

    def successors(self, number: int) -> list[tuple[Action, int]]:
        if self._expanded[0] != number:
            self._expanded = number, self.store.successors(number)
        return self._expanded[1]


def _split(properties: Iterable[Property], wanted: frozenset[str]) -> tuple[list[Property], list[Property]]:
    """(the wanted properties, the others)."""
    every = list(properties)
    return [p for p in every if p.name in wanted], [p for p in every if p.name not in wanted]


class _Both:
    """The two machines side by side."""

    def __init__(
        self, old: Machine[Any], new: Machine[Any], properties: Sequence[Property], wanted: frozenset[str]
    ) -> None:
        self.old, self.new = _Side(old, properties, wanted), _Side(new, properties, wanted)
        # For the two states of a pair the sets of properties that were violated on the ways there.
        self._seen: dict[tuple[int, int | None], list[frozenset[str]]] = {}
        # How many pairs were taken for new.
        self.pairs = 0
        self._in_new: dict[int, int] = {}
        self._representatives: dict[int, int] = {}

    def equal(self, old: int, new: int) -> bool:
        number = self._in_new.get(old)
        if number is None:
            number = self._in_new[old] = self.new.store.intern(self.old.store.state(old))
        return number == new

    def is_new(self, pair: _Pair) -> bool:
        """Whether no pair before had these states and violated no more: all that the pair shows, that one showed."""
        ways = self._seen.setdefault(self._key(pair), [])
        if any(violated <= pair.violated for violated in ways):
            return False
        ways.append(pair.violated)
        self.pairs += 1
        return True

    def _key(self, pair: _Pair) -> tuple[int, int | None]:
        """Equal for states of which one pair is enough: if both states are equal, one of each orbit is enough."""
        if pair.old is None or not self.equal(pair.old, pair.new):
            return pair.new, -1 if pair.old is None else pair.old
        found = self._representatives.get(pair.new)
        if found is None:
            canonical = self.new.machine.canonical(self.new.store.state(pair.new))
            found = self._representatives[pair.new] = self.new.store.intern(canonical)
        return found, None


def compare(old: Machine[Any], new: Machine[Any], properties: Iterable[Property], wanted: frozenset[str]) -> Compared:
    """The runs of `new` beside those of `old`, breadth first, and which properties of `wanted` they violate anew.

    A run ends where `old` violates a property and `new` does not: from there on the two cannot be compared. Raises
    RuleError as the rules do.
    """
    both, found = _Both(old, new, list(properties), wanted), Compared()
    level: list[_Pair] = []
    for initial, before in zip(new.initial_states(), old.initial_states(), strict=True):
        number = both.old.store.intern(before)
        violated = both.old.wanted.state(number) | both.old.own_wanted.state(number)
        level.append(_Pair(both.new.store.intern(initial), number, violated, None, None))
    level = [pair for pair in level if both.is_new(pair)]
    while level:
        deeper: list[_Pair] = []
        for pair in level:
            if not wanted - found.broken.keys() - pair.violated:
                continue
            deeper += filter(both.is_new, _successors(both, found, pair))
            if both.pairs > PAIRS:
                found.complete = False
                return found
        level = deeper
    return found


def _successors(both: _Both, found: Compared, pair: _Pair) -> Iterator[_Pair]:
    old, new = both.old, both.new
    has = dict(old.successors(pair.old)) if pair.old is not None else {}
    same = pair.old is not None and both.equal(pair.old, pair.new)
    for action, state in new.successors(pair.new):
        of_states = new.wanted.step(pair.new, action, state)
        with_fix = of_states | new.own_wanted.step(pair.new, action, state)
        if action not in has or pair.old is None:
            found.beyond |= with_fix - pair.violated
            yield _Pair(state, None, pair.violated, pair, action)
            continue
        before = has[action]
        alike = same and both.equal(before, state)
        without = of_states if alike else old.wanted.step(pair.old, action, before)
        without |= old.own_wanted.step(pair.old, action, before)
        after = _Pair(state, before, pair.violated | without, pair, action)
        for name in with_fix - after.violated:
            if name not in found.broken:
                found.broken[name] = replay(new.machine, after.actions())
        judges = [(old.own_others, new.own_others), *([] if alike else [(old.others, new.others)])]
        if without <= with_fix and all(
            mine.step(pair.old, action, before) <= other.step(pair.new, action, state) for mine, other in judges
        ):
            yield after
