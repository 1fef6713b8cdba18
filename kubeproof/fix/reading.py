"""Reads what comes from the process of a fix: plain values, and records of the model that are built here."""

import json
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any

import attrs

from kubeproof.fix.rule_results import Wrong, checks, field_hints, named, short
from kubeproof.fix.wire import SCALARS, NotSent, function_named, made_of, record_named

VALUES = 250_000  # of a message
# Of a set. A set of n members of one hash takes n² steps. The model's sets are of CPUs and of names.
MEMBERS = 1_000
SHORT = 2_048  # bytes of a message
NUMBERS = 1 << 16  # of a range: it is short on the way, and a rule's caller makes a set of it
_COLLECTIONS: dict[str, Callable[[Any], Any]] = {"list": list, "set": set, "frozenset": frozenset, "dict": dict}


def read(data: bytes, of_number: Callable[[str, Any], Any]) -> Any:
    """The value of a message. `of_number`: which function is meant by "given" or "rule" and a number or a name.

    Raises NotSent for all that `kubeproof.fix.wire.written` does not write.
    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") > VALUES:  # before memory is taken for them
        raise NotSent(f"more than {VALUES} values")
    try:
        return _SHORT(data) if len(data) <= SHORT else _LONG(data)
    except _HasNumber:
        return _built(json.loads(data), of_number)
    except NotSent:
        raise
    except Exception as error:  # not JSON, too deep, or what a constructor says
        raise NotSent(f"a value that cannot be read: {' '.join(str(error).split())[:200]}") from None


class _HasNumber(Exception):
    """A message in which a function stands by its number has another value in the next call."""


def _by_itself(data: bytes) -> Any:
    def of_number(kind: str, number: Any) -> Any:
        raise _HasNumber

    return _built(json.loads(data), of_number)


# Both processes of a fix send the same, and short messages come again.
_SHORT, _LONG = lru_cache(maxsize=4096)(_by_itself), lru_cache(maxsize=1)(_by_itself)


def _built(node: Any, of_number: Callable[[str, Any], Any]) -> Any:
    if type(node) is list:
        return tuple([each if type(each) in SCALARS else _built(each, of_number) for each in node])
    if type(node) in SCALARS:
        return node
    ((kind, parts),) = node.items()
    values = _built(parts, of_number)
    if "." in kind:
        return _record(kind, values)
    if kind in _COLLECTIONS:
        if len(values) > MEMBERS and kind != "list":
            raise NotSent(f"a {kind} of more than {MEMBERS} members")
        return _COLLECTIONS[kind](values)
    if kind == "range":
        start, stop, step = values
        numbers = range(start, stop, step)
        if numbers[NUMBERS:]:
            raise NotSent(f"a range of more than {NUMBERS} numbers")
        return numbers
    if kind in ("given", "rule"):
        (number,) = values
        return of_number(kind, number)
    if kind == "function":
        (name,) = values
        function = function_named(name)
        if function is None:
            raise NotSent(f"{name}, which is no function of the model")
        return function
    raise NotSent(f"a value of the kind {kind}")


def _record(name: str, values: tuple[Any, ...]) -> Any:
    """The record, the member of an enum or the variable of the model that has these values.

    Of equal ones it is one object, as in the model: what the process of a fix sends is kept, and much of it is equal.
    """
    try:
        hash(values)
    except TypeError:
        return _made(name, *values)
    return _known(name, *values)


def _made(name: str, *values: Any) -> Any:
    cls = record_named(name)
    if cls is None:
        raise NotSent(f"a value of the class {name}, which is no record of the model")
    if issubclass(cls, Enum):
        (value,) = values
        return cls(value)
    if not attrs.has(cls):
        return cls(values)
    fields = {}
    for (field, check), value in list(zip(_checks_of(cls), values, strict=True)):
        wrong = check(value)
        if wrong is not None:
            place = ".".join((field, *wrong.path))
            raise NotSent(f"{named(cls)} whose {place} is not {wrong.expected}: {short(wrong.found)}")
        fields[field] = value
    return cls(**fields)


# Typed: 1 is equal to True, and a channel to the tuple of its messages.
_known = lru_cache(maxsize=1 << 16, typed=True)(_made)


@lru_cache(maxsize=1024)
def _checks_of(cls: Any) -> list[tuple[str, Callable[[Any], Wrong | None]]]:
    """What the constructor of a record takes. The fields of a record inside were checked when that was built."""
    hints = field_hints(cls)
    return [(field, checks(hints.get(field, Any), deep=False)) for field in made_of(cls)]
