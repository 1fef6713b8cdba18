"""What a machine of a reader inherits: `model.machine.Machine` with an answer for what a small machine need not say."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from attrs import AttrsInstance, evolve, fields, has

from model.go.errors import MetErrors
from model.machine import Action

S = TypeVar("S", bound=AttrsInstance)


class Machine(ABC, Generic[S]):
    """A system in a scope. Who inherits says `scope`, `action_names`, `initial_states`, `actions` and `step`.

    A state is a frozen record of attrs, of plain values: numbers, texts, tuples, frozensets and such records. `actions`
    and `step` are pure functions.
    """

    # The default scope: a frozen record of attrs. Its fields are numbers, the bounds that `--scope` takes.
    scope: Any
    # The name of every action, in snake_case.
    action_names: tuple[str, ...] = ()
    # What is left out of the state, as in `model.machine.Machine`.
    cuts: ClassVar[Mapping[str, str]] = {}
    # True: the explicit engine keeps one state of those that differ in the names of a sort only. That these names are
    # interchangeable is the word of the file: it is tried in the first states, and each claim says so.
    symmetric: bool = False

    def __init__(self, scope: Any) -> None:
        self.scope = scope

    @abstractmethod
    def initial_states(self) -> Sequence[S]:
        """The states a run may begin in."""

    @abstractmethod
    def actions(self, state: S) -> Iterable[Action]:
        """The actions enabled in `state`, in an order that depends on nothing but the state."""

    @abstractmethod
    def step(self, state: S, action: Action) -> S:
        """The state after `action`, which is enabled in `state`."""

    # --- What a machine may say besides

    @property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        """Names by sort, such as `{"thread": ("t1", "t2")}`: of each a liveness property is asked. In a state they are
        texts.
        """
        return {}

    def sentence(self, before: S, action: Action, after: S) -> str:
        """What happened, for people."""
        return " ".join([action.name.replace("_", " "), *(str(value) for _, value in action.args)])

    def facts(self, state: S) -> Mapping[str, Any]:
        """What a person sees of a state, by subject. Whatever an action changes shows in it."""
        return {field.name: getattr(state, field.name) for field in fields(type(state))}

    # --- What engines ask, and what follows

    @property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        return {field.name: () for field in fields(type(self.initial_states()[0]))}

    @property
    def offers(self) -> Sequence[Callable[[S], Iterable[Action]]]:
        return (self.actions,)

    def ends(self, state: S) -> bool:
        return False

    def errors(self, state: S, action: Action) -> MetErrors:
        return ()

    def rename(self, state: S, names: Mapping[str, str]) -> S:
        found: S = renamed(state, names)
        return found

    def canonical(self, state: S, fixed: frozenset[str] = frozenset()) -> S:
        return state


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """`value` with each text in it that is one of `names` replaced.

    >>> renamed(("t1", frozenset({"t2"}), 1), {"t1": "t2", "t2": "t1"})
    ('t2', frozenset({'t1'}), 1)
    """
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return type(value)(renamed(each, names) for each in value)
    if isinstance(value, frozenset):
        return frozenset(renamed(each, names) for each in value)
    if isinstance(value, Action):
        return Action(value.name, renamed(value.args, names))
    if has(type(value)):
        return evolve(value, **{f.name: renamed(getattr(value, f.name), names) for f in fields(type(value))})
    return value
