"""A search that knows nothing but a machine's actions and steps: what the engine's stores are held against."""

from typing import Any

from model.machine import Machine


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
