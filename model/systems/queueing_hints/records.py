"""The state of the system queueing-hints: API server, informer, queue, cache, the scheduler's goroutines.

In place of nodes there are a few conditions of the cluster. Each plugin accepts every pod if its condition holds.
"""

from attrs import field, frozen

from model.objects import SELDOM, Node, Pod
from model.scheduler.cache.state import Cache
from model.scheduler.calls import NOTHING, Calls
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.variables import Bag, Channel, Places
from model.world.events import Listener, NodeEvent, PodEvent, Used

NO_NODES: Places[Node | None] = Places()
NO_NODE_EVENTS: Channel[NodeEvent] = Channel()


@frozen(cache_hash=True)
class Goroutine:
    """A goroutine of the scheduler: the scheduling cycle, or a binding."""

    # The steps that the goroutine still has to take, in order.
    steps: tuple[str, ...]
    # The record that Pop returned. After `assume` its pod has a node.
    info: QueuedPodInfo
    # The UID of the pod that Pop returned. The failure handler may find another pod of that name.
    uid: str
    # The plugins that rejected the pod.
    rejected_by: frozenset[str] = frozenset()
    # The plugins that left the pod pending.
    pending_by: frozenset[str] = field(default=frozenset(), metadata={SELDOM: True})
    # The name of the pod that a plugin wants to be tried at once, "" for none.
    activates: str = field(default="", metadata={SELDOM: True})
    # Whether this cycle has called Done. Go keeps no such note: properties ask for it.
    done: bool = False
    # The events that came since the Pop, until Done. Go keeps them in the queue; properties compare.
    events: tuple[ClusterEvent, ...] = ()

    @property
    def pod(self) -> Pod:
        return self.info.pod


@frozen(cache_hash=True)
class QueueingHints:
    """A state of the system. The first pod is p1, the second p2, …"""

    # The pods of the API server.
    pods: Places[Pod | None]
    # How often each pod name was created.
    incarnations: Places[int]
    # The events that are on their way to the informer.
    pod_watch: Channel[PodEvent]
    # The pods in the informer's store.
    lister: Places[Pod | None]
    # The two handlers of pods: for pods with a node, and for pods without (up to 1.34).
    assigned: Listener
    unassigned: Listener
    # Whether the condition of each plugin holds, as the scheduler's cache knows.
    conditions: Places[bool]
    queue: Queue
    cache: Cache
    # The goroutines: the scheduling cycle, and bindings.
    cycle: Goroutine | None
    bindings: Bag[Goroutine]
    # Whether Pop sleeps although activeQ has a pod: nobody woke Pop when the pod came.
    sleeps: bool
    # How the scheduler's process ended; "" while the process runs.
    crashed: str
    # How often each power was used.
    used: Used
    # Whether the ResourceClaims that the pods name wait for their allocation, as DynamicResources finds in Reserve.
    unallocated: bool = field(default=False, metadata={SELDOM: True})

    # Whether all nodes have a taint that no pod tolerates from the first on.
    tainted: bool = field(default=False, metadata={SELDOM: True})
    # The one handler of pods (1.35 on).
    handler: Listener = field(default=Listener(), metadata={SELDOM: True})
    # The bound pod of others, as the API server has it.
    other: Pod | None = field(default=None, metadata={SELDOM: True})

    # There are no nodes, so no handler of nodes has anything to do.

    @property
    def nodes(self) -> Places[Node | None]:
        return NO_NODES

    @property
    def node_watch(self) -> Channel[NodeEvent]:
        return NO_NODE_EVENTS

    @property
    def node_calls(self) -> Calls:
        return NOTHING
