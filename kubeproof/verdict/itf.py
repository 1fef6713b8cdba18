"""Traces as ITF JSON (Apalache ADR-015), written: viewers of ITF open them. And the digests of single states."""

import json
from hashlib import sha256
from typing import Any

from attrs import fields, has

from kubeproof.verdict.trace import Trace
from model.machine import Action
from model.objects import SELDOM

ACTION = "mbt::actionTaken"
PICKS = "mbt::nondetPicks"


def to_itf(trace: Trace, meta: dict[str, Any]) -> dict[str, Any]:
    """The trace as an ITF document. Each state has the fields of the state, the action and the action's arguments.

    A field that is marked as `SELDOM` is left out if it has its default all along: a variable of ITF has a value in
    each state.

    `meta` is added to the document's `#meta`.
    """
    names = [
        field.name
        for field in fields(type(trace.last))
        if SELDOM not in field.metadata or any(getattr(step.state, field.name) != field.default for step in trace.steps)
    ]
    states = []
    for index, step in enumerate(trace.steps):
        action = step.action or Action("init")
        states.append(
            {
                "#meta": {"index": index},
                ACTION: action.name,
                PICKS: {"#map": [[key, value] for key, value in action.args]},
                **{name: _value(getattr(step.state, name)) for name in names},
            }
        )
    document: dict[str, Any] = {
        "#meta": {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html", **meta},
        "vars": [ACTION, PICKS, *names],
        "states": states,
    }
    if trace.loop is not None:
        document["loop"] = trace.loop
    return document


NOTHING = {"tag": "None", "value": "U_OF_UNIT"}  # JSON's null is no ITF value; so Apalache writes its option type


def _value(value: Any) -> Any:
    if value is None:
        return NOTHING
    if isinstance(value, frozenset):
        return {"#set": [_value(item) for item in sorted(value)]}
    if has(type(value)):
        return {
            field.name: _value(getattr(value, field.name))
            for field in fields(type(value))
            if SELDOM not in field.metadata or getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return value


def state_digest(state: Any) -> str:
    """A few digits that tell a state from others, in every process. A new `SELDOM` field leaves them as they are."""
    return sha256(json.dumps(_value(state)).encode()).hexdigest()[:12]
