"""How the explicit engine keeps states and finds their successors. Nothing outside this package knows how.

Both stores keep each value of each field once and give this value a number. A state is one integer, made of the numbers
of its values. The stores remember what an action did by the numbers of the fields that the action reads
(`Machine.footprints`). `OrbitStore` keeps one representative of each orbit.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter, getitem
from struct import Struct
from typing import Any, Protocol

from attrs import fields

from model.evolve import maker
from model.machine import Action, Machine

_BITS = 32  # of one value's number in a packed row
_COMPONENT = (1 << _BITS) - 1
_REMEMBERED = 1 << 20  # effects, or representatives

Effect = tuple[Action, int, int]
# Of some properties together: the names of those whose premise is met, and of those that do not hold.
Said = tuple[tuple[str, ...], tuple[str, ...]]


class Store(Protocol):
    """States by number, in the order in which they were found."""

    def intern(self, state: Any) -> int: ...
    def state(self, number: int) -> Any: ...
    def successors(self, number: int) -> list[tuple[Action, int]]:
        """Each enabled action with the number of the state after this action. New states get the next numbers."""
        ...

    def after(self, action: Action, to: int) -> Any:
        """What `action` makes of the state whose successors were found last. State `to` is kept for it."""
        ...

    def said_of_state(self, asked: str, number: int, says: Callable[[], Said]) -> Said:
        """What `says` answers: what the properties `asked` say of state `number`."""
        ...

    def said_of_step(self, asked: str, action: Action, says: Callable[[], Said]) -> Said:
        """The same for a step of the state whose successors were found last."""
        ...

    def __len__(self) -> int: ...


class Components:
    """States as packed rows of the numbers of their values. Each row is kept once and has a number of its own.

    States that are read back share equal values, so comparing two states mostly compares identities.
    """

    def __init__(self, machine: Machine[Any]) -> None:
        kind: type[Any] = type(machine.initial_states()[0])
        self._make = maker(kind)
        self._fields = [field.name for field in fields(kind)]
        self._fields_of = attrgetter(*self._fields)
        # The numbers in a packed row: _BITS is that of an "I".
        self._numbers_in = Struct(f"<{len(self._fields)}I")
        self._values: list[list[Any]] = [[] for _ in self._fields]
        self._ids: list[dict[Any, int]] = [{} for _ in self._fields]
        self._rows: list[int] = []
        self._numbers: dict[int, int] = {}
        # The state whose successors were found last, and the other state that was read last. None: not unpacked yet.
        self._number = -1
        self._state: Any = None
        self._read: tuple[int, Any] = (-1, None)

    def __len__(self) -> int:
        return len(self._rows)

    def _component(self, at: int, value: Any) -> int:
        ids = self._ids[at]
        number = ids.setdefault(value, len(ids))
        if number == len(self._values[at]):
            self._values[at].append(value)
        return number << (_BITS * at)

    def _intern_row(self, row: int) -> int:
        number = self._numbers.setdefault(row, len(self._rows))
        if number == len(self._rows):
            self._rows.append(row)
        return number

    def intern(self, state: Any) -> int:
        return self._intern_row(self._row_of(state))

    def _row_of(self, state: Any) -> int:
        row = shift = 0
        for value, ids, values in zip(self._fields_of(state), self._ids, self._values, strict=True):
            number = ids.get(value)
            if number is None:
                number = ids[value] = len(values)
                values.append(value)
            row |= number << shift
            shift += _BITS
        return row

    def _unpack(self, row: int) -> Any:
        layout = self._numbers_in
        return self._make(*map(getitem, self._values, layout.unpack(row.to_bytes(layout.size, "little"))))

    def _expand(self, number: int) -> int:
        """From here on `number` is the state whose successors are found. Its row."""
        self._number, self._state = number, None
        return self._rows[number]

    def state(self, number: int) -> Any:
        """State `number`. The state whose successors were found last is the same object as then: machines remember
        what they did in one state."""
        if number == self._number:
            if self._state is None:
                self._state = self._unpack(self._rows[number])
            return self._state
        at, state = self._read
        if at != number:
            state = self._unpack(self._rows[number])
            self._read = number, state
        return state

    def said_of_state(self, asked: str, number: int, says: Callable[[], Said]) -> Said:
        return says()

    def said_of_step(self, asked: str, action: Action, says: Callable[[], Said]) -> Said:
        return says()


class OrbitStore(Components):
    """One representative for each orbit, under renamings that do not rename the identifiers in `fixed`.

    `keep_edges` remembers the successors of each state for later searches.
    """

    def __init__(self, machine: Machine[Any], fixed: frozenset[str] = frozenset(), *, keep_edges: bool = False) -> None:
        super().__init__(machine)
        self._machine, self._fixed = machine, fixed
        self._edges: dict[int, list[tuple[Action, int]]] | None = {} if keep_edges else None
        self._actions: dict[Action, Action] = {}
        # What each action makes of the state whose successors were found last, before the renaming.
        self._rows_after: dict[Action, int] = {}
        self._masks = {name: self._masks_of(name) for name in machine.action_names}
        # What was found lately is often found again soon: the successors of neighbours differ little.
        self._effects: dict[tuple[Action, int], int] = {}
        self._representatives: dict[int, int] = {}

    def _masks_of(self, name: str) -> tuple[int, int, tuple[int, ...]]:
        """Masks of the fields that an action reads, and of those that it does not write; the places of the others."""
        footprint = self._machine.footprints[name]
        reads = keep = 0
        for at, field in enumerate(self._fields):
            reads |= _COMPONENT << (_BITS * at) if field in footprint.reads else 0
            keep |= 0 if field in footprint.writes else _COMPONENT << (_BITS * at)
        return reads, keep, tuple(at for at, field in enumerate(self._fields) if field in footprint.writes)

    def intern(self, state: Any) -> int:
        return super().intern(self._machine.canonical(state, self._fixed))

    def successors(self, number: int) -> list[tuple[Action, int]]:
        if self._edges is not None and number in self._edges:
            return self._edges[number]
        row, state = self._expand(number), self.state(number)
        rows_after = self._rows_after = {}
        effects, representatives = _kept_small(self._effects), _kept_small(self._representatives)
        found = []
        for action in self._machine.actions(state):
            reads, keep, places = self._masks[action.name]
            key = action, row & reads
            written = effects.get(key)
            if written is None:
                values = self._fields_of(self._machine.step(state, action))
                written = effects[key] = sum(self._component(at, values[at]) for at in places)
            after = rows_after[action] = row & keep | written
            to = representatives.get(after)
            if to is None:
                to = representatives[after] = self._representative(after)
            found.append((action, to))
        if self._edges is not None:
            one = self._actions
            self._edges[number] = found = [(one.setdefault(action, action), to) for action, to in found]
        return found

    def after(self, action: Action, to: int) -> Any:
        row = self._rows_after[action]
        return self.state(to) if row == self._rows[to] else self._unpack(row)

    def _representative(self, row: int) -> int:
        state = self._unpack(row)
        found = self._machine.canonical(state, self._fixed)
        return self._intern_row(row) if found is state else super().intern(found)


def _kept_small(memo: dict[Any, int]) -> dict[Any, int]:
    if len(memo) > _REMEMBERED:
        memo.clear()
    return memo


class ComponentStore(Components):
    """All states, without symmetry."""

    def __init__(self, machine: Machine[Any]) -> None:
        super().__init__(machine)
        self._machine = machine
        by_reads: dict[int, set[str]] = {}
        for name in machine.action_names:
            reads = machine.footprints[name].reads
            mask = sum(_COMPONENT << (_BITS * self._fields.index(read)) for read in reads)
            by_reads.setdefault(mask, set()).add(name)
        self._groups: list[tuple[int, set[str], dict[int, list[Effect]]]] = [(m, n, {}) for m, n in by_reads.items()]
        self._written = {name: self._written_by(name) for name in machine.action_names}

    def _written_by(self, name: str) -> tuple[int, tuple[tuple[int, Callable[[Any], Any]], ...]]:
        """The mask of the fields that an action does not write; the places of the others, and what reads each."""
        writes = self._machine.footprints[name].writes
        keep = sum(_COMPONENT << (_BITS * at) for at, field in enumerate(self._fields) if field not in writes)
        return keep, tuple((at, attrgetter(field)) for at, field in enumerate(self._fields) if field in writes)

    def _effects(self, state: Any, enabled: Sequence[Action], names: set[str]) -> Iterator[Effect]:
        for action in enabled:
            if action.name in names:
                after = self._machine.step(state, action)
                keep, places = self._written[action.name]
                written = 0
                for at, value_of in places:
                    value, ids = value_of(after), self._ids[at]
                    number = ids.get(value)
                    if number is None:
                        number = self._component(at, value) >> (_BITS * at)
                    written |= number << (_BITS * at)
                yield action, keep, written

    def successors(self, number: int) -> list[tuple[Action, int]]:
        row = self._expand(number)
        numbers, rows = self._numbers, self._rows
        state: Any = None
        enabled: list[Action] = []
        found = []
        for mask, names, memo in self._groups:
            key = row & mask
            effects = memo.get(key)
            if effects is None:
                if state is None:
                    state = self.state(number)
                    enabled = list(self._machine.actions(state))
                effects = memo[key] = list(self._effects(state, enabled, names))
            for action, keep, written in effects:
                after = row & keep | written
                to = numbers.get(after)
                if to is None:
                    to = numbers[after] = len(rows)
                    rows.append(after)
                found.append((action, to))
        return found

    def after(self, action: Action, to: int) -> Any:
        return self.state(to)
