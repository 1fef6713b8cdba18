"""Effects of a fix on errors: what Go returns or logs as an error with the fix, and never without."""

import re

from attrs import Factory, define

from model.go.errors import MetError, MetErrors
from model.machine import Action
from properties.effect import Effect


def kind_of(error: MetError) -> str:
    """The error without the numbers in its text, so that two pods with the same error have the same kind."""
    return re.sub(r"\d+", "N", str(error))


@define
class NewErrors:
    """The errors of the transitions from states that a search without the fix reached."""

    # By kind: how many transitions met such an error.
    before: dict[str, int] = Factory(dict)
    after: dict[str, int] = Factory(dict)
    # By kind: the first action that met such an error with the fix, and the error.
    examples: dict[str, str] = Factory(dict)
    # How many transitions were looked at.
    total: int = 0

    def count(self, action: Action, before: MetErrors, after: MetErrors) -> None:
        """A transition: the errors that it meets under the rules before, and after."""
        self.total += 1
        for error in before:
            self._count(self.before, error)
        for error in after:
            self.examples.setdefault(kind_of(error), f"{action}: {error}")
            self._count(self.after, error)

    def _count(self, counts: dict[str, int], error: MetError) -> None:
        kind = kind_of(error)
        counts[kind] = counts.get(kind, 0) + 1

    def effects(self) -> list[Effect]:
        """One effect for each kind of error that the release never met in these transitions."""
        return [
            Effect(f"a new error of {kind.partition(': ')[0]}", times, self.total, self.examples[kind], "steps")
            for kind, times in self.after.items()
            if kind not in self.before
        ]
