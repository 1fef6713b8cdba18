"""Moves of waiting pods, and Update, one hold of the lock of Pop at a time, where each hold is an action of its own.

Go: movePodsToActiveOrBackoffQueue and Update in scheduling_queue.go. From 1.31 on a move takes `activeQLock` for each
pod that goes to activeQ, and once more for `moveRequestCycle`, so that Pop may come in between. Whoever moves keeps
`PriorityQueue.lock` meanwhile: `begun` tells, and nothing else that takes that lock may be done. All touch the queue
only.

With the gate SchedulerQueueingHints on, Update asks under `activeQLock` whether the pod is in flight, and looks for the
pod in activeQ under another hold of it (1.31 to 1.34): `GO_ON_UPDATING`. A Pop that comes between takes the pod out of
activeQ, and Update finds the pod nowhere (QH-UPDATE-POP-RACE).

Elsewhere a move is one action. What Pop shows within a move is that a lower pod may be popped before a higher one, and
that its attempt counts as having missed the move, so that it is repeated; no property asks for either.
"""

from collections.abc import Iterator
from typing import TypeVar

from model.machine import Value
from model.scheduler.calls import MOVES, Call, Calls
from model.scheduler.eventhandlers import after
from model.scheduler.queue.in_flight import is_in_flight, note_event
from model.scheduler.queue.rules import Hold
from model.world.calls_in import execute, moved
from model.world.state import HasComponents, HasQueue, TimeSetup
from model.world.times import NOW, later, stored

S = TypeVar("S", bound=HasComponents)

# The argument of an action that says which pod a move takes next.
MOVING = "moves"
# The rest of a move; its arguments are those of the Call that began the move.
GO_ON = "go_on_moving"
# The rest of an Update; its arguments are those of Update.
GO_ON_UPDATING = "go_on_updating"


def begun(calls: Calls) -> bool:
    """Whether the first of `calls` is the rest of a move, or of an Update."""
    return bool(calls) and calls[0].function in (GO_ON, GO_ON_UPDATING)


def _is_looked_for_twice(setup: TimeSetup, state: HasQueue, call: Call) -> bool:
    """Whether `call` is an Update that finds the pod not in flight, and leaves the lock of Pop before it goes on."""
    hints = setup.queue.hints
    if call.function != "update" or hints is None or hints.update_holds_pop_lock():
        return False
    return not is_in_flight(state.queue, call.args[1].uid)


def _of_move(call: Call) -> Call | None:
    """The move that `call` begins or goes on with, None of any other call."""
    if call.function == GO_ON:
        return Call(*call.args)
    return call if call.function in MOVES else None


def _holds(setup: TimeSetup, state: HasQueue, call: Call) -> tuple[Hold, ...]:
    """What the next hold of the move may do, one for each pod that may be the next."""
    infos, event = moved(setup, state.queue, call)
    return setup.queue.rules.move_holds(setup.queue, state.queue, setup.queue.let_in(infos, event), event, NOW)


def choices(setup: TimeSetup, state: HasComponents, calls: Calls) -> Iterator[tuple[tuple[str, Value], ...]]:
    """The arguments by which an action says what the first of `calls` does; one empty tuple if there is no choice."""
    move = _of_move(calls[0]) if calls else None
    holds = () if move is None else _holds(setup, later(setup, state), move)
    if len(holds) < 2:
        yield ()
    else:
        yield from (((MOVING, hold.pod),) for hold in holds)


def take_hold(setup: TimeSetup, state: S, calls: Calls, pod: str) -> tuple[S, Calls]:
    """One hold of a lock: the state after the hold, and the calls that are left.

    `pod`: the name of the pod that a move takes next, "" where `choices` has none.
    """
    move = _of_move(calls[0])
    if move is None and _is_looked_for_twice(setup, state, calls[0]):
        return state, (Call("queue", GO_ON_UPDATING, calls[0].args), *calls[1:])
    if move is None:
        answer, state = execute(setup, state, calls[0])
        return state, after(setup.rules, calls, answer)
    state = later(setup, state)
    holds = _holds(setup, state, move)
    hold = next((hold for hold in holds if hold.pod == pod), holds[0])
    if not hold.last:
        rest = Call("queue", GO_ON, (move.component, move.function, move.args))
        return stored(setup, state, hold.queue), (rest, *calls[1:])
    _, event = moved(setup, state.queue, move)
    return stored(setup, state, note_event(setup.queue, hold.queue, event)), calls[1:]
