"""A step, declared once: everything that others need to know of an action's name. Pure data, and what follows from it.

The actions that a scope leaves out and the powers that a run takes are derived here for any system.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from attrs import frozen

from model.machine import Action, Offer
from model.places import Place
from model.scope import powers_in

Setup_contra = TypeVar("Setup_contra", contravariant=True)
S = TypeVar("S")
Scope = Any  # of whatever system: each `needs` and `apart` knows which of its bounds it asks for


def always_true(scope: Scope) -> bool:
    return True


def when_fine(scope: Scope) -> bool:
    """Every hold of a lock is an action of its own."""
    return bool(scope.fine)


def never(scope: Scope) -> bool:
    return False


@frozen(kw_only=True, eq=False)
class Step:
    """One atomic step: a request to the API server, an event's delivery, one hold of a lock, or a moment of the clock.

    Its name is that of an action. An action is one step, or several steps in a row.
    """

    name: str
    # Where the step stands in Go, by release. Of a step of no Go component: who takes the step.
    place: Place
    # The lock that makes the step atomic. "" if no lock is held: the step touches what is the API server's, or what
    # nobody else touches.
    lock: str = ""
    # The steps whose action this step may follow in, unless the step is `apart`.
    part_of: tuple[str, ...] = ()
    # Why no property can tell the difference. Only for a step with `part_of`.
    why: str = ""
    # Whether a scope makes the step an action of its own in spite of `part_of`.
    apart: Callable[[Scope], bool] = when_fine
    # Powers of which one has to be more than 0. A run that takes the step uses the first of them that is.
    power: tuple[str, ...] = ()
    # Value of a chosen argument -> the power that this value needs besides `power`.
    power_of_choice: Mapping[str, str] = {}
    # Name of an argument that some choices have -> the power that it needs besides `power`.
    power_of_argument: Mapping[str, str] = {}
    # What the scope has to have besides `power`: also an option, which acts in a run whether or not the step is taken.
    needs: Callable[[Scope], object] = always_true
    # Whether a goroutine takes the step only if a rule of the release brings the step.
    by_rule: bool = False

    @property
    def powers(self) -> frozenset[str]:
        """All powers that a run may use when it takes the step."""
        return frozenset((*self.power, *self.power_of_choice.values(), *self.power_of_argument.values()))

    def powers_used(self, scope: Scope, action: Action) -> Iterator[str]:
        """The powers that a run in `scope` uses when it takes `action`, which is of this step."""
        if self.power:
            yield next((power for power in self.power if getattr(scope, power, 0)), self.power[-1])
        yield from (self.power_of_choice[str(value)] for _, value in action.args if value in self.power_of_choice)
        yield from (self.power_of_argument[name] for name, _ in action.args if name in self.power_of_argument)


def options(steps: Iterable[Step], scope_class: type[Any]) -> frozenset[str]:
    """The powers of a scope that no step says it uses: they act in a run without an action that shows them."""
    return frozenset(powers_in(scope_class)).difference(*(step.powers for step in steps))


def powers_taken(steps: Mapping[str, Step], scope: Scope, actions: Iterable[Action]) -> Iterator[str]:
    """The powers that the steps of a run in `scope` use."""
    for action in actions:
        yield from steps[action.name].powers_used(scope, action)


def _offered(step: Step, scope: Scope) -> bool:
    has_power = not step.power or any(getattr(scope, power) for power in step.power)
    return bool(has_power and step.needs(scope))


def never_offered(steps: Iterable[Step], scope: Scope, brought: frozenset[str]) -> frozenset[str]:
    """Names of steps that no state enables as actions in `scope`, as far as it can be told without looking.

    `brought`: the names of the steps that the rules in force bring, of those that are `by_rule`.
    """
    every = list(steps)
    here = {step.name for step in every if _offered(step, scope) and (step.name in brought or not step.by_rule)}
    own = {step.name for step in every if step.name in here and (step.apart(scope) or here.isdisjoint(step.part_of))}
    return frozenset(step.name for step in every if step.name not in own)


class Actor(Protocol[Setup_contra, S]):
    """Somebody who acts: the declared steps, which of them a state enables, and what each does.

    A module of this package is an actor if it has these three names; a system is a tuple of actors.
    """

    @property
    def STEPS(self) -> tuple[Step, ...]: ...

    def offers(self, setup: Setup_contra, /) -> tuple[Offer[S], ...]:
        """What the actor may do, in parts of which each reads little. Together, in this order, they offer every action
        of the actor that a state enables.
        """
        ...

    def act(self, setup: Setup_contra, state: S, action: Action, /) -> S:
        """The state after `action`, which is one of the actor's."""
        ...


@frozen
class Part:
    """An actor with some of its steps, as the system has nobody for the others, and with more that only it has."""

    actor: Any
    # The names of the steps that the system has.
    names: frozenset[str]
    more: tuple[Step, ...] = ()

    @property
    def STEPS(self) -> tuple[Step, ...]:
        return (*(each for each in self.actor.STEPS if each.name in self.names), *self.more)

    def offers(self, setup: Any, /) -> tuple[Offer[Any], ...]:
        found: tuple[Offer[Any], ...] = self.actor.offers(setup)
        return found

    def act(self, setup: Any, state: Any, action: Action, /) -> Any:
        return self.actor.act(setup, state, action)
