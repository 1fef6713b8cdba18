"""Pods, events, queue and cache in the words of the scheduler's Go code, for every system that has them.

`p1#2` is the UID of the second pod of the name p1.
"""

from collections.abc import Iterable, Iterator

from kubeproof.systems.system import Facts
from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import Cache, PodState
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, Queue, QueuedPodInfo
from model.world.api_server import CPU
from model.world.events import Listener, NodeEvent, PodEvent


def pod_object(pod: Pod) -> tuple[str, ...]:
    """A pod as the API server or an informer has it."""
    where = () if pod.node_name else ("pending",)
    priority = (f"priority {pod.priority}",) if pod.priority else ()
    return (f"UID {pod.uid}", *priority, *where, *more_of_pod(pod))


def more_of_pod(pod: Pod) -> Iterator[str]:
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
    if pod.scheduling_gates:
        yield f"scheduling gate {' '.join(pod.scheduling_gates)}"
    if pod.scheduler_name:
        yield f"schedulerName {pod.scheduler_name}"
    if pod.disruption_target:
        yield "condition DisruptionTarget"
    if pod.terminating:
        yield "terminating"
    if pod.managed_fields:
        yield f"managed fields {pod.managed_fields}"


def _with(subject: str, parts: Iterable[str]) -> str:
    told = ", ".join(part for part in parts if part)
    return f"{subject} ({told})" if told else subject


def pod_text(pod: Pod) -> str:
    """The UID, which has the name in it, and what differs from a pod just created; of a mere reference, the name."""
    return _with(pod.uid or pod.name, more_of_pod(pod))


def node_text(node: Node, sizes: bool = False) -> str:
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


def pod_event_text(event: PodEvent) -> str:
    return f"{event.kind} {pod_text(event.pod)}{_unknown(event.final_state_unknown)}"


def node_event_text(event: NodeEvent) -> str:
    return (
        f"{event.kind} {node_text(event.node, event.old is not None and event.old.cpu_milli != event.node.cpu_milli)}"
    )


def _unknown(final_state_unknown: bool) -> str:
    return ", final state unknown" if final_state_unknown else ""


def listener_texts(listener: Listener) -> tuple[str, ...]:
    return (*map(_notification, listener.pending), *map(str, listener.calls))


def _notification(value: PodNotification) -> str:
    kind = "add" if value.old is None else "delete" if value.new is None else "update"
    pod = value.new or value.old
    return f"{kind} {pod_text(pod) if pod else ''}{_unknown(value.final_state_unknown)}"


def queue_facts(queue: Queue) -> Facts:
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
    in_flight = tuple(pod.uid + _previous(pod, queue) for pod in queue.in_flight_pods)
    if in_flight or queue.in_flight_events:
        # 1.28.0 and 1.28.1 keep no pods in the list.
        found["queue: inFlightPods"] = in_flight
        found["queue: inFlightEvents"] = tuple(map(_in_flight, queue.in_flight_events))
    if queue.lacks_claims:
        found["missing ResourceClaims"] = "all"
    if queue.received_move_request or queue.move_request_cycle >= queue.scheduling_cycle:
        found["queue: move request"] = "came in this scheduling cycle"
    return found


def _queued(info: QueuedPodInfo) -> str:
    more = [
        _attempts(info.attempts) if info.attempts else "",
        f"rejected by {' '.join(sorted(info.unschedulable_plugins))}" if info.unschedulable_plugins else "",
        f"held back by {info.gating_plugin}" if info.gated else "",
        f"waits for {' '.join(sorted(info.pending_plugins))}" if info.pending_plugins else "",
    ]
    return _with(info.pod.uid or info.pod.name, [*more_of_pod(info.pod), *more])


def _attempts(count: int) -> str:
    return f"{count} attempt" if count == 1 else f"{count} attempts"


def cache_facts(cache: Cache, sizes: bool) -> Facts:
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
    yield from more_of_pod(entry.pod)
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


def node_info_text(info: NodeInfo) -> str:
    pods = " ".join(pod.uid for pod in info.pods) or "without pods"
    return f"{info.name} {'' if info.node else '(no Node object) '}{pods}"


def _previous(pod: InFlightPod, queue: Queue) -> str:
    """The last event before the Pop, where the release keeps that (1.28.0, 1.28.1)."""
    match pod.previous_event:
        case None:
            return ""
        case at if at == REMOVED:
            return " (since an event that was removed)"
    return f" (since event {pod.previous_event + 1})"


def _in_flight(element: InFlightPod | InFlightEvent) -> str:
    if isinstance(element, InFlightPod):
        return f"pod {element.uid}"
    needed = f"needed by {element.in_flight_pods_num}" if element.in_flight_pods_num else ""
    return _with(element.event.label, [needed, f"for {element.only_for}" if element.only_for else ""])
