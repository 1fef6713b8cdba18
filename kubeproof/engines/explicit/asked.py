"""Safety properties, as an exploration asks them: invariants of each state, step invariants of each step."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from kubeproof.engines.explicit.stores import Said, Store
from model.machine import Action
from properties.property import Invariant, StepInvariant

NOTHING: Said = (), ()
# Step invariants of one action: those whose answers searches may share, and the others.
_OfAction = tuple[list[StepInvariant], list[StepInvariant]]


class Asked:
    """The safety properties that one exploration asks."""

    def __init__(
        self, invariants: Iterable[Invariant], steps: Iterable[StepInvariant], *, own: Collection[str], shares: bool
    ) -> None:
        """`shares`: whether answers are shared with other searches. `own`: the names of step invariants that read more
        than the step, so that their answers are not."""
        self._invariants, self._steps = list(invariants), list(steps)
        self._own, self._shares = own, shares
        # Answers are shared of all properties together, so the same ones are asked to the end.
        self._key = " ".join(p.name for p in (*self._invariants, *self._steps))
        self._answered: set[str] = set()
        self._by_action: dict[str, _OfAction] = {}
        # By the names of the properties whose premises were met together: how often.
        self._met = Counter[tuple[str, ...]]()

    def answered(self, name: str) -> None:
        """From here on nobody needs to know more of this property."""
        self._answered.add(name)
        self._by_action.clear()
        if not self._shares:
            self._invariants = [p for p in self._invariants if p.name != name]

    def witnesses(self, name: str) -> int:
        """How many states or steps met the premise of a property that is not answered."""
        return sum(times for names, times in self._met.items() if name in names)

    def of_state(self, store: Store, number: int) -> Said:
        """What the invariants say of a state."""
        said = store.said_of_state(self._key, number, lambda: _say(self._invariants, store.state(number)))
        self._met[said[0]] += 1
        return said

    def of_step(self, store: Store, before: int, action: Action, after: int) -> Said:
        """What the step invariants say of a step of the state whose successors were found last."""
        shared, own = self._by_action.get(action.name) or self._asked_of(action.name)
        said = NOTHING
        if shared:
            said = store.said_of_step(
                self._key, action, lambda: _say(shared, store.state(before), action, store.after(action, after))
            )
        if own:
            other = _say(own, store.state(before), action, store.after(action, after))
            said = said[0] + other[0], said[1] + other[1]
        self._met[said[0]] += 1
        return said

    def _asked_of(self, action: str) -> _OfAction:
        every = [p for p in self._steps if action in p.actions]
        left = [p for p in every if p.name not in self._answered]
        if not self._shares or not left:
            found: _OfAction = left, []
        else:
            found = [p for p in every if p.name not in self._own], [p for p in left if p.name in self._own]
        self._by_action[action] = found
        return found


def _say(some: Sequence[Any], *given: Any) -> Said:
    premised = tuple([p.name for p in some if p.premise(*given)])
    return premised, tuple([p.name for p in some if not p.holds(*given)])
