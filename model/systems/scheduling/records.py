"""The state of the system scheduling: API server, informers, the scheduler's components, its goroutines.

Fields are kept apart as far as no action changes them together, because engines remember effects by the fields read.
"""

from attrs import frozen

from model.objects import Node, Pod
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.calls import Calls
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.world.events import Listener, NodeEvent, PodEvent, Used


@frozen(cache_hash=True)
class Goroutine:
    """A thread of the scheduler: the scheduling cycle in hand, a binding goroutine, or a retry of the error function.

    `steps`: what it still does, in order; `model.scheduler.cycle` names them. `info`: the record that Pop returned;
    once the pod is assumed or looked up again, with that object. `node`: where the pod is to go, or is nominated.
    `candidates`: the nodes on which the pod fits. `victims`: uids of the pods to be deleted for it. `clear`: pods of
    lower priority that lose their nomination. `rejected_by`: the plugins that said no. `cycle`: of a retry, the
    scheduling cycle's number that it holds, as `normal` keeps it: 0, or -1 once a move request came.
    """

    steps: tuple[str, ...]
    info: QueuedPodInfo
    node: str | None = ""
    candidates: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    clear: tuple[Pod, ...] = ()
    rejected_by: frozenset[str] = frozenset()
    cycle: int = 0

    @property
    def pod(self) -> Pod:
        return self.info.pod


@frozen(cache_hash=True)
class Scheduling:
    """A state. Pods and nodes of the API server, and of the informer's store (`lister`), by the place of their name.

    `incarnations`: how often each pod name was created. `node_calls`: what
    the node handler still does for its event. `crashed`: how the scheduler's process ended, "" while it runs.
    """

    pods: tuple[Pod | None, ...]
    nodes: tuple[Node | None, ...]
    incarnations: tuple[int, ...]
    pod_watch: tuple[PodEvent, ...]
    node_watch: tuple[NodeEvent, ...]
    lister: tuple[Pod | None, ...]
    assigned: Listener
    unassigned: Listener
    node_calls: Calls
    queue: Queue
    cache: Cache
    snapshot: CacheSnapshot
    cycle: Goroutine | None
    bindings: tuple[Goroutine, ...]
    retries: tuple[Goroutine, ...]
    crashed: str
    used: Used
