"""What explorations of one scope have in common under several choices of rules.

Most rules of two releases are the same. A step does the same under both if the rules are the same that the step looks
up. So what a step did is remembered with the rules that were looked up, and so is which actions a state enables. The
search of the next release does only the steps that look up another rule. Where the model says that only one answer of
a rule counts (`model.which_rule`), that answer is remembered and not the rule.

This is sound for a machine whose steps look up, each anew, every rule that they depend on. What a machine computes
once, by a `cached_property`, is computed before the first step: the rules that this looks up are those of all steps.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import Any

from attrs import Factory, define, frozen, has

from kubeproof.engines.explicit.stores import Said
from model.go.errors import MetErrors
from model.machine import Action, Machine
from model.releases import from_outside
from model.which_rule import RuleQuestion, with_methods

Rule = Callable[..., Any]
# A field whose rule was looked up, with this rule; or a question about a rule, with the answer and its class.
Key = str | RuleQuestion
Seen = tuple[tuple[Key, Any], ...]
# Each action that a state enables, the row after the action, and the row that is kept for it.
Steps = list[tuple[Action, int, int]]
# By the properties that are asked together, and the action: what they say of this step.
SaidOfSteps = dict[tuple[str, Action], Said]

REMEMBERED = 1 << 19  # steps of one part; of states beyond that nothing is remembered


@frozen(eq=False)
class Looked:
    """What was looked up of rules. Equal to itself alone: the same rules and answers are the same object."""

    seen: Seen
    # The keys, as `LookedUp` numbers them.
    mask: int


class LookedUp:
    """A choice of rules that does as the given one does, and notes which of its rules are looked up."""

    def __init__(self, rules: Any, known: dict[Seen, Looked], bits: dict[Key, int]) -> None:
        """`known` and `bits` (a bit for each key that was ever looked up) are those of all that share steps."""
        own = type(rules)
        self._given: dict[str, Rule] = dict(vars(rules))
        self._known = known
        # The fields that were looked up, each a bit: since `begin`, and ever.
        self._now = self._every = 0
        self._agrees: dict[Looked, bool] = {}
        self._looked: dict[int, Looked] = {}
        # The answer to each question that was asked, with its class, as 1 equals True; and the question's bit.
        self._answers: dict[RuleQuestion, tuple[tuple[type[Any], Any], int]] = {}
        for field in self._given:
            bits.setdefault(field, 1 << len(bits))
        self._bits = bits
        given, notes = self._given, self

        def get(self: Any, name: str) -> Any:
            if name in given:
                notes._now |= bits[name]
            return object.__getattribute__(self, name)

        def reduce(self: Any, protocol: Any) -> Any:
            # To another process, where nobody notes anything, the rules travel as they were given.
            plain = object.__new__(own)
            plain.__dict__.update(given)
            return plain.__reduce_ex__(protocol)

        # What a machine is given in the place of the rules. Pickle takes it for what `reduce` makes of it.
        of_given = property(lambda self: own)
        looking = {"__getattribute__": get, "ask": self._ask, "__reduce_ex__": reduce, "__class__": of_given}
        self.rules: Any = with_methods(rules, **looking)

    @property
    def fields(self) -> frozenset[str]:
        """The fields whose rules the explorations looked up, or depend on."""
        every = self._every | self._now
        keys = [key for key, bit in self._bits.items() if every & bit]
        return frozenset(key if isinstance(key, str) else key.field for key in keys)

    def read_by(self, other: Any) -> frozenset[str] | None:
        """The fields that the explorations of `other` look up, if nothing that was looked up is another rule there."""
        every = self._every | self._now
        seen = self.looked(every).seen
        return self.fields if LookedUp(other, self._known, self._bits).has_all(seen) else None

    def _ask(self, question: RuleQuestion) -> Any:
        """What the question about a rule answers. Of the rule only this answer counts as looked up."""
        (_, answer), bit = self._answered(question)
        self._now |= bit
        return answer

    def _answered(self, question: RuleQuestion) -> tuple[tuple[type[Any], Any], int]:
        found = self._answers.get(question)
        if found is None:
            answer = question.answered_by(self._given[question.field], question.given)
            bit = self._bits.setdefault(question, 1 << len(self._bits))
            found = self._answers[question] = (type(answer), answer), bit
        return found

    def _has(self, key: Key, value: Any) -> bool:
        if isinstance(key, str):
            return self._given[key] is value
        try:
            return bool(self._answered(key)[0] == value)
        except Exception:  # a rule that does not go with the question: its own search meets the error
            return False

    def begin(self) -> None:
        """From here on it is asked what is looked up."""
        self._every |= self._now
        self._now = 0

    def ended(self) -> int:
        """The mask of what was looked up since `begin`."""
        return self._now

    def looked(self, mask: int) -> Looked:
        """What this choice has under the keys of `mask`."""
        found = self._looked.get(mask)
        if found is None:
            keys = [key for key, bit in self._bits.items() if mask & bit]
            seen = tuple((key, self._given[key] if isinstance(key, str) else self._answered(key)[0]) for key in keys)
            found = self._looked[mask] = self._known.setdefault(seen, Looked(seen, mask))
        return found

    def has_all(self, seen: Iterable[tuple[Key, Any]]) -> bool:
        """Whether these rules are also the rules of this choice, and these answers also the answers."""
        return all(self._has(key, value) for key, value in seen)

    def agrees(self, looked: Looked) -> bool:
        """`has_all` for the rules of `looked`. If so, they count as looked up."""
        found = self._agrees.get(looked)
        if found is None:
            found = self._agrees[looked] = self.has_all(looked.seen)
            if found:
                self._every |= looked.mask
        return found


@define
class Part:
    """What is remembered of choices of rules that have in common what all steps depend on."""

    # This: rules by field, answers by question.
    common: dict[Key, Any]
    # Each value of each field, and its number.
    values: list[list[Any]] = Factory(list)
    ids: list[dict[Any, int]] = Factory(list)
    # By what a step, or several steps together, depend on: what came of them under which rules.
    effects: dict[Any, list[tuple[Looked, Any]]] = Factory(dict)
    # By the row of a state: the actions that it enables.
    enabled: dict[int, list[tuple[Looked, list[Action]]]] = Factory(dict)
    # By the row of a state: its steps, and what is said of them.
    steps: dict[int, list[tuple[Looked, tuple[Steps, SaidOfSteps]]]] = Factory(dict)
    # By the row after a step: the row of its orbit's representative.
    representatives: dict[int, int] = Factory(dict)
    # By action, and by what the action reads: the errors met.
    errors: dict[Any, list[tuple[Looked, MetErrors]]] = Factory(dict)
    # By the properties that are asked together, then by the row of a state: what they say of this state.
    said: dict[str, dict[int, Said]] = Factory(dict)
    _size: int = 0

    @property
    def has_room(self) -> bool:
        return self._size < REMEMBERED

    def remember(self, row: int, looked: Looked, steps: Steps) -> tuple[Steps, SaidOfSteps]:
        """What came of all the actions of a state."""
        found: tuple[Steps, SaidOfSteps] = steps, {}
        if self.has_room:
            self._size += len(steps)
            self.steps.setdefault(row, []).append((looked, found))
        return found


Parts = dict[frozenset[str] | None, list[Part]]


class Shared:
    """What is remembered of some scopes of a system."""

    def __init__(self, known: Collection[Rule] = (), outside: frozenset[str] = frozenset()) -> None:
        """`known`: as the system's machines know them. `outside`: the fields whose rules are from outside.

        Under a rule from outside other states are kept. So it is the same fields in all searches.
        """
        self._known, self._outside = known, outside
        self._scopes: dict[Any, Parts] = {}
        self._looked: dict[Seen, Looked] = {}
        self._bits: dict[Key, int] = {}

    def under(self, rules: Any) -> LookedUp:
        """`rules`, as the machines of searches that share what they find are given them.

        Raises ValueError for a rule from outside in another field than those that were named.
        """
        outside = from_outside(rules, self._known)
        if outside - self._outside:
            others = ", ".join(sorted(outside - self._outside))
            raise ValueError(f"{others} is not a known rule: no step under it is shared")
        if self._outside - outside:
            others = ", ".join(sorted(self._outside - outside))
            raise ValueError(f"{others} is a known rule, and from outside in other searches: no step is shared")
        return LookedUp(rules, self._looked, self._bits)

    def search(self, scope: Any, looked_up: LookedUp) -> "Sharing":
        """What a search in `scope` shares with others there. `looked_up`: from `under`."""
        return Sharing(looked_up, self._scopes.setdefault(scope, {}))


class Sharing:
    """A search's side of what is shared."""

    def __init__(self, looked_up: LookedUp, parts: Parts) -> None:
        self.looked_up = looked_up
        self._parts = parts
        # The machine that is searched, and the rules that all its steps depend on.
        self._machine: Machine[Any] | None = None
        self._common = looked_up.looked(0)
        # (state, action) -> the errors met, if the store of the search knows; else None.
        self.errors: Callable[[Any, Action], MetErrors | None] = lambda state, action: None

    def asked(self, machine: Machine[Any]) -> Machine[Any]:
        """`machine`, as the properties ask it: it does not take a step again for the errors met.

        Before anything else is asked of the machine. Raises ValueError if the machine has computed something already:
        what that looked up, nobody knows any more.
        """
        self._prepare(machine)
        return _Asked(machine, self)

    def _prepare(self, machine: Machine[Any]) -> None:
        """Note the rules that all steps of `machine` depend on."""
        if machine is self._machine:
            return
        # What computes is inside of what only hands on.
        inside = getattr(machine, "inside", machine)
        if any(name in vars(inside) for name in _computed_once(type(inside))):
            raise ValueError("the machine was asked before: expected a new one for a search that shares")
        self._machine = machine
        self.looked_up.begin()
        _compute_what_is_computed_once(inside)
        machine.footprints  # noqa: B018 what it looks up counts
        self._common = self.looked_up.looked(self.looked_up.ended())

    def part(self, machine: Machine[Any], fixed: frozenset[str] | None) -> Part:
        """The part for this machine, whose search keeps one state of each orbit unless `fixed` is None."""
        self._prepare(machine)
        parts = self._parts.setdefault(fixed, [])
        # All that is common to the part must be this choice's too, whatever this machine looked up so far.
        found = next((part for part in parts if self.looked_up.has_all(part.common.items())), None)
        if found is None:
            found = Part({})
            parts.append(found)
        found.common.update(self._common.seen)
        return found

    def common(self, part: Part, does: Callable[[], Any]) -> Any:
        """What `does` answers; what that looks up is common to the part from here on."""
        self.looked_up.begin()
        answer = does()
        part.common.update(self.looked_up.looked(self.looked_up.ended()).seen)
        return answer

    def remembered(self, entries: Iterable[tuple[Looked, Any]]) -> tuple[Looked, Any] | None:
        """The entry that was made under the same rules, as far as the entry depends on any."""
        for entry in entries:
            if self.looked_up.agrees(entry[0]):
                return entry
        return None


class _Asked:
    """Like the machine inside."""

    def __init__(self, inside: Machine[Any], sharing: Sharing) -> None:
        self._inside, self._sharing = inside, sharing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)

    def errors(self, state: Any, action: Action) -> MetErrors:
        found = self._sharing.errors(state, action)
        return self._inside.errors(state, action) if found is None else found


def _compute_what_is_computed_once(machine: Any) -> None:
    waiting: list[Any] = [machine]
    for each in waiting:
        for name in _computed_once(type(each)):
            found = getattr(each, name)
            if has(type(found)):
                waiting.append(found)


def _computed_once(cls: type[Any]) -> Iterator[str]:
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, cached_property):
                yield name
