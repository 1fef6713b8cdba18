"""A state of scheduling in the words of its Go code: what each component says, and no more than goes without saying.

Each subject begins with the component.
"""

from collections.abc import Iterable

from kubeproof.systems.component_facts import (
    cache_facts,
    listener_texts,
    more_of_pod,
    node_event_text,
    node_info_text,
    node_text,
    pod_event_text,
    pod_object,
    queue_facts,
)
from kubeproof.systems.system import Facts
from model.systems.scheduling.records import Goroutine, Scheduling


def facts(state: Scheduling) -> Facts:
    """API server, informers, handlers, queue, cache, and the scheduler's goroutines; the same of a second scheduler."""
    found: Facts = {}
    if state.crashed:
        found["scheduler"] = f"its process has ended: {state.crashed}"
    found |= {f"API server: {pod.name}": pod_object(pod) for pod in state.pods if pod is not None}
    sizes = bool(state.used.of("node_grows") or state.used.of("node_shrinks"))
    found["API server: nodes"] = tuple(node_text(node, sizes) for node in state.nodes if node is not None)
    found |= _of_scheduler(state, sizes)
    if state.second is not None:
        found |= {f"second {subject}": fact for subject, fact in _of_scheduler(state.second, sizes).items()}
    return found


def _of_scheduler(state: Scheduling, sizes: bool) -> Facts:
    """What is a scheduler's own."""
    found: Facts = {}
    found["informers: on the way"] = (*map(pod_event_text, state.pod_watch), *map(node_event_text, state.node_watch))
    found |= {f"informers: {pod.name}": pod_object(pod) for pod in state.lister if pod is not None}
    found["handler of assigned pods"] = listener_texts(state.assigned)
    found["handler of unassigned pods"] = listener_texts(state.unassigned)
    if not state.handler.idle:
        found["handler of pods"] = listener_texts(state.handler)
    found["handler of nodes"] = tuple(map(str, state.node_calls))
    found |= queue_facts(state.queue)
    found |= cache_facts(state.cache, sizes)
    if state.cycle is not None:
        snapshot = [node_info_text(info) for info in state.snapshot.node_info_map]
        seen = (f"snapshot {'; '.join(snapshot)}",) if snapshot else ()
        found[f"scheduling cycle: {state.cycle.pod.name}"] = (*_goroutine(state.cycle), *seen)
    found |= _numbered("binding goroutine", state.bindings)
    moved = state.queue.move_request_cycle
    found |= _numbered("error func's goroutine", state.retries, moved)
    return found


def beginning(state: Scheduling) -> str:
    """Which pods are bound at the start."""
    bound = [f"{pod.uid} to {pod.node_name}" for pod in state.pods if pod is not None]
    if not bound:
        return ""
    return (
        f"The scheduler starts. Bound before: {', '.join(bound)}. The store has the pods, and no handler knows of them."
    )


def _numbered(kind: str, goroutines: Iterable[Goroutine], moved: int | None = None) -> Facts:
    """A subject for each; the second one of a pod has a number. `moved`: the cycle of the last move request."""
    found: Facts = {}
    for goroutine in goroutines:
        subject = f"{kind}: {goroutine.pod.name}"
        number = 2
        while subject in found:
            subject = f"{kind}: {goroutine.pod.name} ({number})"
            number += 1
        found[subject] = _goroutine(goroutine, moved is not None and moved >= goroutine.cycle)
    return found


def _at_hand(goroutine: Goroutine) -> tuple[str, ...]:
    """The object that a request compares with or writes, if it is another one."""
    pod = goroutine.at_hand
    if pod is None:
        return ()
    if "patch_failure" not in goroutine.steps:
        return (f"preempts as {pod.uid}",)
    return (f"patches from {pod.condition or 'no condition'}, nominated to {pod.nominated_node_name or 'no node'}",)


def _goroutine(goroutine: Goroutine, missed_move: bool = False) -> tuple[str, ...]:
    """The object it has in hand, what it has found out, and its next step."""
    pod = goroutine.pod
    return (
        f"has {pod.uid}" if pod.uid else "has no object yet",
        *more_of_pod(pod),
        *([f"to {goroutine.node}"] if goroutine.node and goroutine.node != pod.node_name else []),
        *([f"fits {' '.join(goroutine.candidates)}"] if goroutine.candidates else []),
        *([f"victims {' '.join(goroutine.victims)}"] if goroutine.victims else []),
        *([f"clears the nomination of {' '.join(each.uid for each in goroutine.clear)}"] if goroutine.clear else []),
        *([f"rejected by {' '.join(sorted(goroutine.rejected_by))}"] if goroutine.rejected_by else []),
        *_at_hand(goroutine),
        *(["a move request came"] if missed_move else []),
        f"next {goroutine.steps[0].replace('_', ' ')}" if goroutine.steps else "next nothing",
    )
