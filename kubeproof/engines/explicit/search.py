"""Breadth-first exploration: every state of a scope, each by a shortest run, with counts and limits."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import psutil
from attrs import Factory, define, frozen

from kubeproof.engines.explicit.shared import Sharing
from kubeproof.engines.explicit.shared_stores import SharedComponentStore, SharedOrbitStore
from kubeproof.engines.explicit.stores import ComponentStore, OrbitStore, Store
from kubeproof.errors import RuleError
from kubeproof.verdict.trace import Step, Trace, replay
from model.machine import Action, Machine

_LOOK_EVERY = 0.1  # seconds between two looks at memory, time and progress


@frozen
class Limits:
    """Where an exploration gives up."""

    # Distinct states.
    states: int = 20_000_000
    # MiB of memory of this process.
    memory: int = 8_000
    seconds: float = 3_600.0


@define
class Counts:
    """The counts of an exploration. TLC counts the same."""

    # How many distinct states were found.
    distinct: int = 0
    # How many initial states and successors were generated.
    generated: int = 0
    # How many actions the longest of the shortest runs has.
    depth: int = 0
    # How many of the states have successors that nobody has generated yet.
    waiting: int = 0
    # How often each action was taken, by name.
    fired: dict[str, int] = Factory(dict)


@define
class Exploration:
    """What was explored."""

    machine: Machine[Any]
    store: Store
    counts: Counts
    # By the number of a state: the number of the state from which it was first reached (-1: none), and its depth.
    parents: list[int] = Factory(list)
    depths: list[int] = Factory(list)
    # Why the exploration ended early, or None.
    stopped: str | None = None
    # The state and the action in which a rule raised, and the error.
    crash: tuple[int, Action | None, RuleError] | None = None
    # The runs that were asked for, by the number of their last state: every property fails in the same crash.
    _traces: dict[int, Trace] = Factory(dict)

    def trace_to(self, number: int) -> Trace:
        """The shortest run to state `number`: a run of the machine, also where the store keeps orbits."""
        if number not in self._traces:
            path = [number]
            while self.parents[path[-1]] >= 0:
                path.append(self.parents[path[-1]])
            self._traces[number] = self.walk(path[::-1])
        return self._traces[number]

    def walk(self, path: list[int]) -> Trace:
        """A run of the machine through the stored states `path`; the first of them is an initial state."""
        initial = next(i for i, s in enumerate(self.machine.initial_states()) if self.store.intern(s) == path[0])
        state = self.machine.initial_states()[initial]
        actions = []
        for to in path[1:]:
            action, state = next(
                (action, after) for action, after in _steps(self.machine, state) if self.store.intern(after) == to
            )
            actions.append(action)
        return replay(self.machine, actions, initial=initial)


class ExplorationInterrupted(KeyboardInterrupt):
    """The user stopped an exploration. `run` is what was explored; `run.stopped` says the counts in words."""

    def __init__(self, run: Exploration) -> None:
        super().__init__()
        counts = run.counts
        run.stopped = (
            f"interrupted after {counts.distinct} states, {counts.generated} transitions, depth {counts.depth}"
        )
        self.run = run


def _steps(machine: Machine[Any], state: Any) -> Iterator[tuple[Action, Any]]:
    for action in machine.actions(state):
        yield action, machine.step(state, action)


def explore(
    machine: Machine[Any],
    *,
    symmetry: bool = False,
    fixed: frozenset[str] = frozenset(),
    keep_edges: bool = False,
    limits: Limits = Limits(),
    on_state: Callable[[Exploration, int], bool] | None = None,
    on_step: Callable[[Exploration, int, Action, int], bool] | None = None,
    progress: Callable[[Counts], None] | None = None,
    sharing: Sharing | None = None,
) -> Exploration:
    """Explore `machine` level by level.

    `symmetry` keeps one state of each orbit, under renamings that do not rename the identifiers in `fixed`.
    `keep_edges` remembers the graph for a later search over the graph.
    `on_state(exploration, number)` is called once for each state in breadth-first order, and `on_step(exploration,
    before, action, after)` for each generated successor. When one of the two returns True, the exploration ends.
    `progress` is called now and then with the counts so far. With `sharing` the machine has its rules, and steps are
    taken from other searches of the scope. Raises ExplorationInterrupted, a KeyboardInterrupt, with what was explored.
    """
    store = _store(machine, symmetry, fixed, keep_edges, sharing)
    counts = Counts(fired=dict.fromkeys(machine.action_names, 0))
    run = Exploration(machine, store, counts)
    try:
        with _collecting_garbage_seldom():
            _search(run, limits, on_state, on_step, progress)
    except KeyboardInterrupt:
        raise ExplorationInterrupted(run) from None
    return run


def _store(
    machine: Machine[Any], symmetry: bool, fixed: frozenset[str], keep_edges: bool, sharing: Sharing | None
) -> Store:
    if sharing is None:
        return OrbitStore(machine, fixed, keep_edges=keep_edges) if symmetry else ComponentStore(machine)
    if symmetry:
        return SharedOrbitStore(machine, fixed, sharing, keep_edges=keep_edges)
    return SharedComponentStore(machine, sharing)


@contextmanager
def _collecting_garbage_seldom() -> Iterator[None]:
    """States are immutable and have no cycles. The search for cycles after every 700 new objects costs much time.

    So does the search among older objects, most of which are kept to the end.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, 100, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _search(
    run: Exploration,
    limits: Limits,
    on_state: Callable[[Exploration, int], bool] | None,
    on_step: Callable[[Exploration, int, Action, int], bool] | None,
    progress: Callable[[Counts], None] | None,
) -> None:
    """Fill `run`, level by level."""
    machine, store, counts = run.machine, run.store, run.counts
    started, process = monotonic(), psutil.Process()
    look_at = started
    for state in machine.initial_states():
        counts.generated += 1
        if store.intern(state) == len(run.parents):
            run.parents.append(-1)
            run.depths.append(0)
            counts.distinct += 1
            if on_state and on_state(run, counts.distinct - 1):
                return
    number = 0
    while number < counts.distinct:
        try:
            successors = store.successors(number)
        except RuleError as error:
            run.crash = (number, _crashing(machine, store.state(number)), error)
            return
        counts.generated += len(successors)
        depth = run.depths[number] + 1
        for action, to in successors:
            counts.fired[action.name] += 1
            # States get their numbers in the order in which they are found, so a new state has the next number.
            if to == len(run.parents):
                run.parents.append(number)
                run.depths.append(depth)
                counts.distinct += 1
                counts.depth = depth
                if on_state and on_state(run, to):
                    return
            if on_step and on_step(run, number, action, to):
                return
        number += 1
        counts.waiting = counts.distinct - number
        now = monotonic()
        if now >= look_at and counts.waiting:
            look_at = now + _LOOK_EVERY
            if progress:
                progress(counts)
            run.stopped = _over(limits, counts, now - started, process)
            if run.stopped:
                return
        if counts.distinct > limits.states:
            run.stopped = f"more than {limits.states} states: a smaller scope or a larger state limit is needed"
            return


def _over(limits: Limits, counts: Counts, seconds: float, process: psutil.Process) -> str | None:
    memory = process.memory_info().rss >> 20
    if memory > limits.memory:
        return f"more than {limits.memory} MiB of memory: a smaller scope or a larger memory limit is needed"
    if seconds >= limits.seconds:
        return (
            f"time is up, and {counts.waiting} of {counts.distinct} states wait, at depth {counts.depth}: a smaller "
            "scope or more time is needed"
        )
    return None


def _crashing(machine: Machine[Any], state: Any) -> Action | None:
    for action in machine.actions(state):
        try:
            machine.step(state, action)
        except RuleError:
            return action
    return None


def append_step(trace: Trace, action: Action, state: Any) -> Trace:
    """`trace` with one more step."""
    return Trace((*trace.steps, Step(action, state)))
