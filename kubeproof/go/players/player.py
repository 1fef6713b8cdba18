"""How a run of a system is written as Go code that plays the run."""

from collections.abc import Callable
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
