"""Words of Go: literals, names, calls."""

import json
from collections.abc import Collection

from model.machine import Action


def literal(value: object) -> str:
    """A value as Go writes it: a text, a number, or a truth value.

    >>> literal("p1"), literal(2), literal(True)
    ('"p1"', '2', 'true')
    """
    return json.dumps(value, ensure_ascii=False)


def camel(name: str) -> str:
    """
    >>> camel("reconcile_state")
    'reconcileState'
    """
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def call(function: str, *arguments: object) -> str:
    """A call of a method of `k`.

    >>> call("allocate", "p1", "a0")
    'k.allocate("p1", "a0")'
    """
    return f"k.{camel(function)}({', '.join(map(literal, arguments))})"


def do(action: Action, without: Collection[str] = (), of: str = "") -> str:
    """The action of a run that the driver `scheduler` plays: its name, then the names and values of its arguments.

    `without`: arguments that the driver does not need. `of`: the object that the goroutine has, where the action alone
    does not say which goroutine moves.

    >>> do(Action.of("assume", pod="p1", by="binding"), without=("by",), of="p1#1")
    'k.do("assume", "pod", "p1", "of", "p1#1")'
    """
    args = [str(text) for name, value in action.args if name not in without for text in (name, value)]
    return call("do", action.name, *args, *(("of", of) if of else ()))
