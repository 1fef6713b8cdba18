"""Runs of async-preemption, played by the driver `scheduler` with SchedulerAsyncPreemption on."""

from typing import Any

from kubeproof.players.player import CannotPlayError, Player, do
from kubeproof.systems.async_preemption import words
from kubeproof.systems.system import Facts
from model.machine import Action, Machine
from model.systems.async_preemption import AsyncPreempting, AsyncPreemptionMachine


def _begin(machine: Machine[Any], run: str, further: tuple[str, ...] = ()) -> list[str]:
    assert isinstance(machine, AsyncPreemptionMachine)
    if not machine.is_asynchronous:
        raise CannotPlayError("the gate SchedulerAsyncPreemption is off in the run")
    scope, rules = machine.scope, machine.rules
    fields = ["nodes: 1", f"room: {scope.victims}", "preemption: true", "graceful: true"]
    fields += [f"victims: {scope.victims}", *further]
    if scope.waiting:
        fields.append("permit: 1")
    if rules.answer_of_patch_without_pod() == "failed":
        fields.append("goneFails: true")
    if not rules.asks_for_last_victim(True):
        fields.append("leavesLastOut: true")
    return [f"k := newPlayedScheduler(t, playedScope{{{', '.join(fields)}}}, {run})"]


def _call(action: Action, _: AsyncPreempting | None) -> str:
    return do(action)


def _facts(state: AsyncPreempting) -> Facts:
    """Those of the pages. In a Go test a fact that is `gone` is one that is said no more."""
    return {subject: "is gone" if fact == "gone" else fact for subject, fact in words.facts(state).items()}


_RELEASES = ("1.33.1", "1.34.1", "1.35.0", "1.36.2")
ASYNC_PREEMPTION = Player("async-preemption", "scheduler", _begin, _call, _facts, _RELEASES)
