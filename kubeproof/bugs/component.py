"""What a bug is that no run of a system shows: the components' own functions show it, release by release."""

from collections.abc import Callable

from attrs import frozen

from model.releases import Release


@frozen
class Demonstration:
    """What a release's rules do. `shown`: what is wrong with it, a few words each; `lines`: what happens, in order."""

    shown: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def appears(self) -> bool:
        """Something is wrong."""
        return bool(self.shown)


@frozen
class ComponentBug:
    """A bug that is demonstrated on components of the model.

    `release`: one that shows it. `demonstrate` runs the components under the rules of a release; `rules` are the
    fields of Rules classes that it goes by. `variants`: (what it is, the same under rules that no release has).
    `fixes`, `notes` and the other texts are as in `kubeproof.bugs.bug.Bug`.
    """

    id: str
    title: str
    release: str
    consequence: str
    mechanism: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    mitigation: str
    demonstrate: Callable[[Release], Demonstration]
    rules: tuple[str, ...]
    variants: tuple[tuple[str, Callable[[], Demonstration]], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Its folder under counterexamples/."""
        return self.id.lower()
