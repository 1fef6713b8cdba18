"""The stores of `stores.py`, with what other searches of the same scope have found (`shared.py`)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from kubeproof.engines.explicit.shared import LookedUp, SaidOfSteps, Sharing, Steps
from kubeproof.engines.explicit.stores import Components, ComponentStore, Effect, OrbitStore, Said
from model.go.errors import MetErrors
from model.machine import Action, Machine


class _Shared(Components, ABC):
    """What both stores do alike."""

    _machine: Machine[Any]

    def __init__(self, machine: Machine[Any], sharing: Sharing, fixed: frozenset[str] | None) -> None:
        self._machine, self._sharing, self._part = machine, sharing, sharing.part(machine, fixed)
        # Of the state whose successors were found last: its steps, and what is said of them.
        self._steps: Steps = []
        self._said: SaidOfSteps = {}
        sharing.errors = self._errors

    def _errors(self, state: Any, action: Action) -> MetErrors | None:
        """The errors met by `action`, one of those of the state whose successors were found last."""
        if state is not self._state:
            return None
        key, of_step = self._read_by(self._rows[self._number], action)
        step = self._sharing.remembered(self._part.effects.get(of_step, ()))
        if step is None:
            return None
        entries = self._part.errors.setdefault(key, [])
        known = self._sharing.remembered(entries)
        if known is None:
            # Whatever the errors depend on, the step depends on: the errors are met in the step.
            known = step[0], self._machine.errors(state, action)
            entries.append(known)
        return known[1]

    @abstractmethod
    def _read_by(self, row: int, action: Action) -> tuple[Any, Any]:
        """The action with what it reads, as errors are remembered by, and as effects are."""

    @property
    def _looked_up(self) -> LookedUp:
        return self._sharing.looked_up

    def _take_tables(self) -> None:
        """Number the values as all searches of the part do."""
        part = self._part
        if not part.values:
            part.values, part.ids = self._values, self._ids
        self._values, self._ids = part.values, part.ids

    def said_of_state(self, asked: str, number: int, says: Callable[[], Said]) -> Said:
        """Remembered for all searches."""
        said, row = self._part.said.setdefault(asked, {}), self._rows[number]
        found = said.get(row)
        if found is None:
            found = says()
            if self._part.has_room:
                said[row] = found
        return found

    def said_of_step(self, asked: str, action: Action, says: Callable[[], Said]) -> Said:
        """Searches share the answer as they share the step: what it depends on, the steps of this state depend on.

        This is the state before, the state after, and the errors met.
        """
        key = asked, action
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = says()
        return found

    def _row_after(self, action: Action) -> int:
        return next(after for each, after, _ in self._steps if each == action)


class SharedOrbitStore(_Shared, OrbitStore):
    """One representative of each orbit."""

    def __init__(self, machine: Machine[Any], fixed: frozenset[str], sharing: Sharing, *, keep_edges: bool) -> None:
        _Shared.__init__(self, machine, sharing, fixed)
        OrbitStore.__init__(self, machine, fixed, keep_edges=keep_edges)
        self._take_tables()

    def successors(self, number: int) -> list[tuple[Action, int]]:
        if self._edges is not None and number in self._edges:
            return self._edges[number]
        row = self._expand(number)
        known = self._sharing.remembered(self._part.steps.get(row, ()))
        self._steps, self._said = self._taken(number, row) if known is None else known[1]
        numbers, rows = self._numbers, self._rows
        found = []
        for action, _, kept in self._steps:
            to = numbers.get(kept)
            if to is None:
                to = numbers[kept] = len(rows)
                rows.append(kept)
            found.append((action, to))
        if self._edges is not None:
            self._edges[number] = found
        return found

    def _taken(self, number: int, row: int) -> tuple[Steps, SaidOfSteps]:
        """What comes of the actions of a state."""
        part, looked_up, remembered = self._part, self._looked_up, self._sharing.remembered
        enabled = remembered(part.enabled.get(row, ()))
        if enabled is None:
            looked_up.begin()
            actions = list(self._machine.actions(self.state(number)))
            enabled = looked_up.looked(looked_up.ended()), actions
            if part.has_room:
                part.enabled.setdefault(row, []).append(enabled)
        looked = enabled[0].mask
        steps: Steps = []
        for action in enabled[1]:
            reads, keep, places = self._masks[action.name]
            key = action, row & reads
            effect = remembered(part.effects.get(key, ()))
            if effect is None:
                looked_up.begin()
                values = self._fields_of(self._machine.step(self.state(number), action))
                written = sum(self._component(at, values[at]) for at in places)
                effect = looked_up.looked(looked_up.ended()), written
                if part.has_room:
                    part.effects.setdefault(key, []).append(effect)
            looked |= effect[0].mask
            after = row & keep | effect[1]
            kept = part.representatives.get(after)
            if kept is None:
                kept = self._kept(after)
                if part.has_room:
                    part.representatives[after] = kept
            steps.append((action, after, kept))
        return part.remember(row, looked_up.looked(looked), steps)

    def intern(self, state: Any) -> int:
        return self._intern_row(self._row_of(self._canonical(state)))

    def _kept(self, row: int) -> int:
        state = self._unpack(row)
        found = self._canonical(state)
        return row if found is state else self._row_of(found)

    def _canonical(self, state: Any) -> Any:
        return self._sharing.common(self._part, lambda: self._machine.canonical(state, self._fixed))

    def after(self, action: Action, to: int) -> Any:
        row = self._row_after(action)
        return self.state(to) if row == self._rows[to] else self._unpack(row)

    def _read_by(self, row: int, action: Action) -> tuple[Any, Any]:
        key = action, row & self._masks[action.name][0]
        return key, key


class SharedStepStore(SharedOrbitStore):
    """All states, with the steps that searches with symmetry of the same part have found, before this one or after.

    A remembered step has the representative of its orbit too, whoever found the step. This store does not look at it.
    """

    def __init__(self, machine: Machine[Any], sharing: Sharing) -> None:
        super().__init__(machine, frozenset(), sharing, keep_edges=False)

    def numbers_like(self, other: "SharedStepStore") -> bool:
        """From here on equal states have the number that they have there. False if the two share no steps."""
        if self._part is not other._part:
            return False
        self._rows, self._numbers = other._rows, other._numbers
        return True

    def intern(self, state: Any) -> int:
        return self._intern_row(self._row_of(state))

    def successors(self, number: int) -> list[tuple[Action, int]]:
        row = self._expand(number)
        known = self._sharing.remembered(self._part.steps.get(row, ()))
        self._steps, self._said = self._taken(number, row) if known is None else known[1]
        return [(action, self._intern_row(after)) for action, after, _ in self._steps]

    def after(self, action: Action, to: int) -> Any:
        return self.state(to)


class SharedComponentStore(_Shared, ComponentStore):
    """All states."""

    def __init__(self, machine: Machine[Any], sharing: Sharing) -> None:
        _Shared.__init__(self, machine, sharing, None)
        ComponentStore.__init__(self, machine)
        self._take_tables()

    def successors(self, number: int) -> list[tuple[Action, int]]:
        row = self._expand(number)
        known = self._sharing.remembered(self._part.steps.get(row, ()))
        self._steps, self._said = self._taken(number, row) if known is None else known[1]
        return [(action, self._intern_row(after)) for action, after, _ in self._steps]

    def _taken(self, number: int, row: int) -> tuple[Steps, SaidOfSteps]:
        """What comes of the actions of a state."""
        part, looked_up = self._part, self._looked_up
        state: Any = None
        enabled: list[Action] = []
        of_actions = looked = 0
        steps: Steps = []
        for mask, names, _ in self._groups:
            key = mask, row & mask
            known = self._sharing.remembered(part.effects.get(key, ()))
            if known is None:
                looked_up.begin()
                if state is None:
                    state = self.state(number)
                    enabled = list(self._machine.actions(state))
                    of_actions = looked_up.ended()
                effects: list[Effect] = list(self._effects(state, enabled, names))
                known = looked_up.looked(of_actions | looked_up.ended()), effects
                if part.has_room:
                    part.effects.setdefault(key, []).append(known)
            looked |= known[0].mask
            for action, keep, written in known[1]:
                after = row & keep | written
                steps.append((action, after, after))
        return part.remember(row, looked_up.looked(looked), steps)

    def after(self, action: Action, to: int) -> Any:
        return self.state(to)

    def _read_by(self, row: int, action: Action) -> tuple[Any, Any]:
        mask = next(mask for mask, names, _ in self._groups if action.name in names)
        return (action, row & mask), (mask, row & mask)
