"""Whether a fix, or a mutant, has answered every call as the release does. Then it has changed no run of the scope."""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Any

from attrs import evolve

from kubeproof.fix.said import note_again, with_notes
from model.which_rule import is_one_of, itself

Rule = Callable[..., Any]


class SameAnswers:
    """A fix's choice of rules that asks the release's rule at each call too.

    Why equal answers are enough: the model's own code is the same under both choices, and rules are pure. So by
    induction over the calls of an exploration the release goes through the same runs.
    """

    def __init__(self, old: Any, new: Any, fields: Iterable[str]) -> None:
        """`old`: the rules of the release. `new`: those rules with the fix's in the `fields`."""
        # Whether all answers were equal so far, with the errors that Go met and the events that came.
        self.so_far = True
        # Whether any rule of the fix was asked anything.
        self.asked = False
        # The fields of which somebody asked whether the rule is one of some rules.
        self.asked_which = set[str]()
        self.old = old
        # What a machine is given in the place of `new`.
        self.rules = evolve(
            new, **{field: self._watched(field, getattr(old, field), getattr(new, field)) for field in fields}
        )

    def _watched(self, field: str, old: Rule, new: Rule) -> Rule:
        @wraps(new)
        def call(*args: Any) -> Any:
            self.asked = True
            try:
                answer, notes = with_notes(lambda: new(*args))
            except Exception:
                self.so_far = False
                raise
            note_again(notes)
            # Also where it is known already that they differ: what a call reads must not depend on earlier calls.
            same = (answer, notes) == with_notes(lambda: answer_of(old, args))
            self.so_far = self.so_far and same
            return answer

        def note_question(among: Collection[Rule], answer: bool) -> None:
            self.asked = True
            self.asked_which.add(field)
            self.so_far = self.so_far and is_one_of(old, among) == answer

        watched: Any = call
        # Whoever looks for the function of the file behind its guard finds it.
        watched.__wrapped__ = getattr(new, "__wrapped__", new)
        watched.stands_for, watched.note_question = itself(new), note_question
        return call


def answer_of(rule: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What `rule` returns, or a text of the error that the rule raises."""
    try:
        return rule(*args)
    except Exception as error:
        return "raises", type(error), str(error)
