"""Calls of components from handlers and goroutines: each is one hold of one lock, executed on a state.

Touches queue (with the cycle numbers that retries hold), cache, and how the process ended.
"""

from functools import partial
from typing import Any, TypeVar

from model.evolve import evolve
from model.go.errors import met_error
from model.objects import Pod
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import Outcome, find_pod_state
from model.scheduler.calls import Call
from model.scheduler.eventhandlers import passes_pre_check
from model.scheduler.queue import move as queue_moves, scheduling_queue as queue_functions
from model.scheduler.queue.rules import Moved
from model.scheduler.queue.state import Queue
from model.world.api_server import place
from model.world.state import ComponentSetup, HasComponents, HasLister, HasQueue, TimeSetup
from model.world.times import NOW, later, stored

S = TypeVar("S", bound=HasComponents)
Q = TypeVar("Q", bound=HasQueue)


def lister_of(state: HasLister) -> Any:
    """The informer's pod lister, as the nominator asks it: by name."""

    def listed(name: str) -> Pod | None:
        return state.lister[place(name)]

    return listed


def with_queue(state: Q, queue: Queue) -> Q:
    return state if queue is state.queue else evolve(state, queue=queue)


def crashed(state: S, outcome: Outcome, where: str) -> S:
    """The process is gone: nothing of it goes on."""
    how = outcome.panic or "the cache is corrupted"
    return evolve(state, crashed=f"{where}: {how}")


def _go_name(function: str) -> str:
    """`add_pod` as Go names it: AddPod."""
    return "".join(word.capitalize() for word in function.split("_"))


def call_cache(setup: ComponentSetup, state: S, function: str, *args: Any) -> tuple[Outcome, S]:
    """A function of the cache that changes it; under schedulerCache.mu."""
    outcome, cache = getattr(cache_functions, function)(setup.rules, state.cache, *args)
    if outcome.error is not None:
        met_error(_go_name(function), outcome.error, getattr(args[0], "uid", "") or getattr(args[0], "name", ""))
    if outcome.ends_process:
        return outcome, crashed(state, outcome, function)
    return outcome, state if cache is state.cache else evolve(state, cache=cache)


def execute(setup: TimeSetup, state: S, call: Call) -> tuple[Any, S]:
    """The call's answer and the state after it."""
    if call.component == "cache":
        return _cache(setup, state, call)
    if call.component == "queue":
        return _queue(setup, state, call)
    if call.component == "waiting_pods":
        return setup.reject_waiting_pod(state, *call.args)
    raise ValueError(f"no component executes {call}")


def _cache(setup: TimeSetup, state: S, call: Call) -> tuple[Any, S]:
    match call.function:
        case "is_assumed_pod":
            return cache_functions.is_assumed_pod(state.cache, *call.args), state
        case "get_pod":
            error, pod = cache_functions.get_pod(setup.rules, state.cache, *call.args)
            met_error("GetPod", error, call.args[0].uid)
            return pod, state
        case "forget_assumed_pod":
            return _forget_assumed_pod(setup, state, call.args[0])
    _, state = call_cache(setup, state, call.function, *call.args)
    if call.function in ("add_node", "update_node") and not state.crashed:
        name = call.args[-1].name
        return next(info for info in state.cache.nodes if info.name == name), state
    return None, state


def _forget_assumed_pod(setup: TimeSetup, state: S, pod: Pod) -> tuple[Pod | None, S]:
    """`handleAssumedPodDeletion`: a pod that waits at Permit is rejected, any other assumed pod is forgotten."""
    found = find_pod_state(state.cache, pod.uid)
    if found is None or not found.assumed:
        return None, state
    waited, state = setup.reject_waiting_pod(state, found.pod)
    if not waited:
        _, state = call_cache(setup, state, "forget_pod", found.pod)
    return found.pod, state


def _queue(setup: TimeSetup, state: S, call: Call) -> tuple[Any, S]:
    if call.function == "num_unschedulable_pods":
        return len(state.queue.unschedulable), state
    state = later(setup, state)
    queue, lister = state.queue, lister_of(state)
    args = call.args
    match call.function:
        case "add":
            queue = queue_functions.add(setup.queue, queue, args[0], NOW, lister)
        case "update":
            queue = queue_functions.update(setup.queue, queue, args[0], args[1], NOW, lister)
        case "go_on_updating":
            queue = queue_functions.update_of_pod_not_in_flight(setup.queue, queue, args[0], args[1], NOW, lister)
        case "delete":
            queue = queue_functions.delete(setup.queue, queue, args[0])
        case _:
            infos, event = moved(setup, queue, call)
            queue = queue_moves.move_pods(setup.queue, queue, infos, event, NOW)
    return None, stored(setup, state, queue)


def moved(setup: ComponentSetup, queue: Queue, call: Call) -> Moved:
    """Which records of unschedulableQ the call may move, and the event that moves them."""
    args = call.args
    match call.function:
        case "assigned_pod_added":
            return queue_moves.moved_by_assigned_pod(setup.queue, queue, args[0])
        case "assigned_pod_updated":
            return queue_moves.moved_by_assigned_pod_update(setup.queue, queue, args[0], args[1])
        case "move_all_to_active_or_backoff_queue":
            event, check = args
            passes = partial(passes_pre_check, node_info=check) if isinstance(check, NodeInfo) else check
            return queue_moves.moved_by_request(setup.queue, queue, event, passes)
    raise ValueError(f"the queue has no function {call.function}")
