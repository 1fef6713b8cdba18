"""What knows nothing of a machine but its actions and steps: what engines and renaming are held against."""

from collections import Counter
from itertools import permutations, product
from typing import Any, TypeVar

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
