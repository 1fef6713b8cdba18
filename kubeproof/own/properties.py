"""Properties as functions with a decorator. The name of a property is that of its function, with hyphens."""

from collections.abc import Callable, Collection
from typing import Any

from model.machine import Action
from properties.property import Invariant, Liveness, StepInvariant


def invariant(
    sentence: str, *, premise: Callable[[Any], bool] | None = None, explain: Callable[[Any], str] | None = None
) -> Callable[[Callable[[Any], bool]], Invariant]:
    """What must hold in each state: the function says of a state whether it does.

    `sentence`: what must hold, for people. `premise`: of which states the property says anything; default all.
    `explain`: of a state that violates the property what is wrong there; default the sentence.
    """

    def made(holds: Callable[[Any], bool]) -> Invariant:
        return Invariant(
            name=_name(holds),
            sentence=sentence,
            broken_by=(),
            holds=holds,
            premise=premise or (lambda state: True),
            explain=explain or (lambda state: f"it does not hold: {sentence}"),
        )

    return made


def step_invariant(
    sentence: str,
    *actions: str,
    premise: Callable[[Any, Action, Any], bool] | None = None,
    explain: Callable[[Any, Action, Any], str] | None = None,
) -> Callable[[Callable[[Any, Action, Any], bool]], StepInvariant]:
    """What must hold in each step of these `actions`: the function is given the state before, the action, and after.

    All else is as in `invariant`.
    """

    def made(holds: Callable[[Any, Action, Any], bool]) -> StepInvariant:
        return StepInvariant(
            name=_name(holds),
            sentence=sentence,
            broken_by=(),
            actions=frozenset(actions),
            holds=holds,
            premise=premise or (lambda before, action, after: True),
            explain=explain or (lambda before, action, after: f"it does not hold: {sentence}"),
        )

    return made


def liveness(
    sentence: str,
    *,
    of: str,
    fair: Collection[str],
    premise: Callable[[Any, str], bool] | None = None,
    explain: Callable[[Any, str], str] | None = None,
) -> Callable[[Callable[[Any, str], bool]], Liveness]:
    """What must come true again and again in every fair run: the function is given a state, and a name of a sort.

    `of`: the sort of the machine whose names are asked about. `fair`: the actions that are taken again and again
    unless they are disabled again and again. All else is as in `invariant`.
    """

    def made(goal: Callable[[Any, str], bool]) -> Liveness:
        return Liveness(
            name=_name(goal),
            sentence=sentence,
            broken_by=(),
            sorts=(of,),
            goal=goal,
            premise=premise or (lambda state, name: True),
            explain=explain or (lambda state, name: f"it does not come true for {name}: {sentence}"),
            fair=frozenset(fair),
        )

    return made


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "")).replace("_", "-")
