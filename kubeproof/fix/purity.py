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
from kubeproof.systems.system import System
from kubeproof.verdict.result import Result
from kubeproof.verdict.trace import run_again
from model.machine import Machine


def hold_to_its_answers(fix: Fix | None, system: System, rules: Any, results: Iterable[Result]) -> None:
    """Ask `fix` again: a sample of all calls, the last one first, and the calls of each run of `results`.

    Each time its processes are fresh ones. `rules`: those in force, with the fix's. Raises RuleError if an answer is
    another one.
    """
    if fix is None or fix.stranger is None:
        return
    stranger, asked = fix.stranger, []
    for result in results:
        if result.trace is not None:
            machine = careful(system.machine(result.scope, rules), fix.outside)
            asked.append(stranger.calls_of(partial(_take, machine, result)))
    stranger.ask_again(reversed(stranger.sample))
    done: list[Any] = []
    for calls in sorted(asked, key=len, reverse=True):
        if all(calls != longer[: len(calls)] for longer in done):
            done.append(calls)
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
