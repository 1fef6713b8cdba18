"""One of two machines that are compared run by run: its states by number, and what its transitions violate."""

from collections.abc import Iterable, Sequence
from typing import Any

from kubeproof.engines.explicit.search import Exploration, exploration
from kubeproof.engines.explicit.shared import OneMachine, Searches
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant

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
        run: Exploration,
        numbers: Numbers,
        properties: Sequence[Property],
        wanted: frozenset[str],
        sharing: Searches,
    ) -> None:
        """`run`: nothing of it has been explored. `numbers`: those of both machines, which have the same values.

        `sharing`: of `run`.
        """
        self.machine = machine = run.machine
        self.run, self._numbers, self._sharing = run, numbers, sharing
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
            self._orbits = exploration(self.machine, symmetry=True, sharing=self._sharing)
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


def sides(
    old: Machine[Any],
    new: Machine[Any],
    properties: Sequence[Property],
    wanted: frozenset[str],
    sharing: tuple[Searches, Searches] | None = None,
) -> tuple[Side, Side]:
    """The sides of `old` and of `new`. `sharing`: of each, what searches of the scope have found of its steps.

    Both have the same numbering.
    """
    of_new: Searches = OneMachine() if sharing is None else sharing[1]
    of_old = OneMachine(of_new.numbering) if sharing is None else sharing[0]
    numbers = Numbers()
    after = Side(exploration(new, sharing=of_new), numbers, properties, wanted, of_new)
    return Side(exploration(old, sharing=of_old), numbers, properties, wanted, of_old), after
