"""A run, drawn: the data of the viewer (web/viewer.mjs), as JSON.

What the actions did is not in it: the list beside the viewer says that (told.py). A state has what is not as in the
state before, so that a page of many runs stays small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict

from kubeproof.systems.picture import Picture
from kubeproof.systems.system import System
from kubeproof.verdict.trace import Trace
from kubeproof.verdict.violation import violation
from model.machine import Action, Machine
from model.releases import Release
from properties.property import Invariant, Property, StepInvariant

# A property in a state: it holds, it is violated, it says nothing of this state.
HOLDS, VIOLATED, SILENT = "h", "v", "-"

_Facts = Mapping[str, Any]


def drawn_system(system: System) -> dict[str, Any]:
    """What all runs of the system have in common: its panels, and the sentence of each property."""
    return {
        "panels": [{"kind": type(panel).__name__, **asdict(panel)} for panel in system.picture.panels],
        "properties": [[each.name, each.sentence] for each in system.properties],
    }


def drawn_run(system: System, release: Release, machine: Machine[Any], violates: str, trace: Trace) -> dict[str, Any]:
    """The run of `machine`, at whose end the property `violates` fails.

    `lanes`: the lanes that the run has, in order. `actions`: of each its text, the lane of whoever acts, and the lanes
    of what it changes, by number. `facts`: of each state what is not as before, null for what is gone. `drawn`: the
    same of what is no fact. `properties`: those that say something of a state, first the one that the run violates; by
    number in the system, with a letter for each state, and why it is violated. `loop`: the state to which a lasso
    returns, or null.
    """
    picture = system.picture
    facts = [system.facts(step.state) for step in trace.steps]
    acted = [_acted(picture, release, system, *each) for each in _transitions(trace, facts)]
    lanes = _in_order({lane for actor, changed in acted for lane in (actor, *changed)}, picture.lanes)
    return {
        "lanes": lanes,
        "actions": [
            {"text": action_text(action), "by": lanes.index(actor), "to": sorted(lanes.index(lane) for lane in changed)}
            for action, (actor, changed) in zip(trace.actions, acted, strict=True)
        ],
        "facts": list(_differences(facts)),
        "drawn": list(_differences([picture.drawn(step.state) for step in trace.steps])),
        "properties": list(_properties(system, machine, violates, trace)),
        "loop": trace.loop,
    }


def _transitions(trace: Trace, facts: Sequence[_Facts]) -> Iterator[tuple[Any, Action, _Facts, _Facts]]:
    """The state before each action, the action, and the facts before and after."""
    for number, action in enumerate(trace.actions):
        yield trace.steps[number].state, action, facts[number], facts[number + 1]


def _acted(
    picture: Picture, release: Release, system: System, before: Any, action: Action, old: _Facts, new: _Facts
) -> tuple[str, set[str]]:
    """The lane of whoever acts, and the lanes of what is not as before."""
    actor = picture.actor(before, action, system.place(action.name, release))
    changed = {picture.owner(subject) for subject in {**old, **new} if old.get(subject) != new.get(subject)}
    return actor, changed - {"", actor}


def _in_order(lanes: Iterable[str], order: Sequence[str]) -> list[str]:
    """
    >>> _in_order({"binding of p2", "binding of p1", "queue"}, ("queue", "binding of"))
    ['queue', 'binding of p1', 'binding of p2']
    """

    def place(lane: str) -> tuple[int, str]:
        exact = order.index(lane) if lane in order else len(order)
        begins = (number for number, text in enumerate(order) if lane.startswith(f"{text} "))
        return min(exact, next(begins, exact)), lane

    return sorted(lanes, key=place)


def action_text(action: Action) -> str:
    """The action in a diagram: `pop p1`."""
    return " ".join([action.name, *(str(value) for _, value in action.args)])


def _differences(states: Sequence[_Facts]) -> Iterator[dict[str, Any]]:
    """Of each state what is not as in the one before."""
    old: _Facts = {}
    for new in states:
        gone = {subject: None for subject in old if subject not in new}
        yield {**{subject: fact for subject, fact in new.items() if old.get(subject) != fact}, **gone}
        old = new


def _properties(system: System, machine: Machine[Any], violates: str, trace: Trace) -> Iterator[list[Any]]:
    """Each property that says something: its number, a letter for each state, and what is wrong in which state."""
    for number, each in sorted(enumerate(system.properties), key=lambda pair: pair[1].name != violates):
        judged = list(_judged(machine, each, trace))
        letters = "".join(letter for letter, _ in judged)
        if letters.strip(SILENT):
            yield [number, letters, {at: text for at, (_, text) in enumerate(judged) if text}]


def _judged(machine: Machine[Any], property: Property, trace: Trace) -> Iterator[tuple[str, str]]:
    """A letter for each state, and what is wrong. What a transition violates counts for the state after it."""
    asked = property.of(machine)
    if isinstance(asked, Invariant):
        for step in trace.steps:
            yield _letter(asked.holds, asked.premise, asked.explain, step.state)
    elif isinstance(asked, StepInvariant):
        yield SILENT, ""
        for before, after in zip(trace.steps, trace.steps[1:], strict=False):
            assert after.action is not None
            if after.action.name in asked.actions:
                yield _letter(asked.holds, asked.premise, asked.explain, before.state, after.action, after.state)
            else:
                yield SILENT, ""
    else:
        # A lasso violates it as a whole.
        wrong = violation(machine, property, trace)
        for number in range(len(trace.steps)):
            in_loop = wrong and trace.loop is not None and number >= trace.loop
            yield (VIOLATED, wrong or "") if in_loop else (SILENT, "")


def _letter(
    holds: Callable[..., bool], premise: Callable[..., bool], explain: Callable[..., str], *of: Any
) -> tuple[str, str]:
    if not holds(*of):
        return VIOLATED, explain(*of)
    return HOLDS if premise(*of) else SILENT, ""
