"""Whether names that a machine of a reader calls interchangeable are: its first states with two names exchanged.

This is no proof. It finds what is usually wrong: an order of names that matters, or a name within another text.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from kubeproof.errors import RuleError
from kubeproof.own.machine import renamed
from model.machine import Action, Machine
from properties.property import Invariant, Liveness, Property, StepInvariant

LOOKED_AT = 300  # states


def told_apart(machine: Machine[Any], properties: Sequence[Property]) -> str:
    """What tells two names of a sort apart in one of the first states, in words; "" if nothing was found.

    Of a step that raises nothing is said: the search tells the run that leads there.
    """
    try:
        return _told_apart(machine, properties)
    except RuleError:
        return ""


def _told_apart(machine: Machine[Any], properties: Sequence[Property]) -> str:
    swaps = [{a: b, b: a} for names in machine.sorts.values() for a, b in pairwise(names)]
    states = dict.fromkeys(machine.initial_states())
    waiting = deque(states)
    while waiting:
        state = waiting.popleft()
        for names in swaps:
            wrong = _told_apart_in(machine, properties, state, names)
            if wrong:
                return f"{' and '.join(sorted(names))} are not interchangeable: {wrong}"
        for action in islice(machine.actions(state), LOOKED_AT):
            after = machine.step(state, action)
            if after not in states and len(states) < LOOKED_AT:
                states[after] = None
                waiting.append(after)
    return ""


def _told_apart_in(machine: Machine[Any], properties: Sequence[Property], state: Any, names: Mapping[str, str]) -> str:
    other = machine.rename(state, names)
    if state in machine.initial_states() and other not in machine.initial_states():
        return f"a run may begin in {state}, and not in {other}"
    there = set(machine.actions(other))
    for action in machine.actions(state):
        also: Action = renamed(action, names)
        if also not in there:
            return f"{action} is enabled in {state}, and {also} is not enabled in {other}"
        after, there_after = machine.step(state, action), machine.step(other, also)
        if machine.rename(after, names) != there_after:
            return f"{action} in {state}, and {also} in {other}, lead to states that differ in more than these names"
        for p in properties:
            if (
                isinstance(p, StepInvariant)
                and action.name in p.actions
                and p.holds(state, action, after) != p.holds(other, also, there_after)
            ):
                return f"{p.name} holds of one of {action} in {state} and {also} in {other} only"
    for p in properties:
        if isinstance(p, Invariant) and p.holds(state) != p.holds(other):
            return f"{p.name} holds in one of {state} and {other} only"
        if isinstance(p, Liveness):
            for name in p.entities(machine.sorts):
                if p.goal(state, name) != p.goal(other, renamed(name, names)):
                    return (
                        f"{p.name} is so for {name} in {state}, or for {renamed(name, names)} in {other}, and not both"
                    )
    return ""
