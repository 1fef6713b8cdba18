"""Effects of a change of rules, action by action: each action in each state reached is taken under both choices."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import define

from model.machine import Action, Machine
from properties.effect import Effect

# What is compared of a state: the name of the subject, and what a state says of it.
Subject = tuple[str, Callable[[Any], str]]
# Of a scope: the machine before a change of rules, the machine after the change, and states that the first one reaches.
Reached = tuple[Machine[Any], Machine[Any], Iterable[Any]]


@define
class _Tally:
    """The counts of one subject."""

    subject: str
    # In how many transitions the subject differs, and in how many it was compared.
    changed: int = 0
    total: int = 0
    # The first difference.
    example: str | None = None

    def add(self, action: Action, old: str, new: str) -> None:
        self.total += 1
        if old != new:
            self.changed += 1
            self.example = self.example or f"{action}: {old} -> {new}"


def effects_of(subjects: Sequence[Subject], reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the transitions from the reached states. Only what differs.

    `reached`: of each scope the machine before and after the change, and states.
    """
    tallies = [(_Tally(name), said) for name, said in subjects]
    for machine, other, states in reached:
        for state in states:
            possible = set(other.actions(state))
            for action in machine.actions(state):
                if action not in possible:
                    continue
                old, new = machine.step(state, action), other.step(state, action)
                same = old == new
                for tally, said in tallies:
                    if same:
                        tally.total += 1
                    else:
                        tally.add(action, said(old), said(new))
    return [Effect(t.subject, t.changed, t.total, t.example, "steps") for t, _ in tallies if t.changed]
