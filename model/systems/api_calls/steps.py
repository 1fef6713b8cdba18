"""What one step does to a state of api-calls: a request is asked for, made or answered; an event arrives."""

from collections.abc import Iterable

from model.evolve import evolve
from model.go.errors import met_error
from model.scheduler.api_calls import Patch, PodBindingCall, PodStatus, PodStatusPatchCall, execute, patched
from model.scheduler.api_dispatcher import QueuedCall, add, began, finalize, pop, sync_object
from model.systems.api_calls.records import (
    ERROR,
    POD,
    SCHEDULED,
    ApiCalling,
    ApiCallsRules,
    LatePatch,
    Place,
    PodVersion,
)


def written(state: ApiCalling, pod: PodVersion) -> ApiCalling:
    """The API server has another version of the pod, if it differs, and the informer will hear of it."""
    if pod == state.true:
        return state
    return evolve(state, true=pod, events=state.events.send(pod))


def patch(
    rules: ApiCallsRules,
    state: ApiCalling,
    asynchronous: bool,
    status: PodStatus,
    condition: str | None,
    nominated: str | None,
) -> ApiCalling:
    """`updatePod`: the PATCH is made at once, or goes to the dispatcher. What was meant changes when it is decided."""
    call = PodStatusPatchCall(POD, status, condition, nominated)
    if asynchronous:
        return _added(rules, state, call)
    wanted = execute(call)[1]
    return state if wanted is None else _patched(state, wanted)


def bind(rules: ApiCallsRules, state: ApiCalling, asynchronous: bool) -> ApiCalling:
    """DefaultBinder: the goroutine of the binding waits for the answer, with the gate or without it."""
    state = evolve(state, place="binding")
    if not asynchronous:
        return state
    return evolve(_added(rules, state, PodBindingCall(POD, state.host)), awaited=state.dispatcher.next_id)


def _added(rules: ApiCallsRules, state: ApiCalling, call: PodStatusPatchCall | PodBindingCall) -> ApiCalling:
    running = {each.call_id for each in state.dispatcher.in_flight}
    done = add(rules, state.dispatcher, call)
    early = any(call_id in running for call_id, _ in done.sent)
    state = evolve(state, dispatcher=done.queue, told_early=state.told_early or early)
    return _told(state, [call_id for call_id, _ in done.sent])


def _told(state: ApiCalling, calls: Iterable[int]) -> ApiCalling:
    """`WaitOnFinish` takes a call that was skipped or overwritten for one that ended well."""
    for call_id in calls:
        if call_id == state.awaited:
            state = bound_as_told(state)
        if call_id == state.back_after:
            state = _back(state)
    return state


def _back(state: ApiCalling) -> ApiCalling:
    """The pod goes back to the queue, unless it is known bound."""
    if state.known.node:
        return evolve(state, place="bound", host=state.known.node, memory="", back_after=-1)
    return evolve(state, place="queued", back_after=-1)


def _patched(state: ApiCalling, wanted: Patch) -> ApiCalling:
    return written(state, evolve(state.true, status=patched(state.true.status, wanted)))


def bound_as_told(state: ApiCalling) -> ApiCalling:
    """The goroutine of the binding takes the pod for bound."""
    return evolve(state, place="bound", awaited=-1, attempted=PodStatus())


def made(rules: ApiCallsRules, state: ApiCalling) -> ApiCalling:
    """The API server does what the call in flight asks for. It binds no pod twice."""
    call = state.dispatcher.in_flight[0].call
    if isinstance(call, PodBindingCall):
        state, answer = posted(rules, state, call.node)
        return evolve(state, answered=answer)
    # `Execute` has begun, so nothing has changed since what the PATCH is computed from.
    wanted = execute(call)[1]
    return evolve(state if wanted is None else _patched(state, wanted), answered="done")


def posted(rules: ApiCallsRules, state: ApiCalling, node: str) -> tuple[ApiCalling, str]:
    if state.true.node:
        met_error("Bind", f"pod {POD} is already assigned to node {state.true.node}")
        return state, "refused"
    status = evolve(state.true.status, condition=SCHEDULED)
    if rules.clears_nomination_of_bound():
        status = evolve(status, nominated_node_name="")
    return written(state, PodVersion(status, node)), "done"


def started(state: ApiCalling) -> ApiCalling:
    """A goroutine takes the call, and `Execute` begins."""
    queue, taken = pop(state.dispatcher)
    if isinstance(taken.call, PodStatusPatchCall):
        queue = began(queue, QueuedCall(taken.call_id, execute(taken.call)[0]))
    return evolve(state, dispatcher=queue)


def ended(state: ApiCalling) -> ApiCalling:
    """`finalize`, and the answer to whoever still waits for this call."""
    call, answer = state.dispatcher.in_flight[0], state.answered
    state = evolve(state, dispatcher=finalize(state.dispatcher, call), answered="")
    if call.call_id == state.back_after:
        return _back(state)
    if call.call_id != state.awaited:
        return state
    return bound_as_told(state) if answer == "done" else evolve(state, place="failed", awaited=-1)


def failed(rules: ApiCallsRules, state: ApiCalling, asynchronous: bool) -> ApiCalling:
    """handleBindingCycleError: the pod goes back to the queue unless it is known bound; its PATCH follows.

    The nomination is cleared, or left as the pod's status has it (`newFailureNominatingInfo`).
    """
    nominated = None if rules.nominates_host() else ""
    goes_back = not state.known.node
    status = state.attempted if rules.patches_from_attempt() or not goes_back else state.known.status
    memory = nominated_in_memory(state, nominated) if goes_back else ""
    return evolve(
        state,
        place=after_failure(rules, asynchronous) if goes_back else "bound",
        attempted=PodStatus(),
        host="" if goes_back else state.host,
        memory=memory,
        late=state.late.send(LatePatch(status, nominated)),
        meant=meant(state, ERROR, nominated),
    )


def after_failure(rules: ApiCallsRules, asynchronous: bool) -> Place:
    """Where a pod is that is to go back: in the queue, or waiting for its PATCH before."""
    return "patching" if asynchronous and rules.requeues_after_patch() else "queued"


def nominated_in_memory(state: ApiCalling, nominated: str | None) -> str:
    """AddNominatedPod: the node that is named, or the one of the newest status that the informer has."""
    return state.known.status.nominated_node_name if nominated is None else nominated


def meant(state: ApiCalling, condition: str, nominated: str | None) -> PodStatus:
    return PodStatus(state.meant.nominated_node_name if nominated is None else nominated, condition)


def heard(state: ApiCalling, asynchronous: bool) -> ApiCalling:
    """The handlers: the dispatcher hears of an update of a pod that stays bound or unbound, then the queue.

    A pod that is being scheduled, or is assumed, keeps its nomination: `Update` and the handler return before.
    """
    new, old = state.events.head(), state.known
    state = evolve(state, known=new, events=state.events.rest())
    if asynchronous and bool(old.node) == bool(new.node):
        synced = sync_object(state.dispatcher, POD, new.status)[0]
        state = _told(evolve(state, dispatcher=synced.queue), [call_id for call_id, _ in synced.sent])
    if new.node:
        # Delete takes the pod from the queue.
        return evolve(state, memory="", place="bound", host=new.node) if state.place == "queued" else state
    named = (old.status.nominated_node_name, new.status.nominated_node_name)
    if state.place == "queued" and any(named):
        return evolve(state, memory=new.status.nominated_node_name)
    return state
