"""Effects of a fix that no subject of a system names: what a step leaves otherwise in any field of the state."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from attrs import Factory, define, fields, has

from model.machine import Machine
from properties.effect import Effect


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
        for one, other in zip_longest(old, new):
            yield from differing(one, other, name)
    else:
        yield name, repr(old), repr(new)


@define
class OtherStates:
    """Transitions from given states under two choices of rules, of which no reduction tells one from the other."""

    old: Machine[Any]
    new: Machine[Any]
    # By subject: how many steps differ in it, and the first of them.
    changed: dict[str, tuple[int, str]] = Factory(dict)
    total: int = 0

    def compare(self, states: Iterable[Any]) -> None:
        """Take every action from each of `states` under both. Raises RuleError."""
        for state in states:
            possible = set(self.new.actions(state))
            for action in self.old.actions(state):
                self.total += 1
                if action not in possible:
                    self._count("which actions are possible", f"{action} is not")
                    continue
                found = differing(self.old.step(state, action), self.new.step(state, action))
                for field, (one, other) in {field: values for field, *values in found}.items():
                    self._count(f"what a step leaves in {field}", f"{action}: {_short(one)} -> {_short(other)}")

    def _count(self, subject: str, example: str) -> None:
        times, first = self.changed.get(subject, (0, example))
        self.changed[subject] = times + 1, first

    def effects(self) -> list[Effect]:
        """One effect for each field."""
        return [Effect(subject, n, self.total, example, "steps") for subject, (n, example) in self.changed.items()]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
