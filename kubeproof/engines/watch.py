"""Until when an engine may go on, and who is told of what it does."""

from collections.abc import Callable
from math import inf
from time import monotonic

from attrs import evolve, frozen

from kubeproof.engines.explicit import Counts


def nobody(_: str | Counts) -> None:
    """Hears what nobody wants to know."""


@frozen
class Watch:
    """The limit of time of an engine, and those who watch it."""

    # By the clock `monotonic`. An engine has limits of its own besides.
    until: float = inf
    # Told of what is looked at now, in words: "bound-once (5 of 14), runs of 7 actions".
    tell: Callable[[str], None] = nobody
    # Told of the counts from time to time, by the engine that counts.
    counted: Callable[[Counts], None] = nobody

    def left(self, usual: float = inf) -> float:
        """The seconds that are left, at most the `usual` ones."""
        return max(0.0, min(usual, self.until - monotonic()))

    def share(self, of: int) -> "Watch":
        """One of so many equal shares of the time that is left. What it does not take is left to the others."""
        return evolve(self, until=monotonic() + self.left() / of)

    def of(self, name: str) -> "Watch":
        """The same, with a name before whatever is told."""
        return evolve(self, tell=lambda text: self.tell(f"{name}: {text}"))
