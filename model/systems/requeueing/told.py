"""Whom the scheduler's handlers tell of a change: the queue, by the rules of the release."""

from collections.abc import Iterator

from model.evolve import evolve
from model.scheduler import node_handlers
from model.scheduler.filters import passes_pre_check
from model.scheduler.hint_objects import HintedNode, HintedPod
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.events import ASSIGNED_POD_DELETE, ClusterEvent, with_objects
from model.scheduler.queue.rules import PreEnqueueCheck
from model.scheduler.queue.state import Queue
from model.scheduler.told_rules import NODE_DELETE
from model.systems.requeueing.records import Requeueing, Told
from model.systems.requeueing.rules import RequeueingSetup
from model.variables import whole

NOW = 1_000  # ms; nothing backs off


def of_node(setup: RequeueingSetup, old: HintedNode | None, new: HintedNode | None) -> Iterator[Told]:
    """What the node handler does of a node, before and after, each under a lock of its own."""
    if new is None:
        for component in setup.rules.base.node_deleted():
            yield Told(NODE_DELETE if component == "queue" else None, old, new)
        return
    for call in node_handlers.on_node(setup.rules.base, old, new):
        yield Told(None if call.component == "cache" else call.args[0], old, new)


def handle(setup: RequeueingSetup, state: Requeueing) -> Requeueing:
    """The node handler goes on: to its end, or with `fine` by one hold of a lock."""
    while state.handler:
        told, state = state.handler.head(), evolve(state, handler=state.handler.rest())
        if told.event is None:
            state = evolve(state, cached=whole(state.nodes))
        else:
            check = _check(told.new, state) if told.new is not None and setup.checks_nodes else None
            state = evolve(state, queue=_move(setup, state.queue, told.event, told.old, told.new, check))
        if setup.scope.fine:
            break
    return state


def _check(node: HintedNode, state: Requeueing) -> PreEnqueueCheck:
    return lambda pod: isinstance(pod, HintedPod) and passes_pre_check(pod, node, state.assigned)


def _move(
    setup: RequeueingSetup,
    queue: Queue,
    event: ClusterEvent,
    old: object,
    new: object,
    check: PreEnqueueCheck | None = None,
) -> Queue:
    if setup.hints is not None:
        event = with_objects(event, old, new)
    return queue_functions.move_all_to_active_or_backoff_queue(setup.queue, queue, NOW, event, check)


def of_bound_pod(setup: RequeueingSetup, queue: Queue, old: HintedPod | None, new: HintedPod | None) -> Queue:
    """The queue after the handler of assigned pods heard of a pod, before and after."""
    if new is None:
        return _move(setup, queue, ASSIGNED_POD_DELETE, old, None)
    events = setup.hints.assigned_pod_with_hints(old, new) if setup.hints is not None else None
    if events is not None:
        for event in events:
            queue = _move(setup, queue, event, old, new)
        return queue
    if old is None:
        return queue_functions.assigned_pod_added(setup.queue, queue, new, NOW)
    for call in setup.rules.base.update_pod_in_cache(old, new):
        if call.component == "queue":
            event = call.args[1] if setup.hints is None else with_objects(call.args[1], old, new)
            queue = queue_functions.assigned_pod_updated(setup.queue, queue, new, event, NOW)
    return queue


def of_own_update(setup: RequeueingSetup, queue: Queue, old: HintedPod, new: HintedPod) -> Queue:
    """The queue after the handler of unassigned pods heard of the pod."""
    return queue_functions.update(setup.queue, queue, old, new, NOW)
