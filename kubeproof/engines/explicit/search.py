"""Breadth-first exploration: every state of a scope, each by a shortest run, with counts and limits."""

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from attrs import Factory, define, frozen

from kubeproof.engines.explicit import orbits
from kubeproof.engines.explicit.checkpoint import Checkpoint
from kubeproof.engines.explicit.remembered import NONE, Reading, Seeker
from kubeproof.engines.explicit.shared import Searches, searches_of
from kubeproof.errors import RuleError
from kubeproof.processes.memory import short_of_memory, takes_more
from kubeproof.verdict.trace import Step, Trace, replay
from model.go.errors import MetErrors
from model.machine import Action, Machine

T = TypeVar("T")

AT_ONCE = 64  # states between two looks at the clock
MOST_STATES = NONE - 1  # that have numbers
_LOOK_EVERY = 0.1  # seconds between two looks at memory, time and progress
NO_MEMORY = "no memory is left ({}): a smaller scope or more memory is needed"


@frozen
class Limits:
    """Where an exploration gives up."""

    # Distinct states.
    states: int = 20_000_000
    # Properties of which the first that is violated decides; and how many distinct states there may be then.
    decisive: frozenset[str] = frozenset()
    states_once_decided: int = MOST_STATES
    # MiB of memory of this process; None: what the machine and the limits of this process leave.
    memory: int | None = None
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


# What a property says of a state, or of a step: whether its premise is met, and whether it holds.
SaysOfState = Callable[[Any], tuple[bool, bool]]
SaysOfStep = Callable[[Any, Action, Any], tuple[bool, bool]]


@define
class Asked:
    """Safety properties that are asked while a machine is explored."""

    # Properties of states, by name; with what tells the property from all others that are asked of a scope.
    states: dict[str, tuple[Any, SaysOfState]] = Factory(dict)
    # Properties of steps, likewise, with the names of the actions.
    steps: dict[str, tuple[Any, frozenset[str], SaysOfStep]] = Factory(dict)
    # (name, state before or None, action or None, state after) -> whether the search ends. A property that does not
    # hold is not asked again.
    violated: Callable[[str, int | None, Action | None, int], bool] = lambda name, before, action, after: False


class Exploration:
    """What was explored."""

    def __init__(self, seeker: Seeker) -> None:
        self.machine = seeker.machine
        self.seeker = seeker
        self.memory = seeker.memory
        # Why the exploration ended early, or None.
        self.stopped: str | None = None
        # The state and the action in which a rule raised, and the error.
        self.crash: tuple[int, Action | None, RuleError] | None = None
        # How many states there were when the search ended: whoever asks for the steps of one finds more.
        self._ended: int | None = None
        # The number of the first state of each level but the first; when the search has ended.
        self._levels: list[int] = []
        # The runs that were asked for, by the number of their last state: every property fails in the same crash.
        self._traces: dict[int, Trace] = {}
        # By action: which errors it meets in the state of a number.
        self._errors: dict[Action, Callable[[int], MetErrors]] = {}

    @property
    def counts(self) -> Counts:
        """What is counted so far."""
        core = self.seeker.search
        distinct = core.count if self._ended is None else self._ended
        fired = {name: core.fired.at(at) for at, name in enumerate(self.machine.action_names)}
        return Counts(distinct, core.generated, core.depth, distinct - core.next, fired)

    def state(self, number: int) -> Any:
        """State `number`, or the representative of orbit `number`, counted from 0 in breadth-first order."""
        core = self.seeker.search
        core.unpack(number, 3 * core.slots)
        return self.memory.values.state(core.row(3 * core.slots))

    def number_of(self, state: Any) -> int | None:
        """The number of the state, or of its orbit; None if it was not found."""
        core = self.seeker.turn()
        core.write(core.slots, self.memory.values.row(state))
        found = core.find_after()
        return None if found == NONE else found

    def depth_of(self, number: int) -> int:
        """How many actions lead to the state at least. Once the search has ended."""
        return bisect_right(self._levels, number)

    def successors(self, number: int) -> list[tuple[Action, int]]:
        """Each action that the state enables, with the number of the state after it."""
        actions = self.memory.actions
        return [(actions[action], to) for action, to in self.seeker.turn().successors(number)]

    def row(self, number: int) -> tuple[int, ...]:
        """The numbers of the state's values."""
        core = self.seeker.search
        core.unpack(number, 3 * core.slots)
        return tuple(core.row(3 * core.slots))

    def intern(self, row: Sequence[int]) -> int:
        """The number of the state that has these values; a new one if nobody has found it."""
        core = self.seeker.search
        core.write(3 * core.slots, list(row))
        return core.intern(3 * core.slots, NONE)

    def answers(self, key: Any, of_state: Callable[[Any], T]) -> Callable[[int], T]:
        """What a pure function says of the state of a number; evaluated once for all states that look the same to it.

        `key` tells the function from all others. What it says has a hash.
        """
        memory = self.memory

        def does(reading: Reading) -> tuple[int, ...]:
            return (memory.number_of_answer(of_state(reading.state())),)

        def answer(number: int) -> T:
            # Of several searches that share the memory each asks its own machine.
            function = memory.function(("answers", key), does)
            found: T = memory.answers_given[self.seeker.turn().said_of(function, number)]
            return found

        return answer

    def answers_of_step(self, key: Any, of_step: Callable[[Any, Action, Any], T]) -> Callable[[int, Action, int], T]:
        """The same of a step: the number of the state before, the action, the number of the state after."""
        memory = self.memory

        def answer(before: int, action: Action, after: int) -> T:
            def does(reading: Reading) -> tuple[int, ...]:
                return (memory.number_of_answer(of_step(reading.state(), action, reading.state(1))),)

            function = memory.function(("answers", key, action), does)
            found: T = memory.answers_given[self.seeker.turn().said_of_step(function, before, after)]
            return found

        return answer

    def errors(self, number: int, action: Action) -> MetErrors:
        """The errors that the action meets in the state."""
        met = self._errors.get(action)
        if met is None:
            machine = self.machine
            met = self._errors[action] = self.answers(("errors", action), lambda state: machine.errors(state, action))
        return met(number)

    def representative(self, row: Sequence[int]) -> tuple[int, ...]:
        """The numbers of the representative of a state's orbit. For an exploration with symmetry."""
        core = self.seeker.turn()
        core.write(core.slots, list(row))
        return tuple(core.represented())

    def said(self, key: Any, says: SaysOfState) -> tuple[list[int], int]:
        """The numbers of the states of which `says` says that something does not hold, and how many meet its premise.

        `says`: (whether the premise is met, whether it holds), a pure function of the state. `key`: as in `answers`.
        """
        core = self.seeker.turn()
        function = self.memory.function(("said", key), partial(_of_state, says))
        failing, met = [], 0
        for number in range(self.counts.distinct):
            found = core.said_of(function, number)
            met += found & 1
            if found & 2:
                failing.append(number)
        return failing, met

    def witnesses(self, name: str) -> int:
        """How many states or steps met the premise of a property that was asked."""
        return self.seeker.met(name)

    def before(self, number: int) -> int | None:
        """The number of the state before, on the shortest run to state `number`; None for an initial state."""
        found = self.seeker.search.parent(number)
        return None if found == NONE else found

    def trace_to(self, number: int) -> Trace:
        """The shortest run to state `number`: a run of the machine, also where orbits are kept."""
        if number not in self._traces:
            path = [number]
            while (before := self.before(path[-1])) is not None:
                path.append(before)
            self._traces[number] = self.walk(path[::-1])
        return self._traces[number]

    def walk(self, path: Sequence[int]) -> Trace:
        """A run of the machine through the states `path`; the first of them is an initial state."""
        starts = self.machine.initial_states()
        initial = next(at for at, state in enumerate(starts) if self.number_of(state) == path[0])
        state = starts[initial]
        actions = []
        for to in path[1:]:
            found = next((step for step in steps(self.machine, state) if self.number_of(step[1]) == to), None)
            assert found is not None, "the rules tell renamed states apart, so names are not interchangeable under them"
            action, state = found
            actions.append(action)
        return replay(self.machine, actions, initial=initial)

    def ended(self) -> None:
        """The search is over: the counts stay."""
        search = self.seeker.search
        self._ended = search.count
        self._levels = [search.levels.at(at) for at in range(search.levels.count)]


class ExplorationInterrupted(KeyboardInterrupt):
    """The user stopped an exploration. `run` is what was explored; `run.stopped` says the counts in words."""

    def __init__(self, run: Exploration) -> None:
        super().__init__()
        counts = run.counts
        run.stopped = (
            f"interrupted after {counts.distinct} states, {counts.generated} transitions, depth {counts.depth}"
        )
        self.run = run


def steps(machine: Machine[Any], state: Any) -> Iterator[tuple[Action, Any]]:
    """Each action that the state enables, and the state after it."""
    for action in machine.actions(state):
        yield action, machine.step(state, action)


def explore(
    on: Machine[Any] | Searches,
    *,
    symmetry: bool = False,
    fixed: frozenset[str] = frozenset(),
    limits: Limits = Limits(),
    asked: Asked | None = None,
    progress: Callable[[Counts], None] | None = None,
    enough: Callable[[], bool] | None = None,
) -> Exploration:
    """Explore a machine level by level. What other searches of `on` found is not looked for again.

    `symmetry` keeps one state of each orbit, under renamings that do not rename the identifiers in `fixed`. `progress`
    is called now and then with the counts so far. The exploration ends soon after `enough` says so. Raises
    ExplorationInterrupted, a KeyboardInterrupt, with what was explored.
    """
    run = exploration(on, symmetry, fixed)
    search(run, asked or Asked(), limits, progress, enough)
    return run


def search(
    run: Exploration,
    asked: Asked,
    limits: Limits,
    progress: Callable[[Counts], None] | None = None,
    enough: Callable[[], bool] | None = None,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Explore what nobody has explored yet; as `explore`. With a `checkpoint` the search goes on from there."""
    seeker = run.seeker
    for name, (key, says) in asked.states.items():
        seeker.ask_states(key, name, partial(_of_state, says))
    seeker.ask_steps([(key, name, on, partial(_of_step, says)) for name, (key, on, says) in asked.steps.items()])
    seeker.heard = asked.violated
    if checkpoint:
        checkpoint.begin(seeker)
    try:
        with _collecting_garbage_seldom():
            _search(run, limits, progress, enough, checkpoint)
        if checkpoint:
            checkpoint.end(interrupted=False)
    except KeyboardInterrupt:
        if checkpoint:
            checkpoint.end(interrupted=True)
        raise ExplorationInterrupted(run) from None
    finally:
        run.ended()


def exploration(
    on: Machine[Any] | Searches, symmetry: bool = False, fixed: frozenset[str] = frozenset()
) -> Exploration:
    """An exploration of which nothing has been explored."""
    seeker = searches_of(on).seeker()
    if symmetry:
        orbits.tell(seeker, fixed)
    return Exploration(seeker)


def _of_state(says: SaysOfState, reading: Reading) -> tuple[int, ...]:
    premise, holds = says(reading.state())
    return (premise | (not holds) << 1,)


def _of_step(says: SaysOfStep, reading: Reading, action: Action) -> tuple[int, ...]:
    premise, holds = says(reading.state(), action, reading.state(1))
    return (premise | (not holds) << 1,)


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
    progress: Callable[[Counts], None] | None,
    enough: Callable[[], bool] | None,
    checkpoint: Checkpoint | None,
) -> None:
    """Explore, level by level."""
    machine, memory, core = run.machine, run.memory, run.seeker.turn()
    look_at = started = monotonic()
    core.limit = min(limits.states, MOST_STATES)
    for state in machine.initial_states() if core.count == 0 else ():
        core.write(core.slots, memory.values.row(state))
        core.begin()
        if core.stopped:
            return
    if checkpoint:
        checkpoint.look()
    while core.next < core.count and not core.stopped:
        try:
            core.run(core.next + AT_ONCE)
        except RuleError as error:
            run.crash = (core.next, _crashing(machine, run.state(core.next)), error)
            return
        except MemoryError:
            run.stopped = NO_MEMORY.format("all that this process may have")
            return
        now = monotonic()
        if checkpoint and (now >= look_at or core.next == core.count or core.stopped or core.count > limits.states):
            checkpoint.look()
        if enough and enough():
            return
        if now >= look_at and core.next < core.count:
            look_at = now + _LOOK_EVERY
            if progress:
                progress(run.counts)
            run.stopped = _over(limits, run.counts, now - started)
            if run.stopped:
                return
        if core.count > limits.states:
            run.stopped = f"more than {limits.states} states: a smaller scope or a larger state limit is needed"
            return


def _over(limits: Limits, counts: Counts, seconds: float) -> str | None:
    short = short_of_memory()
    if limits.memory is not None and takes_more(limits.memory):
        short = f"{limits.memory:,} MiB"
    if short is not None:
        return NO_MEMORY.format(short)
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
