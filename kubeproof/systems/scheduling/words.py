"""scheduling in the words of the scheduler's Go code: what each step was, and what came of it."""

from collections.abc import Mapping

from model.machine import Action
from model.objects import Pod
from model.systems.scheduling import second_scheduler
from model.systems.scheduling.records import Scheduling
from model.world.moves import MOVING

# Actions of which a name says all.
_PLAIN = {
    "create_pod": "A user creates pod {pod}.",
    "recreate_pod": "Pod {pod} is created again: the same name, another UID.",
    "replace_pod": "Its controller makes {pod} again: the same name, another UID.",
    "update_annotations": "Somebody changes an annotation of {pod}.",
    "update_finalizers": "Somebody adds a finalizer to {pod}.",
    "update_labels": "Somebody changes a label of {pod}.",
    "shrink_pod": "Somebody has {pod} ask for less CPU.",
    "resize_pod": "Somebody has {pod} ask for more CPU.",
    "grow_node": "The kubelet of {node} has more CPU to give.",
    "shrink_node": "The kubelet of {node} has less CPU to give.",
    "cordon_node": "Somebody cordons {node}.",
    "uncordon_node": "Somebody uncordons {node}.",
    "bind_elsewhere": "Another scheduler binds {pod} to {node}.",
    "delete_node": "Node {node} is deleted.",
    "add_node": "Node {node} joins.",
    "heartbeat": "The kubelet of {node} writes its status.",
    "resync_pod": "The informer's resync tells the handlers of {pod}, which has not changed.",
    "relist_pods": "The watch breaks; the informer lists all pods anew.",
    "pop": "`Pop`: a scheduling cycle of {pod} begins.",
    "assume": "`assume`: {pod} counts on {node} from now on.",
    "delete_nominated_pod": "`DeleteNominatedPodIfExists` of {pod}; its binding goroutine starts.",
    "start_error_func": "The error function's goroutine for {pod} starts.",
    "nominate": "`UpdateNominatedPodForNode` of {pod}.",
    "finish_binding": "`FinishBinding` of {pod}.",
    "forget_pod": "`ForgetPod` of {pod}.",
    "tick": "Time passes until the next deadline.",
    "flush_backoff_q_completed": "`flushBackoffQCompleted` runs.",
    "flush_unschedulable_q_leftover": "`flushUnschedulableQLeftover` runs.",
    "cleanup_assumed_pods": "`cleanupAssumedPods` runs: assumed pods whose time is over are forgotten.",
}


def sentence(before: Scheduling, action: Action, after: Scheduling) -> str:
    """What happened in the API server, in an informer or in the scheduler, and what came of it."""
    if action.name in second_scheduler.NAMES:
        seen = (second_scheduler.with_objects(before), second_scheduler.with_objects(after))
        return f"Second scheduler: {sentence(seen[0], second_scheduler.first_of(action), seen[1])}"
    args = {key: str(value) for key, value in action.args}
    if action.name in _PLAIN:
        return _PLAIN[action.name].format(**args)
    pod, node = args.get("pod", ""), args.get("node", "")
    match action.name:
        case "finish_termination":
            last = _live(before, pod)
            who = "The kubelet has stopped" if last and last.node_name else "Nothing keeps"
            return f"{who} {pod}; its object is gone."
        case "delete_pod":
            return f"A user deletes {pod}{': the pod terminates' if _live(after, pod) else ''}."
        case "deliver_pod":
            event = before.pod_watch[0]
            unknown = ", whose final state is unknown" if event.final_state_unknown else ""
            return f"The informer delivers the {event.kind} of {event.pod.uid}{unknown}."
        case "handle_pod":
            return f"The handler of pods goes on{_next_of_move(args)}."
        case "handle_assigned" | "handle_unassigned":
            kind = action.name.removeprefix("handle_")
            return f"The handler of {kind} pods goes on{_next_of_move(args)}."
        case "deliver_node":
            if before.node_calls:
                return f"The handler of nodes goes on{_next_of_move(args)}."
            event_ = before.node_watch[0]
            return f"The informer delivers the {event_.kind} of {event_.node.name}."
        case "schedule" | "find_nodes" | "call_extenders":
            return _scheduled(action.name, before, pod, after)
        case "preempt" | "post_filter":
            nominated = after.cycle is not None and after.cycle.node == node
            return _preempted(pod, node, args.get("victims", ""), nominated)
        case "set_nominated_node_name":
            end = "is written" if before.pods != after.pods else "is not written: the object at hand is out of date"
            return f"status.nominatedNodeName of {pod} {end}."
        case "delete_victims":
            gone = [p.uid for p, now in zip(before.pods, after.pods, strict=True) if p is not None and now != p]
            return f"The victims of {pod} are deleted: {', '.join(gone) or 'none is left to delete'}."
        case "record_failure" | "patch_failure":
            return f"The failure of {pod} is recorded: event FailedScheduling{_status(before, pod, after)}."
        case "requeue":
            where = _new_place(before, pod, after)
            return f"The error function puts {pod} {where}." if where else f"The error function leaves {pod} alone."
        case "add_nominated_pod":
            return f"`AddNominatedPod` of {pod}; event FailedScheduling{_status(before, pod, after)}."
        case "done_after_failure":
            return f"The failure handler ends with its deferred `Done` of {pod}."
        case "bind":
            return _bound(before, pod, node, args.get("reply", ""), after)
        case "bind_failed":
            return f"The scheduler learns that the binding of {pod} has failed."
        case "move_after_forget":
            may = f"pods that the forgotten one had kept out may be tried again{_next_of_move(args)}"
            return f"`MoveAllToActiveOrBackoffQueue`: {may}."
        case "go_on_moving":
            return f"This move goes on{_next_of_move(args)}."
        case "get_pod":
            found = _live(before, pod)
            end = "is gone" if found is None else "is bound" if found.node_name else "is pending"
            left = "" if end == "is pending" else ", and is left alone"
            return f"The error function's goroutine GETs {pod}: the pod {end}{left}."
        case "add_unschedulable":
            where = _new_place(before, pod, after)
            end = f"the pod goes {where}" if where else "the pod is in the queue already"
            return f"`AddUnschedulableIfNotPresent` of {pod}, as the GET returned it: {end}."
    return str(action)


def _next_of_move(args: Mapping[str, str]) -> str:
    """Which pod a move takes next, where a move is several actions."""
    return f", {args[MOVING]} next" if MOVING in args else ""


def _scheduled(step: str, before: Scheduling, pod: str, after: Scheduling) -> str:
    """What `Schedule` came to: a skip, nodes that fit, a failure; step by step where locks are told apart."""
    name = {"find_nodes": "The filters run for", "call_extenders": "The extender filters for"}.get(step, "`Schedule`")
    cycle = after.cycle
    if after.crashed:
        return f"{name} {pod}: the scheduler's process ends ({after.crashed})."
    if cycle is None:
        return f"{name} {pod}: the pod is skipped."
    if cycle.steps[0] == "find_nodes":
        return f"{name} {pod}: the snapshot is taken."
    if cycle.candidates:
        nodes = " and ".join(cycle.candidates)
        verb = "fits" if len(cycle.candidates) == 1 else "fit"
        return f"{name} {pod}: {nodes} {verb}{_annotated(before, pod, after)}."
    if not any(info.node for info in after.cache.nodes):
        return f"{name} {pod}: there is no node, and the attempt fails."
    return f"{name} {pod}: no node is left, and the attempt fails{_annotated(before, pod, after)}."


def _annotated(before: Scheduling, pod: str, after: Scheduling) -> str:
    """The extender may write to the pod before it answers."""
    old, new = _live(before, pod), _live(after, pod)
    changed = old is not None and new is not None and old.annotations != new.annotations
    return "; the extender has annotated the pod" if changed else ""


def _live(state: Scheduling, name: str) -> Pod | None:
    """The API server's object of that name."""
    return next((pod for pod in state.pods if pod is not None and pod.name == name), None)


def _preempted(pod: str, node: str, victims: str, nominated: bool) -> str:
    if not node:
        return f"Preemption for {pod} finds no candidate."
    if not nominated:
        return f"Preemption for {pod} ends with an error: of {victims}, which is on {node}, one is gone."
    return f"Preemption nominates {pod} to {node}; " + (f"victims: {victims}." if victims else "nobody has to go.")


def _status(before: Scheduling, name: str, after: Scheduling) -> str:
    """What was written to the pod's status, or that nothing was."""
    old, new = _live(before, name), _live(after, name)
    if old is None or new is None or old == new:
        return "; its status stays as it is"
    written = ["condition PodScheduled=False"] if old.condition != new.condition else []
    if old.nominated_node_name != new.nominated_node_name:
        written.append(f'nominatedNodeName "{new.nominated_node_name}"')
    return f"; its status is written: {', '.join(written)}"


def _new_place(before: Scheduling, name: str, after: Scheduling) -> str:
    """Where the pod has come to be in the queue; "" if it is where it was."""
    old, new = _in_queue(before, name), _in_queue(after, name)
    return f"into {new}" if new and new != old else ""


def _in_queue(state: Scheduling, name: str) -> str:
    queue = state.queue
    places = {"activeQ": queue.active, "backoffQ": queue.backoff, "unschedulableQ": queue.unschedulable}
    return next((place for place, infos in places.items() if any(info.pod.name == name for info in infos)), "")


def _bound(before: Scheduling, name: str, node: str, reply: str, after: Scheduling) -> str:
    """What became of a Binding."""
    old, new = _live(before, name), _live(after, name)
    done = new is not None and bool(new.node_name) and new != old
    if reply == "refused":
        end = "; the request never arrives"
    elif reply == "lost":
        end = "; the pod is bound, but the answer is lost" if done else "; the answer is lost"
    else:
        end = "" if done else "; the API server refuses the request"
    return f"The Binding of {name} to {node} is posted{end}."
