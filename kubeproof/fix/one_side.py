"""One of two machines that are compared run by run: its states by number, and what its transitions violate."""

from collections.abc import Iterable, Sequence
from typing import Any

from kubeproof.engines.explicit.stores import ComponentStore
from model.go.errors import MetErrors
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant


class Judge:
    """Which of some safety properties a transition violates."""

    def __init__(self, side: "Side", properties: Iterable[Property]) -> None:
        self._side = side
        self._invariants = [p for p in properties if isinstance(p, Invariant)]
        steps = [p for p in properties if isinstance(p, StepInvariant)]
        self._asked_of = {name: [p for p in steps if name in p.actions] for name in side.machine.action_names}
        self._violated: dict[int, frozenset[str]] = {}

    def state(self, number: int) -> frozenset[str]:
        """The invariants that the state violates."""
        found = self._violated.get(number)
        if found is None:
            state = self._side.state(number)
            found = self._violated[number] = frozenset(p.name for p in self._invariants if not p.holds(state))
        return found

    def step(self, before: int, action: Action, after: int) -> frozenset[str]:
        """The properties that the transition violates."""
        asked = self._asked_of[action.name]
        if not asked:
            return self.state(after)
        here, there = self._side.state(before), self._side.state(after)
        violated = [p.name for p in asked if not p.holds(here, action, there)]
        return self.state(after).union(violated) if violated else self.state(after)


class Side(ComponentStore):
    """One machine's states by number: what follows on each, and which safety properties a transition violates."""

    def __init__(
        self,
        machine: Machine[Any],
        properties: Sequence[Property],
        wanted: frozenset[str],
        like: "Side | None" = None,
    ) -> None:
        """`like`: equal states have the number that they have there."""
        super().__init__(machine)
        self.machine = machine
        if like is not None:
            self._values, self._ids = like._values, like._ids
            self._rows, self._numbers = like._rows, like._numbers
        self._reads = {name: mask for mask, names, _ in self._groups for name in names}
        self._errors: dict[tuple[Action, int], MetErrors] = {}
        # What was found last.
        self._found: list[tuple[Action, int]] = []
        # A property of the states alone has one answer where the two machines do the same. What a property says of the
        # machine, such as the errors of its steps, each machine is asked for.
        asked: Any = _Asked(machine, self)
        of_states = [p for p in properties if p.of(machine) is p]
        self.wanted = Judge(self, [p for p in of_states if p.name in wanted])
        self.others = Judge(self, [p for p in of_states if p.name not in wanted])
        self.own = Judge(self, [p.of(asked) for p in properties if p.of(machine) is not p])

    def successors(self, number: int) -> list[tuple[Action, int]]:
        if number != self._number:
            self._found = super().successors(number)
        return self._found

    def errors(self, state: Any, action: Action) -> MetErrors:
        """The errors met: remembered by what the action reads."""
        if state is not self._state:
            return self.machine.errors(state, action)
        key = action, self._rows[self._number] & self._reads[action.name]
        found = self._errors.get(key)
        if found is None:
            found = self._errors[key] = self.machine.errors(state, action)
        return found


class _Asked:
    """Like the machine inside, which is not asked for the errors of like steps again."""

    def __init__(self, inside: Machine[Any], side: Side) -> None:
        self._inside = inside
        self.errors = side.errors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)
