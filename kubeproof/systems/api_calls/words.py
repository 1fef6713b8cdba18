"""api-calls in the words of Kubernetes."""

from kubeproof.systems.system import Facts
from model.machine import Action
from model.scheduler.api_calls import Call, PodBindingCall, PodStatus, execute
from model.scheduler.api_dispatcher import QueuedCall
from model.systems.api_calls import ApiCalling
from model.systems.api_calls.records import PodVersion

_PLACES = {
    "queued": "in the queue",
    "tried": "being scheduled",
    "reserved": "assumed, before PreBind",
    "binding": "assumed, and its Binding is asked for",
    "failed": "assumed, and its Binding was refused",
    "patching": "not back in the queue: its PATCH has not ended",
    "bound": "bound, as the scheduler knows it",
}


def sentence(before: ApiCalling, action: Action, after: ApiCalling) -> str:
    """What happened, and what came of it for the calls."""
    args = dict(action.args)
    match action.name:
        case "try_pod":
            return f"The pod is tried; its object {_says(after.attempted)}."
        case "nominate":
            why = f"fits nowhere, and preempts on {args['node']}"
            return f"The pod {why}: it is nominated to {args['node']}.{_asked(before, after)}"
        case "find_no_candidate":
            return f"The pod fits nowhere, and no preemption helps: its nomination is to go.{_asked(before, after)}"
        case "wait_for_victims":
            return f"The pod fits nowhere, and waits for the victims of its preemption.{_asked(before, after)}"
        case "assume":
            return f"The pod fits on {args['node']}, and is assumed there.{_asked(before, after)}"
        case "bind":
            return f"PreBind has ended.{_asked(before, after)}"
        case "post_binding" | "make_request":
            return f"The API server {_made(before, after)}."
        case "refuse_binding":
            return "The API server refuses the Binding."
        case "recover_from_binding":
            ways = {"queued": "goes back to the queue", "patching": "goes back to the queue after its PATCH"}
            where = ways.get(after.place, "does not go back, since it is known bound")
            return f"The scheduler forgets the pod, which {where}."
        case "patch_after_binding":
            return f"The goroutine of the failed binding goes on.{_asked(before, after)}"
        case "start_call":
            return f"A goroutine of the dispatcher takes the call: {_call(before.dispatcher.api_calls[0].call)}."
        case "end_call":
            return f"The call ends.{_ended(before, after)}"
        case "clear_nomination":
            return f"Another pod preempts on {before.memory}, and takes the nomination away.{_asked(before, after)}"
        case "handle_event":
            return f"The handlers hear that the pod {_version(before.events[0])}.{_synced(before, after)}"
    return str(action)


def _says(status: PodStatus) -> str:
    node = f"is nominated to {status.nominated_node_name}" if status.nominated_node_name else "names no node"
    condition = {"": "without the condition PodScheduled", "True": "PodScheduled is True"}
    return f"{node}, {condition.get(status.condition, f'PodScheduled is False ({status.condition})')}"


def _version(pod: PodVersion) -> str:
    return f"{_says(pod.status)}{f', and is bound to {pod.node}' if pod.node else ''}"


def _call(call: Call) -> str:
    if isinstance(call, PodBindingCall):
        return f"the Binding to {call.node}"
    wanted = execute(call)[1]
    if wanted is None:
        return "a PATCH that changes nothing"
    parts = [] if wanted.nominated is None else [f"nominatedNodeName {wanted.nominated or 'cleared'}"]
    parts += [] if wanted.condition is None else [f"PodScheduled False ({wanted.condition})"]
    return f"the PATCH {', '.join(parts)}"


def _asked(before: ApiCalling, after: ApiCalling) -> str:
    """What became of the request that this step asks for."""
    early = " Whoever waits for the call in flight is told that it is overwritten." * (
        after.told_early and not before.told_early
    )
    if before.dispatcher == after.dispatcher:
        return f" {_written(before, after)}" if before.true != after.true else ""
    new, old = _pending(after), _pending(before)
    if new == old:
        is_less = any(isinstance(each.call, PodBindingCall) for each in before.dispatcher.api_calls)
        why = "a Binding goes before" if is_less else "it has no effect"
        return f" The dispatcher skips the call: {why}.{early}"
    if new is None:
        return f" The call has no effect, and goes with the one that waits.{early}"
    if old is None:
        behind = ", behind the call in flight" if before.dispatcher.in_flight else ""
        return f" The dispatcher keeps {_call(new.call)}{behind}.{early}"
    return f" The dispatcher keeps {_call(new.call)} in place of the call that waits.{early}"


def _pending(state: ApiCalling) -> QueuedCall | None:
    running = {each.call_id for each in state.dispatcher.in_flight}
    return next((each for each in state.dispatcher.api_calls if each.call_id not in running), None)


def _written(before: ApiCalling, after: ApiCalling) -> str:
    return f"The API server has it: the pod {_version(after.true)}."


def _made(before: ApiCalling, after: ApiCalling) -> str:
    if before.true != after.true:
        return f"does so: the pod {_version(after.true)}"
    if after.answered == "refused" or after.place == "failed":
        return "refuses the Binding: the pod is bound already"
    return "is asked for nothing, or has it so already"


def _ended(before: ApiCalling, after: ApiCalling) -> str:
    told = {"bound": " The goroutine of the binding takes the pod for bound.", "failed": " The binding has failed."}
    more = " The call that waits behind it comes next." if after.dispatcher.calls_queue else ""
    return (told.get(after.place, "") if before.place != after.place else "") + more


def _synced(before: ApiCalling, after: ApiCalling) -> str:
    parts = []
    if before.dispatcher != after.dispatcher:
        left = after.dispatcher.api_calls
        parts.append(f"The call becomes {_call(left[0].call)}" if left else "The call has no effect any more, and goes")
    if before.memory != after.memory:
        parts.append(f"In memory the pod is nominated to {after.memory or 'no node'}")
    return "".join(f" {part}." for part in parts)


def facts(state: ApiCalling) -> Facts:
    """The pod, as each of those knows it that may differ; the calls; what the scheduler wanted last."""
    found: Facts = {"pod at the API server": _version(state.true)}
    if state.known != state.true:
        found["pod as the handlers know it"] = _version(state.known)
    if state.events:
        found["events on the way"] = tuple(_version(each) for each in state.events)
    found["for the scheduler the pod is"] = _PLACES[state.place]
    if state.place != "queued":
        found["object of the attempt"] = _says(state.attempted)
    if state.host:
        found["node of the binding"] = state.host
    found["nominated in memory"] = state.memory or "nowhere"
    for running in state.dispatcher.in_flight:
        answer = {"": "", "done": ", and was done", "refused": ", and was refused"}[state.answered]
        found["call in flight"] = f"{_call(running.call)}{answer}{_number(running)}"
    waits = _pending(state)
    if waits is not None:
        found["call that waits"] = f"{_call(waits.call)}{_number(waits)}"
    if state.awaited >= 0:
        found["the binding waits for"] = f"call {state.awaited}"
    if state.back_after >= 0:
        found["the way back to the queue waits for"] = f"call {state.back_after}"
    if state.late:
        found["PATCH of a failed binding"] = tuple(
            f"from an object that {_says(each.status)}; nomination {_wanted(each.nominated)}" for each in state.late
        )
    found["wanted last"] = _says(state.meant)
    if state.told_early:
        found["told of a call in flight"] = "that it is overwritten"
    for name, times in (("attempts", state.attempts), ("refused Bindings", state.refusals), ("clears", state.clears)):
        if times:
            found[name] = str(times)
    found["calls so far"] = str(state.dispatcher.next_id)
    return found


def _number(queued: QueuedCall) -> str:
    call = queued.call
    base = "" if isinstance(call, PodBindingCall) else f", computed from a pod that {_says(call.pod_status)}"
    return f"{base} (call {queued.call_id})"


def _wanted(nominated: str | None) -> str:
    return "as it is" if nominated is None else nominated or "cleared"
