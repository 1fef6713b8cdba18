"""The rules under which a recording is replayed: those of its release, some of them replaced where somebody asks so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from attrs import evolve, fields

from model import releases
from model.releases import Release

R = TypeVar("R")
Rule = Callable[..., Any]

# A rule, or the name of a field -> what takes its place.
Replaced = tuple[tuple[Rule | str, Rule], ...]
_replaced: ContextVar[Replaced] = ContextVar("replaced", default=())


# What was asked for before, as a file has thousands of cases.
_known: dict[tuple[type[Any], Release, Replaced], Any] = {}


def rules_for(rules_class: type[R], release: Release) -> R:
    """The rules of `release`, now; see `in_place_of`."""
    key = rules_class, release, _replaced.get()
    if key not in _known:
        _known[key] = _chosen(rules_class, release, _replaced.get())
    rules: R = _known[key]
    return rules


def _chosen(rules_class: type[Any], release: Release, replaced: Replaced) -> Any:
    rules: Any = releases.rules_for(rules_class, release)
    for old, new in replaced:
        found = [field.name for field in fields(rules_class) if old in (field.name, getattr(rules, field.name))]
        rules = evolve(rules, **dict.fromkeys(found, new))
    return rules


@contextmanager
def in_place_of(old: Rule | str, new: Rule) -> Iterator[None]:
    """Inside, recordings of releases that follow `old` are replayed with `new`.

    `old` may be the name of a field: then every release that has the field is replayed so. Blocks may be nested.
    """
    token = _replaced.set((*_replaced.get(), (old, new)))
    try:
        yield
    finally:
        _replaced.reset(token)
