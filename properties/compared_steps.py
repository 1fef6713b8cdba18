"""Effects of a change of rules, action by action: each action in each state reached is taken under both choices."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from attrs import define

from model.machine import Action, Machine
from properties.effect import Effect

# What is compared of a state: the name of the subject, and what a state says of it.
Subject = tuple[str, Callable[[Any], str]]


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


def effects_of(
    subjects: Sequence[Subject],
    machine_of: Callable[[Any, Any], Machine[Any]],
    before: Any,
    after: Any,
    reached: Iterable[tuple[Any, Iterable[Any]]],
) -> list[Effect]:
    """What differs in the transitions from the reached states of each scope. Only what differs.

    `machine_of`: (scope, rules) -> the system. `before`, `after`: the choices of rules. `reached`: (scope, states).
    """
    tallies = [(_Tally(name), said) for name, said in subjects]
    for scope, states in reached:
        machine, other = machine_of(scope, before), machine_of(scope, after)
        read_by = {
            name: attrgetter(*sorted(footprint.reads | other.footprints[name].reads))
            for name, footprint in machine.footprints.items()
        }
        # By action, and by what the action reads: whether both choices lead to the same state.
        alike: dict[tuple[Action, Any], bool] = {}
        for state in states:
            possible = set(other.actions(state))
            for action in machine.actions(state):
                if action not in possible:
                    continue
                key = action, read_by[action.name](state)
                same = alike.get(key)
                if not same:
                    old, new = machine.step(state, action), other.step(state, action)
                    same = alike[key] = old == new
                for tally, said in tallies:
                    if same:
                        tally.total += 1
                    else:
                        tally.add(action, said(old), said(new))
    return [Effect(t.subject, t.changed, t.total, t.example, "steps") for t, _ in tallies if t.changed]
