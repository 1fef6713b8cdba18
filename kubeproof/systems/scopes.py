"""The scopes of a system by what they are for, and what specs/manifest.json counts of the system."""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, frozen


@frozen(kw_only=True)
class Scopes:
    """Objects of the system's scope class, by purpose."""

    default: Any
    """`check` takes this scope. It shows the documented bugs."""
    fix: Any
    """The explicit engine takes this one when it judges a fix: large enough for a wrong fix to show."""
    fix_narrow: tuple[Any, ...] = ()
    """In these a fix is judged besides, and with them in the scope of each kept counterexample.

    They are for a system with several bugs, of which each hides what a fix breaks wherever the bug shows itself.
    """
    large: Any
    """Hypothesis takes this one. It is too large to exhaust."""
    report: Any | None = None
    """In this one the report checks each generation of releases, by the explicit engine alone.

    None: in the default one, by all engines. A system with many generations and rules has no time for that.
    """
    searched: tuple[str, ...]
    """The bounds whose smallest values are searched for a minimal counterexample, unless a bug gives them.

    The powers of the environment are part of what a bug says ("when a pod is deleted"), and too many to search.
    """
    least: Mapping[str, int] = Factory(dict)
    """Of the other bounds, those whose smallest value is not 0."""
    second_pass: tuple[Any, ...] = ()
    """In these the general properties alone must find the documented bugs again (kubeproof.bugs.second_pass).

    Each switches on a few powers of the environment, none of them for the sake of one bug.
    """
    told_apart: tuple[Any, ...] = ()
    """In these the report tells rules apart, where the kept counterexamples have too many scopes for that."""


@frozen(kw_only=True)
class Counted:
    """What the manifest counts. A choice of rules is one for each of `varied`, or a release that has them all."""

    varied: tuple[str, ...] = ()
    """Rule fields, every built-in rule of each with every other. Other fields differ in texts that no state keeps."""
    releases: tuple[str, ...] = ()
    """In place of `varied`, where rules belong together: the first of each generation that TLA+ tells apart."""
    uncounted: frozenset[str] = frozenset()
    """Releases of `releases` that differ from another one in one rule, and have that from a third: there is a .cfg."""
    small: tuple[Any, ...]
    """In these scopes every choice is counted."""
    large: tuple[tuple[Any, ...], ...]
    """(scope, names ...): the choice that has these names for `varied`, or these releases."""
