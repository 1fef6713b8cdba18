"""Reads the text of a FailedScheduling event or PodScheduled condition. Pure functions.

`0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had taint ….` counts nodes for each reason. The text after
`preemption:` answers another question and is left out.
"""

import re
from typing import Literal

from attrs import frozen

Kind = Literal["fits nowhere", "assumed", "bound already", "binding", "deleting", "other"]

_NODES = re.compile(r"\b0/(\d{1,6}) nodes are available", re.ASCII)
_SHORT = re.compile(r"\b(\d{1,6}) Insufficient ([A-Za-z0-9](?:[A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?)", re.ASCII)
_FULL = re.compile(r"\b(\d{1,6}) Too many pods", re.ASCII)
_TO = re.compile(r" to (\S{1,253})$", re.ASCII)
_PREEMPTED = re.compile(
    r"by (?:pod (?P<uid>[0-9a-f-]{36})|a pod|(?P<namespace>[a-z0-9-]{1,63})/(?P<name>[a-z0-9.-]{1,253})) "
    r"on node (?P<node>\S{1,253})",
    re.ASCII | re.IGNORECASE,
)


@frozen
class Claims:
    """What a failure says."""

    # How many nodes there are.
    nodes: int = 0
    # Each resource, and how many nodes are short of this resource. A node that is short of `pods` is full.
    short: tuple[tuple[str, int], ...] = ()


def claims_of(text: str) -> Claims:
    """The claims in the text of a failure; empty if the text has no claims."""
    text = text.partition("preemption:")[0]
    of = _NODES.search(text)
    if of is None:
        return Claims()
    short = {resource: int(count) for count, resource in _SHORT.findall(text)}
    full = _FULL.search(text)
    if full is not None:
        short["pods"] = int(full[1])
    return Claims(int(of[1]), tuple(sorted(short.items())))


def kind_of(text: str) -> Kind:
    """What kind of failure it was, by the words that the releases use."""
    low = text.lower()
    if "can't be assumed" in low:
        return "assumed"
    if "skip schedule deleting pod" in low:
        return "deleting"
    if "already assigned to node" in low:
        return "bound already"
    if "permit" in low or "rejected due to timeout" in low or "prebind" in low:
        return "other"
    if "binding rejected" in low or "bind plugin" in low or "bind failed" in low or _is_timeout(low):
        return "binding"
    if _NODES.search(text.partition("preemption:")[0]) or "no nodes available" in low:
        return "fits nowhere"
    return "other"


def _is_timeout(low: str) -> bool:
    return "timeout" in low or "timed out" in low or "deadline exceeded" in low


def node_assigned(text: str) -> str:
    """The node of `Successfully assigned ns/pod to node`, or ''."""
    found = _TO.search(text.rstrip())
    return found[1] if found and "assigned" in text else ""


@frozen
class PreemptedBy:
    """The pod that took a victim's place. The text of an event has the uid or the name or neither."""

    # The uid, or "".
    uid: str
    # Namespace/name, or "".
    name: str
    node: str


def preempted_by(text: str) -> PreemptedBy | None:
    """The preemptor of a Preempted event, as far as the text says; None if the text names no preemptor."""
    found = _PREEMPTED.search(text)
    if found is None:
        return None
    name = f"{found['namespace']}/{found['name']}" if found["name"] else ""
    return PreemptedBy((found["uid"] or "").lower(), name, found["node"])
