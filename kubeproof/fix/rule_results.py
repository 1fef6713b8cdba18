"""Checks that the rule of a fix returns what the original rule returns, by the annotations, in depth.

Knows the model's types only by their annotations, except for two promises of its results that no annotation holds: a
`Change` or an `Effect` stores what it changes, and a state has its entries in order.
"""

import inspect
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs
from attrs import evolve, frozen

from model.cpu.manager import Effect
from model.cpu.policy.types import Change
from model.cpu.state.state import CPUManagerState, sorted_assignments


@frozen
class Wrong:
    """A value of another kind than expected, inside the result of a rule."""

    expected: str
    found: Any
    # The fields that lead to the value.
    path: tuple[str, ...] = ()

    def under(self, field: str) -> "Wrong":
        return evolve(self, path=(field, *self.path))


def returned_by(rule: Callable[..., Any]) -> Any:
    """The annotation of what `rule` returns; Any if there is no annotation that can be read."""
    try:
        hint = inspect.signature(rule).return_annotation
    except ValueError:
        return Any
    if isinstance(hint, str):
        try:
            hint = get_type_hints(rule)["return"]
        except (NameError, KeyError):
            return Any
    return Any if hint is inspect.Signature.empty else hint


def wrong_shape(hint: Any, value: Any) -> Wrong | None:
    """What is wrong with `value` as a `hint`, the outermost place first; None if nothing is."""
    return checks(hint)(value)


def checks(hint: Any, *, deep: bool = True) -> Callable[[Any], Wrong | None]:
    """What says what is wrong with a value as a `hint`. `deep`: the fields of records are looked at too."""
    if hint is None:
        hint = type(None)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _checks_union(hint, deep)
    if origin is tuple:
        return _checks_tuple(hint, deep)
    if origin is frozenset:
        item = checks(get_args(hint)[0], deep=deep)
        return lambda value: Wrong(named(hint), value) if not _is_all(frozenset, item, value) else None
    if origin is Literal:
        among = {(type(each), each) for each in get_args(hint)}
        return lambda value: None if any((type(value), value) == each for each in among) else Wrong(named(hint), value)
    if hint is Any or not isinstance(hint, type):
        return lambda value: None  # a Callable, a Protocol: the first call tells

    def of_class(value: Any) -> Wrong | None:
        if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
            return Wrong(named(hint), value)
        for name, check in _checks_of_fields(hint) if deep else ():
            wrong = check(getattr(value, name))
            if wrong is not None:
                return wrong.under(name)
        return None

    return of_class


@lru_cache(maxsize=1024)
def _checks_of_fields(cls: type) -> tuple[tuple[str, Callable[[Any], Wrong | None]], ...]:
    return tuple((name, checks(hint)) for name, hint in field_hints(cls).items())


def _is_all(kind: Any, check: Callable[[Any], Wrong | None], value: Any) -> bool:
    return isinstance(value, kind) and not any(map(check, value))


def _checks_union(hint: Any, deep: bool) -> Callable[[Any], Wrong | None]:
    options = [(option, checks(option, deep=deep)) for option in get_args(hint)]

    def of_union(value: Any) -> Wrong | None:
        wrongs = [(option, check(value)) for option, check in options]
        if any(wrong is None for _, wrong in wrongs):
            return None
        inside = (wrong for option, wrong in wrongs if isinstance(option, type) and isinstance(value, option))
        return next(inside, None) or Wrong(named(hint), value)

    return of_union


def _checks_tuple(hint: Any, deep: bool) -> Callable[[Any], Wrong | None]:
    hints = get_args(hint)
    items = [checks(each, deep=deep) for each in hints if each is not Ellipsis]

    def of_tuple(value: Any) -> Wrong | None:
        if len(items) < len(hints):
            right = _is_all(tuple, items[0], value)
        else:
            right = isinstance(value, tuple) and len(value) == len(items)
            right = right and not any(check(each) for check, each in zip(items, value, strict=True))
        return None if right else Wrong(named(hint), value)

    return of_tuple


@lru_cache(maxsize=1024)
def field_hints(cls: type) -> dict[str, Any]:
    """The annotations of an attrs class's fields; none of other classes."""
    if not attrs.has(cls):
        return {}
    try:
        hints = get_type_hints(cls)
    except NameError:
        return {}
    return {field.name: hints.get(field.name, Any) for field in attrs.fields(cls)}


def named(hint: Any) -> str:
    """`hint` in words: "a Change", "a frozenset of int", "(a str or None, a NodeTree)"."""
    origin, items = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(named(item) for item in items)
    if origin is Literal:
        return " or ".join(map(repr, items))
    if origin is tuple:
        if items[1:] == (Ellipsis,):
            if get_origin(items[0]) is Literal:
                return f"a tuple of {named(items[0])}"
            return f"a tuple of {named(items[0]).partition(' ')[2] or named(items[0])}"
        return f"({', '.join(named(item) for item in items)})"
    if origin is frozenset:
        return f"a frozenset of {items[0].__name__}"
    if hint is None or hint is type(None):
        return "None"
    name = getattr(hint, "__name__", str(hint))
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"


def right_for_all_arguments(value: Any) -> bool:
    """Whether a value that was found right is right whatever the rule was given. Not if it makes a promise."""
    return not isinstance(value, Change | Effect)


def inconsistent(value: Any, args: tuple[Any, ...]) -> str | None:
    """What the `Change` or `Effect` that a rule made of `args` must be; None if it is so."""
    if not isinstance(value, Change | Effect):
        return None
    kind = named(type(value))
    for state in (value.state, *value.stores):
        if state.assignments != sorted_assignments(state.assignments):
            return f"{kind} whose states have their assignments in order (model.cpu.state.state.set_cpu_set keeps it)"
    given = next((arg for arg in args if isinstance(arg, CPUManagerState)), None)
    left = value.stores[-1] if value.stores else given
    if left is not None and left != value.state:
        return f"{kind} that stores what it changes: the last of its stores is its state"
    return None


def wrong_result(field: str, returns: Any, value: Any, args: tuple[Any, ...]) -> str | None:
    """What the rule `field`, annotated with `returns`, must return, and what it made of `args` instead."""
    own = OWN_WORDS.get(field)
    if own is not None and not own[1](value):
        return f"{own[0]}, but returned {short(value)}"
    wrong = wrong_shape(returns, value)
    if wrong is None:
        promise = inconsistent(value, args)
        return f"{promise}, but returned {short(value)}" if promise else None
    if not wrong.path:
        return f"{named(returns)}, but returned {short(value)}"
    place = ".".join(wrong.path)
    return f"{named(type(value))} whose {place} is {wrong.expected}, but it is {short(wrong.found)}"


def short(value: Any) -> str:
    """`value` on one line, for a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def difference(one: Any, other: Any) -> tuple[Any, Any]:
    """The smallest parts of two values in which all of their difference lies."""
    kind: Any = type(one)
    if kind is type(other) and attrs.has(kind):
        parts = [(getattr(one, name), getattr(other, name)) for name in field_hints(kind)]
    elif kind is type(other) is tuple and len(one) == len(other):
        parts = [*zip(one, other, strict=True)]
    else:
        return one, other
    differing = [each for each in parts if each[0] != each[1]]
    return difference(*differing[0]) if len(differing) == 1 else (one, other)


def _pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _is(value: Any, name: str) -> bool:
    return type(value).__name__ == name


# Rules whose parts have names of their own.
OWN_WORDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "list_nodes": (
        "(names, tree): a tuple of str and a NodeTree",
        lambda v: (
            _pair(v) and isinstance(v[0], tuple) and all(isinstance(n, str) for n in v[0]) and _is(v[1], "NodeTree")
        ),
    ),
    "add_node": ("a NodeTree", lambda v: _is(v, "NodeTree")),
    "remove_node": (
        "(error or None, NodeTree)",
        lambda v: _pair(v) and isinstance(v[0], str | None) and _is(v[1], "NodeTree"),
    ),
    "update_snapshot": (
        "(NodeTree, Snapshot)",
        lambda v: _pair(v) and _is(v[0], "NodeTree") and _is(v[1], "Snapshot"),
    ),
}
