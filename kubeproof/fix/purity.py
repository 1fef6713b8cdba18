"""Asks a fix again what it has answered: a rule that keeps something from one call to the next is no rule.

A run in which such a rule took part may never happen: what the rule answers there depends on what was asked before.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from kubeproof.errors import RuleError
from kubeproof.fix.fix import Fix
from kubeproof.fix.guarded import careful
from kubeproof.fix.stranger import Asked
from kubeproof.systems.system import System
from kubeproof.verdict.result import Result
from kubeproof.verdict.trace import run_again
from model.machine import Machine


def hold_to_its_answers(fix: Fix | None, system: System, rules: Any, found: Iterable[tuple[str, Result]]) -> None:
    """Ask `fix` again: a sample of all calls, the last one first, and the calls of each run that was `found`.

    Each time its process is a fresh one. The shortest run of each kind and property has its own, the other runs have
    one together. `rules`: those in force, with the fix's. `found`: a kind, such as how a property changed, and a
    result. Raises RuleError if an answer is another one.
    """
    if fix is None or fix.stranger is None:
        return
    stranger = fix.stranger
    own: dict[tuple[str, str], list[Asked]] = {}
    others: list[Asked] = []
    for kind, result in sorted(found, key=lambda each: each[1].trace.length if each[1].trace else 0):
        # A kept run may be of a system that this one extends.
        if result.trace is not None and isinstance(result.scope, system.scope_class):
            machine = careful(system.machine(result.scope, rules), fix.outside)
            calls = stranger.calls_of(partial(_take, machine, result))
            if own.setdefault((kind, result.property), calls) is not calls:
                others += calls
    every: list[list[Asked]] = [stranger.sample[::-1]]
    for calls in (*sorted(own.values(), key=len, reverse=True), others):
        if not any(longer[: len(calls)] == calls for longer in every):
            every.append(calls)
    for calls in every:
        stranger.ask_again(calls)


def _take(machine: Machine[Any], result: Result) -> None:
    """Take the run of `result` again; where a rule goes wrong after it, that too. Raises RuleError if there is none."""
    assert result.trace is not None
    again = run_again(machine, result.trace)
    if again is None:
        raise RuleError(f"the run that violates {result.property} does not happen again: a rule is not a pure function")
    if result.rule_error is not None:
        with suppress(RuleError):
            for action in machine.actions(again.last):
                machine.step(again.last, action)
