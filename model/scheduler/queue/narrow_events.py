"""Which plugin an event concerns from 1.34 on: one that waits for all that the event tells of, or for more. Pure.

Go: `MatchClusterEvents`, pkg/scheduler/framework/types.go. Up to 1.33 one action in common is enough. An event of a
pod's update that names no property tells of every kind of update. From 1.34 on a plugin that waits for new labels alone
does not hear of such an update.

Go compares action types as numbers, of which the registered one must not be less. What the numbers say of an event of
one action is that the plugin waits for that action.
"""

from model.scheduler.queue.events import (
    ClusterEvent,
    Hint,
    Registration,
    Rejected,
    is_event_of_interest,
    matches,
    worth_requeuing_pending,
)

Registrations = tuple[Registration, ...]


def matches_narrowly(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """Whether a registration covers `event`, and its number is not less than that of the event (1.34)."""
    return registered.is_wild_card() or (matches(registered, event) and event.action <= registered.action)


def covering(registrations: Registrations, event: ClusterEvent) -> Registrations:
    """Those of the registrations that cover the event."""
    return tuple(each for each in registrations if matches_narrowly(each.event, event))


def worth_requeuing_narrowly(info: Rejected, event: ClusterEvent, registrations: Registrations) -> Hint:
    """`worth_requeuing_pending` by the hint functions of the plugins that the event concerns (1.34)."""
    return worth_requeuing_pending(info, event, covering(registrations, event))


def is_narrow_event_of_interest(event: ClusterEvent, registrations: Registrations) -> bool:
    """Whether the event concerns some plugin (`isEventOfInterest`, 1.34)."""
    return is_event_of_interest(event, covering(registrations, event))
