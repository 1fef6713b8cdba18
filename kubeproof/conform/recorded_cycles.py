"""The forms of recordings of whole scheduling cycles, and what the recorder's plugins answer."""

from typing import Literal, NotRequired, TypedDict

from model.scheduler.framework.calls import PluginAnswer, PluginCall
from model.scheduler.framework.status import Code, Status

_CODES = {
    "success": Code.SUCCESS,
    "success!": Code.SUCCESS,
    "unschedulable": Code.UNSCHEDULABLE,
    "unresolvable": Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
    "error": Code.ERROR,
    "skip": Code.SKIP,
    "wait": Code.WAIT,
    "pending": Code.PENDING,
}
HOUR = 60 * 60 * 1000


class RecordedExtender(TypedDict):
    name: str
    reject: NotRequired[list[str]]
    reject_unresolvable: NotRequired[list[str]]
    filter_error: NotRequired[bool]
    ignorable: NotRequired[bool]
    not_interested: NotRequired[bool]
    scores: NotRequired[dict[str, int]]
    weight: NotRequired[int]
    prioritize_error: NotRequired[bool]
    binder: NotRequired[bool]
    bind_error: NotRequired[bool]
    not_prioritizer: NotRequired[bool]


class OfName(TypedDict):
    name: str


class Config(TypedDict):
    nodes: list[OfName]
    queueing_hints: NotRequired[bool]
    without: NotRequired[list[str]]
    extenders: NotRequired[list[RecordedExtender]]


class RecordedPod(TypedDict):
    name: str
    uid: str
    priority: NotRequired[int]
    nominated: NotRequired[str]
    deleting: NotRequired[bool]
    scheduler_name: NotRequired[str]
    node: NotRequired[str]


class OfPod(TypedDict):
    pod: RecordedPod


class Action(TypedDict):
    do: Literal[
        "advance",
        "allow",
        "delete_event",
        "deleting_event",
        "informer_add_bound_to_cache",
        "informer_bound",
        "informer_delete",
        "informer_recreate",
        "node_add",
        "reject",
        "remove_node",
        "update_event",
    ]
    pod: NotRequired[str | None]
    arg: NotRequired[str | None]
    ms: NotRequired[int]


class ScheduleOne(TypedDict):
    plugins: NotRequired[dict[str, str]]
    hooks: NotRequired[dict[str, list[Action]]]
    while_waiting: NotRequired[list[Action]]
    resolve: NotRequired[Literal["allow", "reject"]]
    leave_waiting: NotRequired[bool]
    api_bind: NotRequired[Literal["bound_but_error", "conflict", "error", "node_not_found"]]
    api_patch: NotRequired[Literal["error"]]


def behaviour(call: PluginCall, text: str | None) -> PluginAnswer:
    """What the recorder's plugin answers to a behaviour, such as `unschedulable@n1`, `nodes:n1+n2`, `wait:20`."""
    if call.point == "Unreserve" or call.point == "PostBind":
        return PluginAnswer()
    score = 10 * int(call.node.removeprefix("n") or 0) if call.point == "Score" else 0
    if text is None:
        return PluginAnswer(Status(Code.SKIP) if call.point == "Bind" else Status(), score=score)
    if call.point == "Filter" and "@" in text:
        chosen = [each.partition("@") for each in text.split(";")]
        text = next((code for code, _, node in chosen if node == call.node), "success")
    if call.point == "NormalizeScore" or text.startswith("norm_"):
        text = text.removeprefix("norm_") if call.point == "NormalizeScore" and text.startswith("norm_") else "success"
    kind, _, argument = text.partition(":")
    match kind:
        case "invalid":
            return PluginAnswer(score=101)
        case "nodes":
            return PluginAnswer(nodes=frozenset(argument.split("+")) if argument else frozenset())
        case "nominate":
            return PluginAnswer(nominated=argument)
        case "unschedulable_clear" | "unschedulable_nominate":
            return PluginAnswer(_status(call.plugin, "unschedulable", "unschedulable"), nominated=argument)
        case "wait":
            return PluginAnswer(_status(call.plugin, kind, text), timeout=int(argument) if argument else HOUR)
        case _:
            return PluginAnswer(_status(call.plugin, kind, text), score=score)


def _status(plugin: str, kind: str, text: str) -> Status:
    code = _CODES[kind]
    return Status(code, () if code is Code.SUCCESS else (f"{plugin} says {text}",))
