"""A state that notes what is read of it. A function of states takes it for a state.

It is a record of the same class. Its fields answer as those of the state do, and tell the recorder. What `evolve`
makes of it notes what was assigned. Whoever keeps a part would read it later without notice: so it has no hash.
"""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol

from attrs import fields

from kubeproof.engines.explicit.states import Node
from model.variables import Places, asked_of, whole

Change = tuple[Callable[..., Any], tuple[Any, ...]]


class Recorder(Protocol):
    """Who is told what is read. `offset`: 0 for the state before a step, or the number of variables for the other."""

    def value(self, slot: int, offset: int) -> Any:
        """The value of a variable. All of it counts as read."""
        ...

    def answer(self, slot: int, offset: int, question: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a question answers. Only this counts as read."""
        ...

    def part(self, node: Node, offset: int) -> Any:
        """A part of the state; always the same object."""
        ...


def tracked(recorder: Recorder, node: Node, offset: int) -> Any:
    """What stands for the part `node` of a state."""
    if node.record is not None:
        made = object.__new__(_classes(node.record, _tracked_record))
        _fill(made, recorder, node, offset, None)
        return made
    if node.kind is not None:
        return _classes(node.kind, _tracked_variable)(recorder, node, offset, ())
    return TrackedPlaces(recorder, node, offset, {})


_set = object.__setattr__


def _fill(made: Any, recorder: Recorder, node: Node, offset: int, new: dict[str, Any] | None) -> None:
    _set(made, "_recorder", recorder)
    _set(made, "_node", node)
    _set(made, "_offset", offset)
    _set(made, "_new", new)


# The tracked class of each class.
_made: dict[type[Any], type[Any]] = {}


def _classes(cls: type[Any], make: Callable[[type[Any]], type[Any]]) -> type[Any]:
    found = _made.get(cls)
    if found is None:
        found = _made[cls] = make(cls)
    return found


def _no_hash(self: Any) -> int:
    raise TypeError(f"a tracked {type(self).__name__} has no hash: model.variables.whole(value) reads all of it")


def _no_copy(self: Any, protocol: Any) -> Any:
    raise TypeError(f"a tracked {type(self).__name__} is not copied: model.variables.plain(value) reads all of it")


def _read(recorder: Recorder, node: Node, offset: int) -> Any:
    """What stands for the part `node` where it is read."""
    if node.is_value:
        return recorder.value(node.slot, offset)
    return recorder.part(node, offset) if node.is_kept else node.always


def _tracked_record(cls: type[Any]) -> type[Any]:
    names = [field.name for field in fields(cls)]

    def getter(name: str) -> Any:
        def get(self: Any) -> Any:
            new = self._new
            if new is not None and name in new:
                return new[name]
            part = self._node.by_name[name]
            if part.is_value:
                return self._recorder.value(part.slot, self._offset)
            return self._recorder.part(part, self._offset) if part.is_kept else part.always

        return property(get)

    def evolved(record: Any, changes: dict[str, Any]) -> Any:
        made = object.__new__(type(record))
        new, node = record._new, record._node
        by_name = node.by_name
        for name in changes:
            if not by_name[name].is_kept:
                changes = {name: value for name, value in changes.items() if by_name[name].is_kept}
                break
        _fill(made, record._recorder, node, record._offset, changes if new is None else new | changes)
        return made

    def touched(record: Any, before: Any, names: tuple[str, ...]) -> bool:
        new, old = record._new or {}, before._new or {}
        return any(name in new and new[name] is not old.get(name) for name in names)

    def asked_in(record: Any, name: str, asks: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        slot = record._node.by_name[name].slot
        if slot < 0 or (record._new is not None and name in record._new):
            return asked_of(getattr(record, name), asks, *args)
        return record._recorder.answer(slot, record._offset, asks, args)

    def read_whole(record: Any) -> Any:
        return cls(*[whole(getattr(record, name)) for name in names])

    # Who calls the class of the record makes a plain one.
    namespace: dict[str, Any] = {name: getter(name) for name in names} | {
        "__slots__": ("_recorder", "_node", "_offset", "_new"),
        "__new__": lambda _, *args, **named: cls(*args, **named),
        "__eq__": lambda self, other: self is other or read_whole(self) == whole(other),
        "__ne__": lambda self, other: self is not other and read_whole(self) != whole(other),
        "__hash__": _no_hash,
        "__repr__": lambda self: repr(read_whole(self)),
        "__reduce_ex__": _no_copy,
        "asked_in": asked_in,
        "evolved": staticmethod(evolved),
        "touched": staticmethod(touched),
        "read_whole": read_whole,
    }
    return type(cls.__name__, (cls,), namespace)


class _Tracked:
    """What is no record. Whatever it is not taught better reads all of it."""

    __slots__ = ("_node", "_offset", "_recorder")

    # The plain value, of which all is read.
    read_whole: ClassVar[Callable[..., Any]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.read_whole(), name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_whole())

    def __len__(self) -> int:
        return len(self.read_whole())

    def __getitem__(self, at: Any) -> Any:
        return self.read_whole()[at]

    def __contains__(self, value: Any) -> bool:
        return value in self.read_whole()

    def __add__(self, other: Any) -> Any:
        return self.read_whole() + whole(other)

    def __radd__(self, other: Any) -> Any:
        return other + self.read_whole()

    def __eq__(self, other: object) -> bool:
        return self is other or bool(self.read_whole() == whole(other))

    __hash__ = _no_hash

    def __repr__(self) -> str:
        return repr(self.read_whole())

    __reduce_ex__ = _no_copy


class _TrackedVariable(_Tracked):
    """A variable of which less than all can be read.

    After a change, what is asked is asked of the value after the change, and that alone is read.
    """

    __slots__ = ("_changes",)

    def __init__(self, recorder: Recorder, node: Node, offset: int, changes: tuple[Change, ...]) -> None:
        self._recorder, self._node, self._offset, self._changes = recorder, node, offset, changes

    def read_whole(self) -> Any:
        value = self._recorder.value(self._node.slot, self._offset)
        for change, args in self._changes:
            value = change(value, *args)
        return value


def _after(value: Any, changes: tuple[Change, ...], question: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the question answers of the value after the changes."""
    for change, given in changes:
        value = change(value, *given)
    return question(value, *args)


def _tracked_variable(cls: type[Any]) -> type[Any]:
    def asked(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(self: Any, *args: Any) -> Any:
            question, given = (_after, (self._changes, method, args)) if self._changes else (method, args)
            return self._recorder.answer(self._node.slot, self._offset, question, given)

        return ask

    def changed(method: Callable[..., Any]) -> Callable[..., Any]:
        def change(self: Any, *args: Any) -> Any:
            return type(self)(self._recorder, self._node, self._offset, (*self._changes, (method, args)))

        return change

    namespace: dict[str, Any] = {"__slots__": ()}
    if not hasattr(cls, "__bool__") and not hasattr(cls, "__len__"):
        namespace["__bool__"] = lambda self: True
    for base in reversed(cls.__mro__):
        for name, method in vars(base).items():
            if getattr(method, "is_question", False):
                namespace[name] = asked(method)
            elif getattr(method, "is_change", False):
                namespace[name] = changed(method)
    return type(cls.__name__, (_TrackedVariable,), namespace)


class TrackedPlaces(_Tracked):
    """Places, each a variable of its own. How many there are, every state says alike."""

    __slots__ = ("_new",)

    def __init__(self, recorder: Recorder, node: Node, offset: int, new: dict[int, Any]) -> None:
        self._recorder, self._node, self._offset, self._new = recorder, node, offset, new

    def put(self, at: int, value: Any) -> "TrackedPlaces":
        at = range(len(self))[at]
        return TrackedPlaces(self._recorder, self._node, self._offset, self._new | {at: value})

    def read_whole(self) -> Any:
        return Places(map(whole, self))

    def __len__(self) -> int:
        return len(self._node.parts)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        if not 0 <= at < len(self._node.parts):
            at = range(len(self))[at]
        return self._new[at] if at in self._new else _read(self._recorder, self._node.parts[at], self._offset)

    def __iter__(self) -> Iterator[Any]:
        new, recorder, offset = self._new, self._recorder, self._offset
        for at, part in enumerate(self._node.parts):
            yield new[at] if at in new else _read(recorder, part, offset)

    def __contains__(self, value: object) -> bool:
        return any(each is value or each == value for each in self)
