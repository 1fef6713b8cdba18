"""Which fields of a system's record the actors use. A record that has them can have whatever else it likes.

The record is an attrs class; `model.evolve.evolve` makes a copy with other values.
"""

from typing import Any, Protocol, TypeVar

from model.evolve import evolve
from model.objects import Node, Pod
from model.scheduler.cache.state import Cache
from model.scheduler.calls import Calls
from model.scheduler.pod_handlers import Tells
from model.scheduler.queue.scheduling_queue import QueueSetup
from model.scheduler.queue.state import Queue
from model.variables import Channel, Places
from model.world.events import Listener, NodeEvent, PodEvent, Used


class HasObjects(Protocol):
    """The API server: pods and nodes by the place of their name, and the events that its writes send."""

    @property
    def pods(self) -> Places[Pod | None]: ...
    @property
    def nodes(self) -> Places[Node | None]: ...
    @property
    def incarnations(self) -> Places[int]:
        """How often each pod name was created."""
        ...

    @property
    def pod_watch(self) -> Channel[PodEvent]: ...
    @property
    def node_watch(self) -> Channel[NodeEvent]: ...


class HasUsed(Protocol):
    """How often each power was used."""

    @property
    def used(self) -> Used: ...


U = TypeVar("U", bound=HasUsed)


def left(state: HasUsed, power: str, most: int) -> bool:
    """Whether the power, which may be used `most` times, may be used once more. Of one that is off nothing is read."""
    return most > 0 and state.used.of(power) < most


def used(state: U, power: str) -> U:
    """The state in which the power was used once more."""
    return evolve(state, used=state.used.once_more(power))


class HasLister(Protocol):
    """The informer's store of pods, by the place of their name."""

    @property
    def lister(self) -> Places[Pod | None]: ...


class HasQueue(Protocol):
    """The scheduling queue. Every stored time is relative to now, which is 0."""

    @property
    def queue(self) -> Queue: ...


class HasCache(Protocol):
    """The scheduler's cache."""

    @property
    def cache(self) -> Cache: ...


class HasComponents(HasQueue, HasCache, HasLister, Protocol):
    """What the handlers call, and how the process ended ("" while it runs)."""

    @property
    def crashed(self) -> str: ...


class HasInformers(HasObjects, HasUsed, HasComponents, Protocol):
    """The informers: the store, the pending notifications of pods' handlers, what the node handler still calls."""

    @property
    def assigned(self) -> Listener: ...
    @property
    def unassigned(self) -> Listener: ...
    @property
    def handler(self) -> Listener:
        """The one handler of pods, where a release has but one."""
        ...

    @property
    def node_calls(self) -> Calls: ...


class ComponentSetup(Protocol):
    """The rules that queue, cache and handlers follow."""

    @property
    def rules(self) -> Any:
        """One object that is both CacheRules and EventRules: Python has no name for the type of such."""
        ...

    @property
    def queue(self) -> QueueSetup: ...
    @property
    def keeps_times(self) -> bool:
        """Whether the release's queue keeps timestamps (not 1.13's)."""
        ...


class TimeScope(Protocol):
    """Whether time passes, whether leftover pods are flushed, whether assumed pods expire; each 0 or 1."""

    @property
    def clock(self) -> int: ...
    @property
    def flush(self) -> int: ...
    @property
    def expiry(self) -> int: ...


class TimeSetup(ComponentSetup, Protocol):
    @property
    def scope(self) -> TimeScope: ...
    def reject_waiting_pod(self, state: Any, pod: Pod, /) -> tuple[bool, Any]:
        """Whether the pod was waiting at Permit, and the state after its rejection (`RejectWaitingPod`)."""
        ...


class InformersScope(TimeScope, Protocol):
    """How often the informer repeats itself or breaks off, and whether handlers lag behind it; see SchedulingScope."""

    @property
    def pods(self) -> int: ...
    @property
    def resyncs(self) -> int: ...
    @property
    def relists(self) -> int: ...
    @property
    def listeners(self) -> int: ...
    @property
    def fine(self) -> int: ...


class InformersSetup(TimeSetup, Protocol):
    @property
    def scope(self) -> InformersScope: ...
    @property
    def one_pod_handler(self) -> bool:
        """Whether one handler hears of every pod (1.35 on)."""
        ...

    @property
    def assigned_pod_with_hints(self) -> Tells | None:
        """Whom the handlers tell of an assigned pod with the gate SchedulerQueueingHints on; None: the gate is off."""
        ...

    @property
    def forgets_deleted_assumed_pods(self) -> bool:
        """Whether the cache forgets an assumed pod as soon as the pod is deleted (1.35 on)."""
        ...

    def told_of_node(self, calls: Calls, old: Node | None, new: Node | None, /) -> Calls:
        """The calls of the node handler, as the gate SchedulerQueueingHints makes them."""
        ...
