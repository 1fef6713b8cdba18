"""What knows nothing of a machine but its actions and steps: what engines and renaming are held against."""

from collections import Counter, deque
from collections.abc import Callable
from itertools import permutations, product
from typing import Any, TypeVar

from attrs import Factory, define

from model.machine import Action, Machine

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


@define
class Plain:
    """What a search finds that remembers nothing but the states that it has seen."""

    # Each state, or representative of an orbit, in the order in which it was found, with the length of a shortest run.
    depths: dict[Any, int] = Factory(dict)
    # Every step: the state before, the action, the state after as the machine gives it.
    steps: list[tuple[Any, Action, Any]] = Factory(list)
    initial: int = 0
    # Whether there are no other states.
    complete: bool = True

    @property
    def counts(self) -> tuple[int, int, int]:
        """(states, transitions, depth)"""
        return len(self.depths), self.initial + len(self.steps), max(self.depths.values())

    @property
    def fired(self) -> Counter[str]:
        """How often each action was taken, by name."""
        return Counter(action.name for _, action, _ in self.steps)


def plain_search(machine: Machine[Any], *, symmetry: bool = False, most: int | None = None) -> Plain:
    """All that `machine` reaches, by a set and a queue. It gives up when there are more than `most` states."""

    def kept(state: Any) -> Any:
        return machine.canonical(state) if symmetry and machine.symmetric else state

    found = Plain()
    for state in machine.initial_states():
        found.initial += 1
        found.depths.setdefault(kept(state), 0)
    waiting = deque(found.depths)
    while waiting:
        if most is not None and len(found.depths) > most:
            found.complete = False
            break
        state = waiting.popleft()
        enabled = list(machine.actions(state))
        for action, after in [(action, machine.step(state, action)) for action in enabled]:
            found.steps.append((state, action, after))
            to = kept(after)
            if to not in found.depths:
                found.depths[to] = found.depths[state] + 1
                waiting.append(to)
    return found


def plain_counts(machine: Machine[Any], *, symmetry: bool = False) -> tuple[int, int, int]:
    """(states, transitions, depth) of all that `machine` reaches."""
    return plain_search(machine, symmetry=symmetry).counts


def leaves_alone_what_is_normal(machine: Any, normal: Callable[..., Any], state: Any) -> None:
    """What an action leaves alone is in normal form: brought to normal form with all the rest, it stays as it is."""
    for action in machine.actions(state):
        bare = machine.bare_step(state, action)
        assert normal(machine.setup, bare, state) == normal(machine.setup, bare)
