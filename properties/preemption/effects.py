"""Effects of a change of rules: where the answer of preemption differs, over every cluster of the scopes."""

from collections.abc import Iterable, Iterator
from typing import Any

from model.machine import Machine
from model.scheduler.preemption.writes import PodStatus
from model.systems.preemption import Preemption
from model.systems.preemption.state import NamedStatuses
from properties.effect import Effect, Reached

# What may differ in the answers, in the words of Kubernetes: (subject, what it is of an end).
_SUBJECTS = (
    ("which pods are deleted", lambda end: end.deleted),
    ("which node is chosen", lambda end: end.chosen),
    ("how many violations of budgets are counted", lambda end: _violations(end)),
    ("what the statuses of victims are", lambda end: _of_victims(end)),
    ("what the status of the preemptor is", lambda end: end.statuses[:1]),
    ("what the attempt answers", lambda end: (end.ended, end.panic, end.nominated)),
    ("what the attempt leaves behind", lambda end: end.contexts),
)


def _violations(end: Preemption) -> tuple[tuple[str, int], ...]:
    return tuple((each.node, each.victims.num_pdb_violations) for each in end.candidates)


def _of_victims(end: Preemption) -> NamedStatuses:
    return tuple((name, status) for name, status in end.statuses if name in end.deleted)


def ends(machine: Machine[Preemption], state: Preemption) -> Iterator[Preemption]:
    """Every state in which the attempt that is in `state` may end."""
    actions = list(machine.actions(state))
    if not actions:
        yield state
    for action in actions:
        yield from ends(machine, machine.step(state, action))


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """Where the answers of two choices of rules differ, over the clusters that are reached."""
    changed = dict.fromkeys((subject for subject, _ in _SUBJECTS), 0)
    examples: dict[str, str | None] = dict.fromkeys(changed)
    total = 0
    for scope in reached:
        for state in scope.states:
            if state.next != "search":
                continue
            total += 1
            olds, news = list(ends(scope.old, state)), list(ends(scope.new, state))
            for subject, of in _SUBJECTS:
                was, is_now = list(dict.fromkeys(map(of, olds))), list(dict.fromkeys(map(of, news)))
                if was != is_now:
                    changed[subject] += 1
                    examples[subject] = examples[subject] or f"{_cluster(state)}: {_told(was)} -> {_told(is_now)}"
    return [Effect(subject, changed[subject], total, examples[subject], "clusters") for subject in changed]


def _told(values: list[Any]) -> str:
    return " or ".join(_value(value) for value in values)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_value(each) for each in value)})" if value else "none"
    if isinstance(value, PodStatus):
        return f"{value.phase} {value.qos_class} {'+'.join(value.conditions)} {value.nominated_node_name}".strip()
    return str(value) if value not in ("", None) else "none"


def _cluster(state: Preemption) -> str:
    pods = [
        f"{pod.name} of priority {pod.priority} with CPU {pod.cpu_milli}"
        for node in state.cluster.nodes
        for pod in node.pods
    ]
    return f"{', '.join(pods)}, and a pod that asks for {state.cluster.preemptor.cpu_milli}"
