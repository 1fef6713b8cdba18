"""Takes the same runs with the fix and in the release: what does the fix violate in runs that the release gets right?

The results of a search before and after the fix do not say this. A property that is violated before and after may also
be violated by a new run. A property that held may be violated only in runs in which the release went wrong earlier and
the fix does not: then the fix uncovered what comes next, and broke nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import Factory, define, frozen

from kubeproof.engines.explicit.search import Exploration, exploration
from kubeproof.engines.explicit.shared import Searches, searches_of
from kubeproof.verdict.trace import Trace, replay
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant

PAIRS = 100_000  # how many pairs of states are looked at
NOTHING: frozenset[str] = frozenset()


class Judge:
    """Which of some safety properties a transition violates."""

    def __init__(self, side: "Side", kind: str, properties: Iterable[Property]) -> None:
        """`kind`: tells the judge from the other judges of the side."""
        run, self._side = side.run, side
        every = list(properties)
        invariants = [p for p in every if isinstance(p, Invariant)]
        self._asks_states = bool(invariants)
        names = tuple(p.name for p in every)
        self._of_state = run.answers(
            (kind, names), lambda state: frozenset([p.name for p in invariants if not p.holds(state)])
        )
        steps = [p for p in every if isinstance(p, StepInvariant)]
        self._asked_of = {name: [p for p in steps if name in p.actions] for name in side.machine.action_names}
        self._of_step = run.answers_of_step((kind, names), self._violated_by)
        self._violated: dict[int, frozenset[str]] = {}

    def _violated_by(self, before: Any, action: Action, after: Any) -> frozenset[str]:
        return frozenset([p.name for p in self._asked_of[action.name] if not p.holds(before, action, after)])

    def state(self, number: int) -> frozenset[str]:
        """The invariants that the state violates."""
        if not self._asks_states:
            return NOTHING
        found = self._violated.get(number)
        if found is None:
            found = self._violated[number] = self._of_state(self._side.own_number(number))
        return found

    def step(self, before: int, action: Action, after: int) -> frozenset[str]:
        """The properties that the transition violates."""
        of_state = self.state(after)
        if not self._asked_of[action.name]:
            return of_state
        violated = self._of_step(self._side.own_number(before), action, self._side.own_number(after))
        return of_state | violated if violated else of_state


class Numbers:
    """Numbers for the states of two machines: equal states have one."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, row: tuple[int, ...]) -> int:
        found = self._numbers.setdefault(row, len(self.rows))
        if found == len(self.rows):
            self.rows.append(row)
        return found


class Side:
    """One machine's states by number: what follows on each, and which safety properties a transition violates."""

    def __init__(
        self,
        searches: Searches,
        numbers: Numbers,
        properties: Sequence[Property],
        wanted: frozenset[str],
    ) -> None:
        """`numbers`: those of both machines, which have the same values."""
        self.machine = machine = searches.machine
        self.run, self._numbers, self._searches = exploration(searches), numbers, searches
        # By number: the number that the state has in `run`.
        self._own: dict[int, int] = {}
        # What was found last, and of which state.
        self._found: tuple[int, list[tuple[Action, int]]] = (-1, [])
        # A property of the states alone has one answer where the two machines do the same. What a property says of the
        # machine, such as the errors of its steps, each machine is asked for.
        asked = [(p, p.of(machine)) for p in properties]
        self.wanted = Judge(self, "wanted", [p for p, of in asked if of is p and p.name in wanted])
        self.others = Judge(self, "others", [p for p, of in asked if of is p and p.name not in wanted])
        self.own = Judge(self, "own", [of for p, of in asked if of is not p])
        self._orbits: Exploration | None = None

    def intern(self, state: Any) -> int:
        """The number of a state."""
        return self._numbers.number(tuple(self.run.memory.values.row(state)))

    def state(self, number: int) -> Any:
        return self.run.memory.values.state(self._numbers.rows[number])

    def representative(self, number: int) -> int:
        """The number of the representative of the state's orbit."""
        if self._orbits is None:
            self._orbits = exploration(self._searches, symmetry=True)
        return self._numbers.number(self._orbits.representative(self._numbers.rows[number]))

    def own_number(self, number: int) -> int:
        """The number that the state has in `run`."""
        found = self._own.get(number)
        if found is None:
            found = self._own[number] = self.run.intern(self._numbers.rows[number])
        return found

    def successors(self, number: int) -> list[tuple[Action, int]]:
        of, found = self._found
        if of != number:
            after = self.run.successors(self.own_number(number))
            found = [(action, self._numbers.number(self.run.row(to))) for action, to in after]
            self._found = number, found
        return found


@define
class Compared:
    """What the comparison found."""

    # For a property: the shortest run that violates the property with the fix and not in the release.
    broken: dict[str, Trace] = Factory(dict)
    # The properties that are violated in runs that the release does not have, of those that were asked about.
    beyond: set[str] = Factory(set)
    # Those of which the release only lacks the last action of such a run.
    at_last: set[str] = Factory(set)
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
        old: Machine[Any] | Searches,
        new: Machine[Any] | Searches,
        properties: Sequence[Property],
        wanted: frozenset[str],
        symmetry: bool = True,
    ) -> None:
        # The names of the wanted properties.
        self.names = wanted
        self._symmetry = symmetry
        of_new, numbers = searches_of(new), Numbers()
        self.new = Side(of_new, numbers, properties, wanted)
        self.old = Side(searches_of(old, of_new.numbering), numbers, properties, wanted)
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
        if not self._symmetry:
            return number
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
    old: Machine[Any] | Searches,
    new: Machine[Any] | Searches,
    properties: Iterable[Property],
    wanted: frozenset[str],
    held: frozenset[str] | None = None,
    symmetry: bool = True,
) -> Compared:
    """The runs of `new` beside those of `old`, breadth first, and which properties of `wanted` they violate anew.

    `held`: of which of them it is asked whether runs that `old` does not have violate them; None means all. A run ends
    where `old` violates a property and `new` does not: from there on the two cannot be compared. `symmetry`: of equal
    states one of each orbit is enough. Raises RuleError as the rules do.
    """
    both, found = _Both(old, new, list(properties), wanted, symmetry), Compared()
    held = wanted if held is None else held
    level: list[_Pair] = []
    for initial, before in zip(both.new.machine.initial_states(), both.old.machine.initial_states(), strict=True):
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
            found.at_last |= with_fix - pair.violated
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
