"""Bugs of preemption in a goroutine: every order of a small surrounding, see properties/preemption/async_orders.py."""

from collections.abc import Callable

from attrs import evolve

from kubeproof.bugs.component import Demonstration
from model.releases import Release, parse_release, rules_for
from model.scheduler.preemption.async_preemption import async_is_on
from properties.preemption.async_orders import Moment, OrderRules, Scope, is_stuck, preempts_twice, shortest

# What may happen, in words -> the scope.
_TWICE = {
    "two victims": Scope(2, lag=False),
    "two victims, and handlers that are behind the informer's store": Scope(2),
    "two victims, of which somebody else deletes one": Scope(2, deletions=1, lag=False),
}
_STUCK = {
    "one victim, which somebody else deletes": Scope(1, deletions=1, lag=False),
    "one victim, which waits at Permit": Scope(1, waiting=1, lag=False),
    "two victims": Scope(2, lag=False),
    "two victims, of which somebody else deletes one": Scope(2, deletions=1, lag=False),
}


def preempted_again(release: Release) -> Demonstration:
    """ASYNC-PREEMPT-REPEAT: a second preemption of one pod begins before the first has ended."""
    return _demonstrated(rules_for(OrderRules, release), _TWICE, preempts_twice)


def stuck_after_preemption(release: Release) -> Demonstration:
    """ASYNC-PREEMPT-STUCK: all victims are gone, and nothing moves the preemptor."""
    return _demonstrated(rules_for(OrderRules, release), _STUCK, is_stuck)


def _with_gate_on() -> OrderRules:
    return evolve(rules_for(OrderRules, parse_release("1.32.13", range(32, 33))), async_preemption_default=async_is_on)


def preempted_again_in_1_32() -> Demonstration:
    """1.32, where somebody sets the gate."""
    return _demonstrated(_with_gate_on(), _TWICE, preempts_twice)


def stuck_in_1_32() -> Demonstration:
    """1.32, where somebody sets the gate."""
    return _demonstrated(_with_gate_on(), _STUCK, is_stuck)


def _demonstrated(rules: OrderRules, scopes: dict[str, Scope], bad: Callable[[Moment], bool]) -> Demonstration:
    if not rules.async_preemption_default():
        return Demonstration((), ("SchedulerAsyncPreemption is off, and a cycle waits for its requests",))
    shown, lines = [], []
    for what, scope in scopes.items():
        run = shortest(rules, scope, bad)
        if run is None:
            lines.append(f"{what}: in no order")
            continue
        shown.append(what)
        lines.append(f"{what}: after {len(run)} steps, such as:")
        lines += [f"  {said}" for said, _ in run]
    return Demonstration(tuple(shown), tuple(lines))
