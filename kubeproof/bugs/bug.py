"""What a bug of the catalogue is: where it comes from, and where to find the violation.

Each is a text file under bugs/; `kubeproof.bugs.load` reads them.
"""

from collections.abc import Collection

from attrs import frozen

from kubeproof.bugs.component import Demonstrator
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.releases import Release, known_release


@frozen
class Question:
    """A question that the bug's report asks, and the minimal run that answers it, in the bug's release."""

    asked: str
    # The property that the run violates.
    violates: str
    # Bounds of the scope, as in `Bug`.
    given: tuple[tuple[str, int], ...]
    # Why, in Markdown.
    answer: str


@frozen
class Bug:
    """A bug that a run of a system shows. The shortest run is kept under counterexamples/."""

    id: str
    # What a user sees, in one line.
    title: str
    # The name of the system that shows the bug.
    system: str
    # The release of the report. The kept run is one of this release.
    release: str
    # The property that the kept run violates.
    violates: str
    # All properties that the bug violates in its release: a fix must cure them all.
    properties: tuple[str, ...]
    # What a user loses, and why the bug exists; in Markdown.
    consequence: str
    mechanism: str
    # Addresses of upstream's issues and of upstream's changes.
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    # What helps until an upgrade.
    mitigation: str
    # Bounds of the scope that the bug needs. The smallest values of the bounds that are not given are searched for.
    given: tuple[tuple[str, int], ...] = ()
    # The given bounds that let the environment do what the bug takes. A violation without one of them is another bug.
    powers: tuple[str, ...] = ()
    # Powers each of which sets the same bug off in place of `powers`.
    other_powers: tuple[str, ...] = ()
    # The names of other systems whose runs show the bug too, with the same powers, and what they violate there.
    also_in: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Whether the release table also says after how many repetitions of the last action the violation is over.
    recovers: bool = False
    # Whether a violation that is over at some time is another bug.
    stays: bool = False
    # The first release that the release table asks. Older ones are left out, as the notes say why. "": all are asked.
    asked_from: str = ""
    # The ids of the bugs of which each hides this one in releases before `asked_from`, until it is cured.
    hidden_by: tuple[str, ...] = ()
    # The last release that the release table asks. In newer ones another bug breaks the property, as the notes say.
    # "": all are asked.
    asked_to: str = ""
    # What components show of the bug, and no run of the system.
    besides: Demonstrator | None = None
    # Findings, a paragraph each.
    notes: tuple[str, ...] = ()
    # The day on which nothing was found upstream, as 2026-11-22; "" where an issue or a pull request is known.
    searched: str = ""
    # The questions of the bug's report, each with a run of its own.
    questions: tuple[Question, ...] = ()

    def asks(self, release: Release) -> bool:
        """Whether the release table of the bug asks `release`."""
        early = self.asked_from and release.version < known_release(self.asked_from).version
        late = self.asked_to and release.version > known_release(self.asked_to).version
        return not (early or late)

    def names(self, property: str) -> bool:
        """Whether the bug's text says that the bug violates the property, or answers a question about that."""
        return property in self.properties or any(each.violates == property for each in self.questions)

    def names_in(self, system: System, property: str) -> bool:
        """Whether the bug's text says that a run of `system` that has the bug violates the property."""
        if self.system in system.has_bugs_of:
            return self.names(property)
        return property in dict(self.also_in).get(system.name, ())

    def takes(self, used: Collection[str]) -> bool:
        """Whether a run that uses these powers may show the bug."""
        return set(self.powers) <= set(used) or not set(self.other_powers).isdisjoint(used)

    @property
    def setups(self) -> tuple[str, ...]:
        """Which of `Scopes.setups` the bug needs, such as a second scheduler."""
        every = system_named(self.system).scopes.setups
        return tuple(name for name, value in self.given if value and name in every)

    @property
    def folder(self) -> str:
        """The bug's folder under counterexamples/."""
        return self.id.lower()


@frozen
class UnshownBug:
    """A documented bug in the modelled components that nothing here shows, and the reason."""

    id: str
    title: str
    # The system whose components have the bug.
    system: str
    consequence: str
    mechanism: str
    # Why neither a run of the system nor a component shows the bug.
    reason: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    mitigation: str
    notes: tuple[str, ...] = ()
    # As in `Bug`.
    searched: str = ""
