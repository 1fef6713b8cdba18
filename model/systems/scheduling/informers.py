"""The informers: events arrive in the store, then at the handlers; what these call, one lock at a time.

Go: sharedIndexInformer, processorListener and FilteringResourceEventHandler of client-go. The store (the lister) is
brought up to date before any handler hears of an event; pods have two handlers, nodes one, each a goroutine of its own.
Touches watches, lister, listeners, and through the handlers' calls queue and cache.
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Literal

from model.evolve import evolve
from model.machine import Action
from model.scheduler.calls import Calls
from model.scheduler.eventhandlers import PodNotification, after, on_assigned, on_node, on_unassigned
from model.systems.scheduling.api_server import place
from model.systems.scheduling.calls_in import execute
from model.systems.scheduling.records import Listener, PodEvent, Scheduling
from model.systems.scheduling.rules import Setup

Handler = Literal["assigned", "unassigned"]
HANDLERS: tuple[Handler, Handler] = ("assigned", "unassigned")


def deliver_pod(setup: Setup, state: Scheduling) -> Scheduling:
    """The oldest event of the pods' watch reaches the store and the handlers' backlogs (HandleDeltas).

    Without `listeners` both handlers run in the same action, the assigned one first: their order matters only to each
    other's queue operations on one pod, and with `listeners` every order is explored.
    """
    event, watch = state.pod_watch[0], state.pod_watch[1:]
    at = place(event.pod.name)
    old, new = state.lister[at], None if event.kind == "delete" else event.pod
    state = evolve(state, pod_watch=watch, lister=(*state.lister[:at], new, *state.lister[at + 1 :]))
    if old is None and new is None:
        return state
    # A delete carries the object's last state, which the store may have missed.
    return notify(setup, state, PodNotification(event.pod if new is None else old, new, event.final_state_unknown))


def notify(setup: Setup, state: Scheduling, notification: PodNotification) -> Scheduling:
    """Both pod handlers are told."""
    for handler in HANDLERS:
        listener: Listener = getattr(state, handler)
        state = _with(state, handler, Listener((*listener.pending, notification), listener.calls))
    if not setup.scope.listeners and not setup.scope.fine:
        for handler in HANDLERS:
            state = handle(setup, state, handler)
    return state


def handle(setup: Setup, state: Scheduling, handler: Handler) -> Scheduling:
    """The handler goes on: with `fine` by one call, otherwise until it is done with one notification.

    Calls in one action: a cache function and the queue function after it each commute with the steps of others that
    touch the other component only, and no step touches both.
    """
    listener: Listener = getattr(state, handler)
    calls = listener.calls
    if not calls:
        on = on_assigned if handler == "assigned" else on_unassigned
        calls = on(setup.rules, listener.pending[0])
        state = _with(state, handler, Listener(listener.pending[1:]))
        if not calls:
            return state
    state, calls = _go_on(setup, state, calls)
    listener = getattr(state, handler)
    return _with(state, handler, Listener(listener.pending, calls))


def _go_on(setup: Setup, state: Scheduling, calls: Calls) -> tuple[Scheduling, Calls]:
    while calls and not state.crashed:
        answer, state = execute(setup, state, calls[0])
        calls = after(setup.rules, calls, answer)
        if setup.scope.fine:
            break
    # Nothing of a process that has ended goes on.
    return state, () if state.crashed else calls


def _with(state: Scheduling, handler: Handler, listener: Listener) -> Scheduling:
    return evolve(state, assigned=listener) if handler == "assigned" else evolve(state, unassigned=listener)


def quiet(state: Scheduling) -> bool:
    """Whether no notification of a pod is under way to a handler."""
    return state.assigned.idle and state.unassigned.idle


def deliver_node(setup: Setup, state: Scheduling) -> Scheduling:
    """The oldest event of the nodes' watch reaches the node handler; with `fine`, the handler goes on by one call."""
    calls = state.node_calls
    if not calls:
        event = state.node_watch[0]
        # An update is a heartbeat: nothing that is modelled changed.
        old = None if event.kind == "add" else event.node
        new = None if event.kind == "delete" else event.node
        state = evolve(state, node_watch=state.node_watch[1:])
        calls = on_node(setup.rules, old, new)
    state, calls = _go_on(setup, state, calls)
    return evolve(state, node_calls=calls)


def resync(setup: Setup, state: Scheduling, at: int) -> Scheduling:
    """The informer tells the handlers of an object that has not changed."""
    pod = state.lister[at]
    return notify(setup, state, PodNotification(pod, pod))


def relistings(state: Scheduling) -> Iterator[tuple[PodEvent, ...]]:
    """What the informer may make of a new list of the pods (DeltaFIFO.Replace): the differences from its store.

    First what the list has, in its order, then what it lacks, in map order. The list goes by name; names are
    interchangeable here, so every order is possible.
    """
    listed: list[PodEvent] = []
    gone: list[PodEvent] = []
    for known, pod in zip(state.lister, state.pods, strict=True):
        if pod is None and known is not None:
            gone.append(PodEvent("delete", known, final_state_unknown=True))
        elif pod is not None and pod != known:
            listed.append(PodEvent("add" if known is None else "update", pod))
    for first, then in product(permutations(listed), permutations(gone)):
        yield (*first, *then)


def relist_actions(state: Scheduling) -> Iterator[Action]:
    """The pods' watch breaks, and what was under way is lost; `order`: of the differences, where there are several."""
    for events in relistings(state):
        order = {"order": " ".join(event.pod.name for event in events)} if len(events) > 1 else {}
        yield Action.of("relist_pods", **order)


def relist(state: Scheduling, action: Action) -> Scheduling:
    """The new list is compared with the store."""
    found = zip(relist_actions(state), relistings(state), strict=True)
    return evolve(state, pod_watch=next(events for offered, events in found if offered == action))
