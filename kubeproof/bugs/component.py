"""What a bug is that no run of a system shows: the components' own functions show it, release by release.

The text is a file under bugs/; the code is a function in `kubeproof.bugs.demonstrations`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from attrs import Factory, evolve, fields, frozen

from model.releases import EVERY_MINOR, Release, has_rules, rules_for
from model.which_rule import Rule, noting

R = TypeVar("R")


@frozen
class Under:
    """The rules under which components are asked, and which of them were looked up."""

    release: Release
    # Field -> the rule that is in place of the release's.
    changed: Mapping[str, Rule] = Factory(dict)
    # The fields of the rules that were looked up so far.
    looked_up: set[str] = Factory(set)

    def rules(self, of: type[R]) -> R:
        """The rules of the class `of`. `looked_up` gets the field of each that is looked up."""
        own: Any = rules_for(of, self.release)
        changed = {field.name: self.changed[field.name] for field in fields(type(own)) if field.name in self.changed}
        noted: R = noting(evolve(own, **changed), self.looked_up.add)
        return noted

    def has(self, of: type[R]) -> bool:
        """Whether the release has what the class `of` tells of."""
        return has_rules(of, self.release)

    def but(self, **changed: Rule) -> "Under":
        """The same with other rules in these fields. What is looked up there counts here too."""
        return evolve(self, changed={**self.changed, **changed})


@frozen
class Demonstration:
    """What components do under some rules."""

    # What is wrong with it, a few words each; empty when nothing is.
    shown: tuple[str, ...]
    # What happens, in order.
    lines: tuple[str, ...]

    @property
    def appears(self) -> bool:
        """Whether something is wrong."""
        return bool(self.shown)


@frozen
class Variant:
    """Rules that no release has, under which a demonstration is asked too."""

    # What they are, in words.
    name: str
    under: Under
    # What the demonstration is given besides, by name.
    given: Mapping[str, Any] = Factory(dict)


@frozen
class Demonstrator:
    """The code behind the text of a bug of components."""

    ask: Callable[..., Demonstration]
    variants: tuple[Variant, ...] = ()
    # The minors of the release table.
    minors: range = EVERY_MINOR

    def demonstrate(self, release: Release) -> Demonstration:
        """Ask under the rules of a release."""
        return self.ask(Under(release))

    def looked_up(self, release: Release) -> tuple[str, ...]:
        """The fields of the rules that are looked up when a release is asked, by name."""
        under = Under(release)
        self.ask(under)
        return tuple(sorted(under.looked_up))

    def vary(self, variant: Variant) -> Demonstration:
        """Ask under the rules of a variant."""
        return self.ask(variant.under, **variant.given)


@frozen
class ComponentBug:
    """A bug that is demonstrated on components of the model. What is not described here is as in `Bug`."""

    id: str
    title: str
    # One that shows it.
    release: str
    consequence: str
    mechanism: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    mitigation: str
    shown_by: Demonstrator
    notes: tuple[str, ...] = ()
    searched: str = ""

    def demonstrate(self, release: Release) -> Demonstration:
        """As `Demonstrator` does. Tests that `kubeproof show --pytest` has printed call this."""
        return self.shown_by.demonstrate(release)

    @property
    def folder(self) -> str:
        """The bug's folder under counterexamples/."""
        return self.id.lower()
