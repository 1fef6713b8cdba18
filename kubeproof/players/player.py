"""How a run of a system is written as Go code that plays the run."""

import json
from collections.abc import Callable, Collection
from typing import Any

from attrs import frozen

from kubeproof.systems.system import Facts
from model.machine import Action, Machine


class CannotPlayError(ValueError):
    """A driver cannot take an action, or cannot play a system. The text says why."""


@frozen
class Player:
    """How runs of one system are played.

    Each line of Go speaks of `k`, which the driver makes. The driver's Go code has the methods `mustHold` (a property
    that is asked after each action), `finally` (one that is asked at the end) and `state` (the facts that changed).
    """

    # The name of the system, and of the driver that plays its runs.
    system: str
    driver: str
    # (machine, the Go literal of the run, further fields of the Go scope) -> the lines that make `k`.
    begin: Callable[[Machine[Any], str, tuple[str, ...]], list[str]]
    # (an action, the state before it if there is one) -> the line that takes the action. Raises CannotPlayError.
    call: Callable[[Action, Any], str]
    # A state in words, as the driver says it.
    facts: Callable[[Any], Facts]
    # Releases whose code the driver plays, one of each form; (): all those in which a run goes.
    releases: tuple[str, ...] = ()


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
