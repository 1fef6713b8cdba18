"""Liveness by fair-cycle search over an explored graph.

A run violates a property `□◇ goal` if the run is fair and the goal fails from some state on. Such a run is a cycle of
states where the goal fails. In this cycle each weakly fair action is taken, or is not enabled in some state. Where no
fair action is enabled, the run may stay in its state for ever: this is a cycle of one state.
"""

from collections.abc import Mapping, Sequence
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
    # Of each step round the cycle the fair action that it takes, "" for any other action.
    taken: tuple[str, ...] = ()


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
        # One step takes one action, also where several lead to the same state.
        inside = {
            number: [
                (to, name)
                for to in sorted(graph[number])
                if to in component
                for name in sorted(labels[number, to] & property.fair) or ("",)
            ]
            for number in component
        }
        taken = {name for following in inside.values() for _, name in following}
        if not property.fair <= taken.union(*(disabled[number] for number in component)):
            continue
        for start in sorted(component, key=lambda number: (run.depth_of(number), number)):
            # Of a longer cycle nobody wants to know: most starts are far away, and would be searched for nothing.
            most = inf if best is None else best_length - run.depth_of(start) - 1
            if most < 1:
                break
            found = _fair_cycle(inside, disabled, property.fair, start, most)
            assert found or best, "a fair strongly connected component has a fair cycle through each of its states"
            if found is not None:
                best, best_length = found, run.depth_of(start) + len(found.taken)
    return best


def _fair_cycle(
    inside: Mapping[int, Sequence[tuple[int, str]]],
    disabled: Mapping[int, frozenset[str]],
    fair: frozenset[str],
    start: int,
    most: float,
) -> Lasso | None:
    """The shortest cycle through `start` in which every fair action is taken or disabled somewhere.

    A breadth-first search over pairs: a state, and the fair actions that were taken or disabled so far. None if the
    cycle has more than `most` steps. `inside`: a fair strongly connected component, which has such a cycle through each
    of its states.
    """
    first = (start, disabled[start])
    # Each pair with the one before it, and with the action in between.
    came: dict[tuple[int, frozenset[str]], tuple[tuple[int, frozenset[str]], str] | None] = {first: None}
    level, steps = [first], 0
    while level and steps < most:
        steps += 1
        following = []
        for number, served in level:
            for to, name in inside[number]:
                after = served | disabled[to] | ({name} & fair)
                if to == start and after >= fair:
                    path, names = [to, number], [name]
                    at = came[number, served]
                    while at is not None:
                        before, name = at
                        path.append(before[0])
                        names.append(name)
                        at = came[before]
                    return Lasso(tuple(path[::-1]), tuple(names[::-1]))
                if (to, after) not in came:
                    came[to, after] = (number, served), name
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
        for to, name in zip(lasso.cycle[1:], lasso.taken, strict=True):
            action, state = _joining(run, property, state, to, name)
            actions.append(action)
        rounds += 1
        if state in seen:
            at = trace.length + seen.index(state) * (len(lasso.cycle) - 1)
            initial = machine.initial_states().index(trace.steps[0].state)
            return replay(machine, actions, initial=initial, loop=at), rounds == 1
        seen.append(state)


def _joining(run: Exploration, property: Liveness, state: object, to: int, name: str) -> tuple[Action, object]:
    """An action of this name that leads on to `to`: the search counted this one as taken. "": any action."""
    found = [
        (action, after)
        for action in run.machine.actions(state)
        if property.recurring is None or action.name in property.recurring
        for after in [run.machine.step(state, action)]
        if run.number_of(after) == to
    ]
    return next(each for each in found if name in ("", each[0].name))
