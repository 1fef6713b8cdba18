"""What knows nothing of a machine but its actions and steps: what engines, renaming and footprints are held against."""

from collections import Counter
from collections.abc import Callable
from itertools import permutations, product
from typing import Any, TypeVar

from attrs import fields

from model.machine import Machine

S = TypeVar("S")


def reachable(machine: Machine[S], choices: list[int]) -> S:
    """The state after a run: each number chooses one of the enabled actions. The run ends where there is none."""
    state = machine.initial_states()[0]
    for choice in choices:
        enabled = list(machine.actions(state))
        if not enabled:
            break
        state = machine.step(state, enabled[choice % len(enabled)])
    return state


def renamings(machine: Machine[Any]) -> list[dict[str, str]]:
    """Every permutation of the names within each sort."""
    plain = [name for names in machine.sorts.values() for name in names]
    return [
        dict(zip(plain, (name for names in chosen for name in names), strict=True))
        for chosen in product(*(permutations(names) for names in machine.sorts.values()))
    ]


def successors(machine: Machine[S], state: S) -> Counter[tuple[str, S]]:
    """What each action leads to, up to renaming."""
    return Counter((action.name, machine.canonical(machine.step(state, action))) for action in machine.actions(state))


def _always(state: object) -> bool:
    return True


def footprints_hold(machine: Machine[Any], first: Any, second: Any, possible: Callable[[Any], bool] = _always) -> None:
    """Two states that agree on what an action reads enable the same instances of the action, with the same effect.

    The other state has the fields of `first` that the action reads, and those of `second` besides. No run may lead
    there. `possible` says of a state whether it has the form of those to which runs lead; others are left out.
    """
    every = [field.name for field in fields(type(first))]
    for name, footprint in machine.footprints.items():
        mixed = type(first)(**{field: getattr(first if field in footprint.reads else second, field) for field in every})
        if not possible(mixed):
            continue
        instances = [action for action in machine.actions(first) if action.name == name]
        assert instances == [action for action in machine.actions(mixed) if action.name == name]
        for action in instances:
            here, there = machine.step(first, action), machine.step(mixed, action)
            for field in every:
                left = here if field in footprint.writes else mixed
                assert getattr(there, field) == getattr(left, field), (action, field)


def plain_counts(machine: Machine[Any]) -> tuple[int, int, int]:
    """(states, transitions, depth) of all that `machine` reaches."""
    seen = set(machine.initial_states())
    frontier, generated, depth = list(seen), len(seen), 0
    while frontier:
        following = []
        for state in frontier:
            for action in machine.actions(state):
                generated += 1
                after = machine.step(state, action)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        depth += bool(following)
        frontier = following
    return len(seen), generated, depth
