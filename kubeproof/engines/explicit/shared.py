"""What explorations of one scope have in common under several choices of rules.

Most rules of two releases are the same. A function of a state does the same under both if it looks up the same rules.
 So a rule that is looked up counts as read, like a variable that never changes, and what is remembered is
shared. Where the model says that only one answer of a rule counts (`model.which_rule`), that answer is read and not the
rule.

This is sound for a machine whose steps look up, each anew, every rule that they depend on. What a machine computes
once, by a `cached_property`, is computed before the first step: the rules that this looks up are those of all steps.
"""

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any

from attrs import Factory, define, fields as fields_of, has

from kubeproof.engines.explicit.remembered import Memory, Seeker
from kubeproof.engines.explicit.states import Values
from model.machine import Machine
from model.releases import from_outside
from model.which_rule import RuleQuestion, noting

Rule = Callable[..., Any]
# A field whose rule was looked up, or a question about a rule.
Key = str | RuleQuestion


@define
class Keys:
    """Numbers for all keys that were ever looked up, and for the rules or answers under each."""

    numbers: dict[Key, int] = Factory(dict)
    keys: list[Key] = Factory(list)
    values: list[dict[Any, int]] = Factory(list)

    def number(self, key: Key) -> int:
        found = self.numbers.setdefault(key, len(self.keys))
        if found == len(self.keys):
            self.keys.append(key)
            self.values.append({})
        return found


class LookedUp:
    """A choice of rules that does as the given one does, and notes which of its rules are looked up."""

    def __init__(self, rules: Any, keys: Keys) -> None:
        """`keys`: those of all that share what is remembered."""
        own = type(rules)
        self._given: dict[str, Rule] = dict(vars(rules))
        self._keys = keys
        self._ever: set[int] = set()
        self._heard: Callable[[int], None] | None = None
        self._searches: list[Seeker] = []

        def read_whole(_: Any) -> Any:
            # Who is outside the model may look up every rule, and nobody notes it there.
            for field in fields_of(own):
                self._note(field.name)
            return rules

        # What a machine is given in the place of the rules.
        self.rules: Any = noting(rules, self._note, ask=self._ask, read_whole=read_whole)

    @property
    def fields(self) -> frozenset[str]:
        """The fields whose rules the explorations looked up, or depend on."""
        every = set(self._ever)
        for seeker in self._searches:
            looked_up = seeker.search.looked_up
            every |= {key for key in range(looked_up.count) if looked_up.at(key)}
        keys = [self._keys.keys[number] for number in every]
        return frozenset(key if isinstance(key, str) else key.field for key in keys)

    def read_by(self, other: Any) -> frozenset[str] | None:
        """The fields that the explorations of `other` look up, if nothing that was looked up is another rule there."""
        choice, every = LookedUp(other, self._keys), set(self._ever)
        for seeker in self._searches:
            looked_up = seeker.search.looked_up
            every |= {key for key in range(looked_up.count) if looked_up.at(key)}
        return self.fields if all(choice.has(key, self.number(key)) for key in every) else None

    def number(self, key: int) -> int:
        """The number of the rule under a key, or of what a rule answers. Raises what the rule raises."""
        values, name = self._keys.values[key], self._keys.keys[key]
        value: Any = self._given[name] if isinstance(name, str) else self._answer(name)
        return values.setdefault(value, len(values))

    def _answer(self, question: RuleQuestion) -> tuple[type[Any], Any]:
        answer = question.answered_by(self._given[question.field], question.given)
        return type(answer), answer  # as 1 equals True

    def has(self, key: int, number: int) -> bool:
        """Whether the rule under the key is the one of that number."""
        try:
            return self.number(key) == number
        except Exception:  # a rule that does not go with the question: its own search meets the error
            return False

    def hear(self, heard: Callable[[int], None] | None) -> None:
        self._heard = heard

    def _note(self, key: Key) -> None:
        number = self._keys.number(key)
        self._ever.add(number)
        if self._heard is not None:
            self._heard(number)

    def _ask(self, question: RuleQuestion) -> Any:
        """What the question about a rule answers. Of the rule only this answer counts as looked up."""
        answer = self._answer(question)[1]
        self._note(question)
        return answer

    def searched_by(self, seeker: Seeker) -> None:
        self._searches.append(seeker)


@define
class Part:
    """What is remembered of choices of rules that have in common what all steps depend on."""

    # This: by key, the number of the rule or answer.
    common: dict[int, int]
    memory: Memory


class Shared:
    """What is remembered of some scopes of a system."""

    def __init__(self, known: Collection[Rule] = (), outside: frozenset[str] | None = frozenset()) -> None:
        """`known`: as the system's machines know them. `outside`: the fields whose rules are from outside.

        Under a rule from outside other states are kept. So it is the same fields in all searches. None: any, in a
        system that keeps the same states under all rules.
        """
        self._known, self._outside = known, outside
        self._scopes: dict[Any, list[Part]] = {}
        self._keys = Keys()

    def takes(self, rules: Any) -> bool:
        """Whether `under` takes these `rules`."""
        return self._outside is None or from_outside(rules, self._known) == self._outside

    def under(self, rules: Any) -> LookedUp:
        """`rules`, as the machines of searches that share what they find are given them.

        Raises ValueError for a rule from outside in another field than those that were named.
        """
        if self._outside is None:
            return LookedUp(rules, self._keys)
        outside = from_outside(rules, self._known)
        if outside - self._outside:
            others = ", ".join(sorted(outside - self._outside))
            raise ValueError(f"{others} is not a known rule: no step under it is shared")
        if self._outside - outside:
            others = ", ".join(sorted(self._outside - outside))
            raise ValueError(f"{others} is a known rule, and from outside in other searches: no step is shared")
        return LookedUp(rules, self._keys)

    def search(
        self,
        scope: Any,
        looked_up: LookedUp,
        machine: Callable[[Any], Machine[Any]],
        numbering: "Numbering | None" = None,
    ) -> "Sharing":
        """What a search in `scope` shares with others there. `looked_up`: from `under`. `machine`: makes a new one."""
        return Sharing(looked_up, machine(looked_up.rules), self._scopes.setdefault(scope, []), numbering)


@define
class Numbering:
    """The numbers of values, of searches in one scope whose states are compared by number."""

    values: Values | None = None

    def memory(self, machine: Machine[Any]) -> Memory:
        """A memory in which values have these numbers."""
        found = Memory(machine, self.values)
        self.values = found.values
        return found

    def is_of(self, memory: Memory) -> bool:
        """Whether values have these numbers there, or have none yet."""
        return self.values is None or self.values is memory.values


class OneMachine:
    """A machine, and what its searches share: all that is remembered."""

    def __init__(self, machine: Machine[Any], numbering: Numbering | None = None) -> None:
        self.machine, self.numbering = machine, numbering or Numbering()
        self._memory: Memory | None = None

    def seeker(self) -> Seeker:
        """A search of the machine."""
        if self._memory is None:
            self._memory = self.numbering.memory(self.machine)
        return Seeker(self.machine, self._memory, None)


class Sharing:
    """A machine, and its side of what is shared."""

    def __init__(
        self, looked_up: LookedUp, machine: Machine[Any], parts: list[Part], numbering: Numbering | None = None
    ) -> None:
        """`machine`: a new one with the rules of `looked_up`: of what it has computed nobody knows what that read."""
        self.looked_up, self.machine, self.numbering = looked_up, machine, numbering or Numbering()
        self._parts = parts
        # The rules that all steps of the machine depend on.
        self._of_machine: dict[int, int] = {}
        # What computes is inside of what only hands on.
        inside = getattr(machine, "inside", machine)
        self._noting(self._of_machine, lambda: _compute_what_is_computed_once(inside))

    def seeker(self) -> Seeker:
        """A search of the machine."""
        parts = (part for part in self._parts if self.numbering.is_of(part.memory))
        part = next((part for part in parts if self._agrees(part)), None)
        if part is None:
            # Rules may decide which state is the first; how many places it has, the scope says.
            part = Part({}, self.numbering.memory(self.machine))
            self._parts.append(part)
        self.numbering.values = part.memory.values
        part.common |= self._of_machine
        common = part.common
        made: Seeker = self._noting(common, lambda: Seeker(self.machine, part.memory, self.looked_up))
        self.looked_up.searched_by(made)
        made.common = lambda does: self._noting(common, does)
        return made

    def _agrees(self, part: Part) -> bool:
        return all(self.looked_up.has(key, number) for key, number in part.common.items())

    def _noting(self, common: dict[int, int], does: Callable[[], Any]) -> Any:
        keys: set[int] = set()
        self.looked_up.hear(keys.add)
        try:
            return does()
        finally:
            self.looked_up.hear(None)
            common |= {key: self.looked_up.number(key) for key in keys}


# What searches of a machine have in common.
Searches = OneMachine | Sharing


def searches_of(on: Machine[Any] | Searches, numbering: Numbering | None = None) -> Searches:
    """`on`; of a machine what its searches share among themselves."""
    return on if isinstance(on, OneMachine | Sharing) else OneMachine(on, numbering)


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
