"""What a property is: a name, one sentence, a pure predicate, a premise, and the rules that break the property."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from attrs import frozen

from model.go.errors import MetError, MetErrors
from model.machine import Action, Machine


@frozen
class Property:
    """What all kinds of properties have."""

    # As `--property` takes the name.
    name: str
    # What must hold, in one sentence and in the words of Kubernetes.
    sentence: str
    # The names of rules of old releases, and of mutants, under which the property is violated.
    broken_by: tuple[str, ...]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        raise TypeError(
            "a Property is an Invariant, a StepInvariant, a SetupInvariant, an ErrorInvariant or a Liveness"
        )

    def of(self, machine: Machine[Any]) -> "Property":
        """The property as an engine asks for it of the runs of `machine`."""
        return self


@frozen
class Invariant(Property):
    """What must hold in every reachable state."""

    # Of a state: whether the property holds there.
    holds: Callable[[Any], bool]
    # Of a state: whether the property says anything of this state.
    premise: Callable[[Any], bool]
    # Of a state that violates the property: what is wrong, in the words of Kubernetes.
    explain: Callable[[Any], str]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "invariant"


@frozen
class StepInvariant(Property):
    """What must hold in every reachable transition of some actions.

    The functions take a transition: the state before, the action, the state after.
    """

    # The names of the actions.
    actions: frozenset[str]
    # The three functions are those of an invariant.
    holds: Callable[[Any, Action, Any], bool]
    premise: Callable[[Any, Action, Any], bool]
    explain: Callable[[Any, Action, Any], str]

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "step"


@frozen
class SetupInvariant(Property):
    """A step invariant that also reads what the machine is made with: its scope and its rules.

    The functions take the machine, then the transition.
    """

    # Of the machine: the names of the actions. Empty: in this scope, under these rules, there is nothing to judge.
    actions: Callable[[Any], frozenset[str]]
    # The three functions are those of a step invariant.
    holds: Callable[[Any, Any, Action, Any], bool]
    premise: Callable[[Any, Any, Action, Any], bool]
    explain: Callable[[Any, Any, Action, Any], str]

    def of(self, machine: Machine[Any]) -> StepInvariant:
        """The step invariant that says the same of the transitions of `machine`."""
        return StepInvariant(
            name=self.name,
            sentence=self.sentence,
            broken_by=self.broken_by,
            actions=self.actions(machine),
            holds=partial(self.holds, machine),
            premise=partial(self.premise, machine),
            explain=partial(self.explain, machine),
        )

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "step"


@frozen
class ErrorInvariant(Property):
    """What must hold of the errors that Go returns or logs in transitions of some actions.

    A state does not say which errors led to it. So the machine is asked: see `of`.
    """

    # The names of the actions.
    actions: frozenset[str]
    # (state before, action, error): whether the error is needless, so that the property is violated.
    needless: Callable[[Any, Action, MetError], bool]
    # Of a transition: whether the property says anything of this transition.
    premise: Callable[[Any, Action, Any], bool]
    # (state before, action, needless error): what is wrong, in the words of Kubernetes.
    explain: Callable[[Any, Action, MetError], str]

    def of(self, machine: Machine[Any]) -> StepInvariant:
        """The step invariant that says the same of the transitions of `machine`."""

        def needless(before: Any, action: Action) -> MetErrors:
            return tuple(error for error in machine.errors(before, action) if self.needless(before, action, error))

        return StepInvariant(
            name=self.name,
            sentence=self.sentence,
            broken_by=self.broken_by,
            actions=self.actions,
            holds=lambda before, action, after: not needless(before, action),
            premise=self.premise,
            explain=lambda before, action, after: self.explain(before, action, needless(before, action)[0]),
        )

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "step"


@frozen
class Liveness(Property):
    """What must come true again and again (□◇) in every fair run, for each entity.

    A violation is a lasso: a run into a cycle that is fair and in which the goal holds in no state. The functions take
    a state and the name of an entity.
    """

    # The sorts whose entities the property speaks of. Entities of one sort are interchangeable, so the pods of a
    # system may be in several sorts. A machine need not have all of the sorts.
    sorts: tuple[str, ...]
    # What must come true again and again.
    goal: Callable[[Any, str], bool]
    # Whether the property says anything of this state and entity.
    premise: Callable[[Any, str], bool]
    # Of the last state of a lasso that violates the property: what is wrong, in the words of Kubernetes.
    explain: Callable[[Any, str], str]
    # The names of the actions under weak fairness: some instance of such an action is taken again and again, or no
    # instance is enabled again and again.
    fair: frozenset[str]
    # The names of the actions that a run may take for ever; a run takes all others finitely often. None: a run may
    # take every action for ever.
    recurring: frozenset[str] | None = None

    def observed(self, sorts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """One entity of each of the property's sorts in `sorts`. The other entities of a sort are renamings of it."""
        return tuple(sorts[sort][0] for sort in self.sorts if sorts.get(sort))

    def entities(self, sorts: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """All entities of the property's sorts."""
        return tuple(entity for sort in self.sorts for entity in sorts.get(sort, ()))

    @property
    def kind(self) -> Literal["invariant", "step", "liveness"]:
        return "liveness"
