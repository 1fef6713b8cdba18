"""Runs of api-calls, played by the driver `scheduler` with SchedulerAsyncAPICalls on."""

from typing import Any

from kubeproof.players.player import CannotPlayError, Player, do
from kubeproof.systems.api_calls import words
from kubeproof.systems.system import Facts
from model.machine import Action, Machine
from model.systems.api_calls import ApiCalling, ApiCallsMachine

# What the driver says of a state. The rest of the model's state is in no field of Go, or follows from these.
_SAID = (
    "pod at the API server", "pod as the handlers know it", "events on the way", "for the scheduler the pod is",
    "nominated in memory", "call in flight", "call that waits", "told of a call in flight",
)  # fmt: skip


def _begin(machine: Machine[Any], run: str, further: tuple[str, ...] = ()) -> list[str]:
    assert isinstance(machine, ApiCallsMachine)
    scope, rules = machine.scope, machine.rules
    if not machine.is_asynchronous:
        raise CannotPlayError("the gate SchedulerAsyncAPICalls is off in the run")
    if scope.nodes > 1 or scope.pre_bind:
        raise CannotPlayError("the driver has one node in runs of api-calls, and no plugin with work at PreBind")
    fields = ["pods: 1", "nodes: 1", "room: 1", "calls: true", *further]
    if rules.clears_nomination_of_bound():
        fields.append("clearsNomination: true")
    if rules.nominate_without_candidate() == "":
        fields.append("clearsWithoutCandidate: true")
    return [f"k := newPlayedScheduler(t, playedScope{{{', '.join(fields)}}}, {run})"]


def _call(action: Action, _: ApiCalling | None) -> str:
    return do(action)


def _facts(state: ApiCalling) -> Facts:
    return {subject: fact for subject, fact in words.facts(state).items() if subject in _SAID}


_RELEASES = ("1.34.1", "1.35.0", "1.36.2")
API_CALLS = Player("api-calls", "scheduler", _begin, _call, _facts, _RELEASES)
