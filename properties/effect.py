"""What a change of rules does besides curing or breaking a property, action by action.

Each action in each state reached is taken under both choices of rules.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from attrs import define, fields, frozen, has

from model.machine import Action, Machine

# What was compared where rules were asked alone, and not in what a system reaches.
ALONE = "calls of rules alone"


@frozen
class Effect:
    """One answer that differs under the two choices of rules."""

    # What differs, in the words of Kubernetes.
    subject: str
    # How many of the compared answers differ, and how many were compared.
    changed: int
    total: int
    # One difference in words; None if nothing differs.
    example: str | None
    # What was compared, in the plural.
    of: str = "trees"


# What is compared of a state: the name of the subject, and what a state says of it.
Subject = tuple[str, Callable[[Any], str]]


@frozen
class Taken:
    """A step that is possible before and after a change of rules."""

    action: Action
    # Whether the states after the step are equal.
    alike: bool
    # The state before the step.
    state: Callable[[], Any]
    # The state after the step, before and after the change.
    old: Callable[[], Any]
    new: Callable[[], Any]
    # What a pure function says of the step under both: it is given a machine, the state before, and the action.
    said: Callable[[Callable[[Any, Any, Action], Any]], tuple[Any, Any]]


class Reached(Protocol):
    """A scope: the machines before and after a change of rules, and states that the first one reaches.

    The states are passed over once: as `states` or as `steps`.
    """

    @property
    def old(self) -> Machine[Any]: ...
    @property
    def new(self) -> Machine[Any]: ...
    @property
    def states(self) -> Iterable[Any]: ...
    @property
    def steps(self) -> Iterable[Taken]:
        """The steps from the states that are possible under both choices of rules."""
        ...


@define
class Tally:
    """The counts of one subject."""

    subject: str
    # In how many steps the subject differs, and in how many it was compared.
    changed: int = 0
    total: int = 0
    # The first difference.
    example: str | None = None

    def add(self, place: object, old: Any, new: Any) -> None:
        """`place`: where it was compared; what it prints is the beginning of the example."""
        self.total += 1
        if old != new:
            self.changed += 1
            self.example = self.example or f"{place}: {old} -> {new}"

    def effect(self, counted: str) -> Effect:
        """`counted`: what was compared, in the plural."""
        return Effect(self.subject, self.changed, self.total, self.example, counted)


def effects_of(subjects: Sequence[Subject], reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs."""
    tallies = [(Tally(name), said) for name, said in subjects]
    for scope in reached:
        for step in scope.steps:
            if step.alike:
                for tally, _ in tallies:
                    tally.total += 1
                continue
            old, new = step.old(), step.new()
            for tally, said in tallies:
                tally.add(step.action, said(old), said(new))
    return [tally.effect("steps") for tally, _ in tallies if tally.changed]


def differing(old: Any, new: Any, name: str = "state") -> Iterator[tuple[str, str, str]]:
    """(field, one value, other value) of the innermost records that differ: "Queue.active".

    Entries of two tuples are held against each other one by one, where both have as many.
    """
    if old == new:
        return
    if type(old) is type(new) and has(type(old)):
        for field in fields(type(old)):
            inner = f"{type(old).__name__}.{field.name}"
            yield from differing(getattr(old, field.name), getattr(new, field.name), inner)
    elif isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from differing(one, other, name)
    else:
        yield name, repr(old), repr(new)
