"""What a bug is that no run of a system shows: the components' own functions show it, release by release.

The text is a file under bugs/; the code is a function in `kubeproof.bugs.demonstrations`.
"""

from collections.abc import Callable

from attrs import frozen

from model.releases import EVERY_MINOR, Release


@frozen
class Demonstration:
    """What a release's rules do."""

    # What is wrong with it, a few words each; empty when nothing is.
    shown: tuple[str, ...]
    # What happens, in order.
    lines: tuple[str, ...]

    @property
    def appears(self) -> bool:
        """Whether something is wrong in this release."""
        return bool(self.shown)


@frozen
class Demonstrator:
    """The code behind the text of a bug of components."""

    # Runs the components under the rules of a release.
    demonstrate: Callable[[Release], Demonstration]
    # The fields of Rules classes that it goes by: the evidence of its release table is theirs.
    rules: tuple[str, ...]
    # (what it is, the same under rules that no release has).
    variants: tuple[tuple[str, Callable[[], Demonstration]], ...] = ()
    # The minors of the release table.
    minors: range = EVERY_MINOR


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
    # As in `Demonstrator`.
    demonstrate: Callable[[Release], Demonstration]
    rules: tuple[str, ...]
    variants: tuple[tuple[str, Callable[[], Demonstration]], ...] = ()
    minors: range = EVERY_MINOR
    notes: tuple[str, ...] = ()
    searched: str = ""

    @property
    def folder(self) -> str:
        """The bug's folder under counterexamples/."""
        return self.id.lower()
