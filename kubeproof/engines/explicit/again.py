"""A machine that does not do again what it did: whoever takes the same steps many times asks this one."""

from collections.abc import Mapping, Sequence
from typing import Any

from kubeproof.engines.explicit.search import Exploration
from model.go.errors import MetErrors
from model.machine import Action, Machine


class Remembering:
    """Like the machine inside. Its actions, steps and errors are remembered by what they read."""

    def __init__(self, run: Exploration) -> None:
        """`run`: an exploration of the machine, without symmetry."""
        self.inside = run.machine
        self.run = run
        # The state that was asked of last, its number, and the number of the state after each of its actions.
        self._state: Any = None
        self._number = 0
        self._after: Mapping[Action, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def _of(self, state: Any) -> Mapping[Action, int]:
        if state is not self._state:
            number = self.run.intern(self.run.memory.values.row(state))
            self._after = dict(self.run.successors(number))
            self._state, self._number = state, number
        return self._after

    def actions(self, state: Any) -> Sequence[Action]:
        return list(self._of(state))

    def step(self, state: Any, action: Action) -> Any:
        return self.run.state(self._of(state)[action])

    def errors(self, state: Any, action: Action) -> MetErrors:
        self._of(state)
        return self.run.errors(self._number, action)


def remembering(run: Exploration) -> Machine[Any]:
    """The machine of `run`, an exploration without symmetry, which remembers."""
    # Whoever prints it prints the name of the class.
    named: Any = type(type(run.machine).__name__, (Remembering,), {})
    found: Machine[Any] = named(run)
    return found
