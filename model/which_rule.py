"""Which rule is it? Asked where something of the model depends on the rule itself and not on what the rule answers.

And what does a rule answer once, where nothing else of the rule matters? Both are questions about the rule in a field.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from attrs import fields, frozen

Rule = Callable[..., Any]


@frozen(cache_hash=True)
class RuleQuestion:
    """What is asked of the rule in a field, where nothing else of the rule matters."""

    field: str
    # What answers, given the rule and `given`. Pure; it calls no other rule, and meets no error of Go.
    answered_by: Callable[[Rule, Any], Any]
    # Hashable.
    given: Any


def ask(rules: Any, question: RuleQuestion) -> Any:
    """The answer of the rule in the question's field.

    Whoever shares steps between several `rules` keeps the answer and not the rule.
    """
    # A choice of rules that notes what is looked up has this method in its class; others have not.
    note = getattr(type(rules), "ask", None)
    return question.answered_by(getattr(rules, question.field), question.given) if note is None else note(question)


def noting(rules: Any, note: Callable[[str], object], **methods: Any) -> Any:
    """A choice of rules that does as `rules` does, and tells `note` the field of each rule that is looked up.

    `methods`: further ones of its class.
    """
    own = type(rules)
    names = frozenset(field.name for field in fields(own))

    def get(self: Any, name: str) -> Any:
        if name in names:
            note(name)
        return object.__getattribute__(self, name)

    found: Any = object.__new__(type(own.__name__, (own,), {"__getattribute__": get, **methods}))
    object.__getattribute__(found, "__dict__").update(vars(rules))
    return found


def is_in(field: str, known: Collection[Rule]) -> RuleQuestion:
    """Whether the rule in `field` is one of `known`, as `is_one_of` answers."""
    return RuleQuestion(field, is_one_of, known)


def answer_to(field: str, *args: Any) -> RuleQuestion:
    """What the rule in `field` answers to these arguments."""
    return RuleQuestion(field, _called, args)


def _called(rule: Rule, args: tuple[Any, ...]) -> Any:
    return rule(*args)


def is_one_of(rule: Rule, known: Collection[Rule]) -> bool:
    """Whether `rule` itself is in `known`.

    Whoever holds two rules against each other at each call puts a stand-in in the place of one (see `itself`). The
    stand-in is told what was asked and answered. A rule that is `asked_as` another one is taken for the other one here,
    and here alone.
    """
    answer = getattr(rule, "asked_as", itself(rule)) in known
    note = getattr(rule, "note_question", None)
    if note is not None:
        note(known, answer)
    return answer


def itself(rule: Rule) -> Rule:
    """`rule`, or the rule for which this stand-in stands."""
    found: Rule = getattr(rule, "stands_for", rule)
    return found


def ask_ahead(rule: Rule, calls: Iterable[tuple[Any, ...]]) -> None:
    """Say what `rule` is called with next, in plain values: a rule in another process is asked all of it at once."""
    ahead = getattr(rule, "ahead", None)
    if ahead is not None:
        ahead(calls)
