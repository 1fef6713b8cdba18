"""What the properties of scheduling read from a state: where pods are, what is under way, what really fits."""

from collections.abc import Iterator

from model.machine import Action
from model.objects import Pod
from model.scheduler.cache.state import find_pod_state
from model.systems.scheduling.failure_steps import RECORDS
from model.systems.scheduling.fitting import tolerates
from model.systems.scheduling.records import Goroutine, Scheduling
from model.world.state import HasInformers, HasObjects

State = Scheduling

# While one of these steps is still to come, the attempt goes on. Later steps only handle its failure.
ATTEMPT = frozenset(
    {
        "schedule", "find_nodes", "call_extenders", "choose", "assume", "delete_nominated_pod", "bind", "bind_failed",
        "finish_binding", "forget_pod", "reserve", "permit", "add_waiting_pod", "start_binding", "listen",
        "wait_on_permit", "pre_bind",
    }
)  # fmt: skip


def live(state: HasObjects, name: str) -> Pod | None:
    """The API server's pod of that name."""
    return state.pods[int(name[1:]) - 1]


def listed(state: State, name: str) -> Pod | None:
    """The informer's pod of that name."""
    return state.lister[int(name[1:]) - 1]


def pending(state: State, pod: Pod) -> bool:
    """Whether this incarnation of the pod exists and is not bound."""
    current = live(state, pod.name)
    return current is not None and current.uid == pod.uid and not current.node_name


def bindings(state: State) -> tuple[Goroutine, ...]:
    """The binding goroutines of all schedulers."""
    return (*state.bindings, *(state.second.bindings if state.second is not None else ()))


def goroutines(state: State) -> Iterator[Goroutine]:
    """The goroutines under way: the scheduling cycle, bindings, retries."""
    if state.cycle is not None:
        yield state.cycle
    yield from state.bindings
    yield from state.retries


def attempts(state: State, uid: str) -> list[Goroutine]:
    """Scheduling and binding cycles in which a pod of this UID is being placed."""
    return [g for g in goroutines(state) if g.pod.uid == uid and not ATTEMPT.isdisjoint(g.steps)]


def queues_of(state: State, name: str, uid: str | None = None) -> list[str]:
    """The sub-queues that have the pod; with a `uid` only this incarnation of the pod."""
    queue = state.queue
    parts = (("activeQ", queue.active), ("the backoff queue", queue.backoff), ("unschedulableQ", queue.unschedulable))
    return [
        part for part, infos in parts if any(info.pod.name == name and uid in (None, info.pod.uid) for info in infos)
    ]


def events_of(state: HasInformers, name: str) -> bool:
    """Whether something about this pod is under way to the scheduler's handlers."""
    if any(event.pod.name == name for event in state.pod_watch):
        return True
    for listener in (state.assigned, state.unassigned, state.handler):
        if listener.calls:
            return True
        for notification in listener.pending:
            if any(pod is not None and pod.name == name for pod in (notification.old, notification.new)):
                return True
    return False


def delivered(state: State) -> bool:
    """Whether every event was delivered."""
    handlers = (state.assigned, state.unassigned, state.handler)
    return not (state.pod_watch or state.node_watch or state.node_calls) and all(each.idle for each in handlers)


def at_rest(state: State) -> bool:
    """Whether nothing is under way: only a user, a node or time could make something happen."""
    idle = state.cycle is None and not state.bindings and not state.retries and not state.crashed
    return idle and not state.queue.active and not state.queue.backoff and delivered(state)


def nominated_pods(state: State) -> Iterator[tuple[str, Pod]]:
    """Each nomination in memory: the node, and the pod as the API server has the pod, since 1.31 keeps no object."""
    for node, pods in state.queue.nominator.nominated_pods:
        for pod in pods:
            current = live(state, pod.name)
            yield node, current if current is not None and current.uid == pod.uid else pod


def bound_to(state: State, node: str) -> list[Pod]:
    """The pods that the API server says run on the node."""
    return [pod for pod in state.pods if pod is not None and pod.node_name == node]


def really_free(state: State, node: str) -> int:
    """Milli-CPU that the node has left beside the pods bound to it, by the API server; 0 if there is no such node."""
    found = state.nodes[int(node[1:]) - 1]
    return 0 if found is None else found.cpu_milli - sum(pod.cpu_milli for pod in bound_to(state, node))


def may_go(state: State, node: str) -> bool:
    """Whether pods may be on the node at all: in scheduling-cycle a plugin may name the nodes of all pods."""
    named = getattr(state, "named", ())
    return not named or node in named


def has_room(state: State, node: str, pod: Pod, kept: int = 0) -> bool:
    """Whether the pod may be on the node, by the API server, beside the bound pods and `kept` milli-CPU for others."""
    found = state.nodes[int(node[1:]) - 1]
    if not may_go(state, node):
        return False
    return found is not None and tolerates(found, pod) and pod.cpu_milli + kept <= really_free(state, node)


def node_names(state: State) -> list[str]:
    """The nodes that the API server has."""
    return [node.name for node in state.nodes if node is not None]


def assumed(state: State, uid: str) -> bool:
    found = find_pod_state(state.cache, uid)
    return found is not None and found.assumed


def thread_of(state: State, action: Action) -> Goroutine | None:
    """The goroutine that takes `action`: the scheduling cycle, or the binding that the action names."""
    arguments = dict(action.args)
    if "by" not in arguments:
        return state.cycle
    pod, node, nth = arguments["pod"], arguments.get("node", ""), int(arguments.get("nth", 1))
    same = [g for g in state.bindings if (g.steps[0], g.pod.name, g.pod.node_name) == (action.name, pod, node)]
    return list(dict.fromkeys(same))[nth - 1]


def records_failure(before: State, action: Action, after: State) -> Pod | None:
    """The pod for which this action makes a FailedScheduling event, or None."""
    goroutine = thread_of(before, action)
    if goroutine is None or not any(step in RECORDS for step in goroutine.steps):
        return None
    left = thread_after(before, action, after)
    return None if left is not None and any(step in RECORDS for step in left.steps) else goroutine.pod


def thread_after(before: State, action: Action, after: State) -> Goroutine | None:
    """What is left of the goroutine after its action; None if it ended."""
    if "by" not in dict(action.args):
        return after.cycle
    stayed = list(before.bindings)
    goroutine = thread_of(before, action)
    if goroutine is not None:
        stayed.remove(goroutine)
    left = list(after.bindings)
    for g in stayed:
        if g in left:
            left.remove(g)
    return left[0] if left else None
