"""Records to rows and back: which variables a state has, and the number of each value.

Each value of a variable is kept once and has a number there (collapse compression: Holzmann, State Compression in SPIN,
1997). The fields of a record that is `apart` are variables of their own, and so are the places of a `Places`, and the
fields of each record in a place if the record is `apart`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, get_args, get_origin

from attrs import Attribute, Factory, define, field, fields, has

from model.evolve import evolve, maker
from model.variables import READ_AS, Places, Variable, plain

Path = tuple[str | int, ...]


@define(eq=False)
class Node:
    """A part of a state: a variable, or a record or places that are kept part by part."""

    # A number of its own among all nodes of the layout.
    number: int
    # Of a variable: its number; else -1.
    slot: int = -1
    # Of a variable: the class whose questions and changes it has, if less than all of a value can be read.
    kind: type[Any] | None = None
    # Of a variable: the class of its values, where that is known.
    values: type[Any] | None = None
    # Of a record: its class, and what makes one of the values of its fields in order.
    record: type[Any] | None = None
    make: Callable[..., Any] = tuple
    # Of a record and of places: the parts; of a record also by the name of the field.
    parts: Sequence["Node"] = ()
    names: Sequence[str] = ()
    by_name: Mapping[str, "Node"] = Factory(dict)
    # Whether it is in the rows; else what it always is.
    is_kept: bool = True
    always: Any = None
    # Whether it is a variable that is read as a whole.
    is_value: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.is_value = self.slot >= 0 and self.kind is None


class Layout:
    """The variables of a system's states.

    A field of a record apart that says `eq=False` is in no row: who reads it finds what the given state has there, and
    what is assigned to it is dropped. So nothing may depend on it; whoever shows a run replays it on the machine.
    """

    def __init__(self, state: Any) -> None:
        """`state`: any state of the system, which shows how many places there are."""
        self.slots: list[Node] = []
        self._nodes = 0
        self.root = self._record(type(state), state)
        # Of each variable the fields and places that lead to it.
        self.paths = list(_paths(self.root, ()))

    def fields(self) -> list[str]:
        """Of each variable the field of the state that it is, or is a part of."""
        found = [""] * len(self.slots)
        for name, part in self.root.by_name.items():
            for each in variables(part):
                found[each.slot] = name
        return found

    def _record(self, cls: type[Any], value: Any) -> Node:
        node = self._node(record=cls, make=maker(cls))
        names = [field.name for field in fields(cls)]
        node.parts = [
            self._field(field, getattr(value, field.name))
            if field.eq
            else self._node(is_kept=False, always=getattr(value, field.name))
            for field in fields(cls)
        ]
        node.names, node.by_name = names, dict(zip(names, node.parts, strict=True))
        return node

    def _field(self, field: "Attribute[Any]", value: Any) -> Node:
        read_as = field.metadata.get(READ_AS)
        return self._part(field.type, value) if read_as is None else self._variable(read_as)

    def _part(self, declared: Any, value: Any) -> Node:
        kind = get_origin(declared) or declared
        if not isinstance(kind, type):
            return self._variable(None)
        if has(kind) and getattr(kind, "is_apart", False):
            return self._record(kind, value)
        if issubclass(kind, Places):
            node = self._node(make=lambda *values: Places(values))
            item = get_args(declared)[0] if get_args(declared) else None
            node.parts = [self._part(item, each) for each in value]
            return node
        return self._variable(kind, kind) if issubclass(kind, Variable) else self._variable(None)

    def _variable(self, kind: type[Any] | None, values: type[Any] | None = None) -> Node:
        node = self._node(slot=len(self.slots), kind=kind, values=values)
        self.slots.append(node)
        return node

    def _node(self, **of: Any) -> Node:
        self._nodes += 1
        return Node(self._nodes - 1, **of)


def variables(node: Node) -> Iterator[Node]:
    """The variables of which a part of the state is made."""
    if node.slot >= 0:
        yield node
    for part in node.parts:
        yield from variables(part)


def _paths(node: Node, path: Path) -> Iterator[Path]:
    if node.slot >= 0:
        yield path
    for place, part in enumerate(node.parts):
        yield from _paths(part, (*path, node.names[place] if node.names else place))


def _at(value: Any, key: str | int) -> Any:
    return value[key] if isinstance(key, int) else getattr(value, key)


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    key, *rest = path
    part = _put(_at(value, key), tuple(rest), new)
    return value.put(key, part) if isinstance(key, int) else evolve(value, **{key: part})


class Values:
    """The values of all variables, and their numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.of: list[list[Any]] = [[] for _ in layout.slots]
        self._numbers: list[dict[Any, int]] = [{} for _ in layout.slots]
        self._classes = [slot.values for slot in layout.slots]

    def number(self, slot: int, value: Any) -> int:
        """The number of a variable's value."""
        numbers = self._numbers[slot]
        try:
            found = numbers.get(value)
        except TypeError:  # a part of a tracked state in it has no hash
            value = plain(value)
            found = numbers.get(value)
        if found is None:
            cls = self._classes[slot]
            if cls is not None and issubclass(cls, tuple) and type(value) is not cls:
                value = cls(value)
            found = numbers[value] = len(numbers)
            self.of[slot].append(value)
        return found

    def number_as(self, of: Sequence[list[Any]]) -> bool:
        """Give these values, by variable, the numbers of their places. False, and no change, if some have others."""
        if not all(known == given[: len(known)] for known, given in zip(self.of, of, strict=True)):
            return False
        for slot, values in enumerate(of):
            for value in values[len(self.of[slot]) :]:
                self.number(slot, value)
        return True

    def state(self, row: Sequence[int]) -> Any:
        """The state that has these numbers."""
        return self._made(self.layout.root, row)

    def _made(self, node: Node, row: Sequence[int]) -> Any:
        if node.slot >= 0:
            return self.of[node.slot][row[node.slot]]
        if not node.is_kept:
            return node.always
        return node.make(*[self._made(part, row) for part in node.parts])

    def row(self, state: Any) -> list[int]:
        """The numbers of a state."""
        return [self.number(slot, value) for slot, value in enumerate(self._values(self.layout.root, state))]

    def number_in(self, slot: int, state: Any) -> int:
        """The number of what the state has in a variable."""
        return self.number(slot, reduce(_at, self.layout.paths[slot], state))

    def put_in(self, slot: int, state: Any, number: int) -> Any:
        """The state with another value in a variable."""
        return _put(state, self.layout.paths[slot], self.of[slot][number])

    def _values(self, node: Node, value: Any) -> Iterator[Any]:
        """The values of the variables, in order."""
        if node.slot >= 0:
            yield value
        elif not node.is_kept:
            return
        elif node.record is not None:
            for name, part in zip(node.names, node.parts, strict=True):
                yield from self._values(part, getattr(value, name))
        else:
            for each, part in zip(value, node.parts, strict=True):
                yield from self._values(part, each)
