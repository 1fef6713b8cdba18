"""What is on its way from the API server to the handlers, and how often each power was used. Pure data."""

from typing import Literal

from attrs import field, frozen

from model.objects import SELDOM, Node, Pod
from model.scheduler.calls import Calls
from model.scheduler.eventhandlers import PodNotification
from model.variables import Channel, Variable, apart, change, question

Kind = Literal["add", "update", "delete"]


@frozen(cache_hash=True)
class PodEvent:
    """A change of a pod on its way from the API server to the informer."""

    kind: Kind
    # The pod after the change; in a delete, its last version.
    pod: Pod
    # Whether a relist found the pod missing. Then the pod is the one of the informer's store.
    final_state_unknown: bool = False


@frozen(cache_hash=True)
class NodeEvent:
    """A change of a node on its way to the informer's one node handler."""

    kind: Kind
    node: Node
    # Of an update: the node before the change. None: the two are equal in all that is modelled.
    old: Node | None = field(default=None, metadata={SELDOM: True})


@apart
@frozen(cache_hash=True)
class Listener:
    """The goroutine of a handler (Go: processorListener)."""

    # The notifications that wait.
    pending: Channel[PodNotification] = Channel()
    # The calls that are left of the notification that is being handled.
    calls: Calls = ()

    @property
    def idle(self) -> bool:
        return not self.pending and not self.calls


@frozen(cache_hash=True)
class Used(Variable):
    """How often each power of the environment was used in this run, by the name of the scope's field, sorted."""

    times: tuple[tuple[str, int], ...] = ()

    @question
    def of(self, power: str) -> int:
        return dict(self.times).get(power, 0)

    @change
    def once_more(self, power: str) -> "Used":
        times = dict(self.times)
        times[power] = times.get(power, 0) + 1
        return Used(tuple(sorted(times.items())))


def first_pod(watch: Channel[PodEvent]) -> str:
    """The pod that the oldest event is about, "" without any event."""
    return watch[0].pod.name if watch else ""


def is_about(watch: Channel[PodEvent], name: str) -> bool:
    """Whether an event of the pod is on its way."""
    return any(event.pod.name == name for event in watch)
