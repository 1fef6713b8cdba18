"""What changed between two states: nested, old to new, and nothing that stayed."""

from collections.abc import Iterator
from typing import Any

from attrs import fields, has

from kubeproof.systems.records import WHOLE, WORDS


def changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The leaves in which two states differ, as (dotted path, old, new).

    Records are compared field by field; tuples of records of one length entry by entry; all else as a whole.
    """
    if before == after:
        return
    if has(type(before)) and type(before) is type(after) and type(before) not in WHOLE:
        for field in fields(type(before)):
            inner = f"{path}.{field.name}" if path else field.name
            yield from changes(getattr(before, field.name), getattr(after, field.name), inner)
    elif _records(before) and _records(after) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, f"{path}[{i}]")
    else:
        yield path, before, after


def _records(value: Any) -> bool:
    """Whether it has a record in each place, or None where there is none."""
    return isinstance(value, tuple) and bool(value) and all(item is None or has(type(item)) for item in value)


def show(value: Any) -> str:
    """A value of a state as a reader sees it.

    >>> show(("n1", "n2"))
    '[n1, n2]'
    >>> from model.objects import Pod
    >>> show((Pod("p1", "p1#1", node_name="n2"),))
    '[p1#1 (on n2)]'
    """
    if isinstance(value, tuple):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(show, sorted(value))) + "}"
    if type(value) in WORDS:
        return WORDS[type(value)](value)
    if has(type(value)):
        every = fields(type(value))
        told = [f for f in every if getattr(value, f.name) != f.default] or every
        return "(" + ", ".join(f"{f.name}={show(getattr(value, f.name))}" for f in told) + ")"
    return '""' if value == "" else str(value)


def change_text(old: Any, new: Any) -> str:
    """`old -> new`; of a list that lost its beginning, only where it goes on.

    >>> change_text(("bind", "finish", "forget"), ("finish", "forget"))
    '[bind, finish, forget] -> [finish, …]'
    """
    if isinstance(old, tuple) and isinstance(new, tuple) and 1 < len(new) < len(old) and old[-len(new) :] == new:
        return f"{show(old)} -> [{show(new[0])}, …]"
    return f"{show(old)} -> {show(new)}"
