"""Traces as ITF JSON (Apalache ADR-015), written and read. Viewers of ITF open these files."""

from collections.abc import Callable, Mapping
from types import GenericAlias
from typing import Any, get_args, get_origin

import cattrs
from attrs import fields, has

from kubeproof.verdict.trace import Trace
from model.machine import Action
from model.objects import SELDOM, Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.calls import Call
from model.scheduler.queue.events import ClusterEvent, ObjectEvent, with_objects
from model.variables import Bag, Channel, Entries, Places, Series

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


def actions_of(document: dict[str, Any]) -> tuple[Action, ...]:
    """The actions of an ITF document. Raises KeyError or TypeError if `document` is not an ITF document."""
    return tuple(
        Action(state[ACTION], tuple((key, value) for key, value in state[PICKS]["#map"]))
        for state in document["states"][1:]
    )


def states_of(document: dict[str, Any], state_type: type[Any]) -> list[Any]:
    """The states of an ITF document as records of `state_type`. Raises KeyError if a state lacks a field."""
    seldom = {field.name: SELDOM in field.metadata for field in fields(state_type)}
    return [
        _READER.structure(
            {name: _read(state[name]) for name in seldom if name in state or not seldom[name]}, state_type
        )
        for state in document["states"]
    ]


def _read(value: Any) -> Any:
    """An ITF value as cattrs takes a value: without the marks of sets and of absent values."""
    if value == NOTHING:
        return None
    if isinstance(value, dict):
        return _read(value["#set"]) if "#set" in value else {key: _read(item) for key, item in value.items()}
    return [_read(item) for item in value] if isinstance(value, list) else value


# What a call of a component may have as arguments besides texts, numbers and tuples.
_ARGUMENTS = (Pod, Node, NodeInfo, ClusterEvent, ObjectEvent)


def _call(value: Mapping[str, Any], _: type[Call]) -> Call:
    return Call(value["component"], value["function"], tuple(map(_argument, value["args"])))


def _argument(value: Any) -> Any:
    """An argument whose type the call does not say: a record is known by its fields."""
    if isinstance(value, list):
        return tuple(map(_argument, value))
    if isinstance(value, dict):
        kind = next(each for each in _ARGUMENTS if value.keys() <= {field.name for field in fields(each)})
        return _READER.structure(value, kind)
    return value


def _event(value: Mapping[str, Any], _: type[ClusterEvent]) -> ClusterEvent:
    """An event with the object that changed, if there is one: the type of the field does not tell."""
    event = ClusterEvent(value["resource"], value["action"], value["label"])
    if "new" not in value:
        return event
    return with_objects(event, _argument(value["old"]), _argument(value["new"]))


def _is_sequence(kind: Any) -> bool:
    return get_origin(kind) in (Bag, Channel, Entries, Places, Series)


def _sequence(kind: Any) -> Callable[[Any, Any], Any]:
    """How a channel, a bag or places are read: as the tuple of the same values."""
    made: Any = get_origin(kind)
    args = get_args(kind)
    item = GenericAlias(tuple, args) if made is Entries else args[0]
    items = GenericAlias(tuple, (item, ...))
    read: Any = _READER.structure
    return lambda value, _: made(read(value, items))


_READER = cattrs.Converter()
_READER.register_structure_hook(Call, _call)
_READER.register_structure_hook_factory(_is_sequence, _sequence)
for _kind in (ClusterEvent, ObjectEvent):
    _READER.register_structure_hook(_kind, _event)
