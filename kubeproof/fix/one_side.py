"""One of two machines that are compared run by run: its states by number, and what its transitions violate."""

from collections.abc import Iterable, Sequence
from typing import Any

from kubeproof.engines.explicit.search import Exploration, exploration
from kubeproof.engines.explicit.shared import Sharing
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant

NOTHING: frozenset[str] = frozenset()


class Judge:
    """Which of some safety properties a transition violates."""

    def __init__(self, side: "Side", properties: Iterable[tuple[Property, Property]]) -> None:
        """`properties`: each as it was given, and as the machine is asked for it."""
        run, self._side = side.run, side
        every = list(properties)
        self._invariants = {
            p.name: run.asks_of_state(("judged", key), lambda state, p=p: (True, p.holds(state)))  # type: ignore[misc]
            for key, p in every
            if isinstance(p, Invariant)
        }
        steps = {
            p.name: (
                p.actions,
                run.asks_of_step(("judged", key), lambda one, by, two, p=p: (True, p.holds(one, by, two))),  # type: ignore[misc]
            )
            for key, p in every
            if isinstance(p, StepInvariant)
        }
        self._asked_of = {
            action: [(name, holds) for name, (actions, holds) in steps.items() if action in actions]
            for action in side.machine.action_names
        }
        self._violated: dict[int, frozenset[str]] = {}

    def state(self, number: int) -> frozenset[str]:
        """The invariants that the state violates."""
        if not self._invariants:
            return NOTHING
        found = self._violated.get(number)
        if found is None:
            own = self._side.own_number(number)
            violated = [name for name, holds in self._invariants.items() if not holds(own)]
            found = self._violated[number] = frozenset(violated)
        return found

    def step(self, before: int, action: Action, after: int) -> frozenset[str]:
        """The properties that the transition violates."""
        asked = self._asked_of[action.name]
        if not asked:
            return self.state(after)
        here, there = self._side.own_number(before), self._side.own_number(after)
        violated = [name for name, holds in asked if not holds(here, action, there)]
        return self.state(after).union(violated) if violated else self.state(after)


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
        self, run: Exploration, numbers: Numbers, properties: Sequence[Property], wanted: frozenset[str]
    ) -> None:
        """`run`: nothing of it has been explored. `numbers`: those of both machines, which have the same values."""
        self.machine = machine = run.machine
        self.run, self._numbers = run, numbers
        # By number: the number that the state has in `run`.
        self._own: dict[int, int] = {}
        # What was found last, and of which state.
        self._found: tuple[int, list[tuple[Action, int]]] = (-1, [])
        # A property of the states alone has one answer where the two machines do the same. What a property says of the
        # machine, such as the errors of its steps, each machine is asked for.
        asked = [(p, p.of(machine)) for p in properties]
        self.wanted = Judge(self, [(p, of) for p, of in asked if of is p and p.name in wanted])
        self.others = Judge(self, [(p, of) for p, of in asked if of is p and p.name not in wanted])
        self.own = Judge(self, [(p, of) for p, of in asked if of is not p])

    def intern(self, state: Any) -> int:
        """The number of a state."""
        return self._numbers.number(tuple(self.run.memory.values.row(state)))

    def state(self, number: int) -> Any:
        return self.run.memory.values.state(self._numbers.rows[number])

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
    sharing: tuple[Sharing, Sharing] | None = None,
) -> tuple[Side, Side]:
    """The sides of `old` and of `new`. `sharing`: of each, what searches of the scope have found of its steps."""
    numbers = Numbers()
    of_old, of_new = sharing or (None, None)
    after = exploration(new, sharing=of_new)
    before = exploration(old, sharing=of_old, like=after.memory)
    return Side(before, numbers, properties, wanted), Side(after, numbers, properties, wanted)
