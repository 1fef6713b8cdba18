"""The rules under which a recording is replayed: those of its release, one of them replaced where somebody asks so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from attrs import evolve, fields

from model import releases
from model.releases import Release

R = TypeVar("R")
Rule = Callable[..., Any]

_replaced: ContextVar[tuple[Rule, Rule] | None] = ContextVar("replaced", default=None)


# What was asked for before, as a file has thousands of cases.
_known: dict[tuple[type[Any], Release, tuple[Rule, Rule] | None], Any] = {}


def rules_for(rules_class: type[R], release: Release) -> R:
    """The rules of `release`, now; see `in_place_of`."""
    key = rules_class, release, _replaced.get()
    if key not in _known:
        _known[key] = _chosen(rules_class, release, _replaced.get())
    rules: R = _known[key]
    return rules


def _chosen(rules_class: type[Any], release: Release, pair: tuple[Rule, Rule] | None) -> Any:
    rules: Any = releases.rules_for(rules_class, release)
    if pair is None:
        return rules
    old, new = pair
    found = [field.name for field in fields(rules_class) if getattr(rules, field.name) is old]
    return evolve(rules, **dict.fromkeys(found, new))


@contextmanager
def in_place_of(old: Rule, new: Rule) -> Iterator[None]:
    """Inside, recordings of releases that follow `old` are replayed with `new`."""
    token = _replaced.set((old, new))
    try:
        yield
    finally:
        _replaced.reset(token)
