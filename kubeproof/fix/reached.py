"""The steps from some states under the rules before and after a fix, by the numbers of states."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

from kubeproof.engines.explicit.again import remembering
from kubeproof.engines.explicit.search import Exploration
from kubeproof.fix.new_errors import NewErrors
from model.machine import Action, Machine
from properties.compared_steps import Taken


class ReachedStates:
    """States, with what two machines do in each. Whoever passes over them counts the errors of all steps."""

    def __init__(self, old: Exploration, new: Exploration, states: Iterable[int], errors: NewErrors) -> None:
        """`old`, `new`: without symmetry; values have the same numbers in both. `states`: by their numbers in `old`."""
        assert old.memory.values is new.memory.values
        self._old, self._new = old, new
        self._states, self._errors = states, errors

    @cached_property
    def old(self) -> Machine[Any]:
        """The machine before the fix, which remembers."""
        return remembering(self._old)

    @cached_property
    def new(self) -> Machine[Any]:
        """And after."""
        return remembering(self._new)

    @property
    def states(self) -> Iterator[Any]:
        """Each of the states."""
        return (self._old.state(number) for number, _, _ in self._passed())

    @property
    def steps(self) -> Iterator[Taken]:
        """The steps from all states."""
        old, new = self._old, self._new
        for number, other, both in self._passed():
            for action, before, after in both:

                def said(of: Callable[..., Any], action: Action = action, at: tuple[int, int] = (number, other)) -> Any:
                    return tuple(_said(run, at, of, action) for run, at in zip((old, new), at, strict=True))

                alike = old.row(before) == new.row(after)
                yield Taken(
                    action,
                    alike,
                    partial(old.state, number),
                    partial(old.state, before),
                    partial(new.state, after),
                    said,
                )

    def _passed(self) -> Iterator[tuple[int, int, list[tuple[Action, int, int]]]]:
        """Each state's two numbers, and its steps that are possible under both: the numbers of the states after."""
        old, new = self._old, self._new
        for number in self._states:
            other = new.intern(old.row(number))
            possible = dict(new.successors(other))
            both = []
            for action, before in old.successors(number):
                after = possible.get(action)
                self._errors.count(
                    action, old.errors(number, action), () if after is None else new.errors(other, action)
                )
                if after is not None:
                    both.append((action, before, after))
            yield number, other, both


def _said(run: Exploration, number: int, of: Callable[..., Any], action: Action) -> Any:
    """What `of` says of the machine's step from the state of that number."""
    machine = run.machine
    return run.answers((of, action), lambda state: of(machine, state, action))(number)
