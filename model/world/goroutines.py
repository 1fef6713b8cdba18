"""Goroutines, whatever they do: which actions each offers, and how an action runs one step, or several in a row.

A goroutine is a record with its `steps` still to do. A step that is `part_of` another one's action runs in it unless
the scope keeps it apart; tests compare the verdicts of both grains in small scopes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from attrs import frozen

from model.evolve import evolve
from model.machine import Action, Value
from model.objects import Pod
from model.places import Place
from model.variables import Bag
from model.world.step import Step


class HasSteps(Protocol):
    """A goroutine: the names of the steps that it still does, in order, and for which pod."""

    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def pod(self) -> Pod: ...


class HasProcess(Protocol):
    """How the process ended, "" while it runs."""

    @property
    def crashed(self) -> str: ...


C = TypeVar("C")
S = TypeVar("S", bound=HasProcess)
G = TypeVar("G", bound=HasSteps)

Choice = tuple[tuple[str, Value], ...]


def _no_choice(setup: object, state: object, goroutine: object) -> tuple[Choice, ...]:
    return ((),)


def _busy(goroutine: object) -> bool:
    return False


def always_idle(goroutine: object) -> bool:
    """Of a step that touches nothing, ever."""
    return True


@frozen(kw_only=True, eq=False)
class GoroutineStep(Step, Generic[C, S, G]):
    """A step of a goroutine: the function that does the step, and what the step may choose."""

    # (setup, state, goroutine, action) -> the state and the goroutine after the step. The action is None for a step
    # that follows in the action of another step.
    does: Callable[[C, S, G, Action | None], tuple[S, G]]
    # The fields of the state that have the goroutines which take the step.
    goroutines: tuple[str, ...]
    # The arguments of the action that choose one of several outcomes. Empty: there is one outcome.
    chooses: tuple[str, ...] = ()
    # Every choice that there is, as arguments to add to the action.
    options: Callable[[C, S, G], Iterable[Choice]] = _no_choice
    # Whether the step touches nothing now. Such a step is never an action of its own.
    idle: Callable[[G], bool] = _busy


Steps = Mapping[str, GoroutineStep[C, S, G]]


def own_step(does: Any, *goroutines: str, place: Place, **declared: Any) -> GoroutineStep[Any, Any, Any]:
    """The step that the function `does` does, under its name, in goroutines of these fields."""
    return GoroutineStep(name=does.__name__, does=does, goroutines=goroutines, place=place, **declared)


def run(steps: Steps[C, S, G], scope: Any, setup: C, state: S, goroutine: G, action: Action) -> tuple[S, G]:
    """The action's step of the goroutine, and those that belong to it."""
    given: Action | None = action
    while True:
        step = steps[goroutine.steps[0]]
        state, goroutine = step.does(setup, state, evolve(goroutine, steps=goroutine.steps[1:]), given)
        given = None
        if not goroutine.steps or not _joins(steps, scope, action.name, goroutine) or state.crashed:
            return state, goroutine


def _joins(steps: Steps[C, S, G], scope: Any, head: str, goroutine: G) -> bool:
    """Whether the goroutine's next step belongs to the action that began with the step `head`."""
    step = steps[goroutine.steps[0]]
    return step.idle(goroutine) or (head in step.part_of and not step.apart(scope))


def chosen(step: GoroutineStep[C, S, G], setup: C, state: S, goroutine: G, action: Action) -> Iterator[Action]:
    """`action` with each choice that the goroutine has now."""
    for choice in step.options(setup, state, goroutine):
        yield Action(action.name, (*action.args, *choice))


def named(goroutines: Bag[G], arguments: Callable[[G], Mapping[str, Value]]) -> Iterator[tuple[G, Action]]:
    """Each goroutine of a kind with its action; `nth` tells those apart that go by the same names, equal ones once."""
    seen: dict[Action, list[G]] = {}
    for goroutine in goroutines:
        names = dict(arguments(goroutine))
        action = Action.of(goroutine.steps[0], **names)
        same = seen.setdefault(action, [])
        if goroutine in same:
            continue
        if same:
            names["nth"] = str(len(same) + 1)
        same.append(goroutine)
        yield goroutine, Action.of(goroutine.steps[0], **names)


def acting(
    steps: Steps[C, S, G], goroutines: Bag[G], arguments: Callable[[G], Mapping[str, Value]], action: Action
) -> G:
    """The goroutine that the action tells of."""
    choice = steps[action.name].chooses
    wanted = Action(action.name, tuple(pair for pair in action.args if pair[0] not in choice))
    found: G = goroutines.ask(_of_action, arguments, wanted)
    return found


def _of_action(goroutines: Bag[G], arguments: Callable[[G], Mapping[str, Value]], wanted: Action) -> G:
    return next(goroutine for goroutine, offered in named(goroutines, arguments) if offered == wanted)


def under_way(goroutines: Bag[G], pod: str) -> int:
    """How many of the goroutines are for the pod of this name."""
    return sum(goroutine.pod.name == pod for goroutine in goroutines)
