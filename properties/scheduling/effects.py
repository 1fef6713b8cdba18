"""Effects of a change of the scheduler's rules, action by action.

Each action in each state that the system reaches without the change is taken under both choices of rules.
"""

from collections.abc import Iterable
from typing import Any

from attrs import define

from model.machine import Action
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from properties.effect import Effect
from properties.scheduling.view import queues_of


@define
class _Tally:
    """The counts of one subject."""

    subject: str
    # In how many transitions the subject differs, and in how many it was compared.
    changed: int = 0
    total: int = 0
    # The first difference.
    example: str | None = None

    def add(self, state: Scheduling, action: Action, old: str, new: str) -> None:
        self.total += 1
        if old != new:
            self.changed += 1
            self.example = self.example or f"{action}: {old} -> {new}"


def _queued(state: Scheduling) -> str:
    places = [
        f"{pod.name} in {' and '.join(queues)}"
        for pod in state.lister
        if pod is not None and (queues := queues_of(state, pod.name))
    ]
    return ", ".join(places) or "queues empty"


def _nominated(state: Scheduling) -> str:
    found = [f"{pod.name} to {node}" for node, pods in state.queue.nominator.nominated_pods for pod in pods]
    return ", ".join(found) or "nobody nominated"


def _cached(state: Scheduling) -> str:
    found = [f"{s.pod.uid} on {s.pod.node_name}{' assumed' if s.assumed else ''}" for s in state.cache.pod_states]
    return ", ".join(found) or "cache without pods"


def _running(state: Scheduling) -> str:
    cycle = "no cycle" if state.cycle is None else f"cycle of {state.cycle.pod.name}: {', '.join(state.cycle.steps)}"
    return f"{cycle}, {len(state.bindings)} bindings, {len(state.retries)} retries"


def _written(state: Scheduling) -> str:
    return f"{len(state.pod_watch)} events to deliver"


_SUBJECTS = (
    ("where pods wait", _queued),
    ("who is nominated", _nominated),
    ("what the cache counts", _cached),
    ("what the scheduler does next", _running),
    ("writes to the API server", _written),
    ("whether the scheduler's process goes on", lambda state: state.crashed or "it does"),
)


def effects_of_rules(
    before: SchedulingRules, after: SchedulingRules, reached: Iterable[tuple[SchedulingScope, Iterable[Any]]]
) -> list[Effect]:
    """What differs in the transitions from the reached states of each scope. Only what differs."""
    tallies = [(_Tally(name), said) for name, said in _SUBJECTS]
    for scope, states in reached:
        machine, other = SchedulingMachine(scope, before), SchedulingMachine(scope, after)
        for state in states:
            possible = set(other.actions(state))
            for action in machine.actions(state):
                if action not in possible:
                    continue
                old, new = machine.step(state, action), other.step(state, action)
                for tally, said in tallies:
                    tally.add(state, action, said(old), said(new))
    return [Effect(t.subject, t.changed, t.total, t.example, "steps") for t, _ in tallies if t.changed]
