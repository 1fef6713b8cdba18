"""Takes the same runs with the fix and in the release: what does the fix violate in runs that the release gets right?

The results of a search before and after the fix do not say this. A property that is violated before and after may also
be violated by a new run. A property that held may be violated only in runs in which the release went wrong earlier and
the fix does not: then the fix uncovered what comes next, and broke nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import Factory, define, frozen

from kubeproof.engines.explicit.shared import Searches
from kubeproof.fix.one_side import sides
from kubeproof.verdict.trace import Trace, replay
from model.machine import Action, Machine
from properties.property import Property

PAIRS = 100_000  # how many pairs of states are looked at


@define
class Compared:
    """What the comparison found."""

    # For a property: the shortest run that violates the property with the fix and not in the release.
    broken: dict[str, Trace] = Factory(dict)
    # The properties that are violated in runs that the release does not have, of those that were asked about.
    beyond: set[str] = Factory(set)
    # Whether every run was looked at.
    complete: bool = True


@define
class _Pair:
    """Two states after the same actions, by their numbers."""

    # With the fix.
    new: int
    # In the release; None: the release does not have these actions.
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


@frozen
class _Step:
    """A transition with the fix from a state that the release has after the same actions too."""

    action: Action
    # The state after the action with the fix.
    new: int
    # And in the release. None: the release does not have the action there.
    old: int | None
    # What of `Side.own` is violated with the fix, and in the release.
    own_new: frozenset[str]
    own_old: frozenset[str]

    @property
    def alike(self) -> bool:
        """Whether nobody can tell the transition with the fix from that in the release."""
        return self.new == self.old and self.own_new == self.own_old


class _Both:
    """The two machines side by side."""

    def __init__(
        self,
        old: Machine[Any],
        new: Machine[Any],
        properties: Sequence[Property],
        wanted: frozenset[str],
        sharing: tuple[Searches, Searches] | None = None,
    ) -> None:
        # The names of the wanted properties.
        self.names = wanted
        self.old, self.new = sides(old, new, properties, wanted, sharing)
        # For the two states of a pair the sets of properties that were violated on the ways there.
        self._seen: dict[tuple[int, int | None], list[frozenset[str]]] = {}
        # How many pairs were taken for new.
        self.pairs = 0
        self._representatives: dict[int, int] = {}
        # The steps from a state that both have.
        self._steps: dict[int, list[_Step]] = {}
        # By the number of an orbit's representative: whether any run from there tells the two machines apart. The two
        # do the same from all states that are not here.
        self._alike: set[int] = set()

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
        if pair.old != pair.new:
            return pair.new, -1 if pair.old is None else pair.old
        return self._representative(pair.new), None

    def _representative(self, number: int) -> int:
        found = self._representatives.get(number)
        if found is None:
            found = self._representatives[number] = self.new.representative(number)
        return found

    def steps(self, new: int, old: int) -> list[_Step]:
        """The transitions with the fix from a pair of states, each beside the release's."""
        if new != old:
            return self._taken(new, old)
        found = self._steps.get(new)
        if found is None:
            found = self._steps[new] = self._taken(new, old)
        return found

    def _taken(self, new: int, old: int) -> list[_Step]:
        has = dict(self.old.successors(old))
        found = []
        for action, after in self.new.successors(new):
            before, own_old = has.get(action), frozenset[str]()
            if before is not None:
                own_old = self.old.own.step(old, action, before)
            found.append(_Step(action, after, before, self.new.own.step(new, action, after), own_old))
        return found

    def find_what_is_alike(self, initial: Iterable[int]) -> None:
        """Find the states from which no run tells the two machines apart, if `PAIRS` states are all."""
        order = list(dict.fromkeys(map(self._representative, initial)))
        from_where: dict[int, list[int]] = {number: [] for number in order}
        apart = []
        for number in order:
            steps = self.steps(number, number)
            if not all(step.alike for step in steps):
                apart.append(number)
            for step in steps:
                if step.new == step.old:
                    to = self._representative(step.new)
                    if to not in from_where:
                        from_where[to] = []
                        order.append(to)
                    from_where[to].append(number)
            if len(order) > PAIRS:
                return
        self._alike = set(order) - set(apart)
        for number in apart:
            for before in from_where[number]:
                if before in self._alike:
                    self._alike.remove(before)
                    apart.append(before)

    def ends_alike(self, pair: _Pair) -> bool:
        """Whether all that follows on the pair is the same with the fix and in the release."""
        return pair.new == pair.old and self._representative(pair.new) in self._alike


def compare(
    old: Machine[Any],
    new: Machine[Any],
    properties: Iterable[Property],
    wanted: frozenset[str],
    held: frozenset[str] | None = None,
    sharing: tuple[Searches, Searches] | None = None,
) -> Compared:
    """The runs of `new` beside those of `old`, breadth first, and which properties of `wanted` they violate anew.

    `held`: of which of them it is asked whether runs that `old` does not have violate them; None means all. A run ends
    where `old` violates a property and `new` does not: from there on the two cannot be compared. `sharing`: what
    searches of the scope have found, with which `old` and `new` have their rules. Raises RuleError as the rules do.
    """
    both, found = _Both(old, new, list(properties), wanted, sharing), Compared()
    held = wanted if held is None else held
    level: list[_Pair] = []
    for initial, before in zip(new.initial_states(), old.initial_states(), strict=True):
        number = both.old.intern(before)
        violated = both.old.wanted.state(number) | (both.old.own.state(number) & wanted)
        level.append(_Pair(both.new.intern(initial), number, violated, None, None))
    both.find_what_is_alike(pair.new for pair in level if pair.new == pair.old)
    level = [pair for pair in level if both.is_new(pair)]
    while level:
        deeper: list[_Pair] = []
        for pair in level:
            open_yet = (wanted if pair.old is not None else held - found.beyond) - found.broken.keys() - pair.violated
            if not open_yet or both.ends_alike(pair):
                continue
            deeper += filter(both.is_new, _successors(both, found, pair))
            if both.pairs > PAIRS:
                found.complete = False
                return found
        level = deeper
    return found


def _successors(both: _Both, found: Compared, pair: _Pair) -> Iterator[_Pair]:
    new, wanted = both.new, both.names
    if pair.old is None:
        for action, state in new.successors(pair.new):
            with_fix = new.wanted.step(pair.new, action, state) | new.own.step(pair.new, action, state) & wanted
            found.beyond |= with_fix - pair.violated
            yield _Pair(state, None, pair.violated, pair, action)
        return
    for step in both.steps(pair.new, pair.old):
        action, state, before = step.action, step.new, step.old
        of_states = new.wanted.step(pair.new, action, state)
        with_fix = of_states | step.own_new & wanted
        if before is None:
            found.beyond |= with_fix - pair.violated
            yield _Pair(state, None, pair.violated, pair, action)
            continue
        same = pair.new == pair.old and state == before
        without = (of_states if same else both.old.wanted.step(pair.old, action, before)) | step.own_old & wanted
        after = _Pair(state, before, pair.violated | without, pair, action)
        for name in with_fix - after.violated:
            if name not in found.broken:
                found.broken[name] = replay(new.machine, after.actions())
        if (
            without <= with_fix
            and step.own_old <= step.own_new
            and (same or both.old.others.step(pair.old, action, before) <= new.others.step(pair.new, action, state))
        ):
            yield after
