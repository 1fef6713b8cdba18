"""A pod that backs off stays in the backoff queue until its backoff is over."""

from typing import Any

from model.evolve import evolve
from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.state import QueuedPodInfo, find
from model.world.times import MOMENT, NOW
from properties.property import SetupInvariant
from properties.queueing_hints.view import State


def _actions(machine: Any) -> frozenset[str]:
    """All actions but the passing of time, where there are backoffs. One that leaves the queue alone breaks nothing."""
    return frozenset(machine.action_names) - {"tick"} if machine.scope.clock else frozenset()


def _backs_off(machine: Any, info: QueuedPodInfo) -> bool:
    """Whether the pod came back from its attempt less than a backoff ago when the next operation of the queue looks."""
    end: int = info.timestamp - MOMENT + machine.setup.queue.config.initial_backoff
    return end > NOW


def _spec(pod: Pod) -> Pod:
    return evolve(pod, resource_version=0, condition="", nominated_node_name="", managed_fields="")


def _activated(before: State, action: Action) -> set[str]:
    """The pod that a plugin asks to be tried at once."""
    asked = dict(action.args).get("activates")
    return {str(asked)} if asked else {before.cycle.activates} if before.cycle is not None else set()


def _left_early(machine: Any, before: State, action: Action, after: State) -> list[str]:
    """Pods that leave the backoff queue for activeQ while they back off, for no reason."""
    if not before.queue.backoff or before.queue.backoff is after.queue.backoff:
        return []
    if (before.queue.backoff, before.queue.active) == (after.queue.backoff, after.queue.active):
        return []
    found = []
    for info in before.queue.backoff:
        active = find(after.queue.active, info.pod.name)
        if active is not None and _backs_off(machine, info) and _spec(active.pod) == _spec(info.pod):
            found.append(info.pod.name)
    return [name for name in found if name not in _activated(before, action)]


def _explain(machine: Any, before: State, action: Action, after: State) -> str:
    name = _left_early(machine, before, action, after)[0]
    return f"{action.name} takes {name} out of the backoff queue before its backoff ends, and nothing asks for it"


IN_TIME = SetupInvariant(
    name="leaves-backoff-queue-in-time",
    sentence="A pod leaves the backoff queue for activeQ only when its backoff is over, by an update that is not of "
    "its status, or because a plugin asks for it.",
    broken_by=("update_from_backoff_to_active",),
    actions=_actions,
    holds=lambda machine, before, action, after: not _left_early(machine, before, action, after),
    premise=lambda machine, before, action, after: bool(before.queue.backoff),
    explain=_explain,
)
