"""A run told by its calls, a line for each, or for several plugins that succeed or skip."""

from collections.abc import Iterator, Sequence
from typing import Any

from kubeproof.advise.scheduler_config.configuration import Configuration
from kubeproof.advise.scheduler_config.numbers import names_of
from model.scheduler.framework.calls import (
    CacheCall,
    Call,
    ErrorFuncCall,
    Event,
    ExtenderAnswer,
    ExtenderCall,
    Panic,
    PatchStatus,
    PluginAnswer,
    PluginCall,
    QueueCall,
    UpdateStatus,
)
from model.scheduler.framework.status import Code


def told(calls: Sequence[tuple[Call, Any]], configuration: Configuration) -> Iterator[str]:
    """The calls in lines: plugins that succeed in a row are one line, and calls that Go does not send are none.

    So are plugins that say Skip.
    """
    verbs = _verbs(configuration)
    row: list[tuple[PluginCall, Code]] = []
    for call, given in calls:
        if isinstance(call, PluginCall) and _usual(given):
            if row and row[0][0].point != call.point:
                yield from _rows(row)
                row = []
            row.append((call, given.status.code))
            continue
        line = _line(call, given, verbs)
        if line:
            yield from _rows(row)
            row = []
            yield line
    yield from _rows(row)


def _usual(answer: PluginAnswer) -> bool:
    status = answer.status
    return answer.nominated is None and (status.ok or (status.code is Code.SKIP and not status.reasons))


def _rows(calls: Sequence[tuple[PluginCall, Code]]) -> Iterator[str]:
    """Successes and skips at one point; nodes that all the same plugins accept are named together."""
    for code in dict.fromkeys(code for _, code in calls):
        by_node: dict[str, dict[str, None]] = {}
        for call, said in calls:
            if said is code:
                by_node.setdefault(call.node, {})[call.plugin] = None
        groups: dict[tuple[str, ...], list[str]] = {}
        for node, plugins in by_node.items():
            groups.setdefault(tuple(plugins), []).append(node)
        for names, nodes in groups.items():
            who = f"{len(names)} plugins" if len(names) > (2 if code is Code.SKIP else 1) else _listed(names)
            where = f", {_listed(nodes)}" if nodes[0] else ""
            yield f"{calls[0][0].point} ({who}{where}): {code}"


def _verbs(configuration: Configuration) -> set[tuple[str, str]]:
    """(extender, verb) of what is configured: without a path nothing is sent."""
    found = set()
    for name, each in zip(names_of(configuration.extenders), configuration.extenders, strict=True):
        paths = {"Filter": each.filter_verb, "Prioritize": each.prioritize_verb, "Bind": each.bind_verb}
        found |= {(name, verb) for verb, path in paths.items() if path}
    return found


def _listed(nodes: Sequence[str]) -> str:
    return " and ".join(nodes)


def _line(call: Call, given: Any, verbs: set[tuple[str, str]]) -> str:
    match call:
        case PluginCall():
            where = f", {call.node}" if call.node else ""
            said = given.status
            nominated = f", nominates {given.nominated}" if given.nominated else ""
            reason = f": {said.message}" if said.message else ""
            return f"{call.point} ({call.plugin}{where}): {said.code}{nominated}{reason}"
        case ExtenderCall():
            if (call.extender, call.verb) not in verbs:
                return ""
            return f"extender {call.extender} {call.verb} ({_listed(call.nodes)}): {_said(given)}"
        case CacheCall():
            return f"cache: {call.function}{f' on {call.node}' if call.node else ''}"
        case QueueCall():
            return (
                "" if call.function in ("AddNominatedPod", "DeleteNominatedPodIfExists") else f"queue: {call.function}"
            )
        case Event():
            return f"event {call.reason}: {call.text}"
        case Panic():
            return f"the process ends: panic: {call.text}"
        case ErrorFuncCall():
            return "queue: the error function puts the pod back"
        case UpdateStatus(nominated=str(node)) | PatchStatus(nominated=str(node)):
            return f"status: nominatedNodeName is {node or 'taken back'}"
    return ""


def _said(given: ExtenderAnswer) -> str:
    if given.error is not None:
        return f"error: {given.error}"
    if given.refused:
        return "refuses " + _listed([node for node, _ in given.refused])
    return "Success"
