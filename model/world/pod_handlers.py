"""The goroutines of the handlers of pods: one, or two; pending notifications, and the calls with which each goes on."""

from typing import Literal, TypeVar

from model.evolve import evolve
from model.scheduler.calls import Calls
from model.scheduler.eventhandlers import on_assigned, on_unassigned
from model.scheduler.pod_handlers import on_pod, told_with_hints, with_assumed_pod_forgotten
from model.world.events import Listener
from model.world.moves import begun
from model.world.state import HasInformers, InformersSetup

S = TypeVar("S", bound=HasInformers)

# "pod" is the one handler of pods.
Handler = Literal["assigned", "unassigned", "pod"]
# The field of the state that has the goroutine of each.
FIELDS: dict[Handler, str] = {"assigned": "assigned", "unassigned": "unassigned", "pod": "handler"}
# The actions of handlers.
HANDLING = ("handle_assigned", "handle_unassigned", "handle_pod", "deliver_node")


def handlers(setup: InformersSetup) -> tuple[Handler, ...]:
    """The handlers of pods, in the order in which they run where neither lags."""
    return ("pod",) if setup.one_pod_handler else ("assigned", "unassigned")


def listener_of(state: HasInformers, handler: Handler) -> Listener:
    """The goroutine of the handler."""
    return getattr(state, FIELDS[handler])  # type: ignore[no-any-return]


def with_listener(state: S, handler: Handler, listener: Listener) -> S:
    """The state with this goroutine of the handler."""
    return evolve(state, **{FIELDS[handler]: listener})


def begin(setup: InformersSetup, listener: Listener, handler: Handler) -> Calls:
    """The calls of the handler for its oldest notification."""
    on = {"assigned": on_assigned, "unassigned": on_unassigned, "pod": on_pod}[handler]
    notification = listener.pending.head()
    calls = on(setup.rules, notification)
    if setup.forgets_deleted_assumed_pods:
        calls = with_assumed_pod_forgotten(calls, notification)
    tells = setup.assigned_pod_with_hints
    return calls if tells is None else told_with_hints(setup.queue, tells, calls)


def next_calls(setup: InformersSetup, state: HasInformers, name: str) -> Calls:
    """What the handler goes on with that this action is of; () of a node's event, which is not looked at before."""
    if name == "deliver_node":
        return state.node_calls
    for handler in handlers(setup):
        if name == f"handle_{handler}":
            listener = listener_of(state, handler)
            return listener.calls or begin(setup, listener, handler)
    return ()


def handler_moves(state: HasInformers) -> bool:
    """Whether a handler is in the midst of a move."""
    return any(begun(calls) for calls in (*(each.calls for each in listeners(state)), state.node_calls))


def quiet(state: HasInformers) -> bool:
    """Whether no notification of a pod is under way to a handler."""
    return all(each.idle for each in listeners(state))


def listeners(state: HasInformers) -> tuple[Listener, ...]:
    """The goroutines of all handlers of pods, also of those that the release does not have."""
    return state.assigned, state.unassigned, state.handler
