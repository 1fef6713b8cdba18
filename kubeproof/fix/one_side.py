"""One of two machines that are compared run by run: its states by number, and what its transitions violate."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from kubeproof.engines.explicit.shared import Sharing
from kubeproof.engines.explicit.shared_stores import SharedStepStore
from kubeproof.engines.explicit.stores import ComponentStore
from model.go.errors import MetErrors
from model.machine import Action, Machine
from properties.property import Invariant, Property, StepInvariant

NOTHING: frozenset[str] = frozenset()


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
        if not self._invariants:
            return NOTHING
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


class Kept(Protocol):
    """States by number. The two sides of a comparison number equal states alike."""

    def intern(self, state: Any) -> int: ...
    def state(self, number: int) -> Any: ...
    def successors(self, number: int) -> list[tuple[Action, int]]: ...


class Side:
    """One machine's states by number: what follows on each, and which safety properties a transition violates."""

    def __init__(
        self, machine: Machine[Any], kept: Kept, asked: Any, properties: Sequence[Property], wanted: frozenset[str]
    ) -> None:
        """`asked`: `machine`, as properties ask it for the errors of its steps."""
        self.machine = machine
        self.intern, self.state, self._successors = kept.intern, kept.state, kept.successors
        # What was found last, and of which state.
        self._found: tuple[int, list[tuple[Action, int]]] = (-1, [])
        # A property of the states alone has one answer where the two machines do the same. What a property says of the
        # machine, such as the errors of its steps, each machine is asked for.
        of_states = [p for p in properties if p.of(machine) is p]
        self.wanted = Judge(self, [p for p in of_states if p.name in wanted])
        self.others = Judge(self, [p for p in of_states if p.name not in wanted])
        self.own = Judge(self, [p.of(asked) for p in properties if p.of(machine) is not p])

    def successors(self, number: int) -> list[tuple[Action, int]]:
        of, found = self._found
        if of != number:
            found = self._successors(number)
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
    if sharing is not None:
        asked = [each.asked(machine) for each, machine in zip(sharing, (old, new), strict=True)]
        after, before = SharedStepStore(new, sharing[1]), SharedStepStore(old, sharing[0])
        if before.numbers_like(after):
            of_new = Side(new, after, asked[1], properties, wanted)
            return Side(old, before, asked[0], properties, wanted), of_new
    one = _Alone(new)
    other = _Alone(old, like=one)
    return Side(old, other, _Asked(old, other), properties, wanted), Side(
        new, one, _Asked(new, one), properties, wanted
    )


class _Alone(ComponentStore):
    """The states and steps of a machine that shares nothing."""

    def __init__(self, machine: Machine[Any], like: "_Alone | None" = None) -> None:
        """`like`: equal states have the number that they have there."""
        super().__init__(machine)
        if like is not None:
            self._values, self._ids = like._values, like._ids
            self._rows, self._numbers = like._rows, like._numbers
        self._reads = {name: mask for mask, names, _ in self._groups for name in names}
        self._errors: dict[tuple[Action, int], MetErrors] = {}

    def errors(self, state: Any, action: Action) -> MetErrors:
        """The errors met: remembered by what the action reads."""
        if state is not self._state:
            return self._machine.errors(state, action)
        key = action, self._rows[self._number] & self._reads[action.name]
        found = self._errors.get(key)
        if found is None:
            found = self._errors[key] = self._machine.errors(state, action)
        return found


class _Asked:
    """Like the machine inside, which is not asked for the errors of like steps again."""

    def __init__(self, inside: Machine[Any], store: _Alone) -> None:
        self._inside = inside
        self.errors = store.errors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)
