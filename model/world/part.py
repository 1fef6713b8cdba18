"""An actor of whom a system has a part: some of the steps, and further steps that only some systems have."""

from typing import Any

from attrs import frozen

from model.machine import Action, Offer
from model.world.step import Step


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
