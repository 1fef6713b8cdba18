"""The scheduler's API dispatcher: requests wait, are merged or skipped, and are made one at a time for each object.

Go: pkg/scheduler/backend/api_dispatcher (1.34 on, #132523, #132886); with the gate SchedulerAsyncAPICalls. The lock of
`callQueue` makes `add`, `pop`, `finalize` and `sync_object` atomic. A goroutine for each call that was popped makes
the request, then calls `finalize`, and answers the call's caller at last.

Left out: `close`; and how many goroutines there may be, in 1.34 as many as `parallelism`, later any number (#134154).
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from model.evolve import evolve
from model.scheduler.api_calls import (
    Call,
    PodStatus,
    PodStatusPatchCall,
    is_no_op,
    sync,
)
from model.variables import apart

# The texts of errors. The last two words say which of the two expected errors is in it. `WaitOnFinish` passes on
# any other error, a failure (`IsUnexpectedError`).
LESS_RELEVANT = "a more relevant call is already enqueued for this object: call skipped"
NO_EFFECT = "call does not need to be executed because it has no effect: call skipped"
NO_EFFECT_AFTER_SYNC = "call does not need to be executed because after sync it has no effect: call skipped"
MORE_RELEVANT = "a more relevant call was enqueued for this object: call overwritten"
SAME_TYPE = "a call of the same type was enqueued for this object: call overwritten"


@frozen(cache_hash=True)
class QueuedCall:
    """A call in the dispatcher (`queuedAPICall`)."""

    # `callID`: calls are told apart by it, and so are those who wait for an answer.
    call_id: int
    call: Call


@apart
@frozen(cache_hash=True)
class CallQueue:
    """The state of the dispatcher (`callQueue`)."""

    # `callIDCounter`.
    next_id: int = 0
    # `apiCalls`: of each object the newest call that is not finalized; sorted by object.
    api_calls: tuple[QueuedCall, ...] = ()
    # `callsQueue`: the objects whose call waits for a goroutine, in order.
    calls_queue: tuple[str, ...] = ()
    # The calls that a goroutine has; their objects are `inFlightEntities`. In the order of their Pop.
    in_flight: tuple[QueuedCall, ...] = ()

    def of(self, uid: str) -> QueuedCall | None:
        """The call of the object in `apiCalls`."""
        return next((each for each in self.api_calls if each.call.uid == uid), None)

    def runs(self, uid: str) -> bool:
        """Whether the object is among `inFlightEntities`."""
        return any(each.call.uid == uid for each in self.in_flight)


@frozen
class Answered:
    """What became of an operation."""

    queue: CallQueue
    # The error that `Add` returns.
    error: str | None = None
    # (call_id, error): what was sent to whoever waits for that call.
    sent: tuple[tuple[int, str], ...] = ()


def async_calls_are_on() -> bool:
    """1.34.0, 1.34.1 and 1.35.0."""
    return True


def async_calls_are_off() -> bool:
    """1.34.2 on and 1.35.1 on: the gate can still be set."""
    return False


def answer_call_in_flight(same_type: bool) -> bool:
    """1.34: who waits for a call in flight is told at once that a newer one overwrites it, though it runs."""
    return True


def same_type_answers_call_in_flight(same_type: bool) -> bool:
    """1.35 on (#135180): only a newer call of the same type has the older one answered, in 1.36 too."""
    return same_type


def requeue_at_once() -> bool:
    """1.34 on: a pod that failed goes back to the queue before its PATCH is asked for."""
    return False


def update_ends_nomination() -> bool:
    """1.34 on: nobody but an update of the pod ends the nomination in memory."""
    return False


@frozen(slots=False, kw_only=True)
class ApiDispatcherRules:
    """What releases do differently, and what decides which of two calls is made."""

    # Whether SchedulerAsyncAPICalls is on where nobody sets the gate.
    async_api_calls_default: Callable[[], bool]
    # (whether the newer call is of the same type) -> whether the caller of a call in flight is told that it is
    # overwritten.
    answers_call_in_flight: Callable[[bool], bool]
    # (type of the older call, type of the newer call) -> whether the newer one is skipped.
    is_less_relevant: Callable[[str, str], bool]
    # (the newer PATCH, the older PATCH) -> the newer one with what only the older one wants to write.
    merge_patches: Callable[[PodStatusPatchCall, PodStatusPatchCall], PodStatusPatchCall]


def add(rules: ApiDispatcherRules, queue: CallQueue, call: Call) -> Answered:
    """A call is handed in (`add`, `merge`, `enqueue`). Its caller is known by the `next_id` before."""
    new = QueuedCall(queue.next_id, call)
    queue = evolve(queue, next_id=queue.next_id + 1)
    old = queue.of(call.uid)
    sent: tuple[tuple[int, str], ...] = ()
    if old is not None:
        if rules.is_less_relevant(old.call.call_type, call.call_type):
            return Answered(queue, LESS_RELEVANT, ((new.call_id, LESS_RELEVANT),))
        new, sent = _merge(rules, queue, old, new)
    return _enqueue(queue, new, old is not None, sent)


def _merge(
    rules: ApiDispatcherRules, queue: CallQueue, old: QueuedCall, new: QueuedCall
) -> tuple[QueuedCall, tuple[tuple[int, str], ...]]:
    """The newer call, which is no less relevant, and what the caller of the older one is told (`merge`)."""
    same_type = old.call.call_type == new.call.call_type
    tells = not queue.runs(old.call.uid) or rules.answers_call_in_flight(same_type)
    if isinstance(new.call, PodStatusPatchCall) and isinstance(old.call, PodStatusPatchCall):
        new = evolve(new, call=rules.merge_patches(new.call, old.call))
    return new, ((old.call_id, SAME_TYPE if same_type else MORE_RELEVANT),) if tells else ()


def _enqueue(queue: CallQueue, new: QueuedCall, old_present: bool, sent: tuple[tuple[int, str], ...]) -> Answered:
    """`enqueue`: behind a call in flight a call waits even if it has no effect."""
    uid = new.call.uid
    if is_no_op(new.call) and not queue.runs(uid):
        if old_present:
            queue = _remove_pending(queue, uid)
        return Answered(queue, NO_EFFECT, (*sent, (new.call_id, NO_EFFECT)))
    queue = _put(queue, new)
    if not old_present:
        queue = evolve(queue, calls_queue=(*queue.calls_queue, uid))
    return Answered(queue, None, sent)


def _put(queue: CallQueue, new: QueuedCall) -> CallQueue:
    others = (each for each in queue.api_calls if each.call.uid != new.call.uid)
    return evolve(queue, api_calls=_sorted((*others, new)))


def _sorted(calls: Iterable[QueuedCall]) -> tuple[QueuedCall, ...]:
    return tuple(sorted(calls, key=lambda each: each.call.uid))


def _remove_pending(queue: CallQueue, uid: str) -> CallQueue:
    """`removePending` of an object that is not in flight."""
    return evolve(
        queue,
        api_calls=tuple(each for each in queue.api_calls if each.call.uid != uid),
        calls_queue=tuple(each for each in queue.calls_queue if each != uid),
    )


def pop(queue: CallQueue) -> tuple[CallQueue, QueuedCall]:
    """The first call of the queue goes to a goroutine (`pop`). ValueError if none waits: there Go waits for one."""
    if not queue.calls_queue:
        raise ValueError("no call waits: not a state in which Go's pop returns")
    uid, *others = queue.calls_queue
    call = queue.of(uid)
    assert call is not None, f"{uid} is in the queue and has no call"
    return evolve(queue, calls_queue=tuple(others), in_flight=(*queue.in_flight, call)), call


def began(queue: CallQueue, begun: QueuedCall) -> CallQueue:
    """`Execute` has begun: the goroutine and `apiCalls` share the call."""
    return evolve(queue, api_calls=_with(queue.api_calls, begun), in_flight=_with(queue.in_flight, begun))


def _with(calls: tuple[QueuedCall, ...], changed: QueuedCall) -> tuple[QueuedCall, ...]:
    return tuple(changed if each.call_id == changed.call_id else each for each in calls)


def finalize(queue: CallQueue, call: QueuedCall) -> CallQueue:
    """The request is made (`finalize`): the object's newer call waits for a goroutine now, if there is one."""
    uid = call.call.uid
    newest = queue.of(uid)
    queue = evolve(queue, in_flight=tuple(each for each in queue.in_flight if each.call.uid != uid))
    if newest is not None and newest.call_id != call.call_id:
        return evolve(queue, calls_queue=(*queue.calls_queue, uid))
    return evolve(queue, api_calls=tuple(each for each in queue.api_calls if each.call.uid != uid))


def sync_object(queue: CallQueue, uid: str, status: PodStatus) -> tuple[Answered, PodStatus]:
    """A handler has heard of the object's newest status (`syncObject`). A call without effect goes, unless it runs."""
    found = queue.of(uid)
    if found is None:
        return Answered(queue), status
    call, shown = sync(found.call, status)
    heard = evolve(found, call=call)
    if is_no_op(call) and not queue.runs(uid):
        return Answered(_remove_pending(queue, uid), None, ((heard.call_id, NO_EFFECT_AFTER_SYNC),)), shown
    return Answered(began(queue, heard)), shown
