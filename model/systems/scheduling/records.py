"""The state of the system scheduling: API server, informers, the scheduler's components, its goroutines."""

from attrs import field, frozen

from model.objects import SELDOM, Node, Pod
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.calls import Calls
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.variables import Bag, Channel, Places
from model.world.events import Listener, NodeEvent, PodEvent, Used


@frozen(cache_hash=True)
class Goroutine:
    """A goroutine of the scheduler: the scheduling cycle, a binding goroutine, or a retry of the error function."""

    # The steps that it still has to take, in order. `model.scheduler.cycle` names the steps.
    steps: tuple[str, ...]
    # The record that Pop returned. It has the object of the pod that was assumed or looked up last.
    info: QueuedPodInfo
    # The node where the pod will be placed, or to which the pod is nominated.
    node: str | None = ""
    # The nodes on which the pod fits.
    candidates: tuple[str, ...] = ()
    # The UIDs of the pods that will be deleted for the pod.
    victims: tuple[str, ...] = ()
    # The pods of lower priority that lose their nomination.
    clear: tuple[Pod, ...] = ()
    # The plugins that rejected the pod.
    rejected_by: frozenset[str] = frozenset()
    # Of a retry: the number of its scheduling cycle, as `normal` keeps it: 0, or -1 once a move request came. Where a
    # rule from outside may read the number, it is counted back from the present cycle, which is 0.
    cycle: int = 0
    # The object that a request compares with or writes, if it is not that of the record. A preemptor as it was looked
    # up, until it is nominated in the API, where the failure is recorded afterwards. Or a pod that went back to the
    # queue with another status than its attempt began with, with that status.
    at_hand: Pod | None = field(default=None, metadata={SELDOM: True})

    @property
    def pod(self) -> Pod:
        return self.info.pod


@frozen(cache_hash=True)
class Scheduling:
    """A state of the system. The first pod is p1, the second p2, …; the same for nodes."""

    # The pods and nodes of the API server.
    pods: Places[Pod | None]
    nodes: Places[Node | None]
    # How often each pod name was created.
    incarnations: Places[int]
    # The events that are on their way to the informers.
    pod_watch: Channel[PodEvent]
    node_watch: Channel[NodeEvent]
    # The pods in the informer's store.
    lister: Places[Pod | None]
    # The two handlers of pods: for pods with a node, and for pods without (up to 1.34).
    assigned: Listener
    unassigned: Listener
    # The calls that the node handler has still to make for its event.
    node_calls: Calls
    queue: Queue
    cache: Cache
    # The snapshot of the last scheduling cycle.
    snapshot: CacheSnapshot
    # The goroutines: the scheduling cycle, bindings, and retries of the error function.
    cycle: Goroutine | None
    bindings: Bag[Goroutine]
    retries: Bag[Goroutine]
    # How the scheduler's process ended; "" while the process runs.
    crashed: str
    # How often each power was used.
    used: Used
    # The one handler of pods (1.35 on).
    handler: Listener = field(default=Listener(), metadata={SELDOM: True})
    # The second scheduler, with nothing in the API server's fields; None: there is one alone (see second_scheduler.py).
    second: "Scheduling | None" = field(default=None, metadata={SELDOM: True})
