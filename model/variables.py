"""What a state is made of besides plain values: channels, bags of processes, places and records kept field by field.

An engine remembers what a function did by what the function read of a state. It knows which field was read, and which
place. Of a channel or a bag it knows more: a method that is marked as a `question` reads its own answer and nothing
else of the variable, and one that is marked as a `change` says what becomes of the variable and reads nothing. So a
step that sends reads nothing of the channel, and the step of one goroutine does not read who else is under way.

>>> backlog = Channel(("a", "b"))
>>> backlog.head(), backlog.rest(), backlog.send("c")
('a', ('b',), ('a', 'b', 'c'))
>>> Bag.of(3, 1).start(2).less(3)
(1, 2)
>>> Places((None, None)).put(1, "p2")
(None, 'p2')
>>> Channel(("a", "b")).ask(tuple.count, "b")
1
>>> Entries().enter("b", 1).enter("a", 2).less("b")
(('a', 2),)

All are tuples, and equal to the tuples of the same values. Without an engine the methods just do what they say.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import is_, itemgetter
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from attrs import fields, has

T = TypeVar("T")
P = ParamSpec("P")
K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type[Any])

# In the metadata of a field of plain tuples: the variable as which an engine reads it, by `asked_of` and `became`.
READ_AS = "read as"
# How many texts of values are kept: far more than one exploration has.
REMEMBERED = 1 << 17


def question(method: F) -> F:
    """Marks a method of a variable: who calls it reads the answer, and nothing else of the variable.

    The arguments are hashable. The answer is hashable, and no variable.
    """
    method.is_question = True  # type: ignore[attr-defined]
    return method


def change(method: F) -> F:
    """Marks a method of a variable that answers the variable's next value. Who calls it reads nothing.

    The arguments are hashable.
    """
    method.is_change = True  # type: ignore[attr-defined]
    return method


def apart(cls: C) -> C:
    """Marks a record: in a state each of its fields is a variable of its own."""
    cls.is_apart = True
    return cls


def whole(value: T) -> T:
    """The plain value. All of it counts as read."""
    read = getattr(type(value), "read_whole", None)
    return value if read is None else read(value)


def asked_of(value: object, asks: Callable[..., T], *args: Any) -> T:
    """`asks(value, *args)`. Of a variable of a tracked state only the answer counts as read."""
    ask = getattr(value, "ask", None)
    return asks(value, *args) if ask is None else ask(asks, *args)


def asked_in(record: object, field: str, asks: Callable[..., T], *args: Any) -> T:
    """`asks(value, *args)` of the value of a field. Of a tracked state only the answer counts as read."""
    asked = getattr(type(record), "asked_in", None)
    return asks(getattr(record, field), *args) if asked is None else asked(record, field, asks, args)


def became(value: T, does: Callable[..., T], *args: Any) -> T:
    """`does(value, *args)`, the next value. Of a variable of a tracked state nothing counts as read."""
    become = getattr(value, "become", None)
    return does(value, *args) if become is None else become(does, *args)


def touched(record: object, before: object, *fields: str) -> bool:
    """Whether one of these fields is another object than in the record `before`, which `record` was made of.

    An engine's record knows which fields were assigned: asked so, it notes no read.
    """
    if record is before:
        return False
    asked = getattr(type(record), "touched", None)
    if asked is not None:
        return bool(asked(record, before, fields))
    return any(getattr(record, field) is not getattr(before, field) for field in fields)


def plain(value: Any) -> Any:
    """The value as it is, with no part of a tracked state in it: what leaves the model. All of it counts as read."""
    value = whole(value)
    if isinstance(value, tuple):
        kept = _plain(value)
        return value if all(map(is_, kept, value)) else type(value)(kept)
    if isinstance(value, frozenset):
        return frozenset(map(plain, value))
    kind: Any = type(value)
    names = _fields_with_slots(kind)
    if names:
        parts = [getattr(value, name) for name in names]
        kept = _plain(parts)
        return value if all(map(is_, kept, parts)) else kind(*kept)
    return value


def _plain(values: Iterable[Any]) -> list[Any]:
    return [each if type(each) in _WITHOUT_PARTS else plain(each) for each in values]


_WITHOUT_PARTS = frozenset((type(None), bool, int, float, str))


@lru_cache(maxsize=1024)
def _fields_with_slots(kind: type[Any]) -> tuple[str, ...]:
    """What a record is made of. A choice of rules, or what has one, is no part of a state: it has no slots."""
    return tuple(field.name for field in fields(kind) if field.init) if has(kind) and "__slots__" in vars(kind) else ()


class Variable:
    """A value of which less than all can be read or changed."""

    __slots__ = ()

    @question
    def ask(self, asked: Callable[Concatenate[Any, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`asked(self, *args)`: what a pure function says of the variable alone."""
        return asked(self, *args, **kwargs)

    @change
    def become(self, does: Callable[..., Any], /, *args: Any) -> Any:
        """`does(self, *args)`: what a pure function makes of the variable alone."""
        return does(self, *args)


class Channel(Variable, tuple[T, ...]):
    """Messages on their way, the oldest first."""

    __slots__ = ()

    @question
    def __bool__(self) -> bool:
        return len(self) > 0

    @question
    def head(self) -> T:
        """The oldest message. Raises IndexError if there is none."""
        return self[0]

    @change
    def rest(self) -> Self:
        """Without the oldest message."""
        return type(self)(self[1:])

    @change
    def send(self, message: T) -> Self:
        """With one more message."""
        return type(self)((*self, message))


class Bag(Variable, tuple[T, ...]):
    """Processes beside each other. Which of them began first is nothing that a state says: they are kept sorted."""

    __slots__ = ()

    @classmethod
    def of(cls, *processes: T) -> Self:
        """These processes."""
        return cls(sorted(processes, key=text))

    @question
    def __bool__(self) -> bool:
        return len(self) > 0

    @change
    def start(self, process: T) -> Self:
        """With one more process."""
        return self.of(*self, process)

    @change
    def less(self, process: T) -> Self:
        """Without one that is equal to `process`. Raises ValueError if there is none."""
        at = self.index(process)
        return type(self)((*self[:at], *self[at + 1 :]))


class Series(Variable, tuple[T, ...]):
    """Values in a fixed order."""

    __slots__ = ()

    @question
    def __bool__(self) -> bool:
        return len(self) > 0

    @change
    def turned(self, does: Callable[..., Iterable[T]], *args: Any) -> Self:
        """`does(self, *args)`: what a pure function makes of it."""
        return type(self)(does(self, *args))


class Entries(Variable, tuple[tuple[K, V], ...]):
    """A map: each key with its value, ascending. No key is there twice."""

    __slots__ = ()

    @question
    def get(self, key: K) -> V | None:
        """The value of the key, or None."""
        return next((value for each, value in self if each == key), None)

    @question
    def has(self, key: K, value: V) -> bool:
        """Whether the key has this value."""
        return self.get(key) == value

    @change
    def enter(self, key: K, value: V) -> Self:
        """With this value for the key."""
        return type(self)(sorted({**dict(self), key: value}.items(), key=itemgetter(0)))

    @change
    def less(self, key: K) -> Self:
        """Without the key."""
        return type(self)(item for item in self if item[0] != key)

    @change
    def without(self, value: V) -> Self:
        """Without the keys that have this value."""
        return type(self)(item for item in self if item[1] != value)


class Places(tuple[T, ...]):
    """One value for each of the things that a scope has, by the place of its name. Their number never changes.

    Each place is a variable of its own, and each field of a record there that is `apart`.
    """

    __slots__ = ()

    def put(self, at: int, value: T) -> "Places[T]":
        """With another value in place `at`, counted from 0."""
        return Places((*self[:at], value, *self[at + 1 :]))


@lru_cache(maxsize=REMEMBERED)
def text(value: object) -> str:
    """`repr(value)`, which gives values of any kind an order."""
    return repr(value)
