"""queueing-hints in the words of the scheduler's Go code: what each step was, and what a state says."""

from kubeproof.systems.component_facts import (
    cache_facts,
    listener_texts,
    more_of_pod,
    pod_event_text,
    pod_object,
    queue_facts,
)
from kubeproof.systems.system import Facts
from model.machine import Action
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import PENDING, PLUGINS

# Actions of which a name says all.
_PLAIN = {
    "create_pod": "A user creates pod {pod}.",
    "create_gated_pod": "A user creates pod {pod} with a scheduling gate.",
    "create_asking_pod": "A user creates pod {pod}, which asks to be beside a pod with the label app=web.",
    "add_toleration": "Pod {pod} comes to tolerate the taint that all nodes have.",
    "remove_other": "The bound pod q1 of others is deleted.",
    "take_off_gate": "The scheduling gate of {pod} is taken off.",
    "recreate_pod": "Pod {pod} is created again: the same name, another UID.",
    "update_annotations": "Somebody changes an annotation of {pod}.",
    "uninteresting_event": "An event comes that no plugin waits for.",
    "finish_termination": "Nothing keeps {pod}; its object is gone.",
    "resync_pod": "The informer's resync tells the handlers of {pod}, which has not changed.",
    "relist_pods": "The watch breaks; the informer lists all pods anew.",
    "tick": "Time passes until the next deadline.",
    "flush_backoff_q_completed": "`flushBackoffQCompleted` runs.",
    "flush_unschedulable_q_leftover": "`flushUnschedulablePodsLeftover` runs.",
    "finish_binding": "`FinishBinding` of {pod}.",
    "done_after_requeue": "The deferred `Done` of {pod} runs.",
    "done_after_failure": "The failure handler ends with its deferred `Done` of {pod}.",
    "activate": "`Activate`; then the goroutine of the binding of {pod} starts.",
    "done_after_permit": "`WaitOnPermit` of {pod} is over, and `Done` is called.",
    "done_again": "The binding's goroutine goes on, and calls `Done` of {pod} once more.",
}


def sentence(before: QueueingHints, action: Action, after: QueueingHints) -> str:
    """What happened in the API server, in the informer or in the scheduler, and what came of it."""
    args = {key: str(value) for key, value in action.args}
    pod = args.get("pod", "")
    if action.name in _PLAIN:
        return _PLAIN[action.name].format(**args)
    match action.name:
        case "delete_pod":
            stays = after.pods[int(pod[1:]) - 1] is not None
            return f"A user deletes {pod}{': the pod terminates' if stays else ''}."
        case "cluster_event":
            return f"An event comes that {args['plugin']} waits for. Nothing has changed for the plugin.{_error(args)}"
        case "bind_other":
            return f"The bound pod q1 of others comes, {_KINDS[args['kind']]}."
        case "label_other":
            assert after.other is not None
            has = "comes to have" if after.other.labels else "loses"
            return f"The bound pod q1 of others {has} the label app=web."
        case "change_condition":
            at = [plugin for plugin, _ in PLUGINS].index(args["plugin"])
            verb = "accepts every pod" if after.conditions[at] else "rejects every pod"
            return f"{args['plugin']} {verb} from now on, and an event tells so.{_error(args)}"
        case "change_claims":
            if after.queue.lacks_claims:
                return "The ResourceClaims are deleted. No event tells the queue so."
            return "The ResourceClaims are created: DynamicResources lets pods pass from now on, and an event tells so."
        case "change_allocation":
            holds = not after.unallocated
            verb = "accepts every pod" if holds else "leaves every pod pending"
            return f"The ResourceClaims are {'allocated' if holds else 'freed'}: {PENDING[0]} {verb} from now on."
        case "deliver_pod":
            event = before.pod_watch[0]
            unknown = ", whose final state is unknown" if event.final_state_unknown else ""
            return f"The informer delivers the {event.kind} of {event.pod.uid}{unknown}."
        case "handle_pod":
            return "The handler of pods goes on."
        case "handle_assigned" | "handle_unassigned":
            return f"The handler of {action.name.removeprefix('handle_')} pods goes on."
        case "pop":
            if after.cycle is None:
                return f"`Pop` discards {pod}, which is in flight already."
            return f"`Pop`: a scheduling cycle of {after.cycle.uid} begins{_discarded(before, after)}."
        case "schedule":
            return _scheduled(before, pod, args.get("outcome", ""), after)
        case "assume":
            if "activates" in args:
                return f"`assume`: {pod} counts as placed. A plugin asks for {args['activates']} to be tried at once."
            return f"`assume`: {pod} counts as placed; its binding's goroutine starts{_waits(args)}."
        case "wait_on_permit":
            return f"`WaitOnPermit` of {pod} ends: the pod is {args['permit']}."
        case "pre_bind":
            done = " `Done` of the pod is called." if _was_in_flight(before, after) else ""
            return f"PreBind of {pod} {'fails' if 'reply' in args else 'is over'}.{done}"
        case "bind":
            return _bound(before, pod, args.get("reply", ""), after)
        case "binding_failed":
            return f"The binding of {pod} has failed: `ForgetPod`, and the event AssignedPodDelete."
        case "requeue":
            where = _in_queue(after, pod)
            if where and where != _in_queue(before, pod):
                return f"The failure handler puts {pod} into {where}{_with_done(before, after)}."
            return f"The failure handler leaves {pod} alone{_with_done(before, after)}."
        case "patch_failure":
            written = "condition PodScheduled=False is written" if after.pods != before.pods else "its status stays"
            return f"The event FailedScheduling of {pod}; {written}{_with_done(before, after)}."
    return str(action)


# What the pod of others is when it comes.
_KINDS = {
    "labelled": "with the label app=web",
    "plain": "without the label app=web",
    "big": "and takes all of the node",
}


def _error(args: dict[str, str]) -> str:
    return " The hint functions answer an error of it." if "hint" in args else ""


def _was_in_flight(before: QueueingHints, after: QueueingHints) -> bool:
    return len(after.queue.in_flight_pods) < len(before.queue.in_flight_pods)


def _with_done(before: QueueingHints, after: QueueingHints) -> str:
    return ", and calls `Done`" if _was_in_flight(before, after) else ""


def _discarded(before: QueueingHints, after: QueueingHints) -> str:
    gone = len(before.queue.active) - len(after.queue.active) - 1
    return f", after {gone} that are in flight already" if gone else ""


def _scheduled(before: QueueingHints, pod: str, outcome: str, after: QueueingHints) -> str:
    """What an attempt came to."""
    done = " `Done` of the pod is called." if _was_in_flight(before, after) else ""
    if outcome == "unknown profile":
        return f"`frameworkForPod`: the scheduler name of {pod} is that of no profile.{done or ' Nobody calls `Done`.'}"
    if after.cycle is None:
        return f"`skipPodSchedule`: {pod} is skipped.{done or ' Nobody calls `Done`.'}"
    if outcome == "error":
        return f"`schedulePod`: the attempt for {pod} fails by an error."
    if after.cycle.pending_by:
        return f"`schedulePod`, `Reserve`: {' and '.join(sorted(after.cycle.pending_by))} leaves {pod} pending."
    if after.cycle.rejected_by:
        return f"`schedulePod`: {' and '.join(sorted(after.cycle.rejected_by))} rejects {pod}."
    return f"`schedulePod`: every plugin accepts {pod}."


def _waits(args: dict[str, str]) -> str:
    return ", and waits at Permit" if "permit" in args else ""


def _bound(before: QueueingHints, pod: str, reply: str, after: QueueingHints) -> str:
    if reply == "refused":
        return f"The Binding of {pod} is posted; the request never arrives."
    at = int(pod[1:]) - 1
    new = after.pods[at]
    done = new != before.pods[at] and new is not None and bool(new.node_name)
    if reply == "lost":
        return f"The Binding of {pod} is posted; {'the pod is bound, but ' if done else ''}the answer is lost."
    end = f"the pod is bound{_with_done(before, after)}" if done else "the API server refuses the request"
    return f"The Binding of {pod} is posted: {end}."


def _in_queue(state: QueueingHints, name: str) -> str:
    queue = state.queue
    places = {"activeQ": queue.active, "podBackoffQ": queue.backoff, "unschedulablePods": queue.unschedulable}
    return next((place for place, infos in places.items() if any(info.pod.name == name for info in infos)), "")


def facts(state: QueueingHints) -> Facts:
    """API server, informer, handlers, the plugins' conditions, queue, cache, and the scheduler's goroutines."""
    found: Facts = {}
    if state.crashed:
        found["scheduler"] = f"its process has ended: {state.crashed}"
    found |= {f"API server: {pod.name}": pod_object(pod) for pod in state.pods if pod is not None}
    found["informers: on the way"] = tuple(map(pod_event_text, state.pod_watch))
    found |= {f"informers: {pod.name}": pod_object(pod) for pod in state.lister if pod is not None}
    found["handler of assigned pods"] = listener_texts(state.assigned)
    found["handler of unassigned pods"] = listener_texts(state.unassigned)
    if not state.handler.idle:
        found["handler of pods"] = listener_texts(state.handler)
    accept = [name for (name, _), holds in zip(PLUGINS, state.conditions, strict=False) if holds]
    if state.conditions:
        found["plugins that accept every pod"] = tuple(accept)
    if state.other is not None:
        found["API server: q1"] = pod_object(state.other)
    if state.tainted:
        found["API server: nodes"] = "all have a taint that a pod may come to tolerate"
    if state.unallocated:
        found["API server: ResourceClaims"] = "not allocated"
    found |= queue_facts(state.queue)
    if state.sleeps:
        found["queue: Pop"] = "sleeps, although activeQ has a pod"
    found |= cache_facts(state.cache, sizes=False)
    if state.cycle is not None:
        found[f"scheduling cycle: {state.cycle.pod.name}"] = _goroutine(state.cycle)
    for number, binding in enumerate(state.bindings):
        same = [each.pod.name for each in state.bindings[:number]].count(binding.pod.name)
        more = f" ({same + 1})" if same else ""
        found[f"binding goroutine: {binding.pod.name}{more}"] = _goroutine(binding)
    return found


def _goroutine(goroutine: Goroutine) -> tuple[str, ...]:
    """The object at hand, what the goroutine has found out, the events since the Pop, and the next step."""
    return (
        f"has {goroutine.pod.uid}",
        *([f"popped as {goroutine.uid}"] if goroutine.uid != goroutine.pod.uid else []),
        *more_of_pod(goroutine.pod),
        *([f"rejected by {' '.join(sorted(goroutine.rejected_by))}"] if goroutine.rejected_by else []),
        *([f"left pending by {' '.join(sorted(goroutine.pending_by))}"] if goroutine.pending_by else []),
        *([f"since its Pop: {', '.join(event.label for event in goroutine.events)}"] if goroutine.events else []),
        *([f"asks for {goroutine.activates} to be tried"] if goroutine.activates else []),
        *(["Done was called"] if goroutine.done else []),
        f"next {goroutine.steps[0].replace('_', ' ')}" if goroutine.steps else "next nothing",
    )
