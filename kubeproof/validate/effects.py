"""Effects of a fix: what else a step does with it, in the fields that a system names, in any field, and as errors."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.engines.explicit import Limits, explore
from kubeproof.engines.explicit.again import remembering
from kubeproof.engines.explicit.search import Exploration, exploration
from kubeproof.engines.explicit.shared import OneMachine
from kubeproof.systems.system import Rule, System, rules_of
from model.go.errors import MetError, MetErrors
from model.machine import Action, Machine
from model.releases import from_outside
from model.which_rule import itself
from properties.effect import Effect, Taken, differing

STATES = 2_000  # of each scope, where any field counts


def kind_of(error: MetError) -> str:
    """The error without the numbers in its text, so that two pods with the same error have the same kind."""
    return re.sub(r"\d+", "N", str(error))


@define
class NewErrors:
    """The errors of the transitions from states that a search without the fix reached."""

    # By kind: how many transitions met such an error.
    before: dict[str, int] = Factory(dict)
    after: dict[str, int] = Factory(dict)
    # By kind: the first action that met such an error with the fix, and the error.
    examples: dict[str, str] = Factory(dict)
    # How many transitions were looked at.
    total: int = 0

    def count(self, action: Action, before: MetErrors, after: MetErrors) -> None:
        """A transition: the errors that it meets under the rules before, and after."""
        self.total += 1
        for error in before:
            self._count(self.before, error)
        for error in after:
            self.examples.setdefault(kind_of(error), f"{action}: {error}")
            self._count(self.after, error)

    def _count(self, counts: dict[str, int], error: MetError) -> None:
        kind = kind_of(error)
        counts[kind] = counts.get(kind, 0) + 1

    def effects(self) -> list[Effect]:
        """One effect for each kind of error that the release never met in these transitions."""
        return [
            Effect(f"a new error of {kind.partition(': ')[0]}", times, self.total, self.examples[kind], "steps")
            for kind, times in self.after.items()
            if kind not in self.before
        ]


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


@define
class OtherStates:
    """Transitions from given states under two choices of rules with the same reductions."""

    old: Machine[Any]
    new: Machine[Any]
    # By subject: how many steps differ in it, and the first of them.
    changed: dict[str, tuple[int, str]] = Factory(dict)
    total: int = 0

    def compare(self, states: Iterable[Any]) -> None:
        """Take every action from each of `states` under both. Raises RuleError."""
        for state in states:
            before, after = list(self.old.actions(state)), list(self.new.actions(state))
            for action in dict.fromkeys((*before, *after)):
                self.total += 1
                if action not in before or action not in after:
                    self._count(
                        "which actions are possible", f"{action} {'is no more' if action in before else 'was not'}"
                    )
                    continue
                found = differing(self.old.step(state, action), self.new.step(state, action))
                for field, (one, other) in {field: values for field, *values in found}.items():
                    self._count(f"what a step leaves in {field}", f"{action}: {_short(one)} -> {_short(other)}")

    def _count(self, subject: str, example: str) -> None:
        times, first = self.changed.get(subject, (0, example))
        self.changed[subject] = times + 1, first

    def effects(self) -> list[Effect]:
        """One effect for each field."""
        return [Effect(subject, n, self.total, example, "steps") for subject, (n, example) in self.changed.items()]


def in_any_field(system: System, scopes: Iterable[Any], old: Any, new: Any) -> list[Effect]:
    """The effects on any field, of a change of rules from `old` to `new`, over the states that are met first.

    Raises RuleError.
    """
    same = reduced_like(system, old, new)
    found: dict[str, Effect] = {}
    for scope in scopes:
        searches = OneMachine(system.machine(scope, same))
        run = explore(searches, symmetry=True, limits=Limits(states=STATES))
        old, other = exploration(searches), exploration(system.machine(scope, new))
        others = OtherStates(remembering(old), remembering(other))
        others.compare(run.state(number) for number in range(run.counts.distinct))
        for effect in others.effects():
            found.setdefault(effect.subject, effect)
    return list(found.values())


def reduced_like(system: System, old: Any, new: Any) -> Any:
    """The rules `old`, given what `new` are given: what is reduced must not look like a difference."""
    known = rules_of(system.mutants)
    outside = from_outside(new, known) - from_outside(old, known)
    return evolve(old, **{field: _reduced_as_from_outside(getattr(old, field)) for field in outside})


def _reduced_as_from_outside(rule: Rule) -> Rule:
    """`rule`, also where it is asked which rule it is; but no reduction takes it for known."""
    found = as_from_outside(rule)
    found.asked_as = itself(rule)  # type: ignore[attr-defined]
    return found


def as_from_outside(rule: Rule) -> Rule:
    """In other words the same rule: no reduction takes it for known."""
    return lambda *args: rule(*args)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
