"""What changed between two states: nested, old to new, and nothing that stayed."""

from collections.abc import Iterator
from typing import Any

from attrs import fields, has


def changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The leaves in which two states differ, as (dotted path, old, new).

    Records are compared field by field; tuples of records of one length entry by entry; all else as a whole.
    """
    if before == after:
        return
    if has(type(before)) and type(before) is type(after):
        for field in fields(type(before)):
            inner = f"{path}.{field.name}" if path else field.name
            yield from changes(getattr(before, field.name), getattr(after, field.name), inner)
    elif _records(before) and _records(after) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, f"{path}[{i}]")
    else:
        yield path, before, after


def _records(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(has(type(item)) for item in value)


def show(value: Any) -> str:
    """A value of a state as a reader sees it.

    >>> show(("n1", "n2"))
    '[n1, n2]'
    """
    if isinstance(value, tuple):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(show, sorted(value))) + "}"
    if has(type(value)):
        return "(" + ", ".join(f"{f.name}={show(getattr(value, f.name))}" for f in fields(type(value))) + ")"
    return str(value)
