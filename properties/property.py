"""What a property is: a name, one sentence, a pure predicate, a witness of its premise, the rules that break it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import frozen

from model.machine import Action


@frozen
class Property:
    """Common to all kinds. `sentence` says in one sentence what must hold, in the words of Kubernetes.

    `broken_by` names rules, historical or deliberately wrong, under which the property is violated.
    """

    name: str
    sentence: str
    broken_by: tuple[str, ...]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        raise TypeError("a Property is an Invariant, a StepInvariant or a Liveness")


@frozen
class Invariant(Property):
    """`holds(state)` in every reachable state. `premise(state)`: the state is one that the property speaks of.

    `explain(state)` says in domain words what is wrong in a state that violates it.
    """

    holds: Callable[[Any], bool]
    premise: Callable[[Any], bool]
    explain: Callable[[Any], str]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "invariant"


@frozen
class StepInvariant(Property):
    """`holds(before, action, after)` in every reachable step of an action in `actions`; `premise`, `explain` alike."""

    actions: frozenset[str]
    holds: Callable[[Any, Action, Any], bool]
    premise: Callable[[Any, Action, Any], bool]
    explain: Callable[[Any, Action, Any], str]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "step"


@frozen
class Liveness(Property):
    """For each entity of `sorts`: `goal(state, entity)` again and again (□◇), in every fair run.

    A sort holds what is interchangeable, so entities of one kind may be in several; a machine need not have all.
    `fair` names the actions under weak fairness, each as a whole (some instance of it). `recurring` names the
    actions that a run may take for ever; the others happen finitely often. None: all may go on for ever.
    A violation is a lasso: a run into a cycle that is fair and in which the goal holds in no state.
    """

    sorts: tuple[str, ...]
    goal: Callable[[Any, str], bool]
    premise: Callable[[Any, str], bool]
    explain: Callable[[Any, str], str]
    fair: frozenset[str]
    recurring: frozenset[str] | None = None

    def observed(self, sorts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """One entity of each of the property's sorts in `sorts`: the others of a sort are renamings of it."""
        return tuple(sorts[sort][0] for sort in self.sorts if sorts.get(sort))

    def entities(self, sorts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """All entities of the property's sorts."""
        return tuple(entity for sort in self.sorts for entity in sorts.get(sort, ()))

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "liveness"
