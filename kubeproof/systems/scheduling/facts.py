"""A state of scheduling in the words of its Go code: what each component says, and no more than goes without saying.

Each subject begins with the component. `p1#2` is the UID of the second pod of the name p1.
"""

from collections.abc import Iterable, Iterator

from kubeproof.systems.system import Facts
from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import Cache, PodState
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling.records import Goroutine, Scheduling
from model.world.api_server import CPU
from model.world.events import Listener, NodeEvent, PodEvent


def facts(state: Scheduling) -> Facts:
    """API server, informers, handlers, queue, cache, and the scheduler's goroutines."""
    found: Facts = {}
    if state.crashed:
        found["scheduler"] = f"its process has ended: {state.crashed}"
    found |= {f"API server: {pod.name}": _object(pod) for pod in state.pods if pod is not None}
    sizes = bool(state.used.of("node_grows") or state.used.of("node_shrinks"))
    found["API server: nodes"] = tuple(_node(node, sizes) for node in state.nodes if node is not None)
    found["informers: on the way"] = (*map(_pod_event, state.pod_watch), *map(_node_event, state.node_watch))
    found |= {f"informers: {pod.name}": _object(pod) for pod in state.lister if pod is not None}
    found["handler of assigned pods"] = _listener(state.assigned)
    found["handler of unassigned pods"] = _listener(state.unassigned)
    found["handler of nodes"] = tuple(map(str, state.node_calls))
    found |= _queue(state.queue)
    found |= _cache(state.cache, sizes)
    if state.cycle is not None:
        snapshot = [_node_info(info) for info in state.snapshot.node_info_map]
        seen = (f"snapshot {'; '.join(snapshot)}",) if snapshot else ()
        found[f"scheduling cycle: {state.cycle.pod.name}"] = (*_goroutine(state.cycle), *seen)
    found |= _numbered("binding goroutine", state.bindings)
    moved = state.queue.move_request_cycle
    found |= _numbered("error func's goroutine", state.retries, moved)
    return found


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


def _object(pod: Pod) -> tuple[str, ...]:
    """A pod as the API server or an informer has it."""
    where = () if pod.node_name else ("pending",)
    priority = (f"priority {pod.priority}",) if pod.priority else ()
    return (f"UID {pod.uid}", *priority, *where, *_more(pod))


def _more(pod: Pod) -> Iterator[str]:
    """What differs from a new pod, except for the priority, which never differs between objects of one pod."""
    if pod.cpu_milli > CPU:
        yield f"asks for {pod.cpu_milli}m CPU"
    if pod.node_name:
        yield f"on {pod.node_name}"
    if pod.nominated_node_name:
        yield f"nominatedNodeName {pod.nominated_node_name}"
    yield from (f"label {key}={text}" for key, text in pod.labels)
    yield from (f"annotation {key}={text}" for key, text in pod.annotations)
    yield from (f"finalizer {text}" for text in pod.finalizers)
    if pod.affinity_app:
        yield f"affinity to app={pod.affinity_app}"
    if pod.toleration:
        yield f"tolerates {pod.toleration}"
    if pod.condition:
        yield pod.condition
    if pod.resource_version:
        yield f"resourceVersion {pod.resource_version}"
    if pod.terminating:
        yield "terminating"
    if pod.managed_fields:
        yield f"managed fields {pod.managed_fields}"


def _with(subject: str, parts: Iterable[str]) -> str:
    told = ", ".join(part for part in parts if part)
    return f"{subject} ({told})" if told else subject


def pod_text(pod: Pod) -> str:
    """The UID, which has the name in it, and what differs from a pod just created; of a mere reference, the name."""
    return _with(pod.uid or pod.name, _more(pod))


def _node(node: Node, sizes: bool = False) -> str:
    """`sizes`: the allocatable CPU is told, as it changes."""
    return _with(node.name, [f"zone {node.zone}" if node.zone else "", *_of_node(node, sizes)])


def _of_node(node: Node, sizes: bool) -> Iterator[str]:
    """What makes the node differ from others."""
    if node.resource_version:
        yield f"resourceVersion {node.resource_version}"
    if sizes:
        yield f"allocatable {node.cpu_milli}m CPU"
    if node.unschedulable:
        yield "cordoned"
    if node.anti_affinity_app:
        yield f"a pod of others there keeps app={node.anti_affinity_app} away"


def _pod_event(event: PodEvent) -> str:
    return f"{event.kind} {pod_text(event.pod)}{_unknown(event.final_state_unknown)}"


def _node_event(event: NodeEvent) -> str:
    return f"{event.kind} {_node(event.node, event.old is not None and event.old.cpu_milli != event.node.cpu_milli)}"


def _unknown(final_state_unknown: bool) -> str:
    return ", final state unknown" if final_state_unknown else ""


def _listener(listener: Listener) -> tuple[str, ...]:
    return (*map(_notification, listener.pending), *map(str, listener.calls))


def _notification(value: PodNotification) -> str:
    kind = "add" if value.old is None else "delete" if value.new is None else "update"
    pod = value.new or value.old
    return f"{kind} {pod_text(pod) if pod else ''}{_unknown(value.final_state_unknown)}"


def _queue(queue: Queue) -> Facts:
    found: Facts = {
        "queue: activeQ": tuple(map(_queued, queue.active)),
        "queue: backoffQ": tuple(map(_queued, queue.backoff)),
        "queue: unschedulableQ": tuple(map(_queued, queue.unschedulable)),
    }
    for node, pods in queue.nominator.nominated_pods:
        found[f"queue: nominated to {node or 'no name'}"] = tuple(map(pod_text, pods))
    listed = {(pod.uid, node) for node, pods in queue.nominator.nominated_pods for pod in pods}
    mapped = set(queue.nominator.nominated_pod_to_node)
    if mapped and mapped != listed:
        found["queue: nominatedPodToNode"] = tuple(f"{uid} to {node or 'no name'}" for uid, node in sorted(mapped))
    if queue.pod_backoff:
        found["queue: podBackoff"] = tuple(f"{each.name} {_attempts(each.attempts)}" for each in queue.pod_backoff)
    if queue.received_move_request or queue.move_request_cycle >= queue.scheduling_cycle:
        found["queue: move request"] = "came in this scheduling cycle"
    return found


def _queued(info: QueuedPodInfo) -> str:
    more = [
        _attempts(info.attempts) if info.attempts else "",
        f"rejected by {' '.join(sorted(info.unschedulable_plugins))}" if info.unschedulable_plugins else "",
        f"waits for {' '.join(sorted(info.pending_plugins))}" if info.pending_plugins else "",
    ]
    return _with(info.pod.uid or info.pod.name, [*_more(info.pod), *more])


def _attempts(count: int) -> str:
    return f"{count} attempt" if count == 1 else f"{count} attempts"


def _cache(cache: Cache, sizes: bool) -> Facts:
    found: Facts = {f"cache: {entry.key}": tuple(_cached(entry)) for entry in cache.pod_states}
    found["cache: nodes"] = tuple(_node_in_cache(info, cache, sizes) for info in cache.nodes)
    in_tree = tuple(sorted(name for array in cache.node_tree.tree for name in array.nodes))
    if in_tree != tuple(info.name for info in cache.nodes if info.node is not None):
        found["cache: nodeTree"] = in_tree
    return found


def _cached(entry: PodState) -> Iterator[str]:
    """A podState: its key is the UID in the subject, unless the pod in it is another one."""
    yield "assumed" if entry.assumed else "confirmed"
    if entry.pod.uid != entry.key:
        yield f"UID {entry.pod.uid}"
    yield from _more(entry.pod)
    if entry.binding_finished:
        yield "binding finished"
    if entry.deadline is not None:
        yield "its deadline is over" if entry.deadline < 0 else "with a deadline"


def _node_in_cache(info: NodeInfo, cache: Cache, sizes: bool) -> str:
    """The NodeInfo: what is not as the Node and the pods on it say."""
    of_states = sorted(entry.pod.uid for entry in cache.pod_states if entry.pod.node_name == info.name)
    counted = [pod.uid for pod in info.pods]
    asked = sum(pod.cpu_milli for pod in info.pods)
    return _with(
        info.name,
        [
            *(_of_node(info.node, sizes) if info.node is not None else ["no Node object"]),
            "" if counted == of_states else f"counts {' '.join(counted) or 'no pod'}",
            "" if info.requested_cpu == asked else f"counts {info.requested_cpu}m CPU",
        ],
    )


def _node_info(info: NodeInfo) -> str:
    pods = " ".join(pod.uid for pod in info.pods) or "without pods"
    return f"{info.name} {'' if info.node else '(no Node object) '}{pods}"


def _goroutine(goroutine: Goroutine, missed_move: bool = False) -> tuple[str, ...]:
    """The object it has in hand, what it has found out, and its next step."""
    pod = goroutine.pod
    return (
        f"has {pod.uid}" if pod.uid else "has no object yet",
        *_more(pod),
        *([f"to {goroutine.node}"] if goroutine.node and goroutine.node != pod.node_name else []),
        *([f"fits {' '.join(goroutine.candidates)}"] if goroutine.candidates else []),
        *([f"victims {' '.join(goroutine.victims)}"] if goroutine.victims else []),
        *([f"clears the nomination of {' '.join(each.uid for each in goroutine.clear)}"] if goroutine.clear else []),
        *([f"rejected by {' '.join(sorted(goroutine.rejected_by))}"] if goroutine.rejected_by else []),
        *(["a move request came"] if missed_move else []),
        f"next {goroutine.steps[0].replace('_', ' ')}" if goroutine.steps else "next nothing",
    )
