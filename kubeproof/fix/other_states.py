"""Effects of a fix that no subject of a system names: what a step leaves otherwise in any field of the state."""

from collections.abc import Iterable
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.engines.explicit import Limits, explore
from kubeproof.engines.explicit.again import remembering
from kubeproof.engines.explicit.search import exploration
from kubeproof.engines.explicit.shared import OneMachine
from kubeproof.systems.system import Rule, System, rules_of
from model.machine import Machine
from model.releases import from_outside
from model.which_rule import itself
from properties.differing import differing
from properties.effect import Effect

STATES = 2_000  # of each scope


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
        machine, remembered = system.machine(scope, same), OneMachine()
        run = explore(machine, symmetry=True, limits=Limits(states=STATES), sharing=remembered)
        old, other = exploration(machine, sharing=remembered), exploration(system.machine(scope, new))
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
