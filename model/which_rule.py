"""Which rule is it? Asked where something of the model depends on the rule itself and not on what the rule answers."""

from collections.abc import Callable, Collection
from typing import Any

Rule = Callable[..., Any]


def is_one_of(rule: Rule, known: Collection[Rule]) -> bool:
    """Whether `rule` itself is in `known`.

    Whoever notes what an exploration asks of its rules puts a stand-in in the place of a rule (see `itself`). The
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
