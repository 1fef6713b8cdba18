"""The informers: events arrive in the store, then at the handlers; what these call, one lock at a time.

Go: sharedIndexInformer, processorListener, FilteringResourceEventHandler, and for a relist Reflector.ListAndWatch and
DeltaFIFO.Replace of client-go. The store (the lister) is brought up to date before any handler hears of an event; pods
have two handlers, from 1.35 on one, and nodes have one, each a goroutine of its own. Touches watches, lister,
listeners, and through the handlers' calls queue and cache.
"""

from collections.abc import Iterator
from functools import partial
from itertools import permutations, product
from typing import Any, TypeVar

from model.evolve import evolve
from model.machine import Action, Offer
from model.places import always
from model.scheduler.calls import Calls
from model.scheduler.eventhandlers import PodNotification, after, on_node
from model.variables import Channel
from model.world.api_server import place, pod_name
from model.world.calls_in import execute
from model.world.events import PodEvent, first_pod, is_about
from model.world.go_files import HANDLERS_GO, at, via
from model.world.moves import MOVING, choices, take_hold
from model.world.pod_handlers import Handler, begin, handlers, listener_of, next_calls, quiet, with_listener
from model.world.state import HasInformers, InformersScope, InformersSetup, left
from model.world.step import Step

S = TypeVar("S", bound=HasInformers)


def _lag(scope: InformersScope) -> bool:
    """Whether the handlers are told, and handle in an action of their own."""
    return bool(scope.listeners or scope.fine)


def _nodes_change(scope: Any) -> object:
    changes = scope.node_grows or scope.node_shrinks or scope.cordons or scope.heartbeats
    return scope.node_deletes or scope.node_adds or scope.late_nodes or changes


_AT_ONCE = """Without `listeners` nothing is explored between the store and the handlers: what a lag shows beyond a late
event is for that switch. The assigned handler runs first: the order of the two matters only to each other's queue
operations on one pod, and with `listeners` every order is explored."""
STEPS = (
    Step(name="deliver_pod", place=via(always("client-go shared_informer.go HandleDeltas"), HANDLERS_GO)),
    Step(
        name="handle_assigned",
        place=at(HANDLERS_GO, "addPodToCache, updatePodInCache, deletePodFromCache"),
        part_of=("deliver_pod", "resync_pod"),
        why=_AT_ONCE,
        apart=_lag,
    ),
    Step(
        name="handle_unassigned",
        place=at(HANDLERS_GO, "addPodToSchedulingQueue, updatePodInSchedulingQueue, deletePodFromSchedulingQueue"),
        part_of=("deliver_pod", "resync_pod"),
        why=_AT_ONCE,
        apart=_lag,
    ),
    Step(
        name="deliver_node",
        place=at(HANDLERS_GO, "addNodeToCache, updateNodeInCache, deleteNodeFromCache"),
        needs=_nodes_change,
    ),
    Step(
        name="resync_pod",
        place=always("client-go shared_informer.go -> client-go delta_fifo.go Resync"),
        power=("resyncs",),
    ),
    Step(
        name="relist_pods",
        place=always("client-go reflector.go ListAndWatch -> client-go delta_fifo.go Replace"),
        power=("relists",),
    ),
)
# The step of the one handler of pods. Only systems that know 1.35 have the step; their rules bring it.
HANDLE_POD = Step(
    name="handle_pod",
    place=at(HANDLERS_GO, "addPod, updatePod, deletePod"),
    part_of=("deliver_pod", "resync_pod"),
    why="without `listeners` nothing is explored between the store and the handler: see the steps of the two handlers",
    apart=_lag,
    by_rule=True,
)


def offers(setup: InformersSetup) -> tuple[Offer[HasInformers], ...]:
    """What the informers may do, then what the handlers may, then what an informer does by itself."""
    scope = setup.scope
    found: list[Offer[HasInformers]] = [partial(_deliver, scope)]
    found += [partial(_handle, setup, handler) for handler in handlers(setup)]
    found.append(partial(_deliver_node, setup))
    if scope.resyncs:
        found += [partial(_resync, scope, at_) for at_ in range(scope.pods)]
    if scope.relists:
        found.append(partial(_relist, scope))
    return tuple(found)


def _waits(scope: InformersScope, state: HasInformers) -> bool:
    """Whether the informer waits until the handlers have heard what came before."""
    return bool(scope.fine and not scope.listeners) and not quiet(state)


def _deliver(scope: InformersScope, state: HasInformers) -> Iterator[Action]:
    pod = state.pod_watch.ask(first_pod)
    if pod and not _waits(scope, state):
        yield Action.of("deliver_pod", pod=pod)


def _handle(setup: InformersSetup, handler: Handler, state: HasInformers) -> Iterator[Action]:
    if not listener_of(state, handler).idle:
        yield from _go_on_with(setup, state, f"handle_{handler}")


def _deliver_node(setup: InformersSetup, state: HasInformers) -> Iterator[Action]:
    if state.node_watch or state.node_calls:
        yield from _go_on_with(setup, state, "deliver_node")


def _go_on_with(setup: InformersSetup, state: HasInformers, name: str) -> Iterator[Action]:
    """The action of a handler that is not idle, with what it may choose."""
    if setup.scope.fine:
        yield from (Action(name, choice) for choice in choices(setup, state, next_calls(setup, state, name)))
    else:
        yield Action(name)


def _resync(scope: InformersScope, at_: int, state: HasInformers) -> Iterator[Action]:
    if not left(state, "resyncs", scope.resyncs) or _waits(scope, state) or state.lister[at_] is None:
        return
    name = pod_name(at_)
    if not state.pod_watch.ask(is_about, name):
        yield Action.of("resync_pod", pod=name)


def _relist(scope: InformersScope, state: HasInformers) -> Iterator[Action]:
    if left(state, "relists", scope.relists) and state.pod_watch:
        yield from relist_actions(state)


def act(setup: InformersSetup, state: S, action: Action) -> S:
    """The state after an action of an informer or a handler."""
    pod = str(dict(action.args).get(MOVING, ""))
    match action.name:
        case "deliver_pod":
            return deliver_pod(setup, state)
        case "handle_assigned":
            return handle(setup, state, "assigned", pod)
        case "handle_unassigned":
            return handle(setup, state, "unassigned", pod)
        case "handle_pod":
            return handle(setup, state, "pod", pod)
        case "deliver_node":
            return deliver_node(setup, state, pod)
        case "resync_pod":
            state = evolve(state, used=state.used.once_more("resyncs"))
            # The informer tells the handlers of an object that has not changed.
            known = state.lister[place(action["pod"])]
            return notify(setup, state, PodNotification(known, known))
    return relist(evolve(state, used=state.used.once_more("relists")), action)


def deliver_pod(setup: InformersSetup, state: S) -> S:
    """The oldest event of the pods' watch reaches the store and the handlers' pending notifications (HandleDeltas).

    Without `listeners` the handlers run in the same action, of two the assigned one first.
    """
    event = state.pod_watch.head()
    at = place(event.pod.name)
    old, new = state.lister[at], None if event.kind == "delete" else event.pod
    state = evolve(state, pod_watch=state.pod_watch.rest())
    if old is None and new is None:
        return state
    state = evolve(state, lister=state.lister.put(at, new))
    # A delete carries the object's last state, which the store may have missed.
    return notify(setup, state, PodNotification(event.pod if new is None else old, new, event.final_state_unknown))


def notify(setup: InformersSetup, state: S, notification: PodNotification) -> S:
    """The handlers of pods are told."""
    for handler in handlers(setup):
        listener = listener_of(state, handler)
        state = with_listener(state, handler, evolve(listener, pending=listener.pending.send(notification)))
    if not _lag(setup.scope):
        for handler in handlers(setup):
            state = handle(setup, state, handler)
    return state


def handle(setup: InformersSetup, state: S, handler: Handler, pod: str = "") -> S:
    """The handler goes on: with `fine` by one hold of a lock, otherwise until it is done with one notification.

    Calls in one action: a cache function and the queue function after it each commute with the steps of others that
    touch the other component only, and no step touches both.
    """
    listener = listener_of(state, handler)
    calls = listener.calls
    if not calls:
        calls = begin(setup, listener, handler)
        state = with_listener(state, handler, evolve(listener, pending=listener.pending.rest()))
        if not calls:
            return state
    state, calls = _go_on(setup, state, calls, pod)
    listener = listener_of(state, handler)
    return state if calls == listener.calls else with_listener(state, handler, evolve(listener, calls=calls))


def _go_on(setup: InformersSetup, state: S, calls: Calls, pod: str) -> tuple[S, Calls]:
    if setup.scope.fine:
        state, calls = take_hold(setup, state, calls, pod)
    else:
        while calls and not state.crashed:
            answer, state = execute(setup, state, calls[0])
            calls = after(setup.rules, calls, answer)
    # Nothing of a process that has ended goes on.
    return state, () if state.crashed else calls


def deliver_node(setup: InformersSetup, state: S, pod: str = "") -> S:
    """The oldest event of the nodes' watch reaches the node handler; with `fine` that goes on by one hold of a lock."""
    calls = state.node_calls
    if not calls:
        event = state.node_watch.head()
        # An update without an old node is a heartbeat: nothing that is modelled changed.
        old = None if event.kind == "add" else event.old or event.node
        new = None if event.kind == "delete" else event.node
        state = evolve(state, node_watch=state.node_watch.rest())
        calls = setup.told_of_node(on_node(setup.rules, old, new), old, new)
    state, calls = _go_on(setup, state, calls, pod)
    return state if calls == state.node_calls else evolve(state, node_calls=calls)


def relistings(state: HasInformers) -> Iterator[Channel[PodEvent]]:
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
        yield Channel((*first, *then))


def relist_actions(state: HasInformers) -> Iterator[Action]:
    """The pods' watch breaks, and what was under way is lost; `order`: of the differences, where there are several."""
    for events in relistings(state):
        order = {"order": " ".join(event.pod.name for event in events)} if len(events) > 1 else {}
        yield Action.of("relist_pods", **order)


def relist(state: S, action: Action) -> S:
    """The new list is compared with the store."""
    found = zip(relist_actions(state), relistings(state), strict=True)
    return evolve(state, pod_watch=next(events for offered, events in found if offered == action))
