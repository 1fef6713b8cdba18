"""What a state of the system async-preemption is, and its rules."""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.scheduler.preemption.async_preemption import AsyncPreemptionRules, Goroutine, Preempting
from model.scheduler.preemption.objects import Pods
from model.variables import Channel, Places


@frozen(slots=False, kw_only=True)
class AsyncPreemptionSystemRules(AsyncPreemptionRules):
    """All rules of this system in one choice."""

    # As in `PreemptionRules`.
    victims_to_delete: Callable[[Pods], Pods]


# `marked`: has the condition DisruptionTarget; `deleted`: terminates without the condition; `ending`: with it. A pod
# that waits at Permit is `rejected` without a request; it is `queued` when it is forgotten and waits for a node again.
Phase = Literal["runs", "marked", "deleted", "ending", "gone", "waits", "rejected", "queued"]
TERMINATES: tuple[Phase, ...] = ("deleted", "ending", "gone")
# What a PATCH of the condition, and a DELETE, make of a pod; of others nothing.
AFTER_PATCH: dict[Phase, Phase] = {"runs": "marked", "deleted": "ending"}
AFTER_DELETE: dict[Phase, Phase] = {"marked": "ending", "runs": "deleted"}
# A pod that waits at Permit is rejected in memory: no request is made.
AT_PERMIT: tuple[Phase, ...] = ("waits", "rejected")

# Where the preemptor is: `tried` from its Pop until it is back in the queue; `gated`: PreEnqueue holds it back.
Place = Literal["active", "tried", "unschedulable", "gated", "bound"]


@frozen
class PodEvent:
    """What the informer sends."""

    victim: str
    phase: Phase


@frozen(cache_hash=True)
class AsyncPreempting:
    """A state of the system. Victims are v1, v2 and so on."""

    # Of each victim what the API server has (of one at Permit: what is so), what the informer's store has, and what the
    # scheduler's cache has.
    true: Places[Phase]
    listed: Places[Phase]
    known: Places[Phase]
    # What the informer sends, in order, as long as the handlers have not heard. The first `stored` are in the store.
    events: Channel[PodEvent] = Channel()
    stored: int = 0
    place: Place = "active"
    # Whether an event for the preemptor came while it was tried.
    noted: bool = False
    preempting: Preempting = Preempting()
    # The preemptions that run, the oldest first.
    goroutines: tuple[Goroutine, ...] = ()
    # How often it happened.
    deletions: int = 0
    failures: int = 0


def victim_name(at: int) -> str:
    """
    >>> victim_name(0)
    'v1'
    """
    return f"v{at + 1}"


def victim_place(victim: str) -> int:
    """
    >>> victim_place("v2")
    1
    """
    return int(victim.removeprefix("v")) - 1
