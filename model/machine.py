"""What a transition system is: initial states, enabled actions, and a pure function from a state to the next.

Engines, traces and reports know a system only through `Machine`. Only an engine knows how states are stored.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from attrs import frozen

from model.go.errors import MetErrors

S = TypeVar("S")

Value = str | int | bool


@frozen(cache_hash=True, order=True)
class Action:
    """An action as data, which can be printed, compared and replayed.

    >>> print(Action.of("add_node", node="n1", zone="z2"))
    add_node(node='n1', zone='z2')
    """

    # In snake_case.
    name: str
    # The arguments with their names, in the order of declaration.
    args: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, action_name: str, /, **args: Value) -> "Action":
        """The action `action_name` with these named arguments, in the order given."""
        return cls(action_name, tuple(args.items()))

    def __getitem__(self, arg: str) -> Any:
        for key, value in self.args:
            if key == arg:
                return value
        raise KeyError(arg)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.args)})"


# Some of the actions that a state enables, in a fixed order.
Offer = Callable[[S], Iterable[Action]]


class Machine(Protocol[S]):
    """A system in a bounded scope. States are hashable and immutable; `step` is pure and deterministic.

    Whatever the Go code leaves open (map order, goroutine order) is a choice between actions.
    """

    @property
    def action_names(self) -> tuple[str, ...]:
        """Every action name the system has, also those that no state of this scope enables."""
        ...

    @property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        """Interchangeable identifiers by sort: `{"node": ("n1", "n2"), "zone": ("z1",)}`."""
        ...

    @property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        """The fields of the state in which identifiers occur; all other fields stay as they are under `rename`.

        Of a field whose `Places` belong to identifiers: these, in the order of the places. Else ().
        """
        ...

    @property
    def symmetric(self) -> bool:
        """Whether the identifiers of a sort are interchangeable. A rule from outside may compare names."""
        ...

    @property
    def cuts(self) -> Mapping[str, str]:
        """What is told apart only up to a bound, though a rule from outside may read more of it: what, and how far.

        Empty where no rule in force can tell. Else what holds in every state of the scope is bounded by that.
        """
        ...

    def initial_states(self) -> Sequence[S]:
        """The states a run may begin in, in a fixed order."""
        ...

    @property
    def offers(self) -> "Sequence[Offer[S]]":
        """`actions` in parts: what the parts offer one after the other is what `actions` offers.

        An engine remembers each part by what the part reads, so each reads as little as it can. None is asked of a
        state in which the run ends.
        """
        ...

    def ends(self, state: S) -> bool:
        """Whether the run ends here: no action is enabled, whatever `offers` say."""
        ...

    def actions(self, state: S) -> Iterable[Action]:
        """The actions enabled in `state`, in a fixed order that depends on nothing but the state."""
        ...

    def step(self, state: S, action: Action) -> S:
        """The state after `action`, which must be enabled in `state`."""
        ...

    def errors(self, state: S, action: Action) -> MetErrors:
        """The errors that Go returns or logs in the step `action` from `state`, in order.

        They are no part of the state after the step. A property sees them by `ErrorInvariant`.
        """
        ...

    def rename(self, state: S, names: Mapping[str, str]) -> S:
        """`state` with its identifiers replaced by `names`, a permutation within each sort."""
        ...

    def canonical(self, state: S, fixed: frozenset[str] = frozenset()) -> S:
        """The representative of `state`'s orbit under renamings that leave the identifiers in `fixed` alone.

        A machine that knows the renaming that leads there has it as `relabelling(state, fixed)`: then an engine need
        not try all renamings.
        """
        ...
