"""`evolve(record, field=value)` as attrs has it, but made for exploring: it is called for every successor."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

from attrs import fields

T = TypeVar("T")

# Of a class: the place of each field, and what reads all fields at once.
_FIELDS: dict[type[Any], tuple[dict[str, int], Callable[[Any], tuple[Any, ...]]]] = {}


def evolve(record: T, /, **changes: Any) -> T:
    """A copy of an attrs record of plain fields with `changes` in it.

    About ten times as fast as attrs.evolve, which looks up aliases and arguments of every field each time.
    Raises KeyError for a name that is no field.
    """
    cls = type(record)
    if cls not in _FIELDS:
        _FIELDS[cls] = _fields_of(cls)
    places, all_of = _FIELDS[cls]
    values = list(all_of(record))
    for name, value in changes.items():
        values[places[name]] = value
    return cls(*values)


def _fields_of(cls: type[Any]) -> tuple[dict[str, int], Callable[[Any], tuple[Any, ...]]]:
    names = [field.name for field in fields(cls)]
    places = {name: at for at, name in enumerate(names)}
    # Of one name alone attrgetter answers the value, and no tuple.
    return places, attrgetter(*names) if len(names) > 1 else lambda record: tuple(getattr(record, n) for n in names)
