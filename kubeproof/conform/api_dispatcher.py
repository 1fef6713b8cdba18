"""Plays recordings of `api_dispatcher` (Go: backend/api_dispatcher) on `model.scheduler.api_dispatcher`."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model.evolve import evolve
from model.releases import Release
from model.scheduler.api_calls import Patch, PodBindingCall, PodStatus, PodStatusPatchCall, execute, is_no_op
from model.scheduler.api_dispatcher import (
    Answered,
    ApiDispatcherRules,
    CallQueue,
    QueuedCall,
    add,
    began,
    finalize,
    pop,
    sync_object,
)


class Status(TypedDict):
    nominated: str
    condition: str


class Of(TypedDict):
    uid: str


class PatchOf(Of):
    status: Status
    # None: the call has no condition, or no NominatingInfo.
    condition: str | None
    nominate: str | None


class Bind(Of):
    node: str


class Sync(Of):
    status: Status


class Execute(Of):
    fails: bool


class ApiDispatcherPlayer:
    """One case: a call queue that is empty at first, under the rules of the recorded release."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        "patch": PatchOf,
        "bind": Bind,
        "sync": Sync,
        "pop": Bare,
        "execute": Execute,
        "finalize": Of,
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(ApiDispatcherRules, release)
        self._queue = CallQueue()
        # The answers of the API server to calls that still run, by object.
        self._answers: dict[str, str | None] = {}

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        answered = Answered(self._queue)
        more: dict[str, Any] = {}
        match op["op"]:
            case "patch":
                call = PodStatusPatchCall(op["uid"], _status(op), op["condition"], op["nominate"])
                answered = add(self._rules, self._queue, call)
            case "bind":
                answered = add(self._rules, self._queue, PodBindingCall(op["uid"], op["node"]))
            case "sync":
                answered, shown = sync_object(self._queue, op["uid"], _status(op))
                more = {"synced": {"nominated": shown.nominated_node_name, "condition": shown.condition}}
            case "pop":
                queue, popped = pop(self._queue)
                answered, more = Answered(queue), {"popped": popped.call.uid}
            case "execute":
                answered, more = self._executed(self._running(op), op["fails"])
            case "finalize":
                running = self._running(op)
                answered = Answered(finalize(self._queue, running))
                more = {"told": [[running.call_id, self._answers.pop(op["uid"], None)]]}
            case unknown:
                raise ValueError(f"'{unknown}'")
        self._queue = answered.queue
        return {"error": answered.error, **self._observed(answered), **more}

    def _running(self, op: dict[str, Any]) -> QueuedCall:
        running = next((each for each in self._queue.in_flight if each.call.uid == op["uid"]), None)
        if running is None:
            raise ValueError(f"no call of {op['uid']} is in flight")
        return running

    def _executed(self, running: QueuedCall, fails: bool) -> tuple[Answered, dict[str, Any]]:
        request: dict[str, Any] | None
        if isinstance(running.call, PodBindingCall):
            queue, request = self._queue, {"bind": running.call.node}
        else:
            call, patch = execute(running.call)
            queue, request = began(self._queue, evolve(running, call=call)), _request(patch)
        error = "refused" if fails and request is not None else None
        self._answers[running.call.uid] = error
        return Answered(queue, error), {"request": request}

    def _observed(self, answered: Answered) -> dict[str, Any]:
        queue = answered.queue
        return {
            "calls": {
                each.call.uid: {"id": each.call_id, "type": each.call.call_type, "no_op": is_no_op(each.call)}
                for each in queue.api_calls
            },
            "waiting": list(queue.calls_queue),
            "in_flight": sorted(each.call.uid for each in queue.in_flight),
            "told": [list(told) for told in sorted(answered.sent, key=lambda each: each[0])],
        }


def _status(op: dict[str, Any]) -> PodStatus:
    return PodStatus(op["status"]["nominated"], op["status"]["condition"])


def _request(patch: Patch | None) -> dict[str, Any] | None:
    if patch is None:
        return None
    asked: dict[str, Any] = {} if patch.nominated is None else {"nominated": patch.nominated}
    return (
        asked if patch.condition is None else {**asked, "condition": patch.condition, "with_status": patch.with_status}
    )
