"""A run as the page of the explorer names it: all that a link has to hold."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.input.structure import misfit
from kubeproof.report.drawn import action_text
from kubeproof.systems.gates import refuse_locked
from kubeproof.systems.registry import system_named
from kubeproof.systems.releases import release_named
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.trace import Step, Trace
from kubeproof.verdict.violation import violation
from kubeproof.visible import shortened
from model.machine import Machine
from model.releases import Release, rules_for
from properties.property import Liveness

_MOST = 500  # actions of a run: each is taken again for every answer


@frozen
class Side:
    """Which rules are in force."""

    release: Release
    # Whether the fix of the command is in the place of the release's rules.
    fix: bool = False


# (system, scope, side) -> the system in that scope. Raises InputError where there is no fix.
MachineOf = Callable[[System, Any, Side], Machine[Any]]


def machine_of_release(system: System, scope: Any, side: Side) -> Machine[Any]:
    """The system under the rules of a release. Raises InputError for a fix."""
    if side.fix:
        raise InputError("fix: the explorer was started without one: expected `kubeproof explore --fix FILE`")
    return system.machine(scope, rules_for(system.rules_class, side.release))


class AskedSide(TypedDict):
    """A side in JSON: "" is the newest release."""

    release: str
    fix: bool


class AskedRun(TypedDict):
    """A run in JSON. The scope "" is the usual one of the system."""

    system: str
    release: str
    fix: bool
    scope: str
    actions: list[str]
    against: AskedSide | None


@frozen
class Run:
    """A run, and what it is held against."""

    system: System
    scope: Any
    side: Side
    # The texts of the actions, "pop p1". Each is the text of one action only among those that a state enables.
    actions: tuple[str, ...]
    # The side on which the same actions are taken besides.
    against: Side | None

    @classmethod
    def read(cls, asked: Any) -> "Run":
        """The run that JSON names. Raises InputError."""
        wrong = misfit(asked, AskedRun)
        if wrong:
            raise InputError(f"run: {wrong}")
        if len(asked["actions"]) > _MOST:
            raise InputError(f"run: {len(asked['actions'])} actions: expected at most {_MOST}")
        system = system_named(asked["system"])
        scope = system.parse_scope(asked["scope"] or None)
        against = asked["against"]
        sides = [None if side is None else _side(system, scope, side) for side in (asked, against)]
        assert sides[0] is not None
        return cls(system, scope, sides[0], tuple(asked["actions"]), sides[1])

    def json(self) -> AskedRun:
        """The run in JSON: with it as it is, all answers are the same."""
        return {
            "system": self.system.name,
            **_side_json(self.side),
            "scope": scope_text(self.scope),
            "actions": list(self.actions),
            "against": None if self.against is None else _side_json(self.against),
        }


def _side(system: System, scope: Any, asked: Any) -> Side:
    release = release_named(asked["release"] or None, minors=system.minors)
    refuse_locked(release, scope)
    return Side(release, asked["fix"])


def _side_json(side: Side) -> AskedSide:
    return {"release": str(side.release), "fix": side.fix}


def taken(machine: Machine[Any], texts: Sequence[str]) -> Trace:
    """The run of the machine that takes the actions of these texts. Raises InputError for one that is not enabled."""
    state = machine.initial_states()[0]
    steps = [Step(None, state)]
    for number, text in enumerate(texts, 1):
        action = next((each for each in machine.actions(state) if action_text(each) == text), None)
        if action is None:
            raise InputError(f"action {number}: '{shortened(text)}' is not enabled: expected an action of the page")
        state = machine.step(state, action)
        steps.append(Step(action, state))
    return Trace(tuple(steps))


def violated(system: System, machine: Machine[Any], trace: Trace) -> dict[str, str]:
    """What is violated at the end of the run, by property: what is wrong.

    A liveness property is violated if a fair run does nothing else from here on than stay, or go round to a state that
    it had.
    """
    lively = [each for each in system.properties if isinstance(each, Liveness)]
    loops = _loops(trace) if lively else []
    found = {}
    for each in system.properties:
        tried = [Trace(trace.steps, loop) for loop in loops] if isinstance(each, Liveness) else [trace]
        wrong = next(filter(None, (violation(machine, each, run) for run in tried)), None)
        if wrong:
            found[each.name] = wrong
    return found


def going_round(system: System, machine: Machine[Any], trace: Trace) -> Trace:
    """The run as a lasso, if it violates a liveness property so."""
    lively = [each for each in system.properties if isinstance(each, Liveness)]
    for loop in _loops(trace) if lively else ():
        lasso = Trace(trace.steps, loop)
        if any(violation(machine, each, lasso) for each in lively):
            return lasso
    return trace


def _loops(trace: Trace) -> list[int]:
    """To which states the run may go back: itself, and the last and the first of those that are as its last one."""
    same = [at for at, step in enumerate(trace.steps) if step.state == trace.last]
    return list(dict.fromkeys([same[-1], *same[-2:-1], same[0]]))


def until(trace: Trace, at: int) -> Trace:
    """The first `at` actions of the run."""
    return Trace(trace.steps[: at + 1])
