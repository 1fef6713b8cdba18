"""What an exploration asks of its rules. Other rules that answer all of it alike have the same exploration.

Most of two releases' rules are the same, and most of those that differ answer the same in a small scope. So of many
explorations that only differ in their rules few have to be made. Why that is sound: the model's own code is the same
under all rules, and rules are pure. So by induction over the calls, rules that give the same answer to every call that
was noted lead to the same calls again, and to the same states. Errors that a rule says Go met are part of the rule's
answer, as properties ask for them.
"""

from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import Any
from weakref import ref

from attrs import define, evolve, fields, has

from model.go.errors import MetErrors, meet_again, with_errors_met
from model.releases import from_outside
from model.variables import plain
from model.which_rule import is_one_of

CALLS = 1_000_000  # of one exploration that are kept; beyond that other rules are explored for themselves


@define
class Call:
    """One call of a rule, and what came of the call."""

    # What the rule was given.
    args: tuple[Any, ...]
    # What the rule returned, or the error that the rule raised; and the errors of Go that were met on the way.
    answer: Any
    met: MetErrors


class NotedCalls:
    """A choice of rules that does as the given one does, and notes what it is asked."""

    def __init__(self, rules: Any, known: Collection[Callable[..., Any]] = ()) -> None:
        # For each field that was read, the calls of its rule. Of equal calls with the same objects one is kept.
        self.calls: dict[str, dict[tuple[int, ...], Call]] = {}
        # For each field of which somebody asked whether its rule is one of some rules: these rules, and the answer.
        self.questions: dict[str, list[tuple[Collection[Callable[..., Any]], bool]]] = {}
        self._number = 0
        self._given = rules
        # What is reduced depends on which fields have a rule from outside.
        self._known = known
        self._outside = from_outside(rules, known)
        # What a machine is given in the place of the rules.
        self.rules = _with_stand_ins(rules, self)

    def note(self, field: str, args: tuple[Any, ...], answer: Any, met: MetErrors) -> None:
        calls, key = self.calls[field], tuple(map(id, args))
        if key not in calls and self._number < CALLS:
            self._number += 1
            calls[key] = Call(args, answer, met)

    @property
    def fields(self) -> frozenset[str]:
        """The fields whose rules the exploration looked at."""
        return frozenset(self.calls)

    def read_by(self, other: Any) -> frozenset[str] | None:
        """The fields that the exploration of `other`, rules of the same class, reads, if the exploration is the same.

        None: it is another one, or nobody knows.
        """
        if self._number >= CALLS or from_outside(other, self._known) != self._outside:
            return None
        differing = {name for name in self.calls if getattr(other, name) is not getattr(self._given, name)}
        for name in differing:
            for among, answer in self.questions.get(name, ()):
                if is_one_of(getattr(other, name), among) != answer:
                    return None
        swap = _Swap(self.rules, other)
        for name in sorted(differing, key=lambda name: len(self.calls[name])):
            rule = getattr(other, name)
            for call in self.calls[name].values():
                if (swap(call.answer), call.met) != with_errors_met(partial(answer_of, rule, swap.all(call.args))):
                    return None
        return self.fields | swap.fields


def answer_of(rule: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What `rule` returns, or a text of the error that the rule raises."""
    try:
        return rule(*args)
    except Exception as error:
        return _raised(error)


def _raised(error: Exception) -> Any:
    return "raises", type(error), str(error)


def _with_stand_ins(rules: Any, notes: NotedCalls) -> Any:
    """`rules`, each a stand-in for itself. A field counts as read when it is looked up."""
    own = type(rules)
    # A machine's memory may hold on to rules; the notes shall go when nobody looks at them any more.
    there = ref(notes)
    stand_ins = {field.name: _stand_in(there, field.name, getattr(rules, field.name)) for field in fields(own)}

    def get(self: Any, name: str) -> Any:
        if name in stand_ins and (notes := there()) is not None:
            notes.calls.setdefault(name, {})
        return object.__getattribute__(self, name)

    # The rules are in the instance's __dict__: Rules classes have no slots, as each system's derives from several.
    copy: Any = object.__new__(type(own.__name__, (own,), {"__getattribute__": get}))
    object.__getattribute__(copy, "__dict__").update(vars(rules) | stand_ins)
    return copy


def _stand_in(there: "ref[NotedCalls]", field: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    def call(*tracked: Any) -> Any:
        # The rules of others are called again with what is kept.
        args = plain(tracked)
        raised: list[Exception] = []

        def answered() -> Any:
            try:
                return rule(*args)
            except Exception as error:
                raised.append(error)
                return _raised(error)

        answer, met = with_errors_met(answered)
        # Whoever asks for the errors of the step hears of them too.
        meet_again(met)
        if (notes := there()) is not None:
            notes.note(field, args, answer, met)
        if raised:
            raise raised[0]
        return answer

    def note_question(among: Collection[Callable[..., Any]], answer: bool) -> None:
        questions = [] if (notes := there()) is None else notes.questions.setdefault(field, [])
        if (among, answer) not in questions:
            questions.append((among, answer))

    call.stands_for = rule  # type: ignore[attr-defined]
    call.note_question = note_question  # type: ignore[attr-defined]
    return call


class _Swap:
    """Puts one choice of rules in the place of another, wherever it is in what a rule is given or returns."""

    def __init__(self, old: Any, new: Any) -> None:
        self._old, self._given = old, new
        # By identity: what was given stays, as the notes hold it.
        self._swapped: dict[int, Any] = {}

    @cached_property
    def _again(self) -> NotedCalls:
        """The new choice. Few calls are given one."""
        return NotedCalls(self._given)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that were looked up of the new choice."""
        return self._again.fields if "_again" in vars(self) else frozenset()

    def all(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(self, args))

    def __call__(self, value: Any) -> Any:
        if value is self._old:
            return self._again.rules
        if isinstance(value, tuple):
            swapped = tuple(map(self, value))
            return value if all(a is b for a, b in zip(swapped, value, strict=True)) else swapped
        if not has(type(value)):
            return value
        if id(value) not in self._swapped:
            names = [field.name for field in fields(type(value))]
            now = {name: getattr(value, name) for name in names}
            changed = {name: new for name, old in now.items() if (new := self(old)) is not old}
            self._swapped[id(value)] = evolve(value, **changed) if changed else value
        return self._swapped[id(value)]
