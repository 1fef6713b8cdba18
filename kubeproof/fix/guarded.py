"""Guards around rules from outside: whatever goes wrong in them, or by what they return, is a RuleError.

A rule may return a value of the right kind that no step can go on with, such as the name of a node that is nowhere.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from traceback import walk_tb
from typing import Any

from kubeproof.errors import InputError, RuleError
from kubeproof.fix.rule_results import right_for_all_arguments, wrong_result
from model.machine import Action, Machine, Offer
from model.variables import plain

Rule = Callable[..., Any]
REMEMBERED = 100_000  # results that were found right


def guarded(field: str, rule: Rule, returns: Any = Any) -> Rule:
    """`rule` so that whatever goes wrong in it is a RuleError that names `field`.

    `returns`: the annotation of what the rule must return, in whose place it is.
    """

    # What was found right, by its identity. A remembered answer is the same object, and is not looked through again.
    right: dict[int, Any] = {}

    @wraps(rule)
    def call(*tracked: Any) -> Any:
        args = plain(tracked)
        try:
            result = rule(*args)
        except RuleError:
            raise
        except (Exception, SystemExit) as error:
            raise RuleError(f"{field} raised {type(error).__name__}: {_one_line(error)}") from None
        if id(result) in right:
            return result
        try:
            wrong = wrong_result(field, returns, result, args)
        except Exception as error:
            raise RuleError(f"{field} returned a value that is not whole: {_one_line(error)}") from None
        if wrong:
            raise RuleError(f"{field} must return {wrong}")
        if right_for_all_arguments(result):
            if len(right) >= REMEMBERED:
                right.clear()
            right[id(result)] = result
        return result

    return call


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
            text = f"{type(error).__name__}: {_one_line(error)}"
            raise RuleError(f"{what} raised {text}, with what {self._rules} returned") from None


def careful(machine: Machine[Any], rules: Collection[str]) -> Machine[Any]:
    """`machine`, whose `rules` are from outside: where what they return makes a step raise, this is a RuleError."""
    if not rules:
        return machine
    # Hypothesis prints the name of the class.
    named: Any = type(type(machine).__name__, (_Careful,), {})
    found: Machine[Any] = named(machine, ", ".join(rules))
    return found


@contextmanager
def blamed_on(rules: Collection[str]) -> Iterator[None]:
    """Inside, an error is a RuleError if what `rules` from outside returned made others raise. Our own stays itself."""
    try:
        yield
    except (RuleError, InputError):
        raise
    except Exception as error:
        if not rules or _is_our_own(error):
            raise
        text = f"{type(error).__name__}: {_one_line(error)}"
        raise RuleError(f"what {', '.join(rules)} returned cannot be judged: {text}") from None


# What is given values of a fix: rules and steps, properties and effects, and the engines that pass over states.
_GIVEN_VALUES = ("model.", "properties.", "kubeproof.engines.")


def _is_our_own(error: BaseException) -> bool:
    """Whether the last place on the way to `error` that is of this repository handles no values of a fix."""
    names = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    ours = [name for name in names if name.startswith((*_GIVEN_VALUES, "kubeproof."))]
    return bool(ours) and not ours[-1].startswith(_GIVEN_VALUES)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
