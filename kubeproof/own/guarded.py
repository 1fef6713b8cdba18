"""A machine of a reader, so that whatever goes wrong in it names the line, and the run that leads there is told."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import factorial, prod
from typing import Any

from attrs import has

from kubeproof.engines.explicit.orbits import MOST
from kubeproof.errors import InputError, RuleError
from kubeproof.input.files import shown
from kubeproof.own.machine import Machine
from kubeproof.own.reading import OwnFile
from model.machine import Action


class GuardedMachine:
    """Like the machine inside. An error of a step is a RuleError, which an engine tells with its run; else InputError.

    Hypothesis prints the name of the class.
    """

    def __init__(self, inside: Machine[Any], file: OwnFile) -> None:
        """Raises InputError if the machine does not begin."""
        self.inside, self._file = inside, file
        self.scope, self.action_names, self.cuts = inside.scope, tuple(inside.action_names), inside.cuts
        self._initial = tuple(self._asked("initial_states", inside.initial_states))
        self.sorts: Mapping[str, tuple[str, ...]] = self._asked("sorts", lambda: inside.sorts)
        for state in self._initial[:1] or (None,):
            if not has(type(state)):
                self._refuse(f"initial_states gave a {type(state).__name__}: expected frozen records of attrs")
        self._kind: Any = type(self._initial[0])
        for state in self._initial:
            try:
                hash(state)
            except TypeError as error:
                self._refuse(f"a state has no hash ({error}): expected a frozen record, of tuples and frozensets")
        renamings = prod(factorial(len(names)) for names in self.sorts.values())
        self.symmetric: bool = (
            bool(self.sorts) and renamings <= MOST and self._asked("symmetric", lambda: inside.symmetric)
        )
        self.named: Mapping[str, tuple[str, ...]] = self._asked("named", lambda: inside.named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def initial_states(self) -> Sequence[Any]:
        return self._initial

    @property
    def offers(self) -> Sequence[Callable[[Any], Iterable[Action]]]:
        return (self.actions,)

    def actions(self, state: Any) -> Iterable[Action]:
        found: tuple[Action, ...] = self._tried("actions", lambda: tuple(self.inside.actions(state)))
        for action in found:
            if not isinstance(action, Action) or action.name not in self.action_names:
                raise RuleError(
                    f"{self._file.name}: actions gave {action}, which is not one of action_names: "
                    f"expected an Action of {', '.join(self.action_names) or 'some name'}"
                )
        return found

    def step(self, state: Any, action: Action) -> Any:
        after = self._tried("step", lambda: self.inside.step(state, action))
        if not isinstance(after, self._kind):
            raise RuleError(
                f"step returned a {type(after).__name__}: {self._file.name}: expected a {self._kind.__name__}"
            )
        return after

    def _asked(self, what: str, call: Callable[[], Any]) -> Any:
        return self._file.told(what, call)()

    def _tried(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (RuleError, InputError):
            raise
        except (Exception, SystemExit) as error:
            raise RuleError(f"{what} raised {self._file.said(error)}") from None

    def _refuse(self, why: str) -> None:
        raise InputError(f"{shown(self._file.path)}: {why}")
