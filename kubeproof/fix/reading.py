"""Reads what comes from the process of a fix: plain values, and records of the model that are built here."""

import json
from collections.abc import Callable
from enum import Enum
from typing import Any

import attrs

from kubeproof.fix.rule_results import field_hints, named, short, wrong_shape
from kubeproof.fix.wire import SCALARS, NotSent, function_named, made_of, record_named

VALUES = 250_000  # of a message
# Of a set. A set of n members of one hash takes n² steps. The model's sets are of CPUs and of names.
MEMBERS = 1_000
NUMBERS = 1 << 16  # of a range: it is short on the way, and a rule's caller makes a set of it
_COLLECTIONS: dict[str, Callable[[Any], Any]] = {"list": list, "set": set, "frozenset": frozenset, "dict": dict}


def read(data: bytes, of_number: Callable[[str, Any], Any]) -> Any:
    """The value of a message. `of_number`: which function is meant by "given" or "rule" and a number or a name.

    Raises NotSent for all that `kubeproof.fix.wire.written` does not write.
    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") > VALUES:  # before memory is taken for them
        raise NotSent(f"more than {VALUES} values")
    try:
        return _built(json.loads(data), of_number)
    except NotSent:
        raise
    except Exception as error:  # not JSON, too deep, or what a constructor says
        raise NotSent(f"a value that cannot be read: {' '.join(str(error).split())[:200]}") from None


def _built(node: Any, of_number: Callable[[str, Any], Any]) -> Any:
    if type(node) in SCALARS:
        return node
    if type(node) is list:
        return tuple([_built(each, of_number) for each in node])
    ((kind, parts),) = node.items()
    values = list(_built(parts, of_number))
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
    return _record(kind, values)


def _record(name: str, values: list[Any]) -> Any:
    """The record, the member of an enum or the variable of the model that has these values."""
    cls = record_named(name)
    if cls is None:
        raise NotSent(f"a value of the class {name}, which is no record of the model")
    if issubclass(cls, Enum):
        (value,) = values
        return cls(value)
    if not attrs.has(cls):
        return cls(values)
    fields = dict(zip(made_of(cls), values, strict=True))
    for field, hint in field_hints(cls).items():
        # The fields of a record inside were checked when that record was built.
        wrong = wrong_shape(hint, fields[field], deep=False) if field in fields else None
        if wrong is not None:
            place = ".".join((field, *wrong.path))
            raise NotSent(f"{named(cls)} whose {place} is not {wrong.expected}: {short(wrong.found)}")
    return cls(**fields)
