"""Effects of a change of the queue's or the cache's rules that no run of the system shows: the components alone.

In a run the handlers, cycles and bindings call a component in few orders, with few pods. Here a component is called in
any order, with pods and nodes that no scope has: see `queue_calls` and `cache_calls`. A call that no run makes may be
among those that differ. So this is an effect, and never a violation.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from attrs import define, fields

from model.go.errors import with_errors_met
from model.scheduler.cache.state import CacheRules
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueRules
from model.systems.scheduling import SchedulingRules
from model.which_rule import noting
from properties.effect import ALONE, Effect, differing
from properties.scheduling import cache_calls, queue_calls

# (rules, a component) -> what the call answers, and the component after the call: in each way in which it may end.
Call = Callable[[SchedulingRules, Any], tuple[tuple[Any, Any], ...]]


@define(frozen=True, eq=False)
class Component:
    """A component that is called in any order."""

    # What differs, for the verdict.
    subject: str
    # The fields of the rules that the component asks.
    fields: frozenset[str]
    # The component before the first call.
    new: Any
    # In words -> the call.
    calls: Mapping[str, Call]
    # (rules, component) -> the component with small numbers, so that few components are left to call.
    small: Callable[[SchedulingRules, Any], Any]
    # How many components are called, those first that few calls lead to.
    most: int


def _names(*classes: type[Any]) -> frozenset[str]:
    return frozenset(field.name for each in classes for field in fields(each))


COMPONENTS = (
    Component(
        "what the cache does where it is called in any order", _names(CacheRules), cache_calls.NEW, cache_calls.CALLS,
        cache_calls.small, 1_000,
    ),
    Component(
        "what the queue does where it is called in any order", _names(QueueRules, NominatorRules), queue_calls.NEW,
        queue_calls.CALLS, queue_calls.small, 700,
    ),
)  # fmt: skip


def effects_alone(before: SchedulingRules, after: SchedulingRules) -> list[Effect]:
    """What differs in what a component does where it is called in any order: one effect for a component."""
    found = []
    for component in COMPONENTS:
        if all(getattr(before, name) is getattr(after, name) for name in component.fields):
            continue
        changed, example = 0, None
        calls = first_calls(component, before)
        other = {name for name, rule in vars(after).items() if rule is not getattr(before, name)}
        for name, state, expected, looked_up in calls:
            # A call that looks up none of the other rules answers the same.
            if not other.isdisjoint(looked_up) and (got := _answers(component.calls[name], after, state)) != expected:
                changed += 1
                example = example or f"{name}: {_example(expected, got)}"
        if changed:
            found.append(Effect(component.subject, changed, len(calls), example, ALONE))
    return found


@lru_cache(maxsize=2)
def first_calls(component: Component, rules: SchedulingRules) -> list[tuple[str, Any, Any, frozenset[str]]]:
    """All calls of the components that come first under `rules`.

    (call, component, what the call answers, the fields whose rules the call looks up) of each.
    """
    seen, found = {component.new: None}, []
    looked_up = set[str]()
    noted = noting(rules, looked_up.add)
    for state in (waiting := [component.new]):
        for name, call in component.calls.items():
            looked_up.clear()
            answers = _answers(call, noted, state)
            found.append((name, state, answers, frozenset(looked_up)))
            for _, after in answers[0] if isinstance(answers, tuple) else ():
                after = component.small(rules, after)
                if len(waiting) < component.most and after not in seen:
                    seen[after] = None
                    waiting.append(after)
    return found


def _answers(call: Call, rules: SchedulingRules, state: Any) -> Any:
    """In which ways the call may end, and the errors that Go met; or the Python error of a rule, as a text."""
    try:
        return with_errors_met(lambda: call(rules, state))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _example(expected: Any, got: Any) -> str:
    place, old, new = next(differing(expected, got, "answer"))
    return f"{place} {_short(old)} -> {_short(new)}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
