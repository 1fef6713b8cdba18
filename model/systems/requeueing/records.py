"""The state of the system requeueing."""

from attrs import frozen

from model.scheduler.hint_objects import HintedNode, HintedPod
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import Queue
from model.variables import Channel, Places


@frozen(cache_hash=True)
class Told:
    """What the node handler still has to do: one hold of a lock."""

    # The event by which pods are moved. None: the scheduler's cache takes over what the nodes are.
    event: ClusterEvent | None
    # The node before and after.
    old: HintedNode | None
    new: HintedNode | None


@frozen(cache_hash=True)
class Requeueing:
    """One pod, the nodes, bound pods, the scheduler's cache and queue."""

    # The pod that is to be scheduled.
    pod: HintedPod
    # The nodes n1, n2, …, and the bound pods q1, q2, …; None: the node or pod is not there.
    nodes: Places[HintedNode | None]
    assigned: Places[HintedPod | None]
    # The nodes that the scheduler's cache has.
    cached: Places[HintedNode | None]
    # What the node handler still has to do, in order.
    handler: Channel[Told]
    queue: Queue
    # Whether the pod is placed. That is the end of the run.
    placed: bool = False
