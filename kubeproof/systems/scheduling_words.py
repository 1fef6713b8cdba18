"""scheduling in the words of the scheduler's Go code: what each step is, who is in which queue, what the cache says."""

from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.state import Infos
from model.systems.scheduling.records import Scheduling
from properties.property import Invariant
from properties.scheduling.catalogue import PROPERTIES


def describe_action(action: Action) -> str:
    """One sentence: what happens in the API server, in an informer or in the scheduler."""
    args = dict(action.args)
    pod, node = args.get("pod"), args.get("node")
    victims = str(args.get("victims", ""))
    sentences = {
        "create_pod": f"A user creates pod {pod}.",
        "recreate_pod": f"Pod {pod} is created again: the same name, another UID.",
        "update_annotations": f"Somebody changes an annotation of {pod}.",
        "update_finalizers": f"Somebody adds a finalizer to {pod}.",
        "update_labels": f"Somebody changes a label of {pod}.",
        "delete_pod": f"A user deletes {pod}.",
        "finish_termination": f"The kubelet has stopped {pod}; its object is gone.",
        "bind_elsewhere": f"Another scheduler binds {pod} to {node}.",
        "delete_node": f"Node {node} is deleted.",
        "add_node": f"Node {node} joins.",
        "heartbeat": f"The kubelet of {node} writes its status.",
        "deliver_pod": f"The informer delivers the next event, of {pod}.",
        "handle_assigned": "The handler for assigned pods goes on.",
        "handle_unassigned": "The handler for unassigned pods goes on.",
        "deliver_node": "The informer delivers the next node event.",
        "resync_pod": f"The informer's resync tells the handlers of {pod}, which has not changed.",
        "relist_pods": "The watch breaks; the informer lists all pods anew.",
        "pop": f"`Pop`: a scheduling cycle of {pod} begins.",
        "schedule": f"`Schedule` {pod}: skip it or not, snapshot, filters, extenders.",
        "find_nodes": f"The filters run for {pod}.",
        "call_extenders": f"The extender's filter verb is called for {pod}.",
        "assume": f"`assume`: {pod} counts on {node} from now on; its binding goroutine starts.",
        "delete_nominated_pod": f"`DeleteNominatedPodIfExists` of {pod}.",
        "start_error_func": f"The error function's goroutine for {pod} starts.",
        "record_failure": f"`recordSchedulingFailure` of {pod}: event FailedScheduling, condition PodScheduled=False.",
        "preempt": _preempt(str(pod), str(node or ""), victims),
        "nominate": f"`UpdateNominatedPodForNode` of {pod}.",
        "set_nominated_node_name": f"status.nominatedNodeName of {pod} is written.",
        "post_filter": _preempt(str(pod), str(node or ""), victims),
        "delete_victims": f"The victims of {pod} are deleted, lower nominations cleared.",
        "requeue": f"The error function puts {pod} back, if the lister shows it pending.",
        "add_nominated_pod": f"`AddNominatedPod` of {pod}; event FailedScheduling and status patch.",
        "patch_failure": f"Event FailedScheduling of {pod}, and the patch of its status.",
        "bind": _bind(str(pod), str(node), args.get("reply")),
        "bind_failed": f"The binding of {pod} has failed: FinishBinding, ForgetPod.",
        "finish_binding": f"`FinishBinding` of {pod}.",
        "forget_pod": f"`ForgetPod` of {pod}.",
        "move_after_forget": "Pods that the forgotten one had kept out are moved.",
        "get_pod": f"The error function's goroutine GETs {pod}.",
        "add_unschedulable": f"`AddUnschedulableIfNotPresent` of {pod}, as that GET returned it.",
        "tick": "Time passes until the next deadline.",
        "flush_backoff_q_completed": "`flushBackoffQCompleted`.",
        "flush_unschedulable_q_leftover": "`flushUnschedulableQLeftover`.",
        "cleanup_assumed_pods": "`cleanupAssumedPods`: assumed pods whose time is over are forgotten.",
    }
    return sentences.get(action.name, str(action))


def _preempt(pod: str, node: str, victims: str) -> str:
    if not node:
        return f"Preemption for {pod} finds no candidate."
    return f"Preemption nominates {pod} to {node}; " + (f"victims: {victims}." if victims else "nobody has to go.")


def _bind(pod: str, node: str, reply: object) -> str:
    end = {"lost": "; it is done, but the answer is lost", "refused": "; it never arrives"}.get(str(reply), "")
    return f"The Binding of {pod} to {node} is posted{end}."


def _names(infos: Infos) -> str:
    return ", ".join(info.pod.name for info in infos) or "empty"


def _pod(pod: Pod) -> str:
    where = f"bound to {pod.node_name}" if pod.node_name else "pending"
    parts = [where]
    if pod.terminating:
        parts.append("terminating")
    if pod.nominated_node_name:
        parts.append(f"nominatedNodeName {pod.nominated_node_name}")
    if pod.condition and not pod.node_name:
        parts.append(pod.condition)
    if pod.annotations:
        parts.append("annotations " + ", ".join(f"{key}={value}" for key, value in pod.annotations))
    return f"{pod.uid} {', '.join(parts)}"


def describe_state(state: Scheduling) -> list[str]:
    """The API server, what is on its way, the queue, the cache, the scheduler's goroutines."""
    pods = "; ".join(_pod(pod) for pod in state.pods if pod is not None) or "no pods"
    nodes = ", ".join(node.name for node in state.nodes if node is not None) or "none"
    lines = [f"API server: {pods}; nodes {nodes}"]
    waiting = [f"{event.kind} {event.pod.uid}" for event in state.pod_watch]
    waiting += [f"{event.kind} {event.node.name}" for event in state.node_watch]
    if waiting:
        lines.append(f"events not yet delivered: {', '.join(waiting)}")
    queue = state.queue
    parts = [f"activeQ {_names(queue.active)}"]
    if queue.backoff:
        parts.append(f"backoff queue {_names(queue.backoff)}")
    parts.append(f"unschedulableQ {_names(queue.unschedulable)}")
    for node, nominated in queue.nominator.nominated_pods:
        where = node or "no name"
        parts.append(f"nominated to {where}: {', '.join(pod.name for pod in nominated)}")
    lines.append("; ".join(parts))
    cached = [
        f"{entry.pod.name} {'assumed' if entry.assumed else 'bound'} on {entry.pod.node_name}"
        for entry in state.cache.pod_states
    ]
    if cached:
        lines.append(f"cache: {', '.join(cached)}")
    if state.cycle is not None:
        lines.append(f"scheduling cycle: {state.cycle.pod.name}, next {state.cycle.steps[0]}")
    others = [f"binding of {g.pod.name}, next {g.steps[0]}" for g in state.bindings]
    others += [f"retry of {g.pod.name}, next {g.steps[0]}" for g in state.retries]
    if others:
        lines.append(f"goroutines: {'; '.join(others)}")
    return lines


def describe_damage(state: Scheduling) -> str | None:
    """What invariants are broken in this state, or why the scheduler is gone."""
    if state.crashed:
        return f"**The scheduler's process has ended**: {state.crashed}"
    broken = [p.explain(state) for p in PROPERTIES if isinstance(p, Invariant) and not p.holds(state)]
    return f"**{broken[0]}**" if broken else None
