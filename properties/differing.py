"""Where two values differ: the fields of records, down to the innermost."""

from collections.abc import Iterator
from typing import Any

from attrs import fields, has


def differing(old: Any, new: Any, name: str = "state") -> Iterator[tuple[str, str, str]]:
    """(field, one value, other value) of the innermost records that differ: "Queue.active".

    Entries of two tuples are held against each other one by one, where both have as many.
    """
    if old == new:
        return
    if type(old) is type(new) and has(type(old)):
        for field in fields(type(old)):
            inner = f"{type(old).__name__}.{field.name}"
            yield from differing(getattr(old, field.name), getattr(new, field.name), inner)
    elif isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from differing(one, other, name)
    else:
        yield name, repr(old), repr(new)
