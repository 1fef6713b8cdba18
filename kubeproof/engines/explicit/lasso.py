"""Liveness by fair-cycle search over an explored graph.

A run violates a property `□◇ goal` if the run is fair and the goal fails from some state on. Such a run is a cycle of
states where the goal fails. In this cycle each weakly fair action is taken, or is not enabled in some state. Where no
fair action is enabled, the run may stay in its state for ever: this is a cycle of one state.
"""

from collections.abc import Mapping, Sequence, Set
from functools import partial
from math import inf
from typing import Any

from attrs import frozen

from kubeproof.engines.explicit.search import Exploration
from kubeproof.verdict.trace import Trace, replay
from model.machine import Action
from properties.property import Liveness


@frozen
class Lasso:
    """A run to a state and then for ever round a cycle, by the numbers of states."""

    # The first and the last number are equal. A run that stays in one state for ever has this one number only.
    cycle: tuple[int, ...]


def where_goals_fail(run: Exploration, asked: Sequence[tuple[Liveness, str]]) -> list[tuple[list[int], int]]:
    """For each property and entity the numbers of the states where the goal fails, and how many meet the premise."""
    return [run.said((property, entity), partial(_said, property, entity)) for property, entity in asked]


def _said(property: Liveness, entity: str, state: Any) -> tuple[bool, bool]:
    return property.premise(state, entity), property.goal(state, entity)


def find_lasso(run: Exploration, property: Liveness, bad: Sequence[int]) -> Lasso | None:
    """The fair cycle with the shortest way to the cycle and round the cycle, or None if no such cycle was explored.

    `bad`: the numbers of the states where the goal fails, smallest first.
    """
    import networkx as nx  # it takes a while to load, and most commands do without

    graph: nx.DiGraph[int] = nx.DiGraph()
    labels: dict[tuple[int, int], set[str]] = {}
    disabled: dict[int, frozenset[str]] = {}
    in_bad = set(bad)
    for number in bad:
        successors = run.successors(number)
        enabled = {action.name for action, _ in successors}
        disabled[number] = property.fair - enabled
        for action, to in successors:
            if to in in_bad and (property.recurring is None or action.name in property.recurring):
                graph.add_edge(number, to)
                labels.setdefault((number, to), set()).add(action.name)
    # Numbers are in the order of depths, so the first number is the nearest state.
    ends = [number for number in bad if property.fair <= disabled[number]]
    best = Lasso((ends[0],)) if ends else None
    best_length = run.depth_of(ends[0]) if ends else 0
    for component in nx.strongly_connected_components(graph):
        if len(component) == 1 and not graph.has_edge(*component, *component):
            continue
        inside = {number: sorted(to for to in graph[number] if to in component) for number in component}
        taken = (labels[number, to] for number, following in inside.items() for to in following)
        if not property.fair <= set().union(*taken, *(disabled[number] for number in component)):
            continue
        for start in sorted(component, key=lambda number: (run.depth_of(number), number)):
            # Of a longer cycle nobody wants to know: most starts are far away, and would be searched for nothing.
            most = inf if best is None else best_length - run.depth_of(start) - 1
            if most < 1:
                break
            cycle = _fair_cycle(inside, labels, disabled, property.fair, start, most)
            assert cycle or best, "a fair strongly connected component has a fair cycle through each of its states"
            if cycle is not None:
                best, best_length = Lasso(cycle), run.depth_of(start) + len(cycle) - 1
    return best


def _fair_cycle(
    inside: Mapping[int, Sequence[int]],
    labels: Mapping[tuple[int, int], Set[str]],
    disabled: Mapping[int, frozenset[str]],
    fair: frozenset[str],
    start: int,
    most: float,
) -> tuple[int, ...] | None:
    """The shortest cycle through `start` in which every fair action is taken or disabled somewhere.

    A breadth-first search over pairs: a state, and the fair actions that were taken or disabled so far. None if the
    cycle has more than `most` steps. `inside`: a fair strongly connected component, which has such a cycle through each
    of its states.
    """
    first = (start, disabled[start])
    came: dict[tuple[int, frozenset[str]], tuple[int, frozenset[str]] | None] = {first: None}
    level, steps = [first], 0
    while level and steps < most:
        steps += 1
        following = []
        for number, served in level:
            for to in inside[number]:
                after = served | disabled[to] | (labels[number, to] & fair)
                if to == start and after >= fair:
                    path = [to, number]
                    at = came[number, served]
                    while at is not None:
                        path.append(at[0])
                        at = came[at]
                    return tuple(path[::-1])
                if (to, after) not in came:
                    came[to, after] = (number, served)
                    following.append((to, after))
        level = following
    return None


def concrete(run: Exploration, property: Liveness, lasso: Lasso) -> tuple[Trace, bool]:
    """The lasso as a run of the machine, and whether this run is as short as the stored one.

    Where the store keeps orbits, one round can end in a renamed state. Further rounds close the cycle.
    """
    machine = run.machine
    trace = run.trace_to(lasso.cycle[0])
    actions = list(trace.actions)
    state, seen = trace.last, [trace.last]
    rounds = 0
    while True:
        for to in lasso.cycle[1:]:
            action, state = _joining(run, property, state, to)
            actions.append(action)
        rounds += 1
        if state in seen:
            at = trace.length + seen.index(state) * (len(lasso.cycle) - 1)
            initial = machine.initial_states().index(trace.steps[0].state)
            return replay(machine, actions, initial=initial, loop=at), rounds == 1
        seen.append(state)


def _joining(run: Exploration, property: Liveness, state: object, to: int) -> tuple[Action, object]:
    """An action that leads on to `to`, a fair action if there is one: the search counted the fair action as taken."""
    found = [
        (action, after)
        for action in run.machine.actions(state)
        if property.recurring is None or action.name in property.recurring
        for after in [run.machine.step(state, action)]
        if run.number_of(after) == to
    ]
    return min(found, key=lambda pair: pair[0].name not in property.fair)
