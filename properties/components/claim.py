"""A component claim: no run of a system is needed, since the claim speaks of the answers of functions."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from attrs import frozen

R = TypeVar("R", contravariant=True)
C = TypeVar("C")


@frozen
class ComponentClaim(Generic[R, C]):
    """What must hold in each case of a grid, under rules of the class R."""

    name: str
    # In one sentence.
    sentence: str
    # The cases, the smallest first.
    cases: Callable[[R], Iterable[C]]
    # What is wrong in a case; None: nothing.
    wrong: Callable[[R, C], str | None]
    # What the cases stand for, in words.
    inputs: Callable[[R], str]
    # Why a release has nothing to ask; None: it has.
    absent: Callable[[R], str | None] = lambda rules: None

    def broken_by(self, rules: R) -> Iterator[tuple[C, str]]:
        """The cases that break the claim, the smallest first, each with what is wrong."""
        for case in self.cases(rules):
            if (wrong := self.wrong(rules, case)) is not None:
                yield case, wrong

    def verdict(self, rules: R) -> str:
        """`holds: for which inputs`, `violated: what is wrong in the smallest case`, or `not-applicable: why`."""
        if (reason := self.absent(rules)) is not None:
            return f"not-applicable: {reason}"
        wrong = next((wrong for _, wrong in self.broken_by(rules)), None)
        return f"holds: {self.inputs(rules)}" if wrong is None else f"violated: {wrong}"
