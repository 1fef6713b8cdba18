"""A machine whose rules are of a fix: where their results make a step of the model raise, this is a RuleError.

A rule may return a value of the right kind that no step can go on with, such as the name of a node that is nowhere.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from kubeproof.errors import RuleError
from model.machine import Action, Machine, Offer


class _Careful:
    """Like the machine inside. Errors name the action in which the model raised."""

    def __init__(self, inside: Machine[Any], rules: str) -> None:
        self.inside, self._rules = inside, rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def actions(self, state: Any) -> Iterable[Action]:
        found: tuple[Action, ...] = self._tried("the actions of a state", lambda: tuple(self.inside.actions(state)))
        return found

    @property
    def offers(self) -> Sequence[Offer[Any]]:
        return [partial(self._offered, offer) for offer in self.inside.offers]

    def _offered(self, offer: Offer[Any], state: Any) -> Iterable[Action]:
        return self._tried("the actions of a state", lambda: tuple(offer(state)))  # type: ignore[no-any-return]

    def step(self, state: Any, action: Action) -> Any:
        return self._tried(str(action), lambda: self.inside.step(state, action))

    def errors(self, state: Any, action: Action) -> Any:
        return self._tried(str(action), lambda: self.inside.errors(state, action))

    def rename(self, state: Any, names: Any) -> Any:
        return self._tried("a renaming", lambda: self.inside.rename(state, names))

    def canonical(self, state: Any, fixed: frozenset[str] = frozenset()) -> Any:
        return self._tried("a renaming", lambda: self.inside.canonical(state, fixed))

    def _tried(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except RuleError:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise RuleError(f"{what} raised {text}, with what {self._rules} returned") from None


def careful(machine: Machine[Any], rules: Iterable[str]) -> Machine[Any]:
    """`machine`, whose `rules` are of a fix."""
    # Hypothesis prints the name of the class.
    named: Any = type(type(machine).__name__, (_Careful,), {})
    found: Machine[Any] = named(machine, ", ".join(rules))
    return found
