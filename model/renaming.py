"""Whether the steps of a machine commute with every renaming: then names that are renamed are interchangeable."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product
from math import factorial, prod
from typing import TypeVar

from model.go.errors import MetError, with_errors_met
from model.machine import Action

S = TypeVar("S")  # a state

# More is not tried, and the search goes on without symmetry. With as many steps the proof takes about the time that
# symmetry saves the search afterwards; what symmetry saves then is memory.
MOST_RENAMINGS, MOST_STEPS = 10_000, 2_000_000


def commutes(
    initial: S,
    actions: Callable[[S], Iterable[Action]],
    step: Callable[[S, Action], S],
    rename: Callable[[S, Mapping[str, str]], S],
    relabelled: Callable[[S], S],
    sorts: Mapping[str, tuple[str, ...]],
    looked_at: Collection[str],
    ahead: Callable[[Sequence[tuple[S, Action]]], object],
) -> bool:
    """Whether `step` leads from each renamed state to the renamed state, and meets the renamed errors.

    All states are asked that `actions` reach from `initial`. False too if this takes more than `MOST_STEPS` steps.

    `rename`: a state with other names. `relabelled`: the state of an orbit that stands for the orbit.
    `sorts`: the interchangeable names, by sort. `looked_at`: names of the actions of which this is not known; every
    argument of such an action is a name of `sorts`. `ahead` is told which steps are asked next; their actions have one
    name.
    """
    if prod(factorial(len(names)) for names in sorts.values()) > MOST_RENAMINGS:
        return False
    renamings = [*_renamings(sorts)]
    seen = {initial}
    left, steps = [initial], 0
    while left:
        state = left.pop()
        for action in actions(state):
            there: list[tuple[S, Action]] = []
            if action.name in looked_at:
                steps += len(renamings)
                if steps > MOST_STEPS:
                    return False
                there = [(rename(state, by), _renamed_action(action, by)) for by in renamings]
                ahead(there)
            after, met = with_errors_met(partial(step, state, action))
            found = {renamed: with_errors_met(partial(step, *renamed)) for renamed in dict.fromkeys(there)}
            for by, renamed in zip(renamings, there, strict=False):
                if found[renamed] != (rename(after, by), tuple(_renamed(error, by) for error in met)):
                    return False
            # Of each orbit one state is enough: that the others lead to the renamed states was just shown.
            reached = relabelled(after)
            if reached not in seen:
                seen.add(reached)
                left.append(reached)
    return True


def _renamings(sorts: Mapping[str, tuple[str, ...]]) -> Iterator[Mapping[str, str]]:
    for chosen in product(*(permutations(names) for names in sorts.values())):
        yield {
            old: new
            for names, others in zip(sorts.values(), chosen, strict=True)
            for old, new in zip(names, others, strict=True)
        }


def _renamed_action(action: Action, names: Mapping[str, str]) -> Action:
    return Action(action.name, tuple((key, names[str(value)]) for key, value in action.args))


def _renamed(error: MetError, names: Mapping[str, str]) -> MetError:
    """The error about the renamed thing, with the renamed names in its text."""
    text = re.sub(r"\b[a-z]\d+\b", lambda found: names.get(found[0], found[0]), error.text)
    return MetError(error.function, text, names.get(error.about, error.about))
