"""Pods that are bound when the scheduler starts, and whether its handlers have heard of them. Pure."""

from typing import Protocol

from model.objects import Pod
from model.scheduler.eventhandlers import PodNotification
from model.variables import Channel, Places
from model.world.api_server import CPU, node_name, place, pod_name
from model.world.events import Listener
from model.world.users import UsersScope, cpu_of, priority_of


class StartScope(UsersScope, Protocol):
    """What there is at the start."""

    @property
    def bound_at_start(self) -> int: ...


def is_bound_at_start(scope: StartScope, at: int) -> bool:
    """Whether the pod at this place is one of those that are bound when the scheduler starts: the last ones are."""
    return at >= scope.pods - scope.bound_at_start


def pods_at_start(scope: StartScope) -> Places[Pod | None]:
    """The pods of the API server and of the informer's store: the first node is filled first.

    Raises ValueError if a pod has no room.
    """
    found: list[Pod | None] = []
    free = [CPU * scope.room] * scope.nodes
    for at in range(scope.pods):
        if not is_bound_at_start(scope, at):
            found.append(None)
            continue
        cpu = cpu_of(scope, at)
        node = next((number for number, left in enumerate(free) if left >= cpu), None)
        if node is None:
            raise ValueError(f"bound_at_start={scope.bound_at_start} bound pods: there is no room for so many")
        free[node] -= cpu
        name, priority = pod_name(at), priority_of(scope, at)
        found.append(Pod(name, f"{name}#1", priority=priority, cpu_milli=cpu, node_name=node_name(node)))
    return Places(found)


def told_at_start(pods: tuple[Pod | None, ...]) -> Listener:
    """What a handler still has to hear: an add of each pod of the first list."""
    return Listener(Channel(PodNotification(None, pod) for pod in pods if pod is not None))


def handlers_have_synced(scope: StartScope, *listeners: Listener) -> bool:
    """Whether the handlers have handled the first list (`HasSynced` of their registrations)."""
    return not any(listener.pending.ask(_has_first_list, scope) for listener in listeners)


def _has_first_list(pending: tuple[PodNotification, ...], scope: StartScope) -> bool:
    return any(
        notification.old is None
        and notification.new is not None
        and notification.new.uid == f"{notification.new.name}#1"
        and is_bound_at_start(scope, place(notification.new.name))
        for notification in pending
    )
